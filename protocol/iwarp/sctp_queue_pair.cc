#include "protocol/iwarp/sctp_queue_pair.h"

#include <algorithm>

namespace rdmawire::iwarp {

SctpQueuePair::SctpQueuePair(const verbs::QpConfig& qp, const verbs::QpResources& resources,
                             const SctpQueuePairConfig& config)
    : config_(config),
      session_(config.sctp),
      stream_(qp, resources, config.rdmap),
      pieces_(std::max<std::size_t>(qp.send.max_sges, 1) + 1) {}

verbs::VerbsResult<void> SctpQueuePair::connect(const SctpAssociation& association, Bytes private_data, Time now) {
  if (verbs().state() != verbs::QpState::init) return verbs::refuse(verbs::VerbsError::bad_state);
  return session_.start_initiator(association, private_data, now);
}

verbs::VerbsResult<void> SctpQueuePair::listen(const SctpAssociation& association, SctpListener* listener) {
  if (verbs().state() != verbs::QpState::init) return verbs::refuse(verbs::VerbsError::bad_state);
  return session_.start_responder(association, listener);
}

verbs::VerbsResult<void> SctpQueuePair::accept(const SctpAnswer& answer, Time now) {
  const auto done = session_.accept(answer);
  follow(now);
  return done;
}

void SctpQueuePair::close(Time now) {
  if (started_) {
    stream_.close();
  } else {
    (void)session_.terminate(now);
  }
}

// Does what the session has come to: its start, its segments, its end.
void SctpQueuePair::follow(Time now) {
  const bool open = session_.state() == SctpState::established || session_.state() == SctpState::terminating;
  if (open && !started_) {
    started_ = true;
    const ReadDepths depths = session_.depths();
    const MpaConfig& own = config_.sctp.mpa;
    stream_.start(depths.ird.value_or(own.ird), depths.ord.value_or(own.ord),
                  session_.role() == Role::initiator ? ready_to_receive(session_.negotiated()) : ReadyToReceive::none);
  }
  while (const auto segment = session_.next_segment()) {
    // A session may be over before what it carried has been looked at.
    if (started_) stream_.on_segment(RxSegment(segment->ulpdu));
  }
  while (const auto segment = session_.next_ahead()) {
    if (started_) stream_.place_ahead(RxSegment(segment->ulpdu));
  }
  if (started_ && !over_ && session_.state() == SctpState::ended) {
    over_ = true;
    //= SCTP-5043-11.3-02
    stream_.on_peer_closed(false);
    stream_.on_ended();
    stream_.on_lost();
    return;
  }
  fill();
  //= SCTP-5043-6.2-02, SCTP-5043-11.3-03
  if (stream_.wants_end() && session_.state() == SctpState::established) (void)session_.terminate(now);
}

void SctpQueuePair::fill() {
  if (!started_ || session_.state() != SctpState::established) return;
  const std::uint32_t mulpdu = session_.max_ulpdu_len();
  while (session_.room() != 0 && stream_.next_len(mulpdu) != 0) {
    stream_.next_segment(segment_, mulpdu);
    (void)session_.send(segment_.pieces(pieces_));
  }
}

void SctpQueuePair::on_chunk(net::SctpPayloadProtocol protocol, Bytes octets, Time now) {
  session_.on_chunk(protocol, octets, now);
  follow(now);
}

void SctpQueuePair::on_acknowledged(std::uint16_t ssn, Time now) {
  session_.on_acknowledged(ssn);
  follow(now);
}

//= SCTP-5043-11.3-01
void SctpQueuePair::on_association_lost() {
  session_.on_association_lost();
  stream_.on_lost();
  over_ = true;
}

void SctpQueuePair::on_association_shut_down() {
  session_.on_association_shut_down();
  stream_.on_lost();
  over_ = true;
}

std::optional<SctpTxChunk> SctpQueuePair::poll_transmit(Time now) {
  follow(now);
  return session_.poll_transmit();
}

void SctpQueuePair::on_deadline(Time now) {
  session_.on_deadline(now);
  follow(now);
}

}  // namespace rdmawire::iwarp
