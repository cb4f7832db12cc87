#include "pcap/pcapng_format.h"

#include <algorithm>
#include <array>
#include <limits>

#include "pcap/pcapng_numbers.h"

namespace rdmawire::pcap {
namespace {

// Octets; with the type, both lengths and no options.
constexpr std::uint32_t min_block = 12;
constexpr std::uint32_t min_section_header = 28;
constexpr std::uint32_t min_interface_description = 20;
constexpr std::uint32_t min_packet = 32;  // the enhanced one's, too
constexpr std::uint32_t min_simple_packet = 16;
constexpr std::uint32_t trailing_length = 4;

// An interface takes 20 octets of file and more of memory, which shall not depend on the file.
constexpr std::size_t max_interfaces = 65'536;

constexpr bool is_packet(std::uint32_t type) {
  return type == block_type::enhanced_packet || type == block_type::simple_packet || type == block_type::packet;
}

constexpr std::uint32_t min_size_of(std::uint32_t type) {
  switch (type) {
    case block_type::section_header:
      return min_section_header;
    case block_type::interface_description:
      return min_interface_description;
    case block_type::enhanced_packet:
    case block_type::packet:
      return min_packet;
    case block_type::simple_packet:
      return min_simple_packet;
    default:
      return min_block;
  }
}

// Errors inside a block: the offset counts from its start.
Error error_in_block(std::uint64_t offset, ErrorCode code, std::size_t needed = 0, std::size_t available = 0) {
  const Limit limit = needed == 0 ? Limit::none : Limit::block_length;
  return {code,  Layer::pcapng, limit, static_cast<std::uint32_t>(needed), static_cast<std::uint32_t>(available),
          offset};
}

FileError in_file(Error error, std::uint64_t block_offset) {
  error.offset += block_offset;
  return {error, 0};
}

FileError cut_at(std::uint64_t block_offset, std::uint64_t file_end, std::uint32_t needed) {
  return {{ErrorCode::cut_file, Layer::pcapng, Limit::file, needed, static_cast<std::uint32_t>(file_end - block_offset),
           block_offset},
          0};
}

FileError cut_at(const BlockBuffer& buffer, std::uint32_t needed) {
  return cut_at(buffer.offset(), buffer.offset() + buffer.data().size(), needed);
}

// The block's length must hold what the type must have, and be a multiple of 4.
Error check_total(std::uint32_t type, std::uint32_t total) {
  const std::uint32_t least = min_size_of(type);
  if (total < least) return error_in_block(4, ErrorCode::damaged_file, least, total);
  if (total % 4 != 0) return error_in_block(4, ErrorCode::damaged_file);
  // Others are not held in memory, however large.
  if (total > max_record_size && (is_packet(type) || type == block_type::interface_description)) {
    return {ErrorCode::record_too_big, Layer::pcapng, Limit::none, total, max_record_size, 4};
  }
  return {};
}

template <std::endian Order>
Error check_trailing(const std::uint8_t* trailing, std::uint32_t total) {
  if (load32<Order>(trailing) == total) return {};
  return error_in_block(total - trailing_length, ErrorCode::damaged_file);
}

// Skips the rest of a block of which buffer stands at block_offset + done, and checks the length behind it.
template <std::endian Order>
FileResult<void> skip_rest(BlockBuffer& buffer, std::uint64_t block_offset, std::uint32_t total) {
  const auto done = static_cast<std::uint32_t>(buffer.offset() - block_offset);
  auto there = buffer.skip(total - trailing_length - done);
  if (there && *there) there = buffer.need(trailing_length);
  if (!there) return tl::unexpected(there.error());
  if (!*there) return tl::unexpected(cut_at(block_offset, buffer.offset() + buffer.data().size(), total));
  if (const Error error = check_trailing<Order>(buffer.data().data(), total)) {
    return tl::unexpected(in_file(error, block_offset));
  }
  buffer.consume(trailing_length);
  return {};
}

constexpr std::array<std::uint64_t, 20> powers_of_10 = [] {
  std::array<std::uint64_t, 20> out{};
  std::uint64_t power = 1;
  for (auto& p : out) {
    p = power;
    power *= 10;
  }
  return out;
}();
static_assert(powers_of_10[19] == 10'000'000'000'000'000'000U);

struct SecondsAndFraction {
  std::uint64_t seconds;
  std::uint32_t nanoseconds;
};

SecondsAndFraction split(std::uint8_t resolution, std::uint64_t time_stamp) {
  constexpr std::uint64_t billion = 1'000'000'000;
  const unsigned exponent = resolution & 0x7FU;
  if ((resolution & 0x80U) != 0) {
    __extension__ using Wide = unsigned __int128;
    const std::uint64_t seconds = exponent < 64 ? time_stamp >> exponent : 0;
    const std::uint64_t fraction = exponent < 64 ? time_stamp & ((std::uint64_t{1} << exponent) - 1) : time_stamp;
    return {seconds, static_cast<std::uint32_t>(Wide{fraction} * billion >> exponent)};
  }
  const std::uint64_t seconds = exponent < 20 ? time_stamp / powers_of_10[exponent] : 0;
  const std::uint64_t fraction = exponent < 20 ? time_stamp % powers_of_10[exponent] : time_stamp;
  if (exponent <= 9) return {seconds, static_cast<std::uint32_t>(fraction * powers_of_10[9 - exponent])};
  // 2^64 is below 10^20, so of 10^-29 seconds and less no nanosecond is left.
  if (exponent >= 29) return {0, 0};
  return {seconds, static_cast<std::uint32_t>(fraction / powers_of_10[exponent - 9])};
}

template <std::uint64_t UnitsInSecond>
SecondsAndFraction split_by(std::uint64_t time_stamp) {
  return {time_stamp / UnitsInSecond,
          static_cast<std::uint32_t>(time_stamp % UnitsInSecond * (1'000'000'000 / UnitsInSecond))};
}

}  // namespace

Timestamp time_of(const Interface& interface, std::uint64_t time_stamp, Oddities& oddities) {
  SecondsAndFraction from{};
  // Division by a constant is a multiplication: worth it for the two that nearly all files have.
  switch (interface.clock) {
    case Interface::Clock::microseconds:
      from = split_by<1'000'000>(time_stamp);
      break;
    case Interface::Clock::nanoseconds:
      from = split_by<1'000'000'000>(time_stamp);
      break;
    case Interface::Clock::other:
      from = split(interface.resolution, time_stamp);
      break;
  }
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  std::int64_t seconds = 0;
  if (from.seconds > static_cast<std::uint64_t>(last) ||
      __builtin_add_overflow(static_cast<std::int64_t>(from.seconds), interface.offset_seconds, &seconds))
      [[unlikely]] {
    // A negative offset may bring back what is too large by itself.
    if (interface.offset_seconds < 0) {
      const std::uint64_t back = std::uint64_t{0} - static_cast<std::uint64_t>(interface.offset_seconds);
      if (from.seconds - back <= static_cast<std::uint64_t>(last)) {
        return {static_cast<std::int64_t>(from.seconds - back), from.nanoseconds};
      }
    }
    oddities.add(Oddity::time_out_of_range);
    return {last, 999'999'999};
  }
  return {seconds, from.nanoseconds};
}

bool PcapngFormat::recognises(std::span<const std::uint8_t, 4> magic) {
  return load_be<4>(magic.data()) == block_type::section_header;  // the same from both ends
}

FileResult<void> PcapngFormat::read_section_header(BlockBuffer& buffer) {
  constexpr std::uint32_t until_byte_order = 12;
  const auto there = buffer.need(until_byte_order);
  if (!there) return tl::unexpected(there.error());
  if (!*there) return tl::unexpected(cut_at(buffer, min_section_header));
  const std::uint8_t* magic = buffer.data().data() + 8;
  if (load32<std::endian::little>(magic) == byte_order_magic) {
    order_ = std::endian::little;
    return read_section_header_as<std::endian::little>(buffer);
  }
  if (load32<std::endian::big>(magic) == byte_order_magic) {
    order_ = std::endian::big;
    return read_section_header_as<std::endian::big>(buffer);
  }
  return tl::unexpected(in_file(error_in_block(8, ErrorCode::damaged_file), buffer.offset()));
}

template <std::endian Order>
FileResult<void> PcapngFormat::read_section_header_as(BlockBuffer& buffer) {
  const std::uint64_t block_offset = buffer.offset();
  const std::uint32_t total = load32<Order>(buffer.data().data() + 4);
  if (const Error error = check_total(block_type::section_header, total)) {
    return tl::unexpected(in_file(error, block_offset));
  }
  constexpr std::uint32_t fixed_part = min_section_header - trailing_length;
  const auto there = buffer.need(fixed_part);
  if (!there) return tl::unexpected(there.error());
  if (!*there) return tl::unexpected(cut_at(buffer, total));
  // The minor version changes nothing that is read here, and the section length that follows is often wrong or not
  // given.
  if (load16<Order>(buffer.data().data() + 12) != 1) {
    return tl::unexpected(in_file(error_in_block(12, ErrorCode::bad_version), block_offset));
  }
  interfaces_.clear();
  buffer.consume(fixed_part);
  return skip_rest<Order>(buffer, block_offset, total);
}

// block: whole, its lengths checked.
template <std::endian Order>
Error PcapngFormat::read_interface(Bytes block) {
  if (interfaces_.size() == max_interfaces) return error_in_block(0, ErrorCode::too_many_interfaces);
  Interface made;
  made.link = link_type_of(load16<Order>(block.data() + 8));
  made.snaplen = load32<Order>(block.data() + 12);
  if (made.snaplen == 0) made.snaplen = std::numeric_limits<std::uint32_t>::max();

  constexpr std::size_t option_header = 4;
  const std::size_t end = block.size() - trailing_length;
  for (std::size_t at = min_interface_description - trailing_length; end - at >= option_header;) {
    const std::uint16_t code = load16<Order>(block.data() + at);
    const std::uint16_t size = load16<Order>(block.data() + at + 2);
    using namespace option_code;
    if (code == end_of_options) break;
    const std::size_t padded = (std::size_t{size} + 3) / 4 * 4;
    const std::size_t value_at = at + option_header;
    if (padded > end - value_at) return error_in_block(at, ErrorCode::damaged_file, padded, end - value_at);
    const std::uint8_t* value = block.data() + value_at;
    const std::size_t wanted = code == if_tsresol || code == if_fcslen ? 1 : code == if_tsoffset ? 8 : size;
    if (size != wanted) return error_in_block(at + 2, ErrorCode::damaged_file, wanted, size);
    if (code == if_tsresol) made.resolution = *value;
    if (code == if_fcslen) made.fcs_length = static_cast<std::uint8_t>(*value / 8);  // bits
    if (code == if_tsoffset) made.offset_seconds = static_cast<std::int64_t>(load64<Order>(value));
    at = value_at + padded;
  }
  made.clock = made.resolution == 6   ? Interface::Clock::microseconds
               : made.resolution == 9 ? Interface::Clock::nanoseconds
                                      : Interface::Clock::other;
  interfaces_.push_back(made);
  return {};
}

// block: whole, its lengths checked. Sets all of packet but its number and file_offset.
template <std::endian Order>
Error PcapngFormat::read_packet(std::uint32_t type, Bytes block, Packet& packet) const {
  const std::uint8_t* p = block.data();
  const bool simple = type == block_type::simple_packet;
  const std::uint32_t id = type == block_type::enhanced_packet ? load32<Order>(p + 8)
                           : simple                            ? 0
                                                               : load16<Order>(p + 8);
  if (id >= interfaces_.size()) return error_in_block(simple ? 0 : 8, ErrorCode::undefined_interface);
  const Interface& interface = interfaces_[id];
  const std::uint32_t data_at = (simple ? min_simple_packet : min_packet) - trailing_length;
  const std::uint32_t original = load32<Order>(p + data_at - 4);
  const std::uint32_t captured = simple ? std::min(original, interface.snaplen) : load32<Order>(p + 20);
  const std::size_t room = block.size() - trailing_length - data_at;
  if (captured > room) return error_in_block(data_at, ErrorCode::damaged_file, captured, room);

  Oddities oddities;
  if (simple) {
    oddities.add(Oddity::no_timestamp);
    packet.time = {};
  } else {
    const std::uint64_t time_stamp = std::uint64_t{load32<Order>(p + 12)} << 32 | load32<Order>(p + 16);
    packet.time = time_of(interface, time_stamp, oddities);
  }
  oddities.add(Oddity::captured_exceeds_original, captured > original);
  oddities.add(Oddity::captured_exceeds_snaplen, captured > interface.snaplen);
  oddities.add(Oddity::original_length_zero, original == 0);
  packet.data = {p + data_at, captured};
  packet.original_length = original;
  packet.interface_id = id;
  packet.link = interface.link;
  packet.oddities = oddities;
  packet.fcs_length = interface.fcs_length;
  return {};
}

FileResult<void> PcapngFormat::fill(BlockBuffer& buffer, Batch& batch) {
  for (;;) {
    const std::uint64_t before = buffer.offset();
    auto done = order_ == std::endian::little ? fill_as<std::endian::little>(buffer, batch)
                                              : fill_as<std::endian::big>(buffer, batch);
    if (!done || batch.size != 0 || buffer.offset() == before) return done;
    // Only blocks without packets so far; a section header may have changed the order.
  }
}

// Comes back without packets after a section header, and at the file's end, where it consumes nothing.
template <std::endian Order>
FileResult<void> PcapngFormat::fill_as(BlockBuffer& buffer, Batch& batch) {
  for (;;) {
    const Bytes data = buffer.data();
    std::size_t at = 0;
    std::uint32_t needed = min_block;  // from at on, to see the next block
    std::uint32_t type = 0;
    std::uint32_t total = 0;
    Error error;
    while (batch.size < batch.packets.size()) {
      if (data.size() - at < min_block) break;
      const std::uint8_t* block = data.data() + at;
      type = load32<Order>(block);
      total = load32<Order>(block + 4);
      if (!is_packet(type)) break;
      error = check_total(type, total);
      if (error) break;
      needed = total;
      if (data.size() - at < total) break;
      error = check_trailing<Order>(block + total - trailing_length, total);
      if (error) break;
      Packet& packet = batch.packets[batch.size];
      error = read_packet<Order>(type, {block, total}, packet);
      if (error) break;
      packet.number = ++num_packets_;
      packet.file_offset = buffer.offset() + at;
      ++batch.size;
      at += total;
      needed = min_block;
    }
    buffer.consume(at);
    if (batch.size != 0) return {};
    const std::uint64_t block_offset = buffer.offset();
    if (error) return tl::unexpected(in_file(error, block_offset));
    if (buffer.data().size() < needed) {
      const auto there = buffer.need(needed);
      if (!there) return tl::unexpected(there.error());
      if (*there) continue;
      if (buffer.data().empty()) return {};
      return tl::unexpected(cut_at(buffer, needed));
    }

    // A block without a packet.
    if (type == block_type::section_header) return read_section_header(buffer);
    error = check_total(type, total);
    if (error) return tl::unexpected(in_file(error, block_offset));
    if (type == block_type::interface_description) {
      const auto there = buffer.need(total);
      if (!there) return tl::unexpected(there.error());
      if (!*there) return tl::unexpected(cut_at(buffer, total));
      const Bytes block = buffer.data().first(total);
      error = check_trailing<Order>(block.data() + total - trailing_length, total);
      if (!error) error = read_interface<Order>(block);
      if (error) return tl::unexpected(in_file(error, block_offset));
      buffer.consume(total);
    } else {
      const auto skipped = skip_rest<Order>(buffer, block_offset, total);
      if (!skipped) return skipped;
    }
  }
}

}  // namespace rdmawire::pcap
