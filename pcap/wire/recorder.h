// Records what passes on a wire: a pcapng file with times in nanoseconds, and a comment on what is not as the sender
// made it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "pcap/wire/wire.h"

namespace rdmawire::wire {

class Recorder {
 public:
  enum class Way : std::uint8_t { in, out };

  // Since 1970, by whatever clock.
  using TimeOfDay = std::function<Time()>;
  static Time system_time();

  // about and interface stand in the file's head. The error is one line for people.
  static tl::expected<std::unique_ptr<Recorder>, std::string> open(const std::string& path, std::string_view about,
                                                                   std::string_view interface,
                                                                   TimeOfDay time_of_day = system_time);

  // A frame as it was on the wire, at the time that the clock says now. What cannot be written is lost; see error().
  void add(Bytes frame, Way way, std::string_view comment = {});
  std::uint64_t num_frames() const { return num_frames_; }
  // Empty as long as all was written.
  const std::string& error() const { return error_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  Recorder(std::FILE* file, TimeOfDay time_of_day) : file_(file), time_of_day_(std::move(time_of_day)) {}

  void u16(std::uint32_t value);
  void u32(std::uint32_t value);
  void option(std::uint32_t code, Bytes value);
  void option(std::uint32_t code, std::string_view value);
  void pad();
  void begin_block(std::uint32_t type);
  void end_block();

  std::unique_ptr<std::FILE, Close> file_;
  TimeOfDay time_of_day_;
  std::vector<std::uint8_t> block_;
  std::uint64_t num_frames_ = 0;
  std::string error_;
};

// Adds to a comment that this was done, and on purpose.
void add_purpose(std::string& comment, std::string_view what);

// A wire whose frames are recorded.
class RecordedWire final : public WrappingWire {
 public:
  // Both outlive it.
  RecordedWire(Wire& wire, Recorder& recorder) : WrappingWire(wire), recorder_(recorder) {}

  IoResult send(Bytes frame, Time now) override;
  IoResult receive(MutableBytes out, Time now) override;

 private:
  Recorder& recorder_;
};

}  // namespace rdmawire::wire
