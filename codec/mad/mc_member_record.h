// MCMemberRecord: IBTA vol. 1, 15.2.5.17.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/mad/rate.h"
#include "codec/mad/selector.h"

namespace rdmawire::mad {

struct McMemberRecord {
  Gid mgid{};
  Gid port_gid{};
  QKey q_key{};
  Lid mlid{};
  Selector mtu_selector{};
  std::uint8_t mtu{};  // 128 << n octets
  std::uint8_t traffic_class{};
  PKey p_key{};
  Selector rate_selector{};
  Rate rate{};
  Selector packet_lifetime_selector{};
  std::uint8_t packet_lifetime{};  // 4.096 us * 2^n
  std::uint8_t sl{};
  std::uint32_t flow_label{};
  std::uint8_t hop_limit{};
  std::uint8_t scope{};
  std::uint8_t join_state{};  // bits: full, non-member, send-only
  bool proxy_join{};
  std::uint8_t reserved49{};
  std::uint16_t reserved50{};
};

constexpr auto layout(std::type_identity<McMemberRecord>) {
  return Layout(
      Layer::mc_member_record,  //
      field<&McMemberRecord::mgid, 128>("infiniband.mcmemberrecord.mgid", "Multicast GID"),
      field<&McMemberRecord::port_gid, 128>("infiniband.mcmemberrecord.portgid", "Port GID"),
      field<&McMemberRecord::q_key, 32>("infiniband.mcmemberrecord.q_key", "Queue key"),
      field<&McMemberRecord::mlid, 16>("infiniband.mcmemberrecord.mlid", "Multicast LID").as(Display::hex),
      field<&McMemberRecord::mtu_selector, 2>("infiniband.mcmemberrecord.mtuselector", "Path MTU selector")
          .as(Display::hex),
      field<&McMemberRecord::mtu, 6>("infiniband.mcmemberrecord.mtu", "Path MTU").as(Display::hex),
      field<&McMemberRecord::traffic_class, 8>("infiniband.mcmemberrecord.tclass", "Traffic class").as(Display::hex),
      field<&McMemberRecord::p_key, 16>("infiniband.mcmemberrecord.p_key", "Partition key").as(Display::hex),
      field<&McMemberRecord::rate_selector, 2>("infiniband.mcmemberrecord.rateselector", "Rate selector")
          .as(Display::hex),
      field<&McMemberRecord::rate, 6>("infiniband.mcmemberrecord.rate", "Rate").as(Display::hex),
      field<&McMemberRecord::packet_lifetime_selector, 2>("infiniband.mcmemberrecord.packetlifetimeselector",
                                                          "Packet lifetime selector")
          .as(Display::hex),
      field<&McMemberRecord::packet_lifetime, 6>("infiniband.mcmemberrecord.packetlifetime", "Packet lifetime")
          .as(Display::hex),
      field<&McMemberRecord::sl, 4>("infiniband.mcmemberrecord.sl", "Service level").as(Display::hex),
      field<&McMemberRecord::flow_label, 20>("infiniband.mcmemberrecord.flowlabel", "Flow label").as(Display::hex),
      field<&McMemberRecord::hop_limit, 8>("infiniband.mcmemberrecord.hoplimit", "Hop limit").as(Display::hex),
      field<&McMemberRecord::scope, 4>("infiniband.mcmemberrecord.scope", "Scope").as(Display::hex),
      field<&McMemberRecord::join_state, 4>("infiniband.mcmemberrecord.joinstate", "Join state").as(Display::hex),
      field<&McMemberRecord::proxy_join, 1>("infiniband.mcmemberrecord.proxyjoin", "Proxy join").as(Display::hex),
      field<&McMemberRecord::reserved49, 7>("rdma.mc_member_record.reserved49", "Reserved (7 bits)").reserved(),
      field<&McMemberRecord::reserved50, 16>("rdma.mc_member_record.reserved50", "Reserved (2 octets)").reserved());
}
static_assert(header_size<McMemberRecord> == 52);

}  // namespace rdmawire::mad
