// CM reply to a request for communication: IBTA vol. 1, 12.6.8.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/mad/cm_types.h"

namespace rdmawire::mad {

struct CmRep {
  CommunicationId local_id{};
  CommunicationId remote_id{};
  QKey local_q_key{};
  Qpn local_qpn{};
  std::uint8_t vendor_id_high{};  // OUI for the extended connection establishment; else reserved
  EeContext local_eecn{};
  std::uint8_t vendor_id_middle{};
  Psn starting_psn{};
  std::uint8_t vendor_id_low{};
  std::uint8_t responder_resources{};  // READs and atomics it can take at once
  std::uint8_t initiator_depth{};      // READs and atomics it will have outstanding
  std::uint8_t target_ack_delay{};     // 4.096 us * 2^n
  FailoverAccepted failover_accepted{};
  bool end_to_end_flow_control{};
  std::uint8_t rnr_retry_count{};  // 7: no limit
  bool srq{};
  std::uint8_t reserved27{};
  Guid local_ca_guid{};
  std::array<std::uint8_t, 196> private_data{};
};

constexpr auto layout(std::type_identity<CmRep>) {
  return Layout(
      Layer::cm_rep,  //
      field<&CmRep::local_id, 32>("infiniband.cm.rep", "Local communication ID"),
      field<&CmRep::remote_id, 32>("infiniband.cm.rep.remotecommid", "Remote communication ID"),
      field<&CmRep::local_q_key, 32>("infiniband.cm.rep.localqkey", "Local Q_Key"),
      field<&CmRep::local_qpn, 24>("infiniband.cm.rep.localqpn", "Local QPN"),
      field<&CmRep::vendor_id_high, 8>("rdma.cm.rep.vendor_id_high", "Vendor ID, high octet").as(Display::hex),
      field<&CmRep::local_eecn, 24>("infiniband.cm.rep.localeecn", "Local EE context number").as(Display::hex),
      field<&CmRep::vendor_id_middle, 8>("rdma.cm.rep.vendor_id_middle", "Vendor ID, middle octet").as(Display::hex),
      field<&CmRep::starting_psn, 24>("infiniband.cm.rep.startpsn", "Starting PSN").as(Display::hex),
      field<&CmRep::vendor_id_low, 8>("rdma.cm.rep.vendor_id_low", "Vendor ID, low octet").as(Display::hex),
      field<&CmRep::responder_resources, 8>("infiniband.cm.rep.respres", "Responder resources").as(Display::hex),
      field<&CmRep::initiator_depth, 8>("infiniband.cm.rep.initdepth", "Initiator depth").as(Display::hex),
      field<&CmRep::target_ack_delay, 5>("infiniband.cm.rep.tgtackdelay", "Target ACK delay").as(Display::hex),
      field<&CmRep::failover_accepted, 2>("infiniband.cm.rep.failoveracc", "Failover accepted").as(Display::hex),
      field<&CmRep::end_to_end_flow_control, 1>("infiniband.cm.rep.e2eflowctrl", "End-to-end flow control")
          .as(Display::hex),
      field<&CmRep::rnr_retry_count, 3>("infiniband.cm.rep.rnrretrcount", "RNR retry count").as(Display::hex),
      field<&CmRep::srq, 1>("infiniband.cm.rep.srq", "Shared receive queue").as(Display::hex),
      field<&CmRep::reserved27, 4>("infiniband.cm.rep.reserved", "Reserved (4 bits)").as(Display::hex).reserved(),
      field<&CmRep::local_ca_guid, 64>("infiniband.cm.rep.localcaguid", "Local CA GUID"),
      field<&CmRep::private_data, 1568>("infiniband.cm.rep.private", "Private data"));
}
static_assert(header_size<CmRep> == 232);

}  // namespace rdmawire::mad
