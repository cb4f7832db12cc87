#include "codec/ib/icrc.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <initializer_list>
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

struct Variant {
  std::array<Ones, 5> words{};
  std::size_t num_words = 0;

  constexpr Variant(std::initializer_list<Ones> list) {
    for (const Ones& word : list) words[num_words++] = word;
  }
  constexpr std::span<const Ones> used() const { return std::span(words).first(num_words); }
};

// The words of variant fields of a packet whose BTH is at that offset.
//= CRC-04, V2-22
constexpr Variant variant(IcrcStart start, std::uint32_t bth) {
  const Ones last = at(bth, bth_fecn_becn_reserved);
  switch (start) {
    case IcrcStart::lrh:  //= CRC-02
      return {lrh_vl, last};
    case IcrcStart::lrh_grh:  //= CRC-02
      return {lrh_first, lrh_second, at(lrh_size, class_and_flow), at(lrh_size, hop_limit), last};
    case IcrcStart::grh:  //= V1-01
      return {class_and_flow, hop_limit, last};
    case IcrcStart::ipv4:  //= V2-16
      return {tos, ttl_and_checksum, at(bth - udp_size, udp_checksum), last};
    case IcrcStart::ipv6:  //= V2-16
      return {class_and_flow, hop_limit, at(bth - udp_size, udp_checksum), last};
  }
  return {};
}

// A packet without IP options or extension headers: the ones are then a constant.
struct Usual {
  std::uint32_t bth_offset;
  crc::HeadOnes ones;
  std::uint32_t previous;  // the octets of ones that stand for a missing LRH

  constexpr Usual(IcrcStart start, std::uint32_t bth, std::uint32_t crc)
      : bth_offset(bth), ones(crc::head_ones(variant(start, bth).used())), previous(crc) {}
};

// By IcrcStart.
constexpr std::array usual{
    Usual{IcrcStart::lrh, 8, 0},
    Usual{IcrcStart::lrh_grh, 8 + 40, 0},
    Usual{IcrcStart::grh, 40, after_eight_ones},
    Usual{IcrcStart::ipv4, 20 + 8, after_eight_ones},
    Usual{IcrcStart::ipv6, 40 + 8, after_eight_ones},
};

}  // namespace

//= CRC-01
std::uint32_t icrc(IcrcStart start, Bytes covered, std::size_t bth_offset) {
  const Usual& as_usual = usual[static_cast<std::size_t>(start)];
  if (bth_offset == as_usual.bth_offset) return crc::crc32_with_ones(covered, as_usual.ones, as_usual.previous);
  const Variant words = variant(start, static_cast<std::uint32_t>(bth_offset));
  return crc::crc32_with_ones(covered, words.used(), as_usual.previous);
}

//= CRC-01
std::uint32_t icrc_copying(IcrcStart start, MutableBytes packet, Bytes payload, std::size_t bth_offset) {
  const Usual& as_usual = usual[static_cast<std::size_t>(start)];
  if (bth_offset == as_usual.bth_offset) {
    return crc::crc32_copying(packet, payload, as_usual.ones, as_usual.previous);
  }
  if (!payload.empty()) std::memcpy(packet.last(payload.size()).data(), payload.data(), payload.size());
  return icrc(start, packet, bth_offset);
}

//= CRC-03
std::uint16_t vcrc(Bytes covered) { return crc::crc16_100b(covered); }

}  // namespace rdmawire::ib
