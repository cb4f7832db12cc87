// A DDP stream session over SCTP, both roles: chunks and time in, chunks, ULPDUs, events and deadlines out. RFC 5043;
// RFC 6581, 7. It has one stream of an association (the pair of streams with one number), one session after the other.
//
// Nothing allocates after construction, and nothing calls back. The owner of the association hands over the chunks of
// the stream that arrive, and the acknowledgments of those that it sent, sends what poll_transmit gives as long as SCTP
// takes some, unordered and each in one piece, calls on_deadline when next_deadline has come, and takes the events. DDP
// gives ULPDUs while room() says so, and takes those that came.
//
// An RDMAP Terminate is a segment like others: give it before terminate().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codec/base/bytes.h"
#include "codec/iwarp/mpa.h"
#include "codec/iwarp/negotiation.h"
#include "codec/iwarp/sctp.h"
#include "codec/net/sctp.h"
#include "protocol/iwarp/mpa_config.h"
#include "protocol/iwarp/sctp_association.h"
#include "protocol/iwarp/sctp_state.h"
#include "protocol/time.h"
#include "protocol/verbs/types.h"

namespace rdmawire::iwarp {

struct SctpConfig {
  // Of it: enhanced, peer_to_peer, the ready-to-receive types, IRD, ORD, startup_timeout (until the Initiate is
  // answered) and quirks. Markers, CRC and revisions are not for SCTP.
  MpaConfig mpa;
  std::uint16_t stream = 0;
  // Octets of user data in a chunk, sent or received: the most that any association will have.
  std::uint32_t max_chunk_len = 1452;
  // Chunks that may have arrived and not been taken in order. It bounds how far ahead a DDP-SSN may be; the session of
  // a peer that sends one beyond is terminated. 32767 holds all that a peer may send.
  std::uint32_t reorder_capacity = 256;
  // Chunks sent from the oldest one that is not acknowledged on; at most 32767 (RFC 5043, 10).
  std::uint32_t max_unacknowledged = 256;
  // Chunks given by DDP and not yet sent.
  std::uint32_t send_capacity = 16;
  // From the own Terminate until the peer's, which need not come.
  Duration terminate_timeout = std::chrono::seconds(10);
};

// kind says what happened, and what is expected:
//   request      responder: accept, reject or terminate
//   established  both sides may send; negotiated() says how
//   ended        end says why; nothing is to be done, but for a new session when may_restart()
// The peer's private data: SctpSession::peer_private_data.
//= SCTP-5043-5.2.3-05, MPA-6581-7-06, SCTP-5043-11.3-02
struct SctpEvent {
  SctpEventKind kind{};
  SctpEnd end{};          // ended
  bool enhanced = false;  // of the peer's message: by RFC 6581
  ReadDepths peer;        // what that says
};

// The ULP's answer to an Initiate.
struct SctpAnswer {
  Bytes private_data{};
  // accept: instead of what MpaConfig gives. IRD as it is to be, ORD no more than the initiator's IRD.
  std::optional<std::uint16_t> ird{};
  std::optional<std::uint16_t> ord{};
  // reject: without the enhanced functions it would have been accepted.
  bool because_enhanced = false;
};

struct SctpTxChunk {
  net::SctpPayloadProtocol protocol{};
  std::uint16_t stream = 0;
  bool unordered = true;
  std::uint16_t ssn = 0;  // DDP-SSN: what on_acknowledged wants
  Bytes octets;           // user data; valid until the next call of anything that is not const
};

// The header of its DATA chunk, for a host that builds SCTP packets itself.
//= SCTP-5043-4-01, SCTP-5043-9-02, SCTP-5043-10-01
constexpr net::SctpData data_header(const SctpTxChunk& chunk, std::uint32_t tsn) {
  net::SctpData out;
  out.unordered = chunk.unordered;
  out.beginning = out.ending = true;
  out.length = static_cast<std::uint16_t>(header_size<net::SctpData> + chunk.octets.size());
  out.tsn = tsn;
  out.stream_id = chunk.stream;
  out.payload_protocol = chunk.protocol;
  return out;
}

// A ULPDU that came.
struct SctpSegment {
  std::uint64_t number = 0;  // of its chunk in the session; its low 16 bits are the DDP-SSN
  Bytes ulpdu;               // valid until the next call of anything that is not const
  bool was_ahead = false;    // in order: next_ahead gave it before
};

class SctpSession {
 public:
  explicit SctpSession(const SctpConfig& config);

