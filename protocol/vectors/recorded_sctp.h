// A session of DDP over SCTP, recording: see recording.h.
#pragma once

#include "protocol/iwarp/sctp_session.h"
#include "protocol/vectors/recording.h"

namespace rdmawire::vectors {

class RecordedSctp {
 public:
  explicit RecordedSctp(const iwarp::SctpConfig& config);

  verbs::VerbsResult<void> start_initiator(const iwarp::SctpAssociation& association, Bytes private_data, Time now);
  verbs::VerbsResult<void> start_responder(const iwarp::SctpAssociation& association, iwarp::SctpListener* listener);
  verbs::VerbsResult<void> accept(const iwarp::SctpAnswer& answer = {});
  verbs::VerbsResult<void> reject(const iwarp::SctpAnswer& answer = {});
  verbs::VerbsResult<void> terminate(Time now);
  verbs::VerbsResult<void> send(std::span<const Bytes> pieces);
  std::optional<iwarp::SctpEvent> poll_event();
  std::optional<iwarp::SctpSegment> next_segment();
  std::optional<iwarp::SctpSegment> next_ahead();
  void on_chunk(net::SctpPayloadProtocol protocol, Bytes octets, Time now);
  void on_acknowledged(std::uint16_t ssn);
  void on_all_acknowledged();
  void on_association_lost();
  void on_association_shut_down();
  std::optional<iwarp::SctpTxChunk> poll_transmit();
  void on_deadline(Time now);
  bool may_restart();

  Bytes peer_private_data() const { return session_.peer_private_data(); }
  const iwarp::Negotiated& negotiated() const { return session_.negotiated(); }
  iwarp::ReadDepths depths() const { return session_.depths(); }
  iwarp::SctpState state() const { return session_.state(); }

 private:
  Recording recording_;
  iwarp::SctpSession session_;
  Finisher finisher_{recording_};
};

}  // namespace rdmawire::vectors
