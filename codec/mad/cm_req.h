// CM request for communication: IBTA vol. 1, 12.6.5 and 12.7. Offered by the active side, answered with REP, REJ or
// MRA. Wireshark shows wrong flow labels under these names; ours are right.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/mad/cm_types.h"
#include "codec/mad/service_id.h"

namespace rdmawire::mad {

// The alternate path is there when its local LID or GID is not zero.
struct CmReq {
  CommunicationId local_id{};
  std::uint8_t reserved4{};
  std::uint32_t vendor_id{};  // OUI for the extended connection establishment; else reserved
  ServiceId service_id{};
  Guid local_ca_guid{};
  std::uint32_t reserved24{};
  QKey local_q_key{};
  Qpn local_qpn{};
  std::uint8_t responder_resources{};  // READs and atomics it can take at once
  EeContext local_eecn{};
  std::uint8_t initiator_depth{};  // READs and atomics it will have outstanding
  EeContext remote_eecn{};
  std::uint8_t remote_cm_response_timeout{};  // 4.096 us * 2^n
  TransportService transport_service{};
  bool end_to_end_flow_control{};
  Psn starting_psn{};
  std::uint8_t local_cm_response_timeout{};  // 4.096 us * 2^n
  std::uint8_t retry_count{};
  PKey p_key{};
  std::uint8_t path_mtu{};  // 128 << n octets
  bool rdc_exists{};
  std::uint8_t rnr_retry_count{};  // 7: no limit
  std::uint8_t max_cm_retries{};
  bool srq{};
  ExtendedTransport extended_transport{};
  Lid primary_local_lid{};
  Lid primary_remote_lid{};
  Gid primary_local_gid{};
  Gid primary_remote_gid{};
  std::uint32_t primary_flow_label{};
  std::uint8_t primary_reserved0{};
  Rate primary_packet_rate{};
  std::uint8_t primary_traffic_class{};
  std::uint8_t primary_hop_limit{};
  std::uint8_t primary_sl{};
  bool primary_subnet_local{};
  std::uint8_t primary_reserved1{};
  std::uint8_t primary_local_ack_timeout{};  // 4.096 us * 2^n; 0: off
  std::uint8_t primary_reserved2{};
  Lid alternate_local_lid{};
  Lid alternate_remote_lid{};
  Gid alternate_local_gid{};
  Gid alternate_remote_gid{};
  std::uint32_t alternate_flow_label{};
  std::uint8_t alternate_reserved0{};
  Rate alternate_packet_rate{};
  std::uint8_t alternate_traffic_class{};
  std::uint8_t alternate_hop_limit{};
  std::uint8_t alternate_sl{};
  bool alternate_subnet_local{};
  std::uint8_t alternate_reserved1{};
  std::uint8_t alternate_local_ack_timeout{};  // 4.096 us * 2^n; 0: off
  bool sap_supported{};
  std::uint8_t reserved139{};
  std::array<std::uint8_t, 92> private_data{};
};

constexpr auto layout(std::type_identity<CmReq>) {
  return Layout(
      Layer::cm_req,  //
      field<&CmReq::local_id, 32>("infiniband.cm.req", "Local communication ID"),
      field<&CmReq::reserved4, 8>("rdma.cm.req.reserved4", "Reserved (1 octet)").reserved(),
      field<&CmReq::vendor_id, 24>("rdma.cm.req.vendor_id", "Vendor ID").as(Display::hex),
      field<&CmReq::service_id, 64>("infiniband.cm.req.serviceid", "Service ID"),
      part("infiniband.cm.req.serviceid.prefix", "IP CM prefix", 0, 40).as(Display::octets).when(is_ip_cm),
      part("infiniband.cm.req.serviceid.protocol", "IP protocol", 40, 8).as(Display::hex).when(is_ip_cm),
      part("infiniband.cm.req.serviceid.dport", "Destination port", 48, 16).as(Display::hex).when(is_ip_cm),
      field<&CmReq::local_ca_guid, 64>("infiniband.cm.req.localcaguid", "Local CA GUID"),
      field<&CmReq::reserved24, 32>("rdma.cm.req.reserved24", "Reserved (4 octets)").reserved(),
      field<&CmReq::local_q_key, 32>("infiniband.cm.req.localqkey", "Local Q_Key"),
      field<&CmReq::local_qpn, 24>("infiniband.cm.req.localqpn", "Local QPN"),
      field<&CmReq::responder_resources, 8>("infiniband.cm.req.responderres", "Responder resources").as(Display::hex),
      field<&CmReq::local_eecn, 24>("infiniband.cm.req.localeecn", "Local EECN").as(Display::hex),
      field<&CmReq::initiator_depth, 8>("infiniband.cm.req.initdepth", "Initiator depth").as(Display::hex),
      field<&CmReq::remote_eecn, 24>("infiniband.cm.req.remoteeecn", "Remote EECN").as(Display::hex),
      field<&CmReq::remote_cm_response_timeout, 5>("infiniband.cm.req.remoteresptout", "Remote CM response timeout")
          .as(Display::hex),
      field<&CmReq::transport_service, 2>("infiniband.cm.req.transpsvctype", "Transport service type").as(Display::hex),
      field<&CmReq::end_to_end_flow_control, 1>("infiniband.cm.req.e2eflowctrl", "End-to-end flow control")
          .as(Display::hex),
      field<&CmReq::starting_psn, 24>("infiniband.cm.req.startpsn", "Starting PSN").as(Display::hex),
      field<&CmReq::local_cm_response_timeout, 5>("infiniband.cm.req.localresptout", "Local CM response timeout")
          .as(Display::hex),
      field<&CmReq::retry_count, 3>("infiniband.cm.req.retrcount", "Retry count").as(Display::hex),
      field<&CmReq::p_key, 16>("infiniband.cm.req.pkey", "Partition key").as(Display::hex),
      field<&CmReq::path_mtu, 4>("infiniband.cm.req.pppmtu", "Path packet payload MTU").as(Display::hex),
      field<&CmReq::rdc_exists, 1>("infiniband.cm.req.rdcexist", "RDC exists").as(Display::hex),
      field<&CmReq::rnr_retry_count, 3>("infiniband.cm.req.rnrretrcount", "RNR retry count").as(Display::hex),
      field<&CmReq::max_cm_retries, 4>("infiniband.cm.req.maxcmretr", "Maximum CM retries").as(Display::hex),
      field<&CmReq::srq, 1>("infiniband.cm.req.srq", "Shared receive queue").as(Display::hex),
      field<&CmReq::extended_transport, 3>("infiniband.cm.req.ext_transport", "Extended transport type")
          .as(Display::hex),
      field<&CmReq::primary_local_lid, 16>("infiniband.cm.req.prim_locallid", "Primary local port LID"),
      field<&CmReq::primary_remote_lid, 16>("infiniband.cm.req.prim_remotelid", "Primary remote port LID"),
      field<&CmReq::primary_local_gid, 128>("infiniband.cm.req.prim_localgid", "Primary local port GID"),
      field<&CmReq::primary_remote_gid, 128>("infiniband.cm.req.prim_remotegid", "Primary remote port GID"),
      field<&CmReq::primary_flow_label, 20>("infiniband.cm.req.prim_flowlabel", "Primary flow label")
          .as(Display::hex, 4),
      field<&CmReq::primary_reserved0, 6>("infiniband.cm.req.prim_reserved0", "Reserved (6 bits)")
          .as(Display::hex, 4)
          .reserved(),
      field<&CmReq::primary_packet_rate, 6>("infiniband.cm.req.prim_pktrate", "Primary packet rate")
          .as(Display::hex, 4),
      field<&CmReq::primary_traffic_class, 8>("infiniband.cm.req.prim_tfcclass", "Primary traffic class")
          .as(Display::hex),
      field<&CmReq::primary_hop_limit, 8>("infiniband.cm.req.prim_hoplim", "Primary hop limit").as(Display::hex),
      field<&CmReq::primary_sl, 4>("infiniband.cm.req.prim_sl", "Primary service level").as(Display::hex),
      field<&CmReq::primary_subnet_local, 1>("infiniband.cm.req.prim_subnetlocal", "Primary subnet local")
          .as(Display::hex),
      field<&CmReq::primary_reserved1, 3>("infiniband.cm.req.prim_reserved1", "Reserved (3 bits)")
          .as(Display::hex)
          .reserved(),
      field<&CmReq::primary_local_ack_timeout, 5>("infiniband.cm.req.prim_localacktout", "Primary local ACK timeout")
          .as(Display::hex),
      field<&CmReq::primary_reserved2, 3>("infiniband.cm.req.prim_reserved2", "Reserved (3 bits)")
          .as(Display::hex)
          .reserved(),
      field<&CmReq::alternate_local_lid, 16>("infiniband.cm.req.alt_locallid", "Alternate local port LID"),
      field<&CmReq::alternate_remote_lid, 16>("infiniband.cm.req.alt_remotelid", "Alternate remote port LID"),
      field<&CmReq::alternate_local_gid, 128>("infiniband.cm.req.alt_localgid", "Alternate local port GID")
          .as(Display::octets),
      field<&CmReq::alternate_remote_gid, 128>("infiniband.cm.req.alt_remotegid", "Alternate remote port GID")
          .as(Display::octets),
      field<&CmReq::alternate_flow_label, 20>("infiniband.cm.req.alt_flowlabel", "Alternate flow label")
          .as(Display::hex, 4),
      field<&CmReq::alternate_reserved0, 6>("infiniband.cm.req.alt_reserved0", "Reserved (6 bits)")
          .as(Display::hex, 4)
          .reserved(),
      field<&CmReq::alternate_packet_rate, 6>("infiniband.cm.req.alt_pktrate", "Alternate packet rate")
          .as(Display::hex, 4),
      field<&CmReq::alternate_traffic_class, 8>("infiniband.cm.req.alt_tfcclass", "Alternate traffic class")
          .as(Display::hex),
      field<&CmReq::alternate_hop_limit, 8>("infiniband.cm.req.alt_hoplim", "Alternate hop limit").as(Display::hex),
      field<&CmReq::alternate_sl, 4>("infiniband.cm.req.alt_sl", "Alternate service level").as(Display::hex),
      field<&CmReq::alternate_subnet_local, 1>("infiniband.cm.req.alt_subnetlocal", "Alternate subnet local")
          .as(Display::hex),
      field<&CmReq::alternate_reserved1, 3>("infiniband.cm.req.alt_reserved1", "Reserved (3 bits)")
          .as(Display::hex)
          .reserved(),
      field<&CmReq::alternate_local_ack_timeout, 5>("infiniband.cm.req.alt_localacktout", "Alternate local ACK timeout")
          .as(Display::hex),
      field<&CmReq::sap_supported, 1>("rdma.cm.req.sap_supported", "Suggested alternate path supported"),
      field<&CmReq::reserved139, 2>("rdma.cm.req.reserved139", "Reserved (2 bits)").reserved(),
      field<&CmReq::private_data, 736>("infiniband.cm.req.private", "Private data"));
}
static_assert(header_size<CmReq> == 232);

}  // namespace rdmawire::mad
