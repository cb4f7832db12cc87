// The start-up of MPA, recording: see recording.h.
#pragma once

#include "protocol/iwarp/mpa_connection.h"
#include "protocol/vectors/recording.h"

namespace rdmawire::vectors {

class RecordedMpa {
 public:
  explicit RecordedMpa(const iwarp::MpaConfig& config);

  verbs::VerbsResult<void> start_initiator(Bytes private_data, Time now);
  verbs::VerbsResult<void> start_responder(Time now);
  verbs::VerbsResult<void> accept(const iwarp::MpaAnswer& answer = {});
  verbs::VerbsResult<void> reject(const iwarp::MpaAnswer& answer = {});
  verbs::VerbsResult<void> confirm_reply();
  verbs::VerbsResult<void> refuse_reply();
  std::optional<iwarp::MpaEvent> poll_event();
  std::size_t on_octets(Bytes octets, Time now);
  std::size_t poll_octets(MutableBytes out);
  void on_first_fpdu_sent();
  void on_peer_closed();
  void on_connection_lost();
  void on_local_error();
  void on_deadline(Time now);
  std::optional<Time> next_deadline();
  Bytes peer_private_data();
  const iwarp::Negotiated& negotiated();

  iwarp::MpaState state() const { return mpa_.state(); }
  // What is not recorded.
  const iwarp::MpaConnection& plain() const { return mpa_; }

 private:
  Recording recording_;
  iwarp::MpaConnection mpa_;
  Finisher finisher_{recording_};
};

}  // namespace rdmawire::vectors
