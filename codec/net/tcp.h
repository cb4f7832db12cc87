// Transmission Control Protocol header: RFC 9293, 3.1; AE (once NS): RFC 9768. Its checksum: checksum.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/base/types.h"

namespace rdmawire::net {

struct Tcp {
  TcpPort source_port{};
  TcpPort destination_port{};
  std::uint32_t sequence{};
  std::uint32_t acknowledgment{};
  std::uint8_t data_offset{};  // words of 4 octets with the options; 5 and more
  std::uint8_t reserved3{};
  bool accurate_ecn{};  // AE
  bool cwr{};
  bool ece{};
  bool urg{};
  bool ack{};
  bool psh{};
  bool rst{};
  bool syn{};
  bool fin{};
  std::uint16_t window{};  // not scaled
  std::uint16_t checksum{};
  std::uint16_t urgent_pointer{};
};

constexpr auto layout(std::type_identity<Tcp>) {
  return Layout(
      Layer::tcp,  //
      field<&Tcp::source_port, 16>("tcp.srcport", "Source port"),
      field<&Tcp::destination_port, 16>("tcp.dstport", "Destination port"),
      // Wireshark's tcp.seq and tcp.ack count from the connection's first.
      field<&Tcp::sequence, 32>("tcp.seq_raw", "Sequence number"),
      field<&Tcp::acknowledgment, 32>("tcp.ack_raw", "Acknowledgment number"),
      field<&Tcp::data_offset, 4>("rdma.tcp.data_offset", "Data offset, in words"), whole("tcp.flags", "Flags", 12),
      // Wireshark shows these three bits as one flag.
      field<&Tcp::reserved3, 3>("rdma.tcp.reserved3", "Reserved").reserved(),
      field<&Tcp::accurate_ecn, 1>("tcp.flags.ae", "Accurate ECN"),
      field<&Tcp::cwr, 1>("tcp.flags.cwr", "Congestion window reduced"),
      field<&Tcp::ece, 1>("tcp.flags.ece", "ECN echo"),  //
      field<&Tcp::urg, 1>("tcp.flags.urg", "Urgent"), field<&Tcp::ack, 1>("tcp.flags.ack", "Acknowledgment"),
      field<&Tcp::psh, 1>("tcp.flags.push", "Push"),  //
      field<&Tcp::rst, 1>("tcp.flags.reset", "Reset"), field<&Tcp::syn, 1>("tcp.flags.syn", "Synchronize"),
      field<&Tcp::fin, 1>("tcp.flags.fin", "Finish"), field<&Tcp::window, 16>("tcp.window_size_value", "Window"),
      field<&Tcp::checksum, 16>("tcp.checksum", "Checksum").as(Display::hex),
      field<&Tcp::urgent_pointer, 16>("tcp.urgent_pointer", "Urgent pointer"));
}
static_assert(header_size<Tcp> == 20);

// Octets of the header with its options, by its own length field; less than header_size<Tcp> if that is wrong.
constexpr std::size_t full_size(const Tcp& header) { return 4U * header.data_offset; }

}  // namespace rdmawire::net
