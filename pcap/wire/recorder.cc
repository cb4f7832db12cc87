#include "pcap/wire/recorder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "codec/link_type.h"
#include "pcap/pcapng_numbers.h"

namespace rdmawire::wire {
namespace {

using namespace pcap::option_code;
namespace block_type = pcap::block_type;

constexpr std::uint8_t nanoseconds = 9;
constexpr std::uint32_t inbound = 1;
constexpr std::uint32_t outbound = 2;

}  // namespace

// All numbers little endian, as the magic says.
void Recorder::u16(std::uint32_t value) {
  block_.push_back(static_cast<std::uint8_t>(value));
  block_.push_back(static_cast<std::uint8_t>(value >> 8));
}
void Recorder::u32(std::uint32_t value) {
  u16(value);
  u16(value >> 16);
}
void Recorder::pad() { block_.resize((block_.size() + 3) / 4 * 4); }
void Recorder::option(std::uint32_t code, Bytes value) {
  u16(code);
  u16(static_cast<std::uint32_t>(value.size()));
  block_.insert(block_.end(), value.begin(), value.end());
  pad();
}
void Recorder::option(std::uint32_t code, std::string_view value) {
  if (value.empty()) return;
  value = value.substr(0, 0xFFFF);
  option(code, Bytes(reinterpret_cast<const std::uint8_t*>(value.data()), value.size()));
}

Time Recorder::system_time() { return std::chrono::system_clock::now().time_since_epoch(); }

void Recorder::begin_block(std::uint32_t type) {
  block_.clear();
  u32(type);
  u32(0);
}
void Recorder::end_block() {
  u32(end_of_options);
  const auto total = static_cast<std::uint32_t>(block_.size() + 4);
  u32(total);
  for (unsigned i = 0; i < 4; ++i) block_[4 + i] = static_cast<std::uint8_t>(total >> (8 * i));
  if (!error_.empty()) return;
  if (std::fwrite(block_.data(), 1, block_.size(), file_.get()) != block_.size()) error_ = std::strerror(errno);
}

tl::expected<std::unique_ptr<Recorder>, std::string> Recorder::open(const std::string& path, std::string_view about,
                                                                    std::string_view interface, TimeOfDay time_of_day) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return tl::unexpected(path + ": " + std::strerror(errno));
  std::unique_ptr<Recorder> out(new Recorder(file, std::move(time_of_day)));
  out->begin_block(block_type::section_header);
  out->u32(pcap::byte_order_magic);
  out->u16(1);  // version 1.0
  out->u16(0);
  out->u32(0xFFFFFFFF);  // the section's length is not known
  out->u32(0xFFFFFFFF);
  out->option(shb_userappl, std::string_view("rdmawire"));
  out->option(pcap::option_code::comment, about);
  out->end_block();
  out->begin_block(block_type::interface_description);
  out->u16(static_cast<std::uint32_t>(LinkType::ethernet));
  out->u16(0);
  out->u32(0);  // no limit
  out->option(if_name, interface);
  out->option(if_tsresol, Bytes(&nanoseconds, 1));
  out->end_block();
  if (std::fflush(file) != 0) return tl::unexpected(path + ": " + std::strerror(errno));
  return out;
}

void Recorder::add(Bytes frame, Way way, std::string_view comment) {
  const auto time = static_cast<std::uint64_t>(time_of_day_().count());
  const auto size = static_cast<std::uint32_t>(frame.size());
  begin_block(block_type::enhanced_packet);
  u32(0);  // the interface
  u32(static_cast<std::uint32_t>(time >> 32));
  u32(static_cast<std::uint32_t>(time));
  u32(size);
  u32(size);
  block_.insert(block_.end(), frame.begin(), frame.end());
  pad();
  const std::array<std::uint8_t, 4> flags{static_cast<std::uint8_t>(way == Way::in ? inbound : outbound)};
  option(epb_flags, flags);
  option(pcap::option_code::comment, comment);
  end_block();
  ++num_frames_;
}

void add_purpose(std::string& comment, std::string_view what) {
  comment += comment.empty() ? "on purpose: " : ", ";
  comment += what;
}

IoResult RecordedWire::send(Bytes frame, Time now) {
  const IoResult sent = wire_.send(frame, now);
  if (sent.status == IoResult::Status::done) recorder_.add(frame, Recorder::Way::out);
  return sent;
}

IoResult RecordedWire::receive(MutableBytes out, Time now) {
  const IoResult got = wire_.receive(out, now);
  if (got.status == IoResult::Status::done) {
    recorder_.add(Bytes(out).first(std::min(got.size, out.size())), Recorder::Way::in);
  }
  return got;
}

}  // namespace rdmawire::wire
