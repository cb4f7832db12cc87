// PathRecord: IBTA vol. 1, 15.2.5.16.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/mad/rate.h"
#include "codec/mad/selector.h"

namespace rdmawire::mad {

struct PathRecord {
  ServiceId service_id{};
  Gid dgid{};
  Gid sgid{};
  Lid dlid{};
  Lid slid{};
  bool raw_traffic{};
  std::uint8_t reserved44{};
  std::uint32_t flow_label{};
  std::uint8_t hop_limit{};
  std::uint8_t traffic_class{};
  bool reversible{};
  std::uint8_t num_paths{};  // the most that the requester wants
  PKey p_key{};
  std::uint16_t qos_class{};
  std::uint8_t sl{};
  Selector mtu_selector{};
  std::uint8_t mtu{};  // 128 << n octets
  Selector rate_selector{};
  Rate rate{};
  Selector packet_lifetime_selector{};
  std::uint8_t packet_lifetime{};  // 4.096 us * 2^n
  std::uint8_t preference{};       // 0 is best
  std::uint64_t reserved58{};
};

constexpr auto layout(std::type_identity<PathRecord>) {
  return Layout(
      Layer::path_record,  //
      field<&PathRecord::service_id, 64>("rdma.path_record.service_id", "Service ID"),
      field<&PathRecord::dgid, 128>("infiniband.pathrecord.dgid", "Destination GID"),
      field<&PathRecord::sgid, 128>("infiniband.pathrecord.sgid", "Source GID"),
      field<&PathRecord::dlid, 16>("infiniband.pathrecord.dlid", "Destination LID").as(Display::hex),
      field<&PathRecord::slid, 16>("infiniband.pathrecord.slid", "Source LID").as(Display::hex),
      field<&PathRecord::raw_traffic, 1>("infiniband.pathrecord.rawtraffic", "Raw traffic").as(Display::hex),
      field<&PathRecord::reserved44, 3>("rdma.path_record.reserved44", "Reserved (3 bits)").reserved(),
      field<&PathRecord::flow_label, 20>("infiniband.pathrecord.flowlabel", "Flow label").as(Display::hex),
      field<&PathRecord::hop_limit, 8>("infiniband.pathrecord.hoplimit", "Hop limit").as(Display::hex),
      field<&PathRecord::traffic_class, 8>("infiniband.pathrecord.tclass", "Traffic class").as(Display::hex),
      field<&PathRecord::reversible, 1>("infiniband.pathrecord.reversible", "Reversible").as(Display::hex),
      field<&PathRecord::num_paths, 7>("infiniband.pathrecord.numbpath", "Number of paths").as(Display::hex),
      field<&PathRecord::p_key, 16>("infiniband.pathrecord.p_key", "Partition key").as(Display::hex),
      field<&PathRecord::qos_class, 12>("rdma.path_record.qos_class", "QoS class").as(Display::hex),
      field<&PathRecord::sl, 4>("infiniband.pathrecord.sl", "Service level").as(Display::hex, 2),
      field<&PathRecord::mtu_selector, 2>("infiniband.pathrecord.mtuselector", "Path MTU selector").as(Display::hex),
      field<&PathRecord::mtu, 6>("infiniband.pathrecord.mtu", "Path MTU").as(Display::hex),
      field<&PathRecord::rate_selector, 2>("infiniband.pathrecord.rateselector", "Rate selector").as(Display::hex),
      field<&PathRecord::rate, 6>("infiniband.pathrecord.rate", "Rate").as(Display::hex),
      field<&PathRecord::packet_lifetime_selector, 2>("infiniband.pathrecord.packetlifetimeselector",
                                                      "Packet lifetime selector")
          .as(Display::hex),
      field<&PathRecord::packet_lifetime, 6>("infiniband.pathrecord.packetlifetime", "Packet lifetime")
          .as(Display::hex),
      field<&PathRecord::preference, 8>("infiniband.pathrecord.preference", "Preference").as(Display::hex),
      field<&PathRecord::reserved58, 48>("rdma.path_record.reserved58", "Reserved (6 octets)").reserved());
}
static_assert(header_size<PathRecord> == 64);

}  // namespace rdmawire::mad
