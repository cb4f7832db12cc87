#include "pcap/pcap_format.h"

#include <algorithm>
#include <array>
#include <limits>

namespace rdmawire::pcap {
namespace {

struct Magic {
  std::uint32_t number;  // in the file's byte order
  std::uint32_t file_header_size;
  std::uint32_t record_header_size;
  bool nanoseconds;
};

constexpr std::array magics{
    Magic{0xA1B2C3D4, 24, 16, false},
    Magic{0xA1B23C4D, 24, 16, true},
    // Alexey Kuznetzov's libpcap, in old Linux distributions: interface index, protocol and packet type are added.
    Magic{0xA1B2CD34, 24, 24, false},
    // Ixia's lcap, hardware and software capture: the octets of all records are added to the file header.
    Magic{0x1C0001AC, 28, 16, true},
    Magic{0x1C0001AB, 28, 16, false},
};

constexpr std::uint32_t magic_size = 4;

template <std::endian Order>
const Magic* find_magic(const std::uint8_t* p) {
  const std::uint32_t number = load32<Order>(p);
  const auto* found = std::find_if(magics.begin(), magics.end(), [=](const Magic& m) { return m.number == number; });
  return found == magics.end() ? nullptr : found;
}

// No capture tool writes more by default, and libpcap reads no more (MAXIMUM_SNAPLEN); a larger length is damage,
// unless the file's own snapshot length announces it.
constexpr std::uint32_t usual_max_captured = 262'144;

FileError error_at(std::uint64_t offset, ErrorCode code, Limit limit, std::uint32_t needed, std::uint32_t available) {
  return {{code, Layer::pcap, limit, needed, available, offset}, 0};
}

FileError cut_at(const BlockBuffer& buffer, std::uint32_t needed) {
  return error_at(buffer.offset(), ErrorCode::cut_file, Limit::file, needed,
                  static_cast<std::uint32_t>(buffer.data().size()));
}

}  // namespace

bool PcapFormat::recognises(std::span<const std::uint8_t, 4> magic) {
  return find_magic<std::endian::little>(magic.data()) != nullptr ||
         find_magic<std::endian::big>(magic.data()) != nullptr;
}

FileResult<void> PcapFormat::begin(BlockBuffer& buffer) {
  const std::uint8_t* p = buffer.data().data();
  const Magic* magic = find_magic<std::endian::little>(p);
  if (magic == nullptr) {
    magic = find_magic<std::endian::big>(p);
    order_ = std::endian::big;
  }
  record_header_size_ = magic->record_header_size;
  if (magic->nanoseconds) {
    units_in_second_ = 1'000'000'000;
    nanoseconds_in_unit_ = 1;
  }
  const auto whole = buffer.need(magic->file_header_size);
  if (!whole) return tl::unexpected(whole.error());
  if (!*whole) return tl::unexpected(cut_at(buffer, magic->file_header_size));
  if (order_ == std::endian::little) {
    read_header<std::endian::little>(buffer.data().data() + magic_size);
  } else {
    read_header<std::endian::big>(buffer.data().data() + magic_size);
  }
  buffer.consume(magic->file_header_size);
  return {};
}

// p: behind the magic number.
template <std::endian Order>
void PcapFormat::read_header(const std::uint8_t* p) {
  const std::uint16_t major = load16<Order>(p);
  const std::uint16_t minor = load16<Order>(p + 2);
  // 543.0 is DG/UX's tcpdump. Other versions than these and 2.4 are not known: they are read like 2.4.
  if ((major == 2 && minor < 3) || (major == 543 && minor == 0)) lengths_ = Lengths::original_first;
  if (major == 2 && minor == 3) lengths_ = Lengths::smaller_is_captured;
  // Time zone and time stamp accuracy follow: 0 in every file.
  snaplen_ = load32<Order>(p + 12);
  if (snaplen_ == 0) snaplen_ = std::numeric_limits<std::uint32_t>::max();
  max_captured_ = usual_max_captured;
  if (snaplen_ <= max_record_size) max_captured_ = std::max(snaplen_, usual_max_captured);
  const std::uint32_t link = load32<Order>(p + 16);
  link_ = link_type_of(static_cast<std::uint16_t>(link));
  // Bit 26: the FCS length is given, in bits 28 to 31, in units of 16 bits.
  if ((link >> 26 & 1U) != 0) fcs_length_ = static_cast<std::uint8_t>(2 * (link >> 28));
}

FileResult<void> PcapFormat::fill(BlockBuffer& buffer, Batch& batch) {
  return order_ == std::endian::little ? fill_as<std::endian::little>(buffer, batch)
                                       : fill_as<std::endian::big>(buffer, batch);
}

template <std::endian Order>
std::uint32_t PcapFormat::captured_length(const std::uint8_t* record) const {
  const std::uint32_t first = load32<Order>(record + 8);
  if (lengths_ == Lengths::captured_first) [[likely]] {
    return first;
  }
  const std::uint32_t second = load32<Order>(record + 12);
  return lengths_ == Lengths::original_first ? second : std::min(first, second);
}

template <std::endian Order>
FileResult<void> PcapFormat::fill_as(BlockBuffer& buffer, Batch& batch) {
  // Copies, so that they stay in registers while packets are written.
  const std::uint32_t header = record_header_size_;
  const std::uint32_t max_captured = max_captured_;
  const std::uint32_t snaplen = snaplen_;
  const std::uint32_t units_in_second = units_in_second_;
  const std::uint32_t nanoseconds_in_unit = nanoseconds_in_unit_;
  const LinkType link = link_;
  const std::optional<std::uint8_t> fcs_length = fcs_length_;
  for (;;) {
    const Bytes data = buffer.data();
    const std::uint64_t offset = buffer.offset();
    std::size_t at = 0;
    std::size_t size = 0;
    const std::uint64_t num_before = num_packets_;
    for (; size < batch.packets.size() && data.size() - at >= header; ++size) {
      const std::uint8_t* record = data.data() + at;
      const std::uint32_t captured = captured_length<Order>(record);
      if (captured > max_captured || captured > data.size() - at - header) break;
      const std::uint32_t original = load32<Order>(record + 8) + load32<Order>(record + 12) - captured;
      std::uint64_t seconds = load32<Order>(record);
      std::uint32_t fraction = load32<Order>(record + 4);
      Oddities oddities;
      if (fraction >= units_in_second) [[unlikely]] {
        oddities.add(Oddity::fraction_too_big);
        seconds += fraction / units_in_second;
        fraction %= units_in_second;
      }
      oddities.add(Oddity::captured_exceeds_original, captured > original);
      oddities.add(Oddity::captured_exceeds_snaplen, captured > snaplen);
      oddities.add(Oddity::original_length_zero, original == 0);
      // Field by field: a whole Packet would be made on the stack and copied, at twice the time.
      Packet& packet = batch.packets[size];
      packet.number = num_before + size + 1;
      packet.file_offset = offset + at;
      packet.time = {static_cast<std::int64_t>(seconds), fraction * nanoseconds_in_unit};
      packet.data = {record + header, captured};
      packet.original_length = original;
      packet.interface_id = 0;
      packet.link = link;
      packet.oddities = oddities;
      packet.fcs_length = fcs_length;
      at += header + captured;
    }
    num_packets_ += size;
    batch.size = size;
    buffer.consume(at);
    if (size != 0) return {};

    // Not one whole record is there.
    const auto has_header = buffer.need(header);
    if (!has_header) return tl::unexpected(has_header.error());
    if (!*has_header) {
      if (buffer.data().empty()) return {};
      return tl::unexpected(cut_at(buffer, header));
    }
    const std::uint32_t captured = captured_length<Order>(buffer.data().data());
    if (captured > max_captured_) {
      return tl::unexpected(error_at(buffer.offset(), ErrorCode::record_too_big, Limit::none, captured, max_captured_));
    }
    const auto whole = buffer.need(header + captured);
    if (!whole) return tl::unexpected(whole.error());
    if (!*whole) return tl::unexpected(cut_at(buffer, header + captured));
  }
}

}  // namespace rdmawire::pcap
