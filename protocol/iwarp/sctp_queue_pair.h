// A queue pair of iWARP on one stream of an SCTP association: verbs above, user data of DATA chunks below. RFC 5043.
// The association is the host's, and may carry many: it hands over the chunks of the stream, and sends what
// poll_transmit gives.
//
//   qp.modify(verbs::QpState::init, ...);  qp.connect(association, private_data, now)   or   qp.listen(...)
//   qp.on_chunk(protocol, octets, now);
//   while (const auto chunk = qp.poll_transmit(now)) send(*chunk);
//   sleep until qp.next_deadline(), then qp.on_deadline(now);
//
// Nothing of it allocates after construction, and none of it calls back.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "protocol/iwarp/rdmap_stream.h"
#include "protocol/iwarp/sctp_session.h"

namespace rdmawire::iwarp {

struct SctpQueuePairConfig {
  SctpConfig sctp;
  RdmapConfig rdmap;
};

class SctpQueuePair {
 public:
  SctpQueuePair(const verbs::QpConfig& qp, const verbs::QpResources& resources, const SctpQueuePairConfig& config);

  // --- Verbs; errors as in verbs/queue_pair.h ---
  verbs::VerbsResult<void> modify(verbs::QpState to, const verbs::QpAttributes& attributes = {},
                                  verbs::AttributeSet given = verbs::attribute::none) {
    return verbs().modify(to, attributes, given);
  }
  verbs::VerbsResult<void> post_send(const verbs::SendWork& work) { return stream_.post_send(work); }
  verbs::VerbsResult<void> post_receive(const verbs::RecvWork& work) { return stream_.post_receive(work); }
  verbs::QueuePair& verbs() { return stream_.verbs(); }
  const verbs::QueuePair& verbs() const { return stream_.verbs(); }

  // --- The session ---
  // The queue pair must be in INIT (bad_state); it goes to RTS when the session is established. Other errors as in
  // sctp_session.h. It serves one session.
  verbs::VerbsResult<void> connect(const SctpAssociation& association, Bytes private_data, Time now);
  verbs::VerbsResult<void> listen(const SctpAssociation& association, SctpListener* listener);
  verbs::VerbsResult<void> accept(const SctpAnswer& answer, Time now);
  verbs::VerbsResult<void> reject(const SctpAnswer& answer) { return session_.reject(answer); }
  // A graceful end: what is posted still goes, and then the session ends. No more send work is taken.
  void close(Time now);
  std::optional<SctpEvent> poll_event() { return session_.poll_event(); }

  const SctpSession& session() const { return session_; }
  const RdmapStream& stream() const { return stream_; }

  // --- The host ---
  void on_chunk(net::SctpPayloadProtocol protocol, Bytes octets, Time now);
  void on_acknowledged(std::uint16_t ssn, Time now);
  void on_association_lost();
  void on_association_shut_down();
  // The next chunk to send, nothing if there is none that may go now. What it gives has to be sent.
  std::optional<SctpTxChunk> poll_transmit(Time now);
  std::optional<Time> next_deadline() const { return session_.next_deadline(); }
  void on_deadline(Time now);

 private:
  void follow(Time now);
  void fill();

  SctpQueuePairConfig config_;
  SctpSession session_;
  RdmapStream stream_;  //= SCTP-5043-6-02
  bool started_ = false;
  bool over_ = false;
  TxSegment segment_;
  std::vector<Bytes> pieces_;
};

}  // namespace rdmawire::iwarp
