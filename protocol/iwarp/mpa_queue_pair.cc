#include "protocol/iwarp/mpa_queue_pair.h"

#include <algorithm>
#include <array>

namespace rdmawire::iwarp {

MpaQueuePair::MpaQueuePair(const verbs::QpConfig& qp, const verbs::QpResources& resources,
                           const MpaQueuePairConfig& config)
    : config_(config),
      mpa_(config.mpa),
      stream_(qp, resources, config.rdmap),
      emss_(config.emss),
      pieces_(std::max<std::size_t>(qp.send.max_sges, 1) + 1),
      pending_(max_fpdu_len) {}

verbs::VerbsResult<void> MpaQueuePair::connect(Bytes private_data, Time now) {
  //= MPA-5044-7.1-03
  if (verbs().state() != verbs::QpState::init) return verbs::refuse(verbs::VerbsError::bad_state);
  return mpa_.start_initiator(private_data, now);
}

verbs::VerbsResult<void> MpaQueuePair::listen(Time now) {
  if (verbs().state() != verbs::QpState::init) return verbs::refuse(verbs::VerbsError::bad_state);
  return mpa_.start_responder(now);
}

verbs::VerbsResult<void> MpaQueuePair::accept(const MpaAnswer& answer, Time now) {
  const auto done = mpa_.accept(answer);
  follow(now);
  return done;
}

verbs::VerbsResult<void> MpaQueuePair::reject(const MpaAnswer& answer, Time now) {
  const auto done = mpa_.reject(answer);
  follow(now);
  return done;
}

verbs::VerbsResult<void> MpaQueuePair::confirm_reply(Time now) {
  const auto done = mpa_.confirm_reply();
  follow(now);
  return done;
}

verbs::VerbsResult<void> MpaQueuePair::refuse_reply(Time now) {
  const auto done = mpa_.refuse_reply();
  follow(now);
  return done;
}

void MpaQueuePair::close(Time now) {
  if (started_) {
    stream_.close();
    return;
  }
  mpa_.on_local_error();
  follow(now);
}

// Does what the start-up has come to.
void MpaQueuePair::follow(Time now) {
  const bool operates = mpa_.state() == MpaState::full_operation || mpa_.state() == MpaState::first_fpdu_due ||
                        mpa_.state() == MpaState::terminating;
  if (operates && !started_) start(now);
}

void MpaQueuePair::start(Time now) {
  started_ = true;
  last_heard_ = now;
  const Negotiated& terms = mpa_.negotiated();
  //= MPA-5044-7.1.1-06, MPA-5044-7.1.1-07
  receiver_.start(mpa_.receives_markers(), terms.crc);
  //= MPA-5044-4.3-01, MPA-5044-4.4-07
  //= MPA-5044-4.4-09
  framer_ = Framer(mpa_.sends_markers(), terms.crc);
  // What was left to the ULP is as it has configured it.
  //= MPA-6581-9.1-12, MPA-6581-9.1-14
  const ReadDepths depths = mpa_.depths();
  stream_.start(depths.ird.value_or(config_.mpa.ird), depths.ord.value_or(config_.mpa.ord),
                mpa_.role() == Role::initiator ? ready_to_receive(terms) : ReadyToReceive::none);
  if (mpa_.state() != MpaState::terminating) return;
  // It is established only to be ended.
  //= MPA-6581-8-03, MPA-6581-9.1-09, MPA-6581-9.2-12, MPA-6581-9.3-01
  stream_.on_lower_error(info(*mpa_.end()).code.value_or(TerminateReason::mpa_local_catastrophic));
}

std::size_t MpaQueuePair::on_octets(Bytes octets, Time now) {
  // After an error nothing is waited for but its end: who goes on sending cannot put that off.
  if (stream_.state() != StreamState::terminated) last_heard_ = now;
  std::size_t taken = 0;
  //= MPA-6581-5-02
  if (!started_) {
    taken = mpa_.on_octets(octets, now);
    startup_len_ += taken;
    follow(now);
    if (!started_) return taken;
  } else if (mpa_.state() == MpaState::first_fpdu_due) {
    // The responder must not speak before.
    //= MPA-5044-7.1.1-19
    mpa_.on_octets(octets, now);
    if (mpa_.state() == MpaState::closed) {
      stream_.on_lost();
      return octets.size();
    }
  }
  //= MPA-5044-7.1.2-09
  receiver_.on_octets(octets.subspan(taken), [this](const Fpdu& fpdu) { on_fpdu(fpdu); });
  return octets.size();
}

void MpaQueuePair::on_fpdu(const Fpdu& fpdu) {
  //= DDP-5041-3-06, MPA-5044-6-01, MPA-5044-8-04, MPA-5044-8-09, MPA-5044-7.1.2-15
  if (fpdu.crc.status == CrcStatus::bad && !quirk(Quirk::accept_bad_crc)) {
    if (quirk(Quirk::place_before_crc)) stream_.place_ahead(RxSegment(fpdu));
    stream_.on_lower_error(TerminateReason::mpa_bad_crc);
    return;
  }
  //= MPA-5044-8-05, MPA-5044-5.2-02
  //= MPA-5044-8-06
  if (fpdu.num_wrong_markers != 0 && !quirk(Quirk::accept_bad_markers)) {
    stream_.on_lower_error(TerminateReason::mpa_bad_marker);
    return;
  }
  //= MPA-5044-7.1.2-14, MPA-6581-9.2-20
  peer_sent_ = true;
  stream_.on_segment(RxSegment(fpdu));
}

void MpaQueuePair::on_octets_ahead(std::uint64_t offset, Bytes octets) {
  if (!started_ || offset < startup_len_) return;
  receiver_.on_octets_ahead(offset - startup_len_, octets,
                            [this](const Fpdu& fpdu) { stream_.place_ahead(RxSegment(fpdu)); });
}

// The own direction goes on.
//= MPA-5044-7.2-01
void MpaQueuePair::on_peer_closed(Time now) {
  peer_closed_ = true;
  if (!started_) {
    mpa_.on_peer_closed();
    follow(now);
    return;
  }
  stream_.on_peer_closed(receiver_.is_inside());
}

void MpaQueuePair::on_connection_lost(Time now) {
  aborts_ = false;
  closed_ = true;
  pending_at_ = pending_len_;
  if (started_) {
    stream_.on_lost();
    return;
  }
  mpa_.on_connection_lost();
  follow(now);
}

// A responder is silent until the initiator's first FPDU is there and valid; but a Terminate may tell why it is not.
//= MPA-5044-7.1.2-10, MPA-5044-7.1.2-13
bool MpaQueuePair::may_send() const {
  if (!started_ || mpa_.has_octets()) return false;
  return mpa_.role() == Role::initiator || peer_sent_ || stream_.state() == StreamState::terminating ||
         quirk(Quirk::responder_sends_at_once);
}

std::size_t MpaQueuePair::poll_octets(MutableBytes out, Time now) {
  last_asked_ = now;
  if (mpa_.has_octets()) {
    const std::size_t size = mpa_.poll_octets(out);
    follow(now);
    return size;
  }
  if (!may_send()) return 0;
  const MutableBytes room = out.first(std::min<std::size_t>(out.size(), emss_.value));
  std::size_t size = pending_at_ == pending_len_ ? 0 : take_pending(room);
  const bool aligned = config_.segmentation == Segmentation::aligned;
  //= MPA-5044-5.1-02, MPA-5044-5.1-03
  if (aligned && size != 0) return size;
  while (size < room.size()) {
    const std::uint32_t len = stream_.next_len(mulpdu());
    if (len == 0) break;
    if (aligned && size != 0 && framer_.fpdu_len(len) > room.size() - size) break;
    stream_.next_segment(segment_, mulpdu());
    size += put(segment_, room.subspan(size));
  }
  if (size != 0 && mpa_.state() == MpaState::first_fpdu_due) mpa_.on_first_fpdu_sent();
  return size;
}

// Writes the FPDU to out, or as much of it as fits.
//= MPA-5044-3-06, MPA-5044-3-07
std::size_t MpaQueuePair::put(const TxSegment& segment, MutableBytes out) {
  const std::span<const Bytes> ulpdu = segment.pieces(pieces_);
  const std::uint32_t len = framer_.fpdu_len(segment.len());
  if (len <= out.size()) {
    static_cast<void>(framer_.frame(ulpdu, out));
    return len;
  }
  static_cast<void>(framer_.frame(ulpdu, pending_));
  pending_at_ = 0;
  pending_len_ = len;
  return take_pending(out);
}

std::size_t MpaQueuePair::take_pending(MutableBytes out) {
  const std::size_t size = std::min(out.size(), pending_len_ - pending_at_);
  std::copy_n(pending_.begin() + static_cast<std::ptrdiff_t>(pending_at_), size, out.begin());
  pending_at_ += size;
  return size;
}

HostAction MpaQueuePair::take_action() {
  if (closed_) return HostAction::none;
  if (aborts_) {
    closed_ = true;
    return HostAction::abort;
  }
  if (!started_) {
    //= MPA-5044-8-07, MPA-5044-7.1.2-04, MPA-5044-7.1.2-11, MPA-5044-7.1.2-16
    if (mpa_.state() != MpaState::closed) return HostAction::none;
    closed_ = true;
    return HostAction::close;
  }
  // The initiator has ended its direction without the FPDU that would let this side speak: what is posted never goes.
  const bool silent = mpa_.role() == Role::responder && !peer_sent_ && !quirk(Quirk::responder_sends_at_once);
  if (peer_closed_ && silent && !verbs().send_queue().empty()) stream_.on_lost();
  // A draining stream may find here that it has nothing left; a responder that must be silent yet, too.
  if (stream_.state() == StreamState::draining) stream_.next_len(mulpdu());
  if (!stream_.wants_end() || pending_at_ != pending_len_) return HostAction::none;
  //= RDMAP-5040-6.2.1-03, RDMAP-5040-6.2.1-04, RDMAP-5040-7-02, DDP-5041-6.2.1-05
  if (peer_closed_ || stream_.state() == StreamState::ended) {
    stream_.on_ended();
    closed_ = true;
    return HostAction::close;
  }
  if (shut_down_) return HostAction::none;
  shut_down_ = true;
  // The peer's time begins now, however long it has had nothing to say.
  last_heard_ = std::max(last_heard_, last_asked_);
  return HostAction::shut_down;
}

std::optional<Time> MpaQueuePair::next_deadline() const {
  if (!started_) return mpa_.next_deadline();
  if (closed_ || !shut_down_) return std::nullopt;
  return last_heard_ + config_.linger;
}

void MpaQueuePair::on_deadline(Time now) {
  if (!started_) {
    mpa_.on_deadline(now);
    follow(now);
    return;
  }
  const std::optional<Time> due = next_deadline();
  if (!due || now < *due) return;
  stream_.on_lost();
  pending_at_ = pending_len_;
  aborts_ = true;
}

}  // namespace rdmawire::iwarp
