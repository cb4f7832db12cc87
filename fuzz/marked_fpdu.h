// An FPDU as RFC 5044, 4 draws it, made one octet at a time: what the Framer and the Deframer are held against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/base/bytes.h"
#include "codec/crc/portable.h"
#include "codec/iwarp/fpdu.h"

namespace rdmawire::fuzz {

struct MarkedFpdu {
  std::vector<std::uint8_t> octets;
  iwarp::Fpdu fpdu;  // refers to octets
};

// position: octets of the stream since Markers count (a multiple of 4).
inline MarkedFpdu make_fpdu(Bytes ulpdu, bool markers, std::uint64_t position) {
  std::vector<std::uint8_t> plain(2);
  store_be<2>(plain.data(), ulpdu.size());
  plain.insert(plain.end(), ulpdu.begin(), ulpdu.end());
  while (plain.size() % 4 != 0) plain.push_back(0);

  MarkedFpdu out;
  std::size_t header_at = 0;
  const auto marker = [&] {
    if (!markers || (position + out.octets.size()) % 512 != 0) return;
    const std::size_t at = out.octets.size();
    if (at == 0) header_at = 4;
    const std::size_t pointer = at == 0 ? 0 : at - header_at;
    out.octets.insert(out.octets.end(),
                      {0, 0, static_cast<std::uint8_t>(pointer >> 8), static_cast<std::uint8_t>(pointer)});
    if (out.fpdu.num_markers++ == 0) out.fpdu.first_marker = static_cast<std::uint32_t>(at);
  };
  for (std::size_t i = 0; i < plain.size(); i += 4) {
    marker();
    out.octets.insert(out.octets.end(), plain.begin() + static_cast<std::ptrdiff_t>(i),
                      plain.begin() + static_cast<std::ptrdiff_t>(i + 4));
  }
  marker();
  const std::uint32_t crc = crc::portable::crc32c(out.octets);
  for (unsigned shift = 0; shift < 32; shift += 8) out.octets.push_back(static_cast<std::uint8_t>(crc >> shift));
  out.fpdu.octets = out.octets;
  out.fpdu.wire_len = static_cast<std::uint32_t>(out.octets.size());
  out.fpdu.ulpdu_len = static_cast<std::uint16_t>(ulpdu.size());
  return out;
}

}  // namespace rdmawire::fuzz
