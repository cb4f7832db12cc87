// What the consumer gives to the connection manager.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "codec/base/bytes.h"
#include "codec/base/names.h"
#include "codec/ib/encodings.h"
#include "codec/mad/headers.h"
#include "protocol/ib/quirks.h"
#include "protocol/time.h"
#include "protocol/verbs/address_vector.h"

namespace rdmawire::cm {

// A connection, or a service ID resolution. Never given twice within 2^16 uses of its place.
using ConnectionId = Identifier<struct ConnectionIdTag, std::uint32_t>;
using ListenerId = Identifier<struct ListenerIdTag, std::uint32_t>;

// Why something that the consumer asks for is refused. Nothing has changed then.
enum class Refusal : std::uint8_t {
  bad_state,                  // there is no such transition (states.h)
  unknown_handle,             // the connection or the listener is gone
  no_room,                    // a capacity of Config is used up: poll events, or end something first
  too_much_private_data,      // more than the message has room for (CM-21, IPC-03)
  too_much_additional_info,   // more than 72 octets
  bad_value,                  // does not fit its field, or belongs to another transport
  in_use,                     // somebody listens to that service, or a connection has that queue pair
  inconsistent_ip_addresses,  // an IP CM service without IP addresses, or the other way round (IPC-02)
};

inline constexpr std::array refusal_names{
    Name{Refusal::bad_state, "not in this state"},
    Name{Refusal::unknown_handle, "unknown handle"},
    Name{Refusal::no_room, "no room"},
    Name{Refusal::too_much_private_data, "too much private data"},
    Name{Refusal::too_much_additional_info, "too much additional information"},
    Name{Refusal::bad_value, "value out of range"},
    Name{Refusal::in_use, "service or queue pair in use"},
    Name{Refusal::inconsistent_ip_addresses, "IP addresses missing, or without use"},
};

constexpr std::string_view name_of(Refusal refusal) { return find_name(refusal_names, refusal); }

template <class T>
using CmResult = tl::expected<T, Refusal>;

struct Config {
  // Connections and resolutions at once, those in TIMEWAIT included. Looking one up takes time in proportion: made for
  // hundreds, not for a hundred thousand.
  std::size_t max_connections = 64;  // at most 65535
  std::size_t max_listeners = 16;
  // Events that the consumer has not taken yet. While it is full, messages are dropped and time stands still.
  std::size_t max_events = 64;
  // MADs that the host has not taken yet. More are lost, as the network loses some.
  std::size_t max_mads = 128;

  Guid ca_guid;
  // Where the manager counts up from. Give another after each start: the peer remembers.
  CommunicationId first_comm_id{1};
  mad::TransactionId first_transaction{1};

  std::vector<Gid> gids;                       // own: a REQ for another is rejected (CM-17). Empty: any is ours
  std::vector<Gid> ip_addresses;               // the same for IP CM (IPC-04); IPv4 as ::ffff:a.b.c.d
  std::uint8_t target_ack_delay = 15;          // 4.096 us * 2^n; what the peer adds to its ACK timeout (CM-07)
  std::uint8_t max_responder_resources = 255;  // of one connection
  bool alternate_paths = false;                // if not, LAP is answered with status 2 (CM-23)
  bool extended_reliable = false;              // XRC (CM-25)

  ib::Quirks quirks;
};

struct ListenParams {
  // Bits of the service ID that count.
  std::uint64_t mask = ~std::uint64_t{0};
  // Connect requests that the consumer has not answered yet; more are dropped, and the peer sends them again.
  std::uint32_t backlog = 16;
};

// One path from here to the peer, as REQ and LAP describe it: IBTA vol. 1, 12.7.10 to 12.7.22.
struct Path {
  verbs::AddressVector to;
  Gid local_gid;
  Lid local_lid;  // RoCE: 0xFFFF, and the same in `to`
  mad::Rate rate{};
  bool subnet_local = false;
  ib::TimeoutCode packet_life_time{18};
};

struct ConnectParams {
  ServiceId service;
  mad::TransportService transport = mad::TransportService::rc;
  mad::ExtendedTransport extended_transport = mad::ExtendedTransport::none;
  Path path;  // of the connection, and of the messages
  std::optional<Path> alternate_path;
  PKey p_key{0xFFFF};
  ib::PathMtu path_mtu = ib::mtu1024;

  // The queue pair.
  Qpn qpn;
  QKey q_key;
  Psn starting_psn;                      // of the first request that the peer is to send
  std::uint8_t responder_resources = 0;  // reads and atomics of the peer's that it can take at once
  std::uint8_t initiator_depth = 0;      // own ones outstanding at once
  std::uint8_t retry_count = 7;
  std::uint8_t rnr_retry_count = 7;  // 7: for ever; for the peer to use (CM-26)
  bool srq = false;
  bool end_to_end_flow_control = false;

  // How long the peer may take to answer, and how long this side will.
  ib::TimeoutCode remote_cm_response_timeout{20};
  ib::TimeoutCode local_cm_response_timeout{20};
  std::uint8_t max_cm_retries = 15;

  std::optional<mad::IpCm6> ip;  // of an IP CM service, and only of one: see ip_cm()
  Bytes private_data;            // at most 92 octets, with ip 56

  // Instead of the next numbers.
  std::optional<CommunicationId> local_id;
  std::optional<mad::TransactionId> transaction;
};

struct AcceptParams {
  Qpn qpn;
  QKey q_key;
  Psn starting_psn;  // as in ConnectParams
  // No more than what the peer asked for counts (CM-11). Default: all of that.
  std::uint8_t responder_resources = 255;
  std::uint8_t initiator_depth = 255;
  std::uint8_t rnr_retry_count = 7;
  bool srq = false;
  bool end_to_end_flow_control = false;
  Bytes private_data;  // at most 196 octets
  std::optional<CommunicationId> local_id;
};

struct RejectParams {
  mad::RejReason reason = mad::RejReason::consumer_reject;
  Bytes additional_info;  // at most 72 octets
  Bytes private_data;     // at most 148 octets
};

struct PathAnswer {
  mad::AprStatus status = mad::AprStatus::ok;
  Bytes additional_info;  // at most 72 octets
  Bytes private_data;     // at most 148 octets
};

struct ResolveParams {
  ServiceId service;
  verbs::AddressVector path;
  PKey p_key{0xFFFF};
  ib::TimeoutCode response_timeout{20};
  ib::TimeoutCode packet_life_time{18};
  std::uint8_t max_cm_retries = 15;
  std::optional<mad::IpCm6> ip;
  Bytes private_data;  // at most 216 octets, with ip 180
  std::optional<CommunicationId> request_id;
  std::optional<mad::TransactionId> transaction;
};

struct ResolveAnswer {
  mad::SidrStatus status = mad::SidrStatus::valid;
  Qpn qpn;                // counts only if valid
  QKey q_key;             // counts only if valid
  Bytes additional_info;  // at most 72 octets
  Bytes private_data;     // at most 136 octets
};

// The IP CM header for two addresses of the same kind; IPv4 as ::ffff:a.b.c.d.
mad::IpCm6 ip_cm(std::uint16_t source_port, const Gid& source, const Gid& destination);

}  // namespace rdmawire::cm
