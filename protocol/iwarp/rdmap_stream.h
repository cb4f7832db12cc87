// An RDMAP stream: verbs above, DDP segments below. RFC 5040, RFC 5041, RFC 7306. What carries the segments is its
// owner's: mpa_queue_pair.h, sctp_queue_pair.h.
//
//   stream.start(ird, ord, ready)              the lower layer is established
//   stream.on_segment(segment)                 those that came, in the order of the sender
//   while (stream.next_len(mulpdu) != 0) stream.next_segment(segment, mulpdu)
//
// Nothing of it allocates after construction, and none of it calls back.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "codec/iwarp/negotiation.h"
#include "codec/iwarp/pdu_build.h"
#include "protocol/iwarp/quirks.h"
#include "protocol/iwarp/segment.h"
#include "protocol/iwarp/stream_state.h"
#include "protocol/ring.h"
#include "protocol/verbs/queue_pair.h"

namespace rdmawire::iwarp {

struct RdmapConfig {
  // The largest depths that any start may give: room for the peer's reads and atomics, and for one's own.
  std::uint16_t max_ird = 64;
  std::uint16_t max_ord = 64;
  //= RDMAP-7306-1.1-01
  bool extensions = true;  // RFC 7306: atomics and immediate data
  // Of the first message of each queue, but the Terminate's, in both directions. Other than RFC 5041, 4.3 has it only
  // to come soon to where numbers begin anew.
  DdpMsn first_msn{1};
  Quirks quirks;
};

// The initiator's first message in the peer-to-peer model: RFC 6581, 9.2.
enum class ReadyToReceive : std::uint8_t { none, send, write, read };

// The one that an initiator sends of those that both ends know.
//= MPA-6581-9.2-10, MPA-6581-9.2-11
constexpr ReadyToReceive ready_to_receive(const Negotiated& terms) {
  if (!terms.peer_to_peer) return ReadyToReceive::none;
  if (terms.rtr_write) return ReadyToReceive::write;
  return terms.rtr_read ? ReadyToReceive::read : ReadyToReceive::send;
}

// Why a stream is no longer running.
struct StreamEnd {
  enum class By : std::uint8_t { nobody, ulp, error_here, peer, loss };
  By by = By::nobody;
  TerminateError error;  // of the Terminate that was sent or came, or would have been sent
  bool has_error = false;
  bool in_siw_order = false;  // the bits of the peer's Terminate (SiwTerminate); error has the standard's meaning
};

class RdmapStream {
 public:
  RdmapStream(const verbs::QpConfig& qp, const verbs::QpResources& resources, const RdmapConfig& config);

  verbs::QueuePair& verbs() { return qp_; }
  const verbs::QueuePair& verbs() const { return qp_; }
  StreamState state() const { return state_; }
  const StreamEnd& end() const { return end_; }

  // Errors as in verbs/queue_pair.h; bad_state also after close().
  verbs::VerbsResult<void> post_send(const verbs::SendWork& work);
  verbs::VerbsResult<void> post_receive(const verbs::RecvWork& work) { return qp_.post_receive(work); }

  // --- The life ---

  // The queue pair must be in INIT, and goes to RTS. ird: of the peer's reads and atomics; ord: of one's own; both as
  // far as there is room. ready: what goes before everything else.
  void start(std::uint16_t ird, std::uint16_t ord, ReadyToReceive ready = ReadyToReceive::none);
  // A graceful end: no more work is taken, what is posted still goes.
  void close();
  // An error of the lower layer that the peer is told of. For RFC 6581's errors before RDMA mode: after start.
  void on_lower_error(TerminateReason reason);
  // The peer has ended its direction. before_end: in the middle of a segment.
  //= DDP-5041-3-09
  void on_peer_closed(bool before_end);
  // The lower layer is gone.
  void on_lost();
  // This direction is to be ended (TCP: FIN; SCTP: session Terminate), after all that next_segment gave. Once true it
  // stays so.
  bool wants_end() const;
  // Both directions are ended.
  void on_ended();

  // --- Sending ---

  // Octets of the segment that goes next, not longer than mulpdu; 0 if there is none now.
  std::uint32_t next_len(std::uint32_t mulpdu);
  // That segment; only if next_len said that there is one. Whoever calls it has it sent: work completes by it.
  void next_segment(TxSegment& out, std::uint32_t mulpdu);

