// For tests: capture files built field by field, in either byte order, and all that a reader gives of one.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <vector>

#include "codec/base/bytes.h"
#include "pcap/reader.h"

namespace rdmawire {

// Boost.Test prints what it compares.
inline std::ostream& operator<<(std::ostream& out, ErrorCode code) { return out << info(code).name; }
inline std::ostream& operator<<(std::ostream& out, LinkType link) { return out << static_cast<unsigned>(link); }

}  // namespace rdmawire

namespace rdmawire::pcap {

using Octets = std::vector<std::uint8_t>;

class FileBuilder {
 public:
  explicit FileBuilder(std::endian order = std::endian::little) : order_(order) {}

  const Octets& octets() const { return octets_; }
  std::size_t size() const { return octets_.size(); }
  void set_order(std::endian order) { order_ = order; }

  FileBuilder& u8(unsigned value) { return number(value, 1); }
  FileBuilder& u16(unsigned value) { return number(value, 2); }
  FileBuilder& u32(std::uint32_t value) { return number(value, 4); }
  FileBuilder& u64(std::uint64_t value) { return number(value, 8); }
  FileBuilder& bytes(const Octets& more) {
    octets_.insert(octets_.end(), more.begin(), more.end());
    return *this;
  }
  FileBuilder& pad_to_4() {
    while (octets_.size() % 4 != 0) octets_.push_back(0);
    return *this;
  }

  // The pcap file header.
  FileBuilder& pcap_header(std::uint32_t magic = 0xA1B2C3D4, std::uint32_t link = 1, std::uint32_t snaplen = 65535,
                           unsigned major = 2, unsigned minor = 4) {
    return u32(magic).u16(major).u16(minor).u32(0).u32(0).u32(snaplen).u32(link);
  }
  // A pcap record of the usual form.
  FileBuilder& record(std::uint32_t seconds, std::uint32_t fraction, const Octets& data, std::uint32_t original) {
    return u32(seconds).u32(fraction).u32(static_cast<std::uint32_t>(data.size())).u32(original).bytes(data);
  }
  FileBuilder& record(std::uint32_t seconds, std::uint32_t fraction, const Octets& data) {
    return record(seconds, fraction, data, static_cast<std::uint32_t>(data.size()));
  }

  // A pcapng block of any type; body is padded, the lengths are right.
  FileBuilder& block(std::uint32_t type, const Octets& body) {
    const auto total = static_cast<std::uint32_t>((body.size() + 3) / 4 * 4 + 12);
    return u32(type).u32(total).bytes(body).pad_to_4().u32(total);
  }
  FileBuilder& section(unsigned major = 1, const Octets& options = {}) {
    return block(0x0A0D0D0A, sub().u32(0x1A2B3C4D).u16(major).u16(0).u64(~std::uint64_t{0}).bytes(options).octets());
  }
  FileBuilder& interface(unsigned link, std::uint32_t snaplen = 0, const Octets& options = {}) {
    return block(1, sub().u16(link).u16(0).u32(snaplen).bytes(options).octets());
  }
  FileBuilder& enhanced(std::uint32_t interface_id, std::uint64_t time, const Octets& data, std::uint32_t original,
                        const Octets& options = {}) {
    return block(6, sub()
                        .u32(interface_id)
                        .u32(static_cast<std::uint32_t>(time >> 32))
                        .u32(static_cast<std::uint32_t>(time))
                        .u32(static_cast<std::uint32_t>(data.size()))
                        .u32(original)
                        .bytes(data)
                        .pad_to_4()
                        .bytes(options)
                        .octets());
  }
  FileBuilder& enhanced(std::uint32_t interface_id, std::uint64_t time, const Octets& data) {
    return enhanced(interface_id, time, data, static_cast<std::uint32_t>(data.size()));
  }
  // An option for a block: its value's octets.
  FileBuilder& option(unsigned code, const Octets& value) {
    return u16(code).u16(static_cast<unsigned>(value.size())).bytes(value).pad_to_4();
  }
  // An empty builder of the same order, for the inside of a block.
  FileBuilder sub() const { return FileBuilder(order_); }

 private:
  FileBuilder& number(std::uint64_t value, unsigned num_octets) {
    for (unsigned i = 0; i < num_octets; ++i) {
      const unsigned shift = 8 * (order_ == std::endian::big ? num_octets - 1 - i : i);
      octets_.push_back(static_cast<std::uint8_t>(value >> shift));
    }
    return *this;
  }

  std::endian order_;
  Octets octets_;
};

inline Octets filled(std::size_t size, unsigned first) {
  Octets out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::uint8_t>(first + i);
  return out;
}

struct ReadPacket {
  Packet packet;  // data is empty
  Octets data;
};

// All packets of a file, and the error if one came behind them.
struct Reading {
  std::vector<ReadPacket> packets;
  FileError error;

  ErrorCode code() const { return error.error.code; }
};

inline Reading read_all(Reader& reader) {
  Reading out;
  for (;;) {
    const auto packet = reader.next();
    if (!packet) {
      out.error = packet.error();
      break;
    }
    if (*packet == nullptr) break;
    out.packets.push_back({**packet, Octets((*packet)->data.begin(), (*packet)->data.end())});
    out.packets.back().packet.data = {};
  }
  return out;
}

inline Reading read_all(tl::expected<Reader, FileError> reader) {
  if (!reader) return {{}, reader.error()};
  return read_all(*reader);
}

inline Reading read_memory(const Octets& file, std::size_t block_size = ReaderOptions{}.block_size) {
  return read_all(Reader::from_memory(file, {block_size}));
}

inline std::ostream& operator<<(std::ostream& out, const FileError& error) { return out << to_string(error); }
inline std::ostream& operator<<(std::ostream& out, Timestamp time) {
  return out << time.seconds << " s " << time.nanoseconds << " ns";
}
inline std::ostream& operator<<(std::ostream& out, Oddities oddities) { return out << unsigned{oddities.bits}; }

constexpr FileError file_error(ErrorCode code, Layer layer, std::uint64_t offset, Limit limit = Limit::none,
                               std::uint32_t needed = 0, std::uint32_t available = 0) {
  return {{code, layer, limit, needed, available, offset}, 0};
}

constexpr Oddities odd(std::initializer_list<Oddity> list) {
  Oddities out;
  for (const Oddity oddity : list) out.add(oddity);
  return out;
}

}  // namespace rdmawire::pcap
