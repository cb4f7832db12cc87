// Frames with TCP segments, for tests: built octet by octet, so that only what the test says is in them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/base/layout.h"
#include "codec/frame.h"
#include "codec/net/net.h"

namespace rdmawire::reassembly::test {

struct TestSegment {
  bool from_server = false;
  std::uint32_t sequence = 0;
  std::uint32_t acknowledgment = 0;
  bool syn = false;
  bool ack = true;
  bool fin = false;
  bool rst = false;
  std::vector<std::uint8_t> octets{};
  std::uint16_t client_port = 40000;
  std::uint16_t server_port = 5000;
  bool ipv6 = false;
  bool offloaded = false;             // the adapter is to fill in the IP length
  bool more_fragments = false;        // IPv4
  std::uint16_t fragment_offset = 0;  // IPv4, units of 8 octets
};

// Ethernet, IPv4 or IPv6, TCP with 12 octets of options.
inline std::vector<std::uint8_t> build(const TestSegment& segment) {
  std::vector<std::uint8_t> out;
  const auto put = [&]<class T>(const T& header) {
    std::array<std::uint8_t, header_size<T>> octets{};
    encode(header, octets);
    out.insert(out.end(), octets.begin(), octets.end());
  };
  const std::size_t tcp_len = header_size<net::Tcp> + 12 + segment.octets.size();
  net::Ethernet ethernet;
  ethernet.type = segment.ipv6 ? net::EtherType::ipv6 : net::EtherType::ipv4;
  put(ethernet);
  const std::uint8_t from = segment.from_server ? 2 : 1;
  const auto to = static_cast<std::uint8_t>(3 - from);
  if (segment.ipv6) {
    net::Ipv6 ip;
    ip.version = 6;
    ip.payload_length = segment.offloaded ? std::uint16_t{0} : static_cast<std::uint16_t>(tcp_len);
    ip.next_header = net::IpProtocol::tcp;
    ip.source.octets = {0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, from};
    ip.destination.octets = {0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, to};
    put(ip);
  } else {
    net::Ipv4 ip;
    ip.version = 4;
    ip.ihl = 5;
    ip.total_length =
        segment.offloaded ? std::uint16_t{0} : static_cast<std::uint16_t>(header_size<net::Ipv4> + tcp_len);
    ip.more_fragments = segment.more_fragments;
    ip.fragment_offset = segment.fragment_offset;
    ip.protocol = net::IpProtocol::tcp;
    ip.source.octets = {10, 0, 0, from};
    ip.destination.octets = {10, 0, 0, to};
    put(ip);
  }
  net::Tcp tcp;
  tcp.source_port.value = segment.from_server ? segment.server_port : segment.client_port;
  tcp.destination_port.value = segment.from_server ? segment.client_port : segment.server_port;
  tcp.sequence = segment.sequence;
  tcp.acknowledgment = segment.acknowledgment;
  tcp.data_offset = 8;
  tcp.syn = segment.syn;
  tcp.ack = segment.ack;
  tcp.fin = segment.fin;
  tcp.rst = segment.rst;
  put(tcp);
  out.insert(out.end(), 12, 1);  // no operation
  out.insert(out.end(), segment.octets.begin(), segment.octets.end());
  return out;
}

// The frame of octets that must outlive it. wire_len: 0 for all of them.
inline Frame parse(Bytes octets, std::size_t wire_len = 0) {
  return parse_frame(LinkType::ethernet, octets, static_cast<std::uint32_t>(wire_len == 0 ? octets.size() : wire_len));
}

}  // namespace rdmawire::reassembly::test
