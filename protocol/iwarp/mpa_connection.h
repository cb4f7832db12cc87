// The start-up of MPA on a TCP connection, both roles: octets and time in, octets, events and deadlines out. RFC 5044,
// 7.1; RFC 6581.
//
// Nothing allocates, and nothing calls back. The owner of the TCP connection hands over what arrives, sends what
// poll_octets gives, calls on_deadline when next_deadline has come, and takes the events. It sends and reads FPDUs once
// the connection is established: a responder not before the first FPDU of the initiator is there and valid
// (MPA-5044-7.1.2-14); an initiator, where negotiated() says peer_to_peer, begins with a ready-to-receive indication.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "codec/base/bytes.h"
#include "codec/iwarp/mpa.h"
#include "codec/iwarp/negotiation.h"
#include "codec/iwarp/pdu_build.h"
#include "protocol/iwarp/mpa_config.h"
#include "protocol/iwarp/mpa_state.h"
#include "protocol/time.h"
#include "protocol/verbs/types.h"

namespace rdmawire::iwarp {

// kind says what happened, and what is expected:
//   request      responder: accept or reject
//   reply        initiator with confirm_reply: confirm_reply or refuse_reply
//   established  Full Operation; negotiated() says how
//   ended        there will be no MPA connection: end says why, after what the owner does, info(end).code what it tells
//                the peer if that is a Terminate
// The peer's private data: MpaConnection::peer_private_data.
//= MPA-5044-7.1.1-14, MPA-6581-9.1-03, MPA-6581-9.1-10, MPA-5044-8-02
struct MpaEvent {
  MpaEventKind kind{};
  MpaEnd end{};               // ended
  MpaAfter after{};           // ended; a quirk apart, info(end).after
  std::uint8_t revision = 0;  // of the peer's frame; 0 before there is one
  ReadDepths peer;            // what the peer's frame says, also if it rejects
};

// The ULP's answer to a Request.
struct MpaAnswer {
  Bytes private_data;
  // Instead of what MpaConfig gives. accept: IRD as it is to be, ORD no more than the initiator's IRD. reject: what the
  // ULP would need. Where the Request leaves a depth to the ULP the Reply does so too.
  std::optional<std::uint16_t> ird;
  std::optional<std::uint16_t> ord;
};

class MpaConnection {
 public:
  explicit MpaConnection(const MpaConfig& config);

  // --- The ULP ---
  // All fail with bad_state where the state table has no row.

  // Begins. It does not matter who opened the TCP connection (MPA-5044-2-02). bad_attribute: a value of the MpaConfig
  // is impossible, or no ready-to-receive type is on where one has to be (MPA-6581-9.2-04). bad_range: more private
  // data than 512 octets, the enhanced block included. After it: established, reply, or ended.
  verbs::VerbsResult<void> start_initiator(Bytes private_data, Time now);
  // Sends nothing until a Request is there. After it: request or ended.
  verbs::VerbsResult<void> start_responder(Time now);
  // Sends the Reply. bad_range as above; bad_attribute: the answer's IRD or ORD is impossible. After it: established.
  verbs::VerbsResult<void> accept(const MpaAnswer& answer = {});
  // Sends the Reply that rejects; after it: ended (request_rejected), and TCP is the ULP's.
  verbs::VerbsResult<void> reject(const MpaAnswer& answer = {});
  // Initiator with confirm_reply: goes on, or leaves MPA without a word to the peer.
  verbs::VerbsResult<void> confirm_reply();
  verbs::VerbsResult<void> refuse_reply();

  std::optional<MpaEvent> poll_event();
  // Why it ended; nothing while it has not.
  std::optional<MpaEnd> end() const { return end_; }

  MpaState state() const { return state_; }
  Role role() const { return role_; }
  // Without the enhanced block; empty before the peer's frame is there. It refers to this object.
  Bytes peer_private_data() const;
  // What both frames say; from the Reply on, and also if it rejects (accepted is false then).
  const Negotiated& negotiated() const { return negotiated_; }
  // The same, from this side.
  bool sends_markers() const {
    return is_initiator() ? negotiated_.markers_from_initiator : negotiated_.markers_from_responder;
  }
  bool receives_markers() const {
    return is_initiator() ? negotiated_.markers_from_responder : negotiated_.markers_from_initiator;
  }
  ReadDepths depths() const { return is_initiator() ? negotiated_.initiator : negotiated_.responder; }
  // The peer's frame; zeros before it is there.
  const MpaStartup& peer_frame() const { return is_initiator() ? reply_.frame : request_.frame; }
  // Of the Reply: that of the connection, which the upper layers choose their versions by.
  std::uint8_t revision() const { return reply_.frame.revision; }

  // --- The owner of the TCP connection ---

  // Octets that came, in any pieces. Takes those of the start-up frame and returns how many they are; what follows is
  // for FPDUs or, if MPA has left, for the ULP. What comes after the deadline is too late.
  std::size_t on_octets(Bytes octets, Time now);
  // The next octets to send, as many as out has room for and as there are; returns how many.
  std::size_t poll_octets(MutableBytes out);
  bool has_octets() const { return out_sent_ < out_len_; }
  // The initiator's first FPDU, the ready-to-receive indication included, is on its way: the peer may send.
  void on_first_fpdu_sent();
  // The peer will send no more (FIN).
  void on_peer_closed();
  // RST, or TCP gave up.
  void on_connection_lost();
  // Something failed that the peer is not to blame for.
  void on_local_error();
  // When on_deadline wants to be called; nothing: never.
  std::optional<Time> next_deadline() const { return deadline_; }
  // May be called early.
  void on_deadline(Time now);

 private:
  bool has(Quirk quirk) const { return config_.quirks.has(quirk); }
  bool is_initiator() const { return role_ == Role::initiator; }
  bool awaits_frame() const { return state_ == MpaState::request_sent || state_ == MpaState::request_awaited; }
  verbs::VerbsResult<void> check_config(bool peer_to_peer) const;
  // Octets of private data that go with a frame.
  bool fits(Bytes private_data, bool enhanced) const;
  void set_deadline(Time now);

  void judge_octets();
  void on_request();
  void on_reply();
  verbs::VerbsResult<void> answer_request(const MpaAnswer& answer, bool rejected);
  void send_request(Bytes private_data);
  void send_reply(Bytes private_data, const std::optional<MpaEnhanced>& enhanced, bool rejected);
  void send(PduSpec& spec, Bytes private_data);
  void negotiate_terms();
  // Does what the row says.
  bool step(MpaInput input, MpaEnd end = {});
  void finish(MpaEnd end);
  void tell(MpaEventKind kind, MpaEnd end);

  MpaConfig config_;
  Role role_ = Role::initiator;
  MpaState state_ = MpaState::idle;
  std::optional<MpaEnd> end_;
  std::optional<Time> deadline_;
  StartupTerms request_;
  StartupTerms reply_;
  ReplyForm reply_form_;
  Negotiated negotiated_;

  std::array<std::uint8_t, max_startup_len> in_{};  // the peer's frame
  std::uint32_t in_len_ = 0;
  bool in_whole_ = false;
  std::array<std::uint8_t, max_startup_len> out_{};  // the own one
  std::uint32_t out_len_ = 0;
  std::uint32_t out_sent_ = 0;

  // No more in its life: request or reply, established, ended.
  std::array<MpaEvent, 3> events_{};
  std::uint8_t num_told_ = 0;
  std::uint8_t num_taken_ = 0;
};

}  // namespace rdmawire::iwarp
