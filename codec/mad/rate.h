// Packet rate, 6 bits: IBTA vol. 1, 15.2.5.16; REQ and LAP use the same codes (12.7).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "codec/base/names.h"

namespace rdmawire::mad {

// Signalling rate of a link; the codes are in no order, so never compare them by size.
enum class Rate : std::uint8_t {
  gbps2_5 = 2,
  gbps10 = 3,
  gbps30 = 4,
  gbps5 = 5,
  gbps20 = 6,
  gbps40 = 7,
  gbps60 = 8,
  gbps80 = 9,
  gbps120 = 10,
  gbps14 = 11,
  gbps56 = 12,
  gbps112 = 13,
  gbps168 = 14,
  gbps25 = 15,
  gbps100 = 16,
  gbps200 = 17,
  gbps300 = 18,
  gbps28 = 19,
  gbps50 = 20,
  gbps400 = 21,
  gbps600 = 22,
  gbps800 = 23,
};

inline constexpr std::array rate_names{
    Name{Rate::gbps2_5, "2.5 Gb/s"}, Name{Rate::gbps10, "10 Gb/s"},   Name{Rate::gbps30, "30 Gb/s"},
    Name{Rate::gbps5, "5 Gb/s"},     Name{Rate::gbps20, "20 Gb/s"},   Name{Rate::gbps40, "40 Gb/s"},
    Name{Rate::gbps60, "60 Gb/s"},   Name{Rate::gbps80, "80 Gb/s"},   Name{Rate::gbps120, "120 Gb/s"},
    Name{Rate::gbps14, "14 Gb/s"},   Name{Rate::gbps56, "56 Gb/s"},   Name{Rate::gbps112, "112 Gb/s"},
    Name{Rate::gbps168, "168 Gb/s"}, Name{Rate::gbps25, "25 Gb/s"},   Name{Rate::gbps100, "100 Gb/s"},
    Name{Rate::gbps200, "200 Gb/s"}, Name{Rate::gbps300, "300 Gb/s"}, Name{Rate::gbps28, "28 Gb/s"},
    Name{Rate::gbps50, "50 Gb/s"},   Name{Rate::gbps400, "400 Gb/s"}, Name{Rate::gbps600, "600 Gb/s"},
    Name{Rate::gbps800, "800 Gb/s"},
};

constexpr std::string_view name_of(Rate value) { return find_name(rate_names, value); }

}  // namespace rdmawire::mad
