// Global Route Header: IBTA vol. 1, 8.3. In RoCEv1 it follows the EtherType 0x8915 (A16).
#pragma once

#include "codec/base/layout.h"

namespace rdmawire::ib {

struct Grh {
  static constexpr std::uint8_t iba_transport = 0x1B;  // NxtHdr: a BTH follows

  std::uint8_t ip_version{};  // 6
  std::uint8_t traffic_class{};
  std::uint32_t flow_label{};
  std::uint16_t payload_len{};  // octets after the GRH, through the ICRC
  std::uint8_t next_header{};
  std::uint8_t hop_limit{};
  Gid sgid{};
  Gid dgid{};
};

constexpr auto layout(std::type_identity<Grh>) {
  return Layout(Layer::grh,  //
                field<&Grh::ip_version, 4>("infiniband.grh.ipver", "IP version"),
                field<&Grh::traffic_class, 8>("infiniband.grh.tclass", "Traffic class"),
                field<&Grh::flow_label, 20>("infiniband.grh.flowlabel", "Flow label"),
                field<&Grh::payload_len, 16>("infiniband.grh.paylen", "Payload length"),
                field<&Grh::next_header, 8>("infiniband.grh.nxthdr", "Next header"),
                field<&Grh::hop_limit, 8>("infiniband.grh.hoplmt", "Hop limit"),
                field<&Grh::sgid, 128>("infiniband.grh.sgid", "Source GID"),
                field<&Grh::dgid, 128>("infiniband.grh.dgid", "Destination GID"));
}
static_assert(header_size<Grh> == 40);

}  // namespace rdmawire::ib