  // --- Receiving ---

  // The next segment of the sender's order.
  //= DDP-5041-3-08, SEC-5042-2.3.5-01
  void on_segment(const RxSegment& segment);
  // A segment before those that are missing: its payload may be placed, and nothing else follows from it. It must come
  // again, in order.
  void place_ahead(const RxSegment& segment);

  // What it has seen; for administrators.
  //= SEC-5042-6.4.4-01
  struct Counters {
    std::uint64_t num_segments = 0;
    std::uint64_t num_segments_sent = 0;
    std::uint64_t num_dropped = 0;  // after an error
    std::uint64_t num_placed_ahead = 0;
    //= DDP-5041-8.3.2-05, RDMAP-5040-8.1.2-07, SEC-5042-6.4.3.1-01
    std::uint64_t num_receives_taken = 0;  // also of an SRQ
  };
  const Counters& counters() const { return counters_; }

 private:
  // A send request that is (partly) sent, by its number.
  struct Started {
    bool waiting = false;  // for the peer's answer
    std::uint32_t length = 0;
    QueueNumber queue;
    DdpMsn msn;
  };
  // An own read or atomic that is not answered.
  struct Outstanding {
    static constexpr std::uint64_t no_work = ~std::uint64_t{0};
    std::uint64_t number = no_work;  // of the send request; none for a ready-to-receive indication
    bool atomic = false;
    std::uint32_t request_id = 0;
    Stag sink;
    std::uint64_t offset = 0;  // tagged offset of the next octet
    std::uint32_t length = 0;
    std::uint32_t done_len = 0;
  };
  // The peer's read or atomic.
  struct Inbound {
    bool atomic = false;
    ReadRequest read;
    AtomicRequest request;
    std::uint32_t sent_len = 0;
    std::uint32_t segment_len = 0;
    std::array<std::uint8_t, header_size<DdpUntagged> + header_size<AtomicRequest>> head{};
  };
  enum class Message : std::uint8_t { none, ready, work, answer, terminate };

  bool quirk(Quirk which) const { return config_.quirks.has(which); }
  bool has_extensions() const { return config_.extensions && !quirk(Quirk::no_extensions); }
  Started& started(std::uint64_t number) { return started_[static_cast<std::size_t>(number) & (started_.size() - 1)]; }
  const verbs::SendWork& work(std::uint64_t number) const { return qp_.send_queue()[number]; }
  void happen(StreamEvent event);
  void fail_queue_pair();
  // By the consumer: ERR or RESET.
  bool is_abandoned() const { return qp_.state() != verbs::QpState::rts; }
  bool end_if_abandoned();

  // rdmap_stream.cc: errors
  struct Blame {
    std::optional<std::uint64_t> send;                                       // number of the request that ends in error
    std::optional<verbs::CompletionStatus> receive;                          // of the current receive
    verbs::CompletionStatus status = verbs::CompletionStatus::work_flushed;  // of send
    verbs::EventKind event = verbs::EventKind::qp_fatal;

    Blame() = default;
    explicit Blame(verbs::EventKind kind) : event(kind) {}
    static Blame of_send(std::uint64_t number, verbs::CompletionStatus how) {
      Blame out;
      out.send = number;
      out.status = how;
      return out;
    }
    static Blame of_receive(verbs::CompletionStatus how, verbs::EventKind kind) {
      Blame out(kind);
      out.receive = how;
      return out;
    }
  };
  void refuse(TerminateReason reason, Bytes head, std::uint32_t segment_len, const Blame& blame,
              std::optional<std::uint32_t> read_done_len = std::nullopt);
  void refuse(TerminateReason reason, const RxSegment& segment, const Blame& blame) {
    refuse(reason, segment.head(), segment.len(), blame);
  }
  void fail_silently(const Blame& blame);
  void flush(const Blame& blame);
  void fail_work(std::uint64_t number, verbs::CompletionStatus status);
  void make_terminate(TerminateReason reason, Bytes head, std::uint32_t segment_len,
                      std::optional<std::uint32_t> read_done_len);

