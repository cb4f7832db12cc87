// FPDUs for the tests of this folder: one framed word by word, and one taken apart by a walk over its words. The codec
// computes both; here every word is looked at, so that the two can be compared.
#pragma once

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/iwarp/fpdu.h"

namespace rdmawire::iwarp::test {

struct Framing {
  bool markers = false;
  std::uint32_t phase = 0;  // octets from the last place of a Marker
  bool crc = true;
};

// The FPDU around a ULPDU.
inline std::vector<std::uint8_t> framed(const std::vector<std::uint8_t>& ulpdu, const Framing& framing) {
  std::vector<std::uint8_t> body{static_cast<std::uint8_t>(ulpdu.size() >> 8), static_cast<std::uint8_t>(ulpdu.size())};
  body.insert(body.end(), ulpdu.begin(), ulpdu.end());
  while (body.size() % 4 != 0) body.push_back(0);
  std::vector<std::uint8_t> out;
  std::size_t start = 0;
  const auto marker = [&](std::size_t back) {
    if (!framing.markers || (framing.phase + out.size()) % 512 != 0) return;
    for (const std::size_t octet : {std::size_t{0}, std::size_t{0}, back >> 8, back}) {
      out.push_back(static_cast<std::uint8_t>(octet));
    }
  };
  for (std::size_t i = 0; i < body.size(); i += 4) {
    marker(i == 0 ? 0 : out.size() - start);
    if (i == 0) start = out.size();
    out.insert(out.end(), body.begin() + static_cast<std::ptrdiff_t>(i),
               body.begin() + static_cast<std::ptrdiff_t>(i + 4));
  }
  marker(out.size() - start);
  std::uint32_t crc = framing.crc ? crc::crc32c(out) : 0;
  for (int i = 0; i < 4; ++i, crc >>= 8) out.push_back(static_cast<std::uint8_t>(crc));
  return out;
}

// What is where in the FPDU of which octets has what was captured.
inline Fpdu laid_out(Bytes octets, const Framing& framing) {
  Fpdu fpdu;
  fpdu.crc.status = framing.crc ? CrcStatus::unchecked : CrcStatus::disabled;
  std::size_t at = 0;
  std::size_t start = 0;
  std::size_t words = 2;  // those between Markers, CRC included; the first one says how many there are
  for (std::size_t word = 0; word < words; ++word, at += 4) {
    if (framing.markers && (framing.phase + at) % 512 == 0) {
      if (fpdu.num_markers++ == 0) fpdu.first_marker = static_cast<std::uint32_t>(at);
      if (at + 4 <= octets.size()) {
        const std::size_t back = octets[at + 2] * 256U + octets[at + 3];
        fpdu.num_wrong_markers += back / 4 == (word == 0 ? 0 : at - start) / 4 ? 0 : 1;
        fpdu.num_odd_markers += octets[at] == 0 && octets[at + 1] == 0 ? 0 : 1;
      }
      at += 4;
    }
    if (word == 0) {
      start = at;
      BOOST_REQUIRE(at + 2 <= octets.size());
      fpdu.ulpdu_len = static_cast<std::uint16_t>(octets[at] * 256U + octets[at + 1]);
      words = (2U + fpdu.ulpdu_len + 3U) / 4U + 1;
    }
  }
  fpdu.wire_len = static_cast<std::uint32_t>(at);
  fpdu.octets = octets.size() < at ? octets : octets.first(at);
  fpdu.crc.offset = fpdu.wire_len - 4;
  if (framing.crc && fpdu.is_whole()) {
    fpdu.crc.stored = static_cast<std::uint32_t>(load_be<4>(octets.data() + fpdu.crc.offset));
    fpdu.crc.computed = mpa_crc(octets.first(fpdu.crc.offset));
    fpdu.crc.status = fpdu.crc.stored == fpdu.crc.computed ? CrcStatus::good : CrcStatus::bad;
  }
  return fpdu;
}

}  // namespace rdmawire::iwarp::test
