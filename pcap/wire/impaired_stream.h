// A stream that delays and damages octets on purpose, in both directions, by the simulated TCP connection
// (protocol/link/byte_stream.h) and from a seed. Every octet arrives, and in its order, as TCP has it: what it would
// have lost comes late, and what is behind waits. The handshake is left alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pcap/wire/recorder.h"
#include "pcap/wire/stream.h"
#include "pcap/wire/tcp_recording.h"
#include "protocol/link/byte_stream.h"

namespace rdmawire::wire {

// What arrived of one direction.
struct StreamCounts {
  std::uint64_t num_segments = 0;
  std::uint64_t num_late = 0;
  std::uint64_t num_corrupted = 0;
};

// Of several streams, it may be.
struct ImpairedCounts {
  StreamCounts sent;
  StreamCounts received;
};

class ImpairedStream final : public WrappingStream {
 public:
  // impairments: as of ByteStream; how it cuts segments is decided here: a write, or as much as EMSS of what comes, is
  // one. counts and recording's Recorder outlive it; octets are recorded as they are on the wire behind the
  // impairments' end here, with a comment on each segment that something was done to.
  ImpairedStream(std::unique_ptr<Stream> stream, const link::StreamImpairments& impairments, std::uint64_t seed,
                 ImpairedCounts& counts, const TcpRecording& recording);

  short turn(Time now) override;
  int descriptor() const override;
  short events(short wanted) const override;
  std::optional<Time> next_deadline() const override;

  SocketResult<bool> finish_connect() override;
  IoResult send(Bytes octets, bool ends_record, Time now) override;
  IoResult receive(MutableBytes out, Time now) override;
  std::optional<SocketError> take_error() override;

  SocketResult<void> shut_down(Time now) override;
  void close(Time now) override;
  void abort(Time now) override;

 private:
  using Way = Recorder::Way;
  static constexpr link::Side here = link::Side::a;
  static constexpr link::Side there = link::Side::b;

  // A segment that has arrived, as far as it is not taken yet.
  struct Held {
    std::vector<std::uint8_t> octets;
    std::size_t at = 0;

    bool is_empty() const { return at == octets.size(); }
    Bytes rest() const { return Bytes(octets).subspan(at); }
  };

  void move_in(Time now);
  void move_out(Time now);
  void hold(const link::StreamPiece& piece, Way way);
  void lose(const SocketError& error, Time now);

  link::StreamImpairments impairments_;
  link::ByteStream link_;
  ImpairedCounts& counts_;
  TcpRecording recording_;

  bool connected_ = false;
  bool may_read_ = false;     // there is room for what comes
  bool ends_record_ = false;  // each segment; as the last one that was sent
  bool fin_sent_ = false;
  bool closing_ = false;     // by the caller, who has no more use for what comes
  bool peer_ended_ = false;  // its FIN has come
  bool end_told_ = false;    // to the caller
  std::optional<SocketError> error_;
  bool error_told_ = false;
  std::vector<std::uint8_t> buffer_;
  Held in_;
  Held out_;
};

}  // namespace rdmawire::wire
