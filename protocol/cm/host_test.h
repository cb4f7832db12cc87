// A manager with what a test needs to talk to it in single messages.
#pragma once

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "codec/base/header_test.h"
#include "protocol/cm/messages.h"
#include "protocol/vectors/recorded_cm.h"

namespace rdmawire::cm {

inline std::ostream& operator<<(std::ostream& out, State state) { return out << name_of(state); }
inline std::ostream& operator<<(std::ostream& out, EventKind kind) { return out << name_of(kind); }
inline std::ostream& operator<<(std::ostream& out, Refusal refusal) { return out << name_of(refusal); }

namespace test {

using namespace std::chrono_literals;

inline constexpr Guid guid_a{0x505400FFFE770001};
inline constexpr Guid guid_b{0x505400FFFE770002};
inline constexpr ServiceId service{0x1234};
inline constexpr mad::TransactionId peer_transaction{0xBEEF};

// Response timeout code 20 and ACK timeout code 19: 4.096 us * 2^20 + 4.096 us * 2^19.
inline constexpr Duration response_time{4'294'967'296 + 2'147'483'648};

// ::ffff:10.77.0.last
constexpr Gid gid(std::uint8_t last) { return {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 77, 0, last}}; }

inline verbs::AddressVector to(std::uint8_t last) {
  verbs::AddressVector out;
  out.destination_lid = {0xFFFF};
  out.global = true;
  out.destination_gid = gid(last);
  out.destination_mac = {{2, 0, 0, 0, 0, last}};
  out.flow_label = 0x1E925;
  return out;
}

template <class T>
constexpr mad::CmAttribute attribute_for() {
  using enum mad::CmAttribute;
  if constexpr (std::is_same_v<T, mad::CmReq>) return req;
  if constexpr (std::is_same_v<T, mad::CmMra>) return mra;
  if constexpr (std::is_same_v<T, mad::CmRej>) return rej;
  if constexpr (std::is_same_v<T, mad::CmRep>) return rep;
  if constexpr (std::is_same_v<T, mad::CmRtu>) return rtu;
  if constexpr (std::is_same_v<T, mad::CmDreq>) return dreq;
  if constexpr (std::is_same_v<T, mad::CmDrep>) return drep;
  if constexpr (std::is_same_v<T, mad::CmSidrReq>) return sidr_req;
  if constexpr (std::is_same_v<T, mad::CmSidrRep>) return sidr_rep;
  if constexpr (std::is_same_v<T, mad::CmLap>) return lap;
  if constexpr (std::is_same_v<T, mad::CmApr>) return apr;
}

struct Host {
  explicit Host(const Config& config, std::uint8_t peer) : cm(config), reply(to(peer)) {}

  vectors::RecordedManager cm;
  Time now{};
  verbs::AddressVector reply;  // to the peer
  TxMad last;                  // what sent() took

  template <class T>
  void receives(const T& message, mad::TransactionId transaction = peer_transaction) {
    MadOctets octets;
    write(octets, attribute_for<T>(), transaction, message);
    cm.on_mad(octets, reply, now);
  }
  // The next MAD that it sends, which must be a T to the peer.
  template <class T>
  T sent() {
    BOOST_REQUIRE(cm.poll_transmit(last, now));
    BOOST_REQUIRE_EQUAL(mad::name_of(attribute_of(last.octets)), mad::name_of(attribute_for<T>()));
    BOOST_TEST((last.path == reply));
    return decode<T>(Bytes(last.octets).last<mad::cm_message_size>());
  }
  std::uint64_t transaction() const { return transaction_of(last.octets).value; }
  bool quiet() {
    TxMad out;
    return !cm.poll_transmit(out, now);
  }
  Event event(EventKind kind) {
    const std::optional<Event> out = cm.poll_event();
    BOOST_REQUIRE(out.has_value());
    BOOST_REQUIRE_EQUAL(out->kind, kind);
    return *out;
  }
  bool no_event() { return !cm.poll_event().has_value(); }
  // Goes to the next deadline, and says how far it was.
  Duration pass() {
    const auto deadline = cm.next_deadline();
    BOOST_REQUIRE(deadline.has_value());
    const Duration out = *deadline - now;
    now = *deadline;
    cm.on_deadline(now);
    return out;
  }
};

template <class T>
Refusal refusal(const CmResult<T>& result) {
  BOOST_REQUIRE(!result.has_value());
  return result.error();
}

// A, which connects.
inline ConnectParams connect_params() {
  ConnectParams out;
  out.service = service;
  out.path = {to(2), gid(1), {0xFFFF}, {}, false, {18}};
  out.qpn = {0x11};
  out.starting_psn = {0x758F1C};
  out.responder_resources = 4;
  out.initiator_depth = 8;
  out.max_cm_retries = 3;
  return out;
}

// What asks for captured_req.
inline ConnectParams rping_params() {
  ConnectParams out = connect_params();
  out.service = mad::ip_cm_service_id(mad::PortSpace::tcp, 7174);
  out.ip = ip_cm(0x9301, gid(1), gid(2));
  out.responder_resources = out.initiator_depth = 1;
  out.max_cm_retries = 15;
  out.local_id = CommunicationId{0x14D81840};
  out.transaction = mad::TransactionId{0x24018D814};
  return out;
}

// The REQ of rxe-rping.pcap.
inline std::vector<std::uint8_t> captured_req() {
  auto out = rdmawire::test::octets(
      "0107020300000000000000024018d8140010000000000000"
      "14d81840000000000000000001061c06505400fffe77000100000000000000000000110100000001000000a0758f1ca7ffff37f0"
      "ffffffff00000000000000000000ffff0a4d000100000000000000000000ffff0a4d00021e92500000400098");
  out.resize(164);
  const auto ip = rdmawire::test::octets("004093010000000000000000000000000a4d00010000000000000000000000000a4d0002");
  out.insert(out.end(), ip.begin(), ip.end());
  out.resize(256);
  return out;
}

struct Active : Host {
  explicit Active(Config config = {}) : Host(with_guid(config), 2) {}
  static Config with_guid(Config config) {
    config.ca_guid = guid_a;
    config.first_comm_id = {0xA1};
    config.first_transaction = {0x7000};
    return config;
  }
  ConnectionId id;

