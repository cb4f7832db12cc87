// The iWARP in the TCP of a capture: segments of any number of conversations in, PDUs out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "codec/frame.h"
#include "codec/iwarp/fpdu.h"
#include "codec/iwarp/pdu.h"
#include "codec/stream.h"

namespace rdmawire::reassembly {

// How a conversation was recognised as iWARP; the port alone is never enough.
enum class Recognition : std::uint8_t {
  startup,     // by its MPA Request and Reply
  mid_stream,  // by a chain of FPDUs with enough evidence
  told,        // by the user: --decode-as
};

constexpr std::string_view name_of(Recognition recognition) {
  constexpr std::array<std::string_view, 3> names{"startup", "mid_stream", "told"};
  return names[static_cast<std::size_t>(recognition)];
}

// The end that sent a PDU. Who is the initiator only the start-up tells.
constexpr std::string_view sender_of(Recognition recognition, bool from_initiator) {
  if (recognition == Recognition::startup) return from_initiator ? "initiator" : "responder";
  return from_initiator ? "first" : "second";
}

// One PDU of a stream, and where it lay.
struct StreamPdu {
  const iwarp::Pdu& pdu;
  const iwarp::Fpdu* fpdu = nullptr;  // nullptr for a start-up frame
  Bytes octets;                       // all that was captured of it, as it lay in the stream
  std::uint64_t stream_offset = 0;    // of its first octet, from the first octet that the direction was seen to send
  std::uint32_t wire_len = 0;         // octets in the stream
  std::uint64_t first_frame = 0;      // the frame that carried its first octet
  std::uint64_t last_frame = 0;       // that which carried its last octet, or the last before it that was captured
  std::uint32_t conversation = 0;     // TCP connections, all of them, count from 0 in the order in which they were seen
  // Sent by the end that sent the MPA Request; if that is unknown, by the one that opened the TCP connection; if that
  // is unknown too, by the one seen first.
  bool from_initiator = false;
  Recognition recognition{};
  Loss lost_before;
};

// What the streams tell.
class PduSink {
 public:
  virtual ~PduSink() = default;
  virtual void pdu(const StreamPdu& pdu) = 0;
  // Octets of that frame are held: they wait for what lies before them, or for a decision where an FPDU begins, and it
  // may be the last_frame of a PDU later. The frame being added is meant. Keep a copy, if it will be needed.
  virtual void keep(std::uint64_t frame) = 0;
  // It will not.
  virtual void release(std::uint64_t frame) = 0;
  // A direction that ends (or is forgotten) without having been found again: octets captured in which no PDU was found.
  virtual void lost(std::uint32_t conversation, bool from_initiator, const Loss& loss) = 0;
};

struct StreamOptions {
  static constexpr std::size_t max_ports = 8;

  std::array<std::uint16_t, max_ports> iwarp_ports{};  // the user says that these carry iWARP; unused ones are 0
  bool verify_crcs = true;
  std::size_t max_conversations = 4096;                     // more, and the one silent for longest is forgotten
  std::size_t max_held_len = std::size_t{1} << 20;          // octets a direction holds for what lies before them
  std::size_t max_total_held_len = std::size_t{256} << 20;  // all directions together
};

// What became of the segments that were added.
struct StreamCounts {
  std::uint64_t num_segments = 0;       // frames with TCP
  std::uint64_t num_fragments = 0;      // IP fragments of TCP: left out, their octets are holes
  std::uint64_t num_conversations = 0;  // TCP connections seen
  std::uint64_t num_forgotten = 0;      // of those: forgotten because there were too many
  std::uint64_t retransmitted_len = 0;  // octets that came again; the first copy counts
  std::uint64_t conflicting_len = 0;    // of those: with other content, as far as the first copy was still there
  std::uint64_t missing_len = 0;        // octets that never came: holes given up
};

// Finds the iWARP in TCP by what it carries, not by ports:
// - a connection whose first octets were captured is iWARP if they are an MPA Request or Reply (in any pieces), and is
//   dropped at once if they are not. FPDUs are framed as the two start-up frames agree; those that come before the
//   other end's start-up frame was seen wait for it a little (reorder_frames);
// - a direction whose first octets are not known, or were lost, is searched for a chain of FPDUs (stream.h): at most
//   search_len octets of it, unless a port is in iwarp_ports or the conversation was recognised otherwise.
//
// Octets that are missing may still come, as long as the other end has not acknowledged them; if it has, they are
// waited for during reorder_frames more frames of the capture (taps with several queues write frames out of order), at
// most twice as many if others are waited for already; then they count as lost by the capture. With no acknowledgments
// captured, a hole is given up when max_held_len is reached, and in any case when the connection or the capture ends.
// After RST a connection ends reorder_frames later, unless it goes on. TCP checksums are not looked at: offloading
// leaves them unfinished in captures.
//
// Memory, at most: max_total_held_len, and for each conversation about 2 kB and for each of its directions that is
// framed or searched Deframer::min_buffer, of which only what is needed is ever touched: nothing as long as FPDUs do
// not cross segments. With 16 octets more for each frame whose octets wait there.
//
// Not thread safe.
class IwarpStreams {
 public:
  IwarpStreams(const StreamOptions& options, PduSink& sink);
  ~IwarpStreams();
  IwarpStreams(const IwarpStreams&) = delete;
  IwarpStreams& operator=(const IwarpStreams&) = delete;

  static constexpr std::uint64_t reorder_frames = 64;                  // of the capture, whatever is in them
  static constexpr std::uint64_t search_len = std::uint64_t{1} << 20;  // octets of a direction

  // A frame with a TCP header as its innermost layer; others are ignored. number: ascending. Gives the sink every PDU
  // that is whole now, in the order of its stream. True if the frame belongs to a conversation known as iWARP.
  bool add(const Frame& frame, std::uint64_t number);
  // The capture ends: what can still be decided is.
  void finish();
  StreamCounts counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rdmawire::reassembly