  // --- The ULP ---
  // All fail with bad_state where the state table has no row.

  // Sends an Initiate. bad_state as well: the association is without DDP, or !may_restart(). bad_attribute: a value of
  // the MpaConfig is impossible, or no ready-to-receive type is on where one has to be (MPA-6581-9.2-04). bad_range:
  // more private data than 512 octets, the enhanced block included. After it: established or ended.
  verbs::VerbsResult<void> start_initiator(const SctpAssociation& association, Bytes private_data, Time now);
  // Takes an Initiate, if the listener has room for it; nullptr: always. The listener outlives the session. An Initiate
  // that comes while nobody has called this is dropped. After it: request or ended.
  verbs::VerbsResult<void> start_responder(const SctpAssociation& association, SctpListener* listener);
  // Sends the Accept. bad_range as above; bad_attribute: the answer's IRD or ORD is impossible. After it: established.
  verbs::VerbsResult<void> accept(const SctpAnswer& answer = {});
  // Sends the Reject. After it: ended.
  verbs::VerbsResult<void> reject(const SctpAnswer& answer = {});
  // Ends the session behind all that was given to send. After it: ended; until then segments of the peer may come.
  verbs::VerbsResult<void> terminate(Time now);

  std::optional<SctpEvent> poll_event();

  SctpState state() const { return state_; }
  // Without the enhanced block; of the last message of the peer's that may have some. It refers to this object.
  Bytes peer_private_data() const { return Bytes(peer_private_data_).first(peer_private_data_len_); }
  // From the Accept on.
  const Negotiated& negotiated() const { return negotiated_; }
  ReadDepths depths() const { return is_initiator() ? negotiated_.initiator : negotiated_.responder; }
  Role role() const { return role_; }
  // The session is over, and none of its chunks is still on its way: the stream may have another one.
  bool may_restart() const;

  // --- DDP ---

  // Octets of the largest ULPDU that send() takes, MULPDU.
  std::uint32_t max_ulpdu_len() const { return max_chunk_len_ - static_cast<std::uint32_t>(header_size<DdpSctp>); }
  // How many ULPDUs it takes now.
  std::size_t room() const;
  // Takes a copy of a ULPDU, which is the pieces one after the other. queue_full: no room(). bad_range: longer than
  // max_ulpdu_len(). bad_state: not established.
  verbs::VerbsResult<void> send(std::span<const Bytes> pieces);
  // The next segment in the order in which the peer sent them, nothing until it is there. Take all that are there
  // before the next chunk is handed over: what is not taken counts as not arrived.
  std::optional<SctpSegment> next_segment();
  // A segment that came before its turn, for placement; each once, in any order. It comes again in order.
  std::optional<SctpSegment> next_ahead();

  // --- The owner of the association ---

  // User data of a chunk of the stream.
  void on_chunk(net::SctpPayloadProtocol protocol, Bytes octets, Time now);
  // The peer's SCTP has this chunk.
  void on_acknowledged(std::uint16_t ssn);
  // The same for all that were sent, where the SCTP stack says no more (SCTP_SENDER_DRY_EVENT of RFC 6458).
  void on_all_acknowledged();
  // No session outlives its association.
  void on_association_lost();
  void on_association_shut_down();
  // The next chunk to send, nothing if there is none that may go now. What it gives has to be sent.
  std::optional<SctpTxChunk> poll_transmit();
  std::optional<Time> next_deadline() const { return deadline_; }
  // May be called early.
  void on_deadline(Time now);

