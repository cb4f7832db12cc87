// The connection manager of a port: MADs and time in, MADs, events and deadlines out. IBTA vol. 1, chapter 12.
//
// Nothing allocates after construction, and nothing calls back. The host sends what poll_transmit gives, hands over
// what arrives on QP 1, calls on_deadline when next_deadline has come, and takes the events. It does not touch queue
// pairs: events say what they need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/cm/connection.h"
#include "protocol/cm/event.h"
#include "protocol/ring.h"

namespace rdmawire::cm {

// What was dropped, and why.
struct Counters {
  std::uint64_t num_not_cm = 0;        // not 256 octets, another class, method or base version, unknown attribute
  std::uint64_t num_bad_version = 0;   // another class version (CM-20)
  std::uint64_t num_unknown = 0;       // of no connection (CM-19)
  std::uint64_t num_ignored = 0;       // of one, but with no row for it in states.h, or with wrong numbers
  std::uint64_t num_backlog_full = 0;  // connect requests beyond a listener's backlog
  std::uint64_t num_events_full = 0;   // MADs while the consumer has not taken its events
  std::uint64_t num_mads_full = 0;     // own MADs that the host did not take in time
};

class Manager {
 public:
  explicit Manager(const Config& config);

  // --- The consumer ---
  // All fail with bad_state, unknown_handle, no_room and too_much_private_data where that can happen; see Refusal.

  // Connect requests and resolutions for the service become events. in_use, no_room.
  CmResult<ListenerId> listen(ServiceId service, const ListenParams& params = {});
  // Requests that were told already go on.
  CmResult<void> stop_listening(ListenerId listener);

  // Sends REQ. bad_value, inconsistent_ip_addresses, in_use (the QPN, until timewait_over). After it: replied, rejected
  // or timed_out.
  CmResult<ConnectionId> connect(const ConnectParams& params, Time now);
  // Sends REP. The queue pair is in RTR. in_use as above. After it: established, rejected, timed_out or
  // disconnect_request.
  CmResult<void> accept(ConnectionId id, const AcceptParams& params, Time now);
  // Sends RTU. The queue pair is in RTS.
  CmResult<void> establish(ConnectionId id, Bytes private_data, Time now);
  // The queue pair raised COMM_EST: the peer's RTU is lost or late (CM-24).
  CmResult<void> note_communication(ConnectionId id, Time now);
  // Sends MRA: the answer to REQ, REP or LAP will take so long.
  CmResult<void> delay(ConnectionId id, ib::TimeoutCode service_timeout, Bytes private_data, Time now);
  // Sends REJ, and ends the attempt. Without TIMEWAIT the handle is gone.
  CmResult<void> reject(ConnectionId id, const RejectParams& params, Time now);
  // Sends DREQ, or DREP if the peer asked first. After it: disconnected.
  CmResult<void> disconnect(ConnectionId id, Bytes private_data, Time now,
                            std::optional<mad::TransactionId> transaction = {});
  // Sends LAP. After it: path_answered or path_timed_out.
  CmResult<void> load_path(ConnectionId id, const Path& path, Bytes private_data, Time now);
  // Sends APR.
  CmResult<void> answer_path(ConnectionId id, const PathAnswer& answer, Time now);
  // Sends SIDR_REQ. After it: resolved or resolve_timed_out.
  CmResult<ConnectionId> resolve(const ResolveParams& params, Time now);
  // Sends SIDR_REP; the handle is gone.
  CmResult<void> answer_resolve(ConnectionId id, const ResolveAnswer& answer, Time now);

  std::optional<Event> poll_event();

  // IDLE for a handle that is gone.
  State state(ConnectionId id) const;
  // As in events, but with all that is agreed by now. Default values for a handle that is gone.
  verbs::QpAttributes attributes(ConnectionId id) const;
  std::size_t num_connections() const;  // not IDLE

  // --- The host ---

