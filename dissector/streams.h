// The PDUs of iWARP by the frame that they are shown in: found once, in the order of the frames, and the same whenever
// a frame is looked at again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "codec/frame.h"
#include "pcap/reassembly/iwarp_streams.h"

namespace rdmawire::dissector {

// A PDU as it was found, without what pdu_of() makes again of its octets.
struct KeptPdu {
  iwarp::PduKind kind{};
  iwarp::Fpdu fpdu;  // of kind fpdu; its octets are not set
  Bytes octets;      // what was captured of it, as it lay in the stream; empty if it lies in the frame itself
  std::uint32_t frame_offset = 0;  // of its first octet in that frame
  std::uint32_t octets_len = 0;
  std::uint64_t stream_offset = 0;
  std::uint32_t wire_len = 0;
  std::uint32_t first_frame = 0;
  std::uint32_t last_frame = 0;
  std::uint32_t conversation = 0;
  bool from_initiator = false;
  reassembly::Recognition recognition{};
  Loss lost_before;

  bool lies_in_frame() const { return octets.empty(); }
  // captured: the frame's.
  Bytes octets_in(Bytes captured) const {
    return lies_in_frame() ? captured.subspan(frame_offset, octets_len) : octets;
  }
};

// A PDU read again. It refers to its own scratch buffer, so it stays where it is.
struct ReadPdu {
  ReadPdu() = default;
  ReadPdu(const ReadPdu&) = delete;
  ReadPdu& operator=(const ReadPdu&) = delete;

  void read(const KeptPdu& kept, Bytes captured);
  // Null for a start-up frame.
  const iwarp::Fpdu* fpdu_or_null() const { return pdu.kind == iwarp::PduKind::fpdu ? &fpdu : nullptr; }

  iwarp::Fpdu fpdu;
  iwarp::Pdu pdu;
  std::array<std::uint8_t, iwarp::max_pdu_head> scratch;
};

// A frame shows the PDUs that it completes: those that it carries the end of, and those that waited for it because it
// fills a hole or is what they were found by.
class Streams : private reassembly::PduSink {
 public:
  // Octets kept of PDUs that cross frames. When there are more, only the first of each are kept: what has its headers.
  static constexpr std::size_t max_kept_len = std::size_t{512} << 20;
  // PDUs kept. When there are more, those found later are not shown.
  static constexpr std::size_t max_num_pdus = 4'000'000;

  explicit Streams(const reassembly::StreamOptions& options, std::size_t kept_len = max_kept_len,
                   std::size_t num_pdus = max_num_pdus);

  // The PDUs of the frame. The first time, frames come in ascending order of their numbers.
  std::span<const KeptPdu> pdus(const Frame& frame, std::uint32_t number);
  // The frame is of a conversation that was known as iWARP when it came.
  bool is_iwarp(std::uint32_t number) const { return is_set(is_iwarp_, number); }
  // And octets of it waited for others, when all of it had been looked at.
  bool is_held(std::uint32_t number) const { return is_set(is_held_, number); }

  // What was found so far.
  std::size_t num_pdus() const { return num_pdus_; }
  // PDUs that are decided only when the capture ends, and so have no frame to be shown in.
  std::size_t finish();

 private:
  void pdu(const reassembly::StreamPdu& pdu) override;
  void keep(std::uint64_t frame) override;
  void release(std::uint64_t) override {}
  void lost(std::uint32_t, bool, const Loss&) override {}

  static bool is_set(const std::vector<bool>& frames, std::uint32_t number) {
    return number < frames.size() && frames[number];
  }
  static void set(std::vector<bool>& frames, std::uint32_t number);
  Bytes copy(Bytes octets);

  std::size_t left_len_;
  std::size_t left_pdus_;
  std::size_t num_pdus_ = 0;
  std::uint32_t last_number_ = 0;
  const Frame* frame_ = nullptr;                                  // being added
  std::vector<KeptPdu> found_;                                    // in it
  std::unordered_map<std::uint32_t, std::vector<KeptPdu>> pdus_;  // by frame; only those that have some
  bool waits_ = false;                                            // something of it
  std::vector<bool> is_iwarp_;                                    // by frame
  std::vector<bool> is_held_;                                     // by frame
  std::deque<std::vector<std::uint8_t>> blocks_;                  // the octets kept, which stay where they are
  reassembly::IwarpStreams streams_;
};

}  // namespace rdmawire::dissector