  // rdmap_send.cc
  void prepare();
  bool can_start_work();
  void begin_work();
  // Octets of payload in the next segment of the message.
  //= DDP-5041-5.2-01, MPA-5044-3-03, MPA-5044-4.5-05
  std::uint32_t payload_len(std::uint32_t mulpdu) const {
    const std::uint32_t room = quirk(Quirk::segments_beyond_mulpdu) ? mulpdu + 4 : mulpdu;
    return std::min(left_, room - std::min(header_len_, room));
  }
  void choose(Message message, Opcode opcode, std::uint32_t payload_len);
  void put_work(TxSegment& out, std::uint32_t mulpdu);
  void put_ready(TxSegment& out);
  void end_work();
  void complete_in_order();
  Outstanding& ask(std::uint64_t number);
  void put_terminate_instead(TxSegment& out, std::uint32_t mulpdu);
  template <class Ddp>
  void set_control(Ddp& ddp, Opcode opcode, bool last) const;
  void put_tagged(TxSegment& out, Opcode opcode, bool last, Stag stag, std::uint64_t offset);
  void put_untagged(TxSegment& out, Opcode opcode, bool last, std::uint32_t message_offset, Stag invalidate = {});
  template <Header T>
  static void append(TxSegment& out, const T& header) {
    encode(header, MutableBytes(out.header).subspan(out.header_len).template first<header_size<T>>());
    out.header_len += static_cast<std::uint32_t>(header_size<T>);
  }
  DdpMsn msn_of(QueueNumber queue) const;
  void end_message(QueueNumber queue);

  // rdmap_answers.cc
  void on_read_request(const RxSegment& segment, const Pdu& pdu);
  void on_atomic_request(const RxSegment& segment, const Pdu& pdu);
  void on_read_response(const RxSegment& segment, const DdpTagged& ddp);
  void on_atomic_response(const RxSegment& segment, const Pdu& pdu);
  bool has_inbound_room(const RxSegment& segment);
  Inbound& take_inbound(const RxSegment& segment);
  void prepare_answer();
  void put_answer(TxSegment& out, std::uint32_t mulpdu);
  void put_atomic_response(TxSegment& out, std::uint32_t mulpdu);
  void refuse_answer(TxSegment& out, std::uint32_t mulpdu, verbs::AccessVerdict verdict);
  verbs::AccessResult find_remote(Stag stag, std::uint64_t offset, std::uint64_t length, verbs::Access needed) const;
  void complete_outstanding();

  // rdmap_receive.cc
  void on_write(const RxSegment& segment, const DdpTagged& ddp);
  void on_send(const RxSegment& segment, const Pdu& pdu);
  void on_terminate(const RxSegment& segment, const Pdu& pdu);
  bool is_tolerated(const Pdu& pdu, const Error& violation) const;
  bool check_message(const RxSegment& segment, const DdpUntagged& ddp);
  void deliver(const RxSegment& segment, const Pdu& pdu, std::uint32_t message_len);

  verbs::QueuePair qp_;
  RdmapConfig config_;
  StreamState state_ = StreamState::idle;
  StreamEnd end_;
  Counters counters_;
  std::uint16_t ird_ = 0;
  std::uint16_t ord_ = 0;
  bool peer_closed_ = false;

  // Sending.
  std::vector<Started> started_;  // a power of two of them, so that no number has to be divided
  std::uint64_t next_ = 0;        // number of the request that is being sent, or goes next
  std::uint32_t sent_len_ = 0;    // octets of it
  bool begun_ = false;            // a segment of request next_ has gone, and it is not all
  Message message_ = Message::none;
  const OpcodeInfo* row_ = nullptr;  // of the message
  std::uint32_t header_len_ = 0;     // octets of the headers of its segments
  std::uint32_t left_ = 0;           // octets of its payload that have not gone
  bool answers_turn_ = false;
  ReadyToReceive ready_ = ReadyToReceive::none;
  std::array<DdpMsn, 4> tx_msn_;
  Ring<Outstanding> outstanding_;
  std::uint32_t next_request_id_ = 0;
  std::vector<Bytes> pieces_;
  std::array<std::uint8_t, max_segment_header> terminate_{};
  std::uint32_t terminate_len_ = 0;

  // Receiving.
  std::array<DdpMsn, 4> rx_msn_;
  bool receiving_ = false;                         // the message of queue 0 has begun, and has its buffer
  std::uint32_t received_len_ = 0;                 // octets of it so far
  std::optional<std::uint64_t> write_goes_on_at_;  // for strict_tagged_offset
  Ring<Inbound> inbound_;
};

}  // namespace rdmawire::iwarp
