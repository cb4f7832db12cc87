// The requester of a reliable connection: IBTA vol. 1, 9.7.3, 9.7.5, 9.7.7. See machine.h for how it is called.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/ib/machine.h"
#include "protocol/ib/packet.h"
#include "protocol/ib/rc_states.h"

namespace rdmawire::ib {

class Requester {
 public:
  Requester(verbs::QueuePair& qp, const RcConfig& config);

  void start();
  void stop();
  // A response (HV-25).
  void on_packet(const RxPacket& packet, Time now);
  bool poll_transmit(TxPacket& out, Time now);
  std::optional<Time> next_deadline() const;
  void on_deadline(Time now);

  // The oldest PSN that is not acknowledged, and the first that was never sent.
  Psn oldest_psn() const { return una_; }
  Psn next_new_psn() const { return sent_end_; }
  RequesterState state() const;
  struct Counters {
    std::uint64_t num_retransmitted = 0;  // packets
    std::uint64_t num_timeouts = 0;
    std::uint64_t num_sequence_naks = 0;
    std::uint64_t num_implied_naks = 0;
    std::uint64_t num_rnr_naks = 0;
    std::uint64_t num_ignored = 0;  // responses
  };
  const Counters& counters() const { return counters_; }

 private:
  // Of a posted request that was started.
  struct Started {
    Psn first;
    std::uint32_t num_psns = 0;  // 0 for local work
    std::uint32_t length = 0;    // octets
    std::uint32_t ssn = 0;       // its number among the messages
    Psn last_request{};          // of a read: where it was asked for last
    // What it will complete with if it was found wrong before it could be sent.
    verbs::CompletionStatus status = verbs::CompletionStatus::success;
    // The message, if it lies in one piece of memory, as that was found while the keys had that generation.
    const std::uint8_t* source = nullptr;
    std::uint64_t source_generation = 0;
  };

  static constexpr std::uint32_t max_outstanding = 1U << 23;  // PSNs

  bool quirk(Quirk which) const { return config_.quirks.has(which); }
  std::uint32_t mtu() const { return qp_.attributes().path_mtu.octets(); }
  const verbs::SendWork& work(std::uint64_t number) const { return qp_.send_queue()[number]; }
  Started& started(std::uint64_t number) { return started_[number & started_mask_]; }
  const Started& started(std::uint64_t number) const { return started_[number & started_mask_]; }
  bool takes_response(std::uint64_t number) const { return verbs::info(work(number).opcode).takes_response; }

  // requester_send.cc
  bool start_next();
  inline bool may_start(const verbs::SendWork& next) const;
  inline bool within_credits(const verbs::SendWork& next, std::uint32_t ssn) const;
  void check_local(const verbs::SendWork& next, Started& one) const;
  inline void build(const verbs::SendWork& what, Started& one, TxPacket& out);

  // requester.cc
  bool in_flight(Psn psn) const;
  // How far psn lies ahead of the oldest that is not acknowledged, or nothing if it lies behind. 2^23 can be
  // outstanding (PSN-03): one more than Psn::distance_to can tell.
  std::optional<std::uint32_t> ahead(Psn psn) const {
    const std::uint32_t distance = una_.forward_to(psn);
    return distance <= max_outstanding ? std::optional(distance) : std::nullopt;
  }
  // Everything before psn is acknowledged. False if a read or atomic that was not answered stands in between: then it
  // is asked for again (implied NAK).
  bool acknowledge_before(Psn psn, Time now);
  void advance(Psn to, Time now);
  void complete_acknowledged();
  void on_acknowledge(const RxPacket& packet, Time now);
  void on_nak(const RxPacket& packet, Time now);
  void on_rnr_nak(const RxPacket& packet, Time now);
  void on_read_response(const RxPacket& packet, Time now);
  void on_atomic_response(const RxPacket& packet, Time now);
  void take_credits(const Aeth& aeth);
  // Costs one retry; false if there was none left, and the connection is over.
  bool retry_from(Psn psn, Time now);
  void go_back(Psn psn);
  void implied_nak(Time now);
  std::uint64_t number_at(Psn psn) const;
  void fail(std::uint64_t number, verbs::CompletionStatus status);
  void restart_timer(Time now);

  verbs::QueuePair& qp_;
  const RcConfig config_;
  std::vector<Started> started_;  // a power of two of them
  std::size_t started_mask_;
  std::vector<Bytes> pieces_;

  bool running_ = false;
  Psn una_;                      // oldest not acknowledged
  Psn next_psn_;                 // of the packet that is sent next
  Psn end_psn_;                  // first that no started request has
  Psn sent_end_;                 // first that was never sent
  std::uint64_t current_ = 0;    // number of the request that next_psn_ belongs to
  std::uint64_t end_ = 0;        // number of the first request that was not started
  std::uint32_t num_reads_ = 0;  // started, and not answered whole
  std::uint32_t ssn_ = 0;        // messages started
  std::uint32_t unasked_ = 0;    // packets sent since the last that asked for an ACK
  Psn last_asked_;               // the newest PSN for which a response is due
  bool response_due_ = false;    // last_asked_ counts
  std::optional<Psn> last_nak_;  // of the last sequence NAK, until there is progress (NAK-13)

  std::uint8_t retries_left_ = 0;
  std::uint8_t rnr_retries_left_ = 0;
  std::optional<Time> timeout_at_;
  std::optional<Time> rnr_until_;

  bool credits_seen_ = false;    // limit_ssn_ counts
  bool credits_ended_ = false;   // code 31 came once (CRD-03)
  std::uint32_t limit_ssn_ = 0;  // LSN
  Counters counters_;
};

}  // namespace rdmawire::ib
