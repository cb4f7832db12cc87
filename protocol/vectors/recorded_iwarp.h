// The machines of iWARP's queue pairs, recording: see recording.h.
#pragma once

#include "protocol/iwarp/mpa_queue_pair.h"
#include "protocol/vectors/recorded_verbs.h"

namespace rdmawire::vectors {

class RecordedStream {
 public:
  RecordedStream(Recording& recording, const verbs::QpConfig& qp, const verbs::QpResources& resources,
                 const iwarp::RdmapConfig& config);

  RecordedQueuePair& verbs() { return verbs_; }
  iwarp::StreamState state() const { return stream_.state(); }
  const iwarp::StreamEnd& end() const { return stream_.end(); }
  const iwarp::RdmapStream::Counters& counters() const { return stream_.counters(); }

  verbs::VerbsResult<void> post_send(const verbs::SendWork& work);
  verbs::VerbsResult<void> post_receive(const verbs::RecvWork& work);
  void start(std::uint16_t ird, std::uint16_t ord, iwarp::ReadyToReceive ready = iwarp::ReadyToReceive::none);
  void close();
  void on_lower_error(iwarp::TerminateReason reason);
  void on_peer_closed(bool before_end);
  void on_lost();
  bool wants_end() const;
  void on_ended();
  std::uint32_t next_len(std::uint32_t mulpdu);
  void next_segment(iwarp::TxSegment& out, std::uint32_t mulpdu);
  void on_segment(const iwarp::RxSegment& segment);
  void place_ahead(const iwarp::RxSegment& segment);

 private:
  void record_segment(const char* verb, const iwarp::RxSegment& segment);

  Recording& recording_;
  iwarp::RdmapStream stream_;
  RecordedQueuePair verbs_;
  std::uint32_t mulpdu_ = 0;
};

class RecordedMpaQueuePair {
 public:
  RecordedMpaQueuePair(Recording& recording, const verbs::QpConfig& qp, const verbs::QpResources& resources,
                       const iwarp::MpaQueuePairConfig& config);

  RecordedQueuePair& verbs() { return verbs_; }
  const iwarp::MpaConnection& mpa() const { return qp_.mpa(); }
  const iwarp::RdmapStream& stream() const { return qp_.stream(); }
  std::uint32_t mulpdu() const { return qp_.mulpdu(); }

  verbs::VerbsResult<void> modify(verbs::QpState to, const verbs::QpAttributes& attributes = {},
                                  verbs::AttributeSet given = verbs::attribute::none) {
    return verbs_.modify(to, attributes, given);
  }
  verbs::VerbsResult<void> post_send(const verbs::SendWork& work);
  verbs::VerbsResult<void> post_receive(const verbs::RecvWork& work);
  verbs::VerbsResult<void> connect(Bytes private_data, Time now);
  verbs::VerbsResult<void> listen(Time now);
  verbs::VerbsResult<void> accept(const iwarp::MpaAnswer& answer, Time now);
  verbs::VerbsResult<void> reject(const iwarp::MpaAnswer& answer, Time now);
  verbs::VerbsResult<void> confirm_reply(Time now);
  verbs::VerbsResult<void> refuse_reply(Time now);
  void close(Time now);
  std::optional<iwarp::MpaEvent> poll_event();
  void set_emss(iwarp::Emss emss);
  std::size_t on_octets(Bytes octets, Time now);
  void on_octets_ahead(std::uint64_t offset, Bytes octets);
  void on_peer_closed(Time now);
  void on_connection_lost(Time now);
  std::size_t poll_octets(MutableBytes out, Time now);
  iwarp::HostAction take_action();
  std::optional<Time> next_deadline() const;
  void on_deadline(Time now);

 private:
  Recording& recording_;
  iwarp::MpaQueuePair qp_;
  RecordedQueuePair verbs_;
  std::size_t room_len_ = 70000;  // of poll_octets; as the one who plays has it until told
};

}  // namespace rdmawire::vectors
