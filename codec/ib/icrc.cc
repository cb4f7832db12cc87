#include "codec/ib/icrc.h"

#include <array>
#include <span>

#include "codec/crc/crc.h"
#include "codec/crc/crc32_with_ones.h"

namespace rdmawire::ib {
namespace {

using crc::Ones;

// CRC-32 of eight octets of ones.
constexpr std::uint32_t after_eight_ones = 0x2144DF1C;

// Variant fields, as words of the header that has them.
constexpr Ones lrh_vl{0, 0xF0000000};
constexpr Ones lrh_first{0, 0xFFFFFFFF};  // the whole LRH, when a GRH follows
constexpr Ones lrh_second{4, 0xFFFFFFFF};
constexpr Ones class_and_flow{0, 0x0FFFFFFF};  // GRH and IPv6: traffic class, flow label
constexpr Ones hop_limit{4, 0x000000FF};
constexpr Ones tos{0, 0x00FF0000};  // IPv4
constexpr Ones ttl_and_checksum{8, 0xFF00FFFF};
constexpr Ones udp_checksum{4, 0x0000FFFF};
constexpr Ones bth_fecn_becn_reserved{4, 0xFF000000};

constexpr std::uint32_t lrh_size = 8;
constexpr std::uint32_t udp_size = 8;

constexpr Ones at(std::uint32_t offset, Ones word) { return {offset + word.offset, word.bits}; }

}  // namespace

std::uint32_t icrc(IcrcStart start, Bytes covered, std::size_t bth_offset) {
  const auto bth = static_cast<std::uint32_t>(bth_offset);
  const Ones last = at(bth, bth_fecn_becn_reserved);
  switch (start) {
    case IcrcStart::lrh:
      return crc::crc32_with_ones(covered, std::array{lrh_vl, last});
    case IcrcStart::lrh_grh:
      return crc::crc32_with_ones(
          covered, std::array{lrh_first, lrh_second, at(lrh_size, class_and_flow), at(lrh_size, hop_limit), last});
    case IcrcStart::grh:
      return crc::crc32_with_ones(covered, std::array{class_and_flow, hop_limit, last}, after_eight_ones);
    case IcrcStart::ipv4:
      return crc::crc32_with_ones(covered, std::array{tos, ttl_and_checksum, at(bth - udp_size, udp_checksum), last},
                                  after_eight_ones);
    case IcrcStart::ipv6:
      return crc::crc32_with_ones(
          covered, std::array{class_and_flow, hop_limit, at(bth - udp_size, udp_checksum), last}, after_eight_ones);
  }
  return 0;
}

std::uint16_t vcrc(Bytes covered) { return crc::crc16_100b(covered); }

}  // namespace rdmawire::ib
