// One TCP connection, as far as it may be iWARP: both directions, how it was recognised, and what frames its FPDUs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "codec/iwarp/mpa.h"
#include "codec/stream.h"
#include "pcap/reassembly/frame_map.h"
#include "pcap/reassembly/iwarp_streams.h"
#include "pcap/reassembly/kept_frames.h"
#include "pcap/reassembly/tcp_stream.h"

namespace rdmawire::reassembly {

// Buffers for Deframers, used again.
class DeframerBuffers {
 public:
  using Buffer = std::unique_ptr<std::uint8_t[]>;

  DeframerBuffers() { free_.reserve(max_free); }
  // Not initialised, so that the operating system gives memory only for what is written.
  Buffer take() {
    if (free_.empty()) return std::make_unique_for_overwrite<std::uint8_t[]>(Deframer::min_buffer);
    Buffer buffer = std::move(free_.back());
    free_.pop_back();
    return buffer;
  }
  void give_back(Buffer buffer) {
    if (buffer && free_.size() < max_free) free_.push_back(std::move(buffer));
  }

 private:
  static constexpr std::size_t max_free = 16;
  std::vector<Buffer> free_;
};

// What all conversations share.
struct StreamContext {
  StreamOptions options;
  PduSink& sink;
  HeldLimits limits;
  TcpCounts tcp_counts{};
  DeframerBuffers buffers{};
};

// Its functions call the sink; the destructor does not.
class MpaConversation {
 public:
  // told: the user says that it is iWARP. initiator_upper: the end to take for the initiator until more is known.
  MpaConversation(StreamContext& context, std::uint32_t number, bool told, bool initiator_upper);
  MpaConversation(const MpaConversation&) = delete;
  MpaConversation& operator=(const MpaConversation&) = delete;

  // A segment of the upper or lower end, and what that end has received of the other direction.
  void add(bool upper, const Segment& segment, std::optional<std::uint32_t> acknowledgment);
  // An RST by either end. It counts if nothing else comes until pass_over.
  void reset() { reset_at_ = progress(); }

  // True if something is there that reorder_frames can settle: then call note_waiting, and reorder_frames later
  // pass_over.
  bool waits() const;
  void note_waiting();
  void pass_over();
  // Gives up what is missing, so that nothing is held.
  void give_up_held();
  // Nothing more comes.
  void finish();

  // Nothing more can come of it: it ended, or is not iWARP.
  bool over() const { return directions_[0].state == State::over && directions_[1].state == State::over; }
  bool is_iwarp() const { return recognition_.has_value(); }
  const TcpStream& tcp(bool upper) const { return directions_[upper ? 1 : 0].tcp; }

 private:
  enum class State : std::uint8_t {
    startup,  // its first octets may be a start-up frame
    waiting,  // that was there; what follows waits for the other end's
    framed,   // FPDUs, or the search for them
    over,     // clean_up is due, or done
  };

  // Inside of a call by tcp neither end of the conversation may be resumed or cleaned up: settle does that.
  struct Direction final : StreamConsumer {
    Direction(MpaConversation& whole, StreamContext& shared)
        : conversation(whole), context(shared), tcp(shared.limits, shared.tcp_counts) {}

    std::size_t take(Bytes octets, std::uint64_t frame) override;
    void skip(std::uint64_t len) override;
    void hold(std::uint64_t frame) override { kept.refer(frame); }
    void unhold(std::uint64_t frame) override { kept.drop(frame, context.sink); }

    bool is_upper() const { return this == &conversation.directions_[1]; }
    bool from_initiator() const { return is_upper() == conversation.initiator_upper_; }
    const Direction& other() const { return conversation.directions_[is_upper() ? 0 : 1]; }

    std::size_t take_startup(Bytes octets);
    void startup_found(Bytes frame, std::uint32_t wire_len);
    void startup_passed();
    bool may_go_on() const;
    void no_startup();
    StreamParams params() const;
    void begin_framing(std::uint64_t at, bool synced);
    void deframe();
    void give(const iwarp::Pdu& pdu, const iwarp::Fpdu* fpdu, Bytes octets, std::uint64_t at, std::uint32_t wire_len,
              const Loss& lost_before);
    void forget_before(std::uint64_t end);
    void go_on();
    void finish();
    void clean_up();

    MpaConversation& conversation;
    StreamContext& context;
    TcpStream tcp;
    KeptFrames kept;
    FrameMap frames;
    State state = State::startup;
    bool clean = false;                        // cleaned up
    std::uint64_t offset = 0;                  // octets taken and skipped
    std::uint64_t searched_len = 0;            // octets in which no FPDU was found, while nothing else tells iWARP
    std::vector<std::uint8_t> first_octets;    // of the start-up frame, if it came in pieces
    std::uint32_t startup_rest = 0;            // octets still to pass over, of a start-up frame that was cut
    std::optional<iwarp::MpaStartup> startup;  // the one seen
    std::optional<Deframer> deframer;
    DeframerBuffers::Buffer buffer;
    std::uint64_t noted_acknowledged = 0;  // by note_waiting
    bool noted_paused = false;             // likewise
  };

  std::uint64_t progress() const { return directions_[0].offset + directions_[1].offset; }
  void recognise(Recognition how) {
    if (how == Recognition::startup || !recognition_) recognition_ = how;
  }
  // Neither direction is of interest any more.
  void end() {
    for (Direction& direction : directions_) direction.state = State::over;
  }
  void settle();

  StreamContext& context_;
  std::uint32_t number_;
  bool told_;
  bool initiator_upper_;
  std::optional<Recognition> recognition_;
  std::optional<std::uint64_t> reset_at_;  // progress then
  bool noted_reset_ = false;               // by note_waiting
  std::array<Direction, 2> directions_;    // of the lower and of the upper end
};

}  // namespace rdmawire::reassembly