 private:
  // A chunk that is to be sent, without its DDP-SSN.
  struct TxSlot {
    std::uint32_t len = 0;
    bool control = false;
  };
  // A chunk that arrived.
  struct RxSlot {
    std::uint32_t len = 0;
    bool filled = false;
    bool control = false;
    bool new_ahead = false;   // behind a gap, and not told yet
    bool told_ahead = false;  // by next_ahead
  };

  bool has(Quirk quirk) const { return config_.mpa.quirks.has(quirk); }
  bool is_initiator() const { return role_ == Role::initiator; }
  bool is_open() const { return state_ == SctpState::established || state_ == SctpState::terminating; }

  // sctp_session.cc
  verbs::VerbsResult<void> check_start(const SctpAssociation& association, SctpInput input, bool peer_to_peer) const;
  void begin(const SctpAssociation& association, Role role);
  void send_control(SessionFunction function, Bytes private_data, const std::optional<MpaEnhanced>& block = {});
  // Where the octets of a chunk to be sent go, its DDP-SSN included; only if there is a place for it.
  MutableBytes push_chunk(bool control, std::size_t len);
  TxSlot& tx(std::uint64_t number) { return tx_[number % tx_.size()]; }
  bool step(SctpInput input, SctpEnd end = {});
  void finish(SctpEnd end);
  void end_association(SctpEnd end);
  void tell(SctpEventKind kind, SctpEnd end);
  void forget_unsent_segments();

  // sctp_receive.cc
  void judge_chunks();
  void on_control(Bytes chunk);
  void on_initiate(bool enhanced, Bytes private_data);
  void on_accept(bool enhanced, Bytes private_data);
  // Keeps what is the ULP's, and returns the terms before it.
  StartupTerms take_private_data(bool enhanced, Bytes private_data);
  // Takes the chunk whose turn it is out of its place, where its octets stay for the time being.
  RxSlot pop();
  RxSlot& rx(std::uint64_t number) { return rx_[number % rx_.size()]; }
  MutableBytes rx_octets(std::uint64_t number) {
    return MutableBytes(rx_octets_).subspan(number % rx_.size() * config_.max_chunk_len, config_.max_chunk_len);
  }

  SctpConfig config_;
  Role role_ = Role::initiator;
  SctpState state_ = SctpState::idle;
  SctpListener* listener_ = nullptr;
  bool holds_request_ = false;
  bool is_first_session_ = true;  // of the stream
  std::uint32_t max_chunk_len_;
  std::optional<Time> deadline_;

  StartupTerms request_;
  StartupTerms reply_;
  Negotiated negotiated_;
  std::array<std::uint8_t, max_private_data_len> peer_private_data_{};
  std::uint32_t peer_private_data_len_ = 0;

  // Sending. Numbers count the chunks of the session; their low 16 bits are the DDP-SSN.
  std::vector<TxSlot> tx_;
  std::vector<std::uint8_t> tx_octets_;
  std::uint64_t tx_first_ = 0;  // of those not sent yet
  std::uint64_t tx_end_ = 0;
  std::uint64_t num_sent_ = 0;
  std::uint64_t first_unacknowledged_ = 0;
  std::vector<bool> acknowledged_;             // by number modulo its size, of those from first_unacknowledged_ on
  std::optional<std::uint64_t> last_control_;  // sent, and not known to have arrived

  // Receiving.
  std::vector<RxSlot> rx_;  // by number modulo its size
  std::vector<std::uint8_t> rx_octets_;
  std::uint64_t rx_first_ = 0;       // the next in order
  std::uint64_t rx_end_ = 0;         // one past the last that arrived
  std::uint32_t num_new_ahead_ = 0;  // slots that are

  // No more in a session: request, established, ended.
  std::array<SctpEvent, 3> events_{};
  std::uint8_t num_told_ = 0;
  std::uint8_t num_taken_ = 0;
};

}  // namespace rdmawire::iwarp
