// For tests: a frame with DDP over SCTP, which no capture here has.
#pragma once

#include <array>
#include <cstdint>

namespace rdmawire::cli {

// Ethernet, IPv4, SCTP, and three chunks of stream 3: the Initiate of a DDP session with two octets of private data
// (TSN 100), a Send of four octets (TSN 101), and DATA of another protocol.
inline constexpr std::array<std::uint8_t, 148> sctp_frame{
    0x02, 0, 0, 0, 0, 2, 0x02, 0, 0, 0, 0, 1, 0x08, 0x00,                          // Ethernet
    0x45, 0, 0, 134, 0, 0, 0x40, 0, 64, 132, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,       // IPv4: 134
                                                                                   // octets,
                                                                                   // protocol 132
    0x13, 0x88, 0x13, 0x89, 0, 0, 0, 7, 0, 0, 0, 0,                                // ports 5000 to 5001, tag 7
    0, 7, 0, 22, 0, 0, 0, 100, 0, 3, 0, 0, 0, 0, 0, 17,                            // DATA: 22 octets, U B E, PPID
                                                                                   // 17
    0, 0, 0, 1, 'h', 'i', 0, 0,                                                    // DDP-SSN 0, Initiate; padding
    0, 7, 0, 40, 0, 0, 0, 101, 0, 3, 0, 0, 0, 0, 0, 16,                            // DATA: 40 octets, PPID 16
    0, 1, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4,  // DDP-SSN 1, Send with MSN 1
    0, 7, 0, 38, 0, 0, 0, 102, 0, 3, 0, 0, 0, 0, 0, 18,                            // DATA of a third protocol
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22};

}  // namespace rdmawire::cli
