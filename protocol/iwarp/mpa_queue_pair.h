// A queue pair of iWARP on a TCP connection: verbs above, octets below. The connection is the host's: it hands over
// what comes and sends what poll_octets gives, and does what action() says.
//
//   qp.modify(verbs::QpState::init, ...);  qp.connect(private_data, now)   or   qp.listen(now), later qp.accept(...)
//   qp.on_octets(octets, now);
//   while (std::size_t size = qp.poll_octets(buffer, now)) send(buffer.first(size));
//   switch (qp.take_action()) { ... }
//   sleep until qp.next_deadline(), then qp.on_deadline(now);
//
// Nothing of it allocates after construction, and none of it calls back.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "codec/stream.h"
#include "protocol/iwarp/fpdu_receiver.h"
#include "protocol/iwarp/mpa_connection.h"
#include "protocol/iwarp/rdmap_stream.h"

namespace rdmawire::iwarp {

struct MpaQueuePairConfig {
  MpaConfig mpa;
  RdmapConfig rdmap;
  Emss emss{1460};
  Segmentation segmentation = Segmentation::aligned;
  // How long the peer may be silent after this side has ended its direction, until the connection is aborted; after an
  // error, how long it may leave its own direction open.
  Duration linger = std::chrono::seconds(5);
};

// What the host does with its TCP connection, after it has sent what poll_octets gave.
enum class HostAction : std::uint8_t {
  none,
  shut_down,  // ends the own direction (FIN), and goes on receiving
  close,      // both directions are ended, or nothing more is to be said: closes
  abort,      // the peer does not end: resets
};

class MpaQueuePair {
 public:
  MpaQueuePair(const verbs::QpConfig& qp, const verbs::QpResources& resources, const MpaQueuePairConfig& config);

  // --- Verbs; errors as in verbs/queue_pair.h ---
  verbs::VerbsResult<void> modify(verbs::QpState to, const verbs::QpAttributes& attributes = {},
                                  verbs::AttributeSet given = verbs::attribute::none) {
    return verbs().modify(to, attributes, given);
  }
  verbs::VerbsResult<void> post_send(const verbs::SendWork& work) { return stream_.post_send(work); }
  verbs::VerbsResult<void> post_receive(const verbs::RecvWork& work) { return stream_.post_receive(work); }
  verbs::QueuePair& verbs() { return stream_.verbs(); }
  const verbs::QueuePair& verbs() const { return stream_.verbs(); }

  // --- The connection ---
  // The queue pair must be in INIT (bad_state); it goes to RTS when the connection is established. Other errors as in
  // mpa_connection.h. It serves one connection.
  verbs::VerbsResult<void> connect(Bytes private_data, Time now);
  verbs::VerbsResult<void> listen(Time now);
  verbs::VerbsResult<void> accept(const MpaAnswer& answer, Time now);
  verbs::VerbsResult<void> reject(const MpaAnswer& answer, Time now);
  verbs::VerbsResult<void> confirm_reply(Time now);
  verbs::VerbsResult<void> refuse_reply(Time now);
  // A graceful end: what is posted still goes, and then this direction ends. No more send work is taken.
  void close(Time now);
  std::optional<MpaEvent> poll_event() { return mpa_.poll_event(); }

  //= MPA-5044-3-11
  const MpaConnection& mpa() const { return mpa_; }
  const RdmapStream& stream() const { return stream_; }
  // The longest segment that is sent now (RFC 5044, 4.5).
  //= MPA-5044-3-02
  //= MPA-5044-4.5-03, MPA-5044-4.5-08, MPA-5044-5.1-01
  std::uint32_t mulpdu() const { return iwarp::mulpdu(emss_, mpa_.sends_markers()); }
  Segmentation segmentation() const { return config_.segmentation; }
  // When TCP's changes: for what is sent from then on.
  //= MPA-5044-4.5-06, DDP-5041-3-01, DDP-5041-3-02
  void set_emss(Emss emss) { emss_ = emss; }

  // --- The host ---
  // The stream's next octets. Takes all, but what follows a start-up frame that does not lead to a connection: that is
  // for the ULP. Returns how many it took.
  std::size_t on_octets(Bytes octets, Time now);
  // Octets that are there before those in front of them, at that offset of the peer's direction. They must come again
  // by on_octets.
  //= MPA-5044-3-10
  void on_octets_ahead(std::uint64_t offset, Bytes octets);
  // The peer will send no more (FIN).
  void on_peer_closed(Time now);
  // RST, or TCP gave up.
  void on_connection_lost(Time now);
  // The octets of the next TCP segment: with Segmentation::aligned they begin with an FPDU wherever it is shorter than
  // the EMSS. At most out.size(), the EMSS is enough room; 0 if there is nothing to send now. What was given must be
  // sent.
  std::size_t poll_octets(MutableBytes out, Time now);
  // Each once.
  HostAction take_action();
  std::optional<Time> next_deadline() const;
  // May be called early.
  void on_deadline(Time now);

 private:
  bool quirk(Quirk which) const { return config_.mpa.quirks.has(which); }
  bool may_send() const;
  void follow(Time now);
  void start(Time now);
  void on_fpdu(const Fpdu& fpdu);
  std::size_t put(const TxSegment& segment, MutableBytes out);
  std::size_t take_pending(MutableBytes out);

  MpaQueuePairConfig config_;
  MpaConnection mpa_;
  RdmapStream stream_;
  FpduReceiver receiver_;
  Framer framer_{false, true};
  Emss emss_;
  bool started_ = false;           // Full Operation
  std::uint64_t startup_len_ = 0;  // octets of the peer's start-up frame so far
  bool peer_sent_ = false;         // a valid FPDU came: a responder may send
  bool peer_closed_ = false;
  bool shut_down_ = false;  // told the host
  bool closed_ = false;     // likewise
  bool aborts_ = false;
  Time last_heard_{};
  Time last_asked_{};  // for octets to send
  TxSegment segment_;
  std::vector<Bytes> pieces_;          // of the FPDU being made
  std::vector<std::uint8_t> pending_;  // an FPDU that did not fit
  std::size_t pending_at_ = 0;
  std::size_t pending_len_ = 0;
};

}  // namespace rdmawire::iwarp
