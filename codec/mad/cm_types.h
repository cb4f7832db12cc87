// The numbers in communication management messages and their names: IBTA vol. 1, 12.6 to 12.11.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codec/base/names.h"
#include "codec/mad/rate.h"

namespace rdmawire::mad {

// What a message has after the common header; its private data included.
//= CM-21
inline constexpr std::size_t cm_message_size = 232;

// The attribute ID says which message it is: 12.6.3, 16.7.3.
//= CM-01
enum class CmAttribute : std::uint16_t {
  class_port_info = 0x0001,
  req = 0x0010,
  mra = 0x0011,
  rej = 0x0012,
  rep = 0x0013,
  rtu = 0x0014,
  dreq = 0x0015,
  drep = 0x0016,
  sidr_req = 0x0017,
  sidr_rep = 0x0018,
  lap = 0x0019,
  apr = 0x001A,
};

inline constexpr std::array cm_attribute_names{
    Name{CmAttribute::class_port_info, "ClassPortInfo"},
    Name{CmAttribute::req, "REQ"},
    Name{CmAttribute::mra, "MRA"},
    Name{CmAttribute::rej, "REJ"},
    Name{CmAttribute::rep, "REP"},
    Name{CmAttribute::rtu, "RTU"},
    Name{CmAttribute::dreq, "DREQ"},
    Name{CmAttribute::drep, "DREP"},
    Name{CmAttribute::sidr_req, "SIDR_REQ"},
    Name{CmAttribute::sidr_rep, "SIDR_REP"},
    Name{CmAttribute::lap, "LAP"},
    Name{CmAttribute::apr, "APR"},
};

constexpr std::string_view name_of(CmAttribute value) { return find_name(cm_attribute_names, value); }

// 12.7.6.
//= CM-25
enum class TransportService : std::uint8_t {
  rc = 0,
  uc = 1,
  rd = 2,
  extended = 3,
};

inline constexpr std::array transport_service_names{
    Name{TransportService::rc, "RC"},
    Name{TransportService::uc, "UC"},
    Name{TransportService::rd, "RD"},
    Name{TransportService::extended, "extended"},
};

constexpr std::string_view name_of(TransportService value) { return find_name(transport_service_names, value); }

// A14: what TransportService::extended stands for.
enum class ExtendedTransport : std::uint8_t {
  none = 0,
  xrc = 1,
};

inline constexpr std::array extended_transport_names{
    Name{ExtendedTransport::none, "none"},
    Name{ExtendedTransport::xrc, "XRC"},
};

constexpr std::string_view name_of(ExtendedTransport value) { return find_name(extended_transport_names, value); }

// 12.7.13.
//= CM-06
enum class MraMessage : std::uint8_t {
  req = 0,
  rep = 1,
  lap = 2,
};

inline constexpr std::array mra_message_names{
    Name{MraMessage::req, "REQ"},
    Name{MraMessage::rep, "REP"},
    Name{MraMessage::lap, "LAP"},
};

constexpr std::string_view name_of(MraMessage value) { return find_name(mra_message_names, value); }

// 12.7.14.
enum class RejMessage : std::uint8_t {
  req = 0,
  rep = 1,
  other = 2,
};

inline constexpr std::array rej_message_names{
    Name{RejMessage::req, "REQ"},
    Name{RejMessage::rep, "REP"},
    Name{RejMessage::other, "no message"},
};

constexpr std::string_view name_of(RejMessage value) { return find_name(rej_message_names, value); }

// 12.7.28.
enum class FailoverAccepted : std::uint8_t {
  accepted = 0,
  unsupported = 1,
  rejected = 2,
};

inline constexpr std::array failover_accepted_names{
    Name{FailoverAccepted::accepted, "accepted"},
    Name{FailoverAccepted::unsupported, "not supported"},
    Name{FailoverAccepted::rejected, "rejected"},
};

constexpr std::string_view name_of(FailoverAccepted value) { return find_name(failover_accepted_names, value); }

// 12.6.7.2. A RoCEv2 port never sends 13 or 19 (CA17-35); 35 comes with the extended connection establishment.
enum class RejReason : std::uint16_t {
  no_qp = 1,
  no_eec = 2,
  no_resources = 3,
  timeout = 4,
  unsupported_request = 5,
  invalid_comm_id = 6,
  invalid_comm_instance = 7,
  invalid_service_id = 8,
  invalid_transport_service = 9,
  stale_connection = 10,
  rdc_does_not_exist = 11,
  primary_remote_gid = 12,
  primary_remote_lid = 13,
  primary_sl = 14,
  primary_traffic_class = 15,
  primary_hop_limit = 16,
  primary_packet_rate = 17,
  alternate_remote_gid = 18,
  alternate_remote_lid = 19,
  alternate_sl = 20,
  alternate_traffic_class = 21,
  alternate_hop_limit = 22,
  alternate_packet_rate = 23,
  port_and_cm_redirection = 24,
  port_redirection = 25,
  invalid_path_mtu = 26,
  insufficient_responder_resources = 27,
  consumer_reject = 28,
  rnr_retry_count_rejected = 29,
  duplicate_local_comm_id = 30,
  unsupported_class_version = 31,
  primary_flow_label = 32,
  alternate_flow_label = 33,
  vendor_option_not_supported = 35,
};

inline constexpr std::array rej_reason_names{
    Name{RejReason::no_qp, "No QP available"},
    Name{RejReason::no_eec, "No EEC available"},
    Name{RejReason::no_resources, "No resources available"},
    Name{RejReason::timeout, "Timeout"},
    Name{RejReason::unsupported_request, "Unsupported request"},
    Name{RejReason::invalid_comm_id, "Invalid communication ID"},
    Name{RejReason::invalid_comm_instance, "Invalid communication instance"},
    Name{RejReason::invalid_service_id, "Invalid service ID"},
    Name{RejReason::invalid_transport_service, "Invalid transport service type"},
    Name{RejReason::stale_connection, "Stale connection"},
    Name{RejReason::rdc_does_not_exist, "RDC does not exist"},
    Name{RejReason::primary_remote_gid, "Primary remote port GID rejected"},
    Name{RejReason::primary_remote_lid, "Primary remote port LID rejected"},
    Name{RejReason::primary_sl, "Invalid primary SL"},
    Name{RejReason::primary_traffic_class, "Invalid primary traffic class"},
    Name{RejReason::primary_hop_limit, "Invalid primary hop limit"},
    Name{RejReason::primary_packet_rate, "Invalid primary packet rate"},
    Name{RejReason::alternate_remote_gid, "Alternate remote port GID rejected"},
    Name{RejReason::alternate_remote_lid, "Alternate remote port LID rejected"},
    Name{RejReason::alternate_sl, "Invalid alternate SL"},
    Name{RejReason::alternate_traffic_class, "Invalid alternate traffic class"},
    Name{RejReason::alternate_hop_limit, "Invalid alternate hop limit"},
    Name{RejReason::alternate_packet_rate, "Invalid alternate packet rate"},
    Name{RejReason::port_and_cm_redirection, "Port and CM redirection"},
    Name{RejReason::port_redirection, "Port redirection"},
    Name{RejReason::invalid_path_mtu, "Invalid path MTU"},
    Name{RejReason::insufficient_responder_resources, "Insufficient responder resources"},
    Name{RejReason::consumer_reject, "Consumer reject"},
    Name{RejReason::rnr_retry_count_rejected, "RNR retry count rejected"},
    Name{RejReason::duplicate_local_comm_id, "Duplicate local communication ID"},
    Name{RejReason::unsupported_class_version, "Unsupported class version"},
    Name{RejReason::primary_flow_label, "Invalid primary flow label"},
    Name{RejReason::alternate_flow_label, "Invalid alternate flow label"},
    Name{RejReason::vendor_option_not_supported, "Vendor option not supported"},
};

constexpr std::string_view name_of(RejReason value) { return find_name(rej_reason_names, value); }

// 12.8.2. A RoCEv2 port never sends 7.
//= CM-23
enum class AprStatus : std::uint8_t {
  ok = 0,
  invalid_comm_id = 1,
  unsupported = 2,
  rejected = 3,
  redirect = 4,
  is_current = 5,
  qpn = 6,
  lid = 7,
  gid = 8,
  flow_label = 9,
  traffic_class = 10,
  hop_limit = 11,
  packet_rate = 12,
  sl = 13,
};

inline constexpr std::array apr_status_names{
    Name{AprStatus::ok, "Alternate path loaded"},
    Name{AprStatus::invalid_comm_id, "Invalid communication ID"},
    Name{AprStatus::unsupported, "Alternate path not supported"},
    Name{AprStatus::rejected, "Alternate path rejected"},
    Name{AprStatus::redirect, "Redirect"},
    Name{AprStatus::is_current, "Proposed path is the current one"},
    Name{AprStatus::qpn, "QPN or EECN mismatch"},
    Name{AprStatus::lid, "Remote LID rejected"},
    Name{AprStatus::gid, "Remote GID rejected"},
    Name{AprStatus::flow_label, "Flow label rejected"},
    Name{AprStatus::traffic_class, "Traffic class rejected"},
    Name{AprStatus::hop_limit, "Hop limit rejected"},
    Name{AprStatus::packet_rate, "Packet rate rejected"},
    Name{AprStatus::sl, "SL rejected"},
};

constexpr std::string_view name_of(AprStatus value) { return find_name(apr_status_names, value); }

// 12.11.2.
//= CM-22
enum class SidrStatus : std::uint8_t {
  valid = 0,
  unsupported = 1,
  rejected = 2,
  no_qp = 3,
  redirect = 4,
  version = 5,
};

inline constexpr std::array sidr_status_names{
    Name{SidrStatus::valid, "QPN and Q_Key valid"},
    Name{SidrStatus::unsupported, "Service ID not supported"},
    Name{SidrStatus::rejected, "Rejected by the service provider"},
    Name{SidrStatus::no_qp, "No QP available"},
    Name{SidrStatus::redirect, "Redirect"},
    Name{SidrStatus::version, "Class version not supported"},
};

constexpr std::string_view name_of(SidrStatus value) { return find_name(sidr_status_names, value); }

}  // namespace rdmawire::mad