  mad::CmReq connect(const ConnectParams& params = connect_params()) {
    const auto result = cm.connect(params, now);
    BOOST_REQUIRE(result.has_value());
    id = *result;
    return sent<mad::CmReq>();
  }
  mad::CmRep rep() const {
    mad::CmRep out;
    out.local_id = {0xB1};
    out.remote_id = {0xA1};
    out.local_qpn = {0x22};
    out.starting_psn = {0x00BB08};
    out.responder_resources = 8;
    out.initiator_depth = 4;
    out.target_ack_delay = 15;
    out.rnr_retry_count = 3;
    out.local_ca_guid = guid_b;
    return out;
  }
  State state() const { return cm.state(id); }
  void to(State state) {
    connect();
    if (state == State::req_sent) return;
    receives(rep(), {0x7000});
    event(EventKind::replied);
    if (state == State::rep_received) return;
    BOOST_REQUIRE(cm.establish(id, {}, now).has_value());
    sent<mad::CmRtu>();
    if (state == State::established) return;
    BOOST_REQUIRE(cm.disconnect(id, {}, now).has_value());
    sent<mad::CmDreq>();
    if (state == State::dreq_sent) return;
    receives(mad::CmDrep{{0xB1}, {0xA1}, {}});
    event(EventKind::disconnected);
    BOOST_REQUIRE_EQUAL(this->state(), state);
  }
};

// B, which listens.
struct Passive : Host {
  explicit Passive(Config config = {}, const ListenParams& params = {}) : Host(with_guid(config), 1) {
    listener = cm.listen(service, params).value();
  }
  static Config with_guid(Config config) {
    config.ca_guid = guid_b;
    config.first_comm_id = {0xB1};
    config.first_transaction = {0x9000};
    return config;
  }
  ListenerId listener;
  ConnectionId id;

  static mad::CmReq req() {
    mad::CmReq out;
    out.local_id = {0xA1};
    out.service_id = service;
    out.local_ca_guid = guid_a;
    out.local_qpn = {0x11};
    out.responder_resources = 4;
    out.initiator_depth = 8;
    out.remote_cm_response_timeout = 20;
    out.starting_psn = {0x758F1C};
    out.local_cm_response_timeout = 20;
    out.retry_count = 6;
    out.p_key = {0xFFFF};
    out.path_mtu = 3;
    out.rnr_retry_count = 5;
    out.max_cm_retries = 3;
    out.primary_local_lid = {0xFFFF};
    out.primary_remote_lid = {0xFFFF};
    out.primary_local_gid = gid(1);
    out.primary_remote_gid = gid(2);
    out.primary_flow_label = 0x1E925;
    out.primary_hop_limit = 64;
    out.primary_local_ack_timeout = 19;
    return out;
  }
  static AcceptParams accept_params() {
    AcceptParams out;
    out.qpn = {0x22};
    out.starting_psn = {0x00BB08};
    return out;
  }
  State state() const { return cm.state(id); }
  Event requested() {
    receives(req());
    Event out = event(EventKind::connect_request);
    id = out.connection;
    return out;
  }
  mad::CmRep accept(const AcceptParams& params = accept_params()) {
    BOOST_REQUIRE(cm.accept(id, params, now).has_value());
    return sent<mad::CmRep>();
  }
  void to(State state) {
    requested();
    if (state == State::req_received) return;
    accept();
    if (state == State::rep_sent) return;
    receives(mad::CmRtu{{0xA1}, {0xB1}, {}});
    event(EventKind::established);
    if (state == State::established) return;
    receives(mad::CmDreq{{0xA1}, {0xB1}, {0x22}, 0, {}}, {0xD1});
    event(EventKind::disconnect_request);
    if (state == State::dreq_received) return;
    BOOST_REQUIRE(cm.disconnect(id, {}, now).has_value());
    sent<mad::CmDrep>();
    event(EventKind::disconnected);
    BOOST_REQUIRE_EQUAL(this->state(), state);
  }
};

inline Config with(ib::Quirk quirk, Config config = {}) {
  config.quirks.add(quirk);
  return config;
}

inline std::vector<std::uint8_t> octets_of(std::size_t len, std::uint8_t value = 0xC5) {
  return std::vector<std::uint8_t>(len, value);
}

template <class Octets>
bool all_are(const Octets& octets, std::uint8_t value) {
  for (const std::uint8_t each : octets) {
    if (each != value) return false;
  }
  return true;
}

}  // namespace test
}  // namespace rdmawire::cm
