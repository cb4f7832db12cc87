// A wire that loses, duplicates, reorders, delays and damages frames on purpose, in both directions, by the simulated
// link (protocol/link/link.h) and from a seed. Only frames of RoCEv2 are touched, and of them neither MAC addresses:
// what resolves addresses has no check of its own that would tell.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pcap/wire/recorder.h"
#include "pcap/wire/wire.h"
#include "protocol/link/link.h"

namespace rdmawire::wire {

class ImpairedWire final : public WrappingWire {
 public:
  // wire and recorder outlive it. recorder: nullptr, or who records: frames as they are on the wire behind the
  // impairments' end here, with a comment on each that something was done to.
  ImpairedWire(Wire& wire, const link::Impairments& impairments, std::uint64_t seed, Recorder* recorder = nullptr);

  IoResult send(Bytes frame, Time now) override;
  IoResult receive(MutableBytes out, Time now) override;
  short events() const override;
  std::optional<Time> next_deadline() const override;
  std::string text() const override { return wire_.text() + ", impaired"; }

  // Of frames sent, and of frames received.
  const link::Counters& sent() const { return link_.counters(here, there); }
  const link::Counters& received() const { return link_.counters(there, here); }

 private:
  static constexpr link::Endpoint here{0};
  static constexpr link::Endpoint there{1};

  void put(link::Endpoint from, link::Endpoint to, Bytes frame, Time now);
  // Takes what has arrived at either end of the link.
  void flush(Time now);
  IoResult send_now(Bytes frame, Time now);
  void record(Bytes frame, Recorder::Way way, std::string_view comment);

  link::Link link_;
  Recorder* recorder_;
  std::vector<std::uint8_t> in_ = std::vector<std::uint8_t>(max_frame_len);
  std::deque<std::vector<std::uint8_t>> received_;
  std::deque<std::vector<std::uint8_t>> to_send_;  // what the wire did not take yet
  std::optional<SocketError> error_;
};

}  // namespace rdmawire::wire