  // A MAD that came to QP 1; reply_path: where an answer goes.
  void on_mad(Bytes octets, const verbs::AddressVector& reply_path, Time now);
  // The next MAD to send; false if there is none.
  bool poll_transmit(TxMad& out, Time now);
  // When on_deadline wants to be called; nothing: never, or the events have to be taken first.
  std::optional<Time> next_deadline() const;
  // May be called early; does what is due.
  void on_deadline(Time now);

  const Counters& counters() const { return counters_; }

 private:
  struct Listener {
    bool used = false;
    ListenerId id;
    std::uint64_t service = 0;
    std::uint64_t mask = 0;
    std::uint32_t backlog = 0;
  };
  // A MAD that came.
  struct Rx {
    mad::Mad mad;
    Bytes message;
    const verbs::AddressVector& path;
    Time now;
    template <class T>
    T as() const {
      return decode<T>(message.first<header_size<T>>());
    }
  };

  bool has(ib::Quirk quirk) const { return config_.quirks.has(quirk); }

  // manager.cc
  Connection* find(ConnectionId id);
  const Connection* find(ConnectionId id) const;
  ConnectionId id_of(const Connection& c) const;
  Connection* take_place();
  Connection* by_local_id(CommunicationId local);
  Connection* by_ids(CommunicationId local, CommunicationId peer);
  Connection* by_peer(CommunicationId peer, Guid guid);
  bool is_qpn_in_use(Qpn qpn) const;
  CommunicationId next_comm_id(std::optional<CommunicationId> wanted);
  mad::TransactionId next_transaction(std::optional<mad::TransactionId> wanted);
  // The row for the consumer's input; bad_state without one, no_room if its event has none.
  CmResult<const Transition*> allowed(const Connection* c, Input input) const;
  // Does what the row says; its messages stand in the connection. wait: until the next deadline, where there is one.
  void take(Connection& c, const Transition& row, Time now, const Rx* cause = nullptr,
            std::optional<Duration> wait = {});
  // The same for a message: ignored and counted without a row.
  bool step(Connection& c, Input input, const Rx& rx, std::optional<Duration> wait = {});
  void transmit(const MadOctets& octets, const verbs::AddressVector& path);
  void tell(const Connection& c, EventKind kind, const Rx* cause);
  void build_rej(Connection& c, mad::RejMessage message, mad::RejReason reason, Bytes info, Bytes private_data) const;
  void build_dreq(Connection& c, Bytes private_data, std::optional<mad::TransactionId> transaction);
  void build_drep(Connection& c, Bytes private_data) const;
  void build_apr(Connection& c, const PathAnswer& answer) const;
  void expire(Connection& c, Time now);

  // receive.cc
  void on_req(const Rx& rx);
  void accept_req(const Rx& rx, const mad::CmReq& req);
  void on_rep(const Rx& rx);
  void on_rtu(const Rx& rx);
  void on_rej(const Rx& rx);
  void on_mra(const Rx& rx);
  void on_dreq(const Rx& rx);
  void on_drep(const Rx& rx);
  void on_lap(const Rx& rx);
  void on_apr(const Rx& rx);
  void on_sidr_req(const Rx& rx);
  void on_sidr_rep(const Rx& rx);
  void refuse_req(const Rx& rx, mad::RejReason reason, Bytes info = {});
  void refuse_sidr(const Rx& rx, mad::SidrStatus status, Bytes info = {});
  void on_bad_class_version(const Rx& rx);
  // The listener of the service; nullptr if there is none.
  const Listener* find_listener(ServiceId service) const;
  std::uint32_t num_waiting(ListenerId listener) const;
  bool accepts_ip(ServiceId service, Bytes private_data) const;

  Config config_;
  std::vector<Connection> connections_;
  std::vector<Listener> listeners_;
  Ring<Event> events_;
  Ring<TxMad> mads_;
  Counters counters_;
  std::uint32_t listener_ids_ = 0;
  std::uint32_t comm_ids_;
  std::uint64_t transactions_;
};

}  // namespace rdmawire::cm
