// Numbers of pcapng files: draft-ietf-opsawg-pcapng.
#pragma once

#include <cstdint>

namespace rdmawire::pcap {

namespace block_type {
inline constexpr std::uint32_t section_header = 0x0A0D0D0A;
inline constexpr std::uint32_t interface_description = 1;
inline constexpr std::uint32_t packet = 2;  // obsolete
inline constexpr std::uint32_t simple_packet = 3;
inline constexpr std::uint32_t enhanced_packet = 6;
}  // namespace block_type

inline constexpr std::uint32_t byte_order_magic = 0x1A2B3C4D;

// The same number means something else in another block.
namespace option_code {
inline constexpr std::uint16_t end_of_options = 0;
inline constexpr std::uint16_t comment = 1;
inline constexpr std::uint16_t shb_userappl = 4;
inline constexpr std::uint16_t if_name = 2;
inline constexpr std::uint16_t if_tsresol = 9;
inline constexpr std::uint16_t if_fcslen = 13;
inline constexpr std::uint16_t if_tsoffset = 14;
inline constexpr std::uint16_t epb_flags = 2;
}  // namespace option_code

}  // namespace rdmawire::pcap
