#include "pcap/reassembly/conversations.h"

#include <algorithm>
#include <cstring>

#include "codec/net/ipv4.h"
#include "codec/net/ipv6.h"
#include "codec/net/ipv6_extension.h"

namespace rdmawire::reassembly {

namespace {

template <class Header>
Header read(const Frame& frame, const LayerRef& ref) {
  return decode<Header>(frame.octets(ref).first<header_size<Header>>());
}

template <class Ip>
void set_addresses(const Frame& frame, const LayerRef& ref, Endpoint& source, Endpoint& destination) {
  const auto octets = frame.octets(ref).first<header_size<Ip>>();
  std::ranges::copy(peek<&Ip::source>(octets).octets, source.address.begin());
  std::ranges::copy(peek<&Ip::destination>(octets).octets, destination.address.begin());
}

bool is_fragment(const Frame& frame, const LayerRef& ref) {
  if (ref.header == &header_info<net::Ipv4>) return read<net::Ipv4>(frame, ref).is_fragment();
  if (ref.header == &header_info<net::Ipv6Fragment>) return read<net::Ipv6Fragment>(frame, ref).is_fragment();
  return false;
}

// False if what is wrong with the frame leaves open which octets are the segment's.
bool is_usable(const Frame& frame) {
  const Error& error = frame.error;
  if (error.layer == Layer::tcp && error.code == ErrorCode::bad_header_length) return false;
  // A frame shorter than its packet was cut by who captured it; any other contradiction is one of the packet.
  const bool is_cut = error.limit == Limit::frame || error.limit == Limit::erf_wlen;
  if (error.code == ErrorCode::bad_length && !is_cut) return false;
  // What stopped the parser first need not be the fragment.
  return std::none_of(frame.layers().begin(), frame.layers().end(),
                      [&](const LayerRef& ref) { return is_fragment(frame, ref); });
}

}  // namespace

std::optional<TcpFrame> tcp_of(const Frame& frame) {
  const auto layers = frame.layers();
  if (layers.size() < 2 || layers.back().layer != Layer::tcp) return std::nullopt;
  if (frame.error && !is_usable(frame)) return std::nullopt;
  std::size_t i = layers.size() - 1;
  while (i > 0 && layers[i].header != &header_info<net::Ipv4> && layers[i].header != &header_info<net::Ipv6>) --i;
  const LayerRef& ip = layers[i];
  TcpFrame out;
  Endpoint source;
  Endpoint destination;
  if (ip.header == &header_info<net::Ipv4>) {
    set_addresses<net::Ipv4>(frame, ip, source, destination);
  } else if (ip.header == &header_info<net::Ipv6>) {
    set_addresses<net::Ipv6>(frame, ip, source, destination);
    out.key.ipv6 = true;
  } else {
    return std::nullopt;
  }
  out.tcp = read<net::Tcp>(frame, layers.back());
  source.port = out.tcp.source_port.value;
  destination.port = out.tcp.destination_port.value;
  out.from_upper = destination < source;
  out.key.ends = out.from_upper ? std::array{destination, source} : std::array{source, destination};
  return out;
}

bool is_tcp_fragment(const Frame& frame) {
  bool fragment = false;
  net::IpProtocol protocol{};
  for (const LayerRef& ref : frame.layers()) {
    fragment = fragment || is_fragment(frame, ref);
    if (ref.header == &header_info<net::Ipv4>) {
      protocol = read<net::Ipv4>(frame, ref).protocol;
    } else if (ref.header == &header_info<net::Ipv6>) {
      protocol = read<net::Ipv6>(frame, ref).next_header;
    } else if (ref.header == &header_info<net::Ipv6Fragment>) {
      protocol = read<net::Ipv6Fragment>(frame, ref).next_header;
    }
  }
  return fragment && protocol == net::IpProtocol::tcp;
}

std::uint64_t hash_of(const ConversationKey& key) {
  constexpr std::uint64_t multiplier = 0x9E37'79B9'7F4A'7C15;  // 2^64 divided by the golden ratio
  std::uint64_t hash = key.ipv6 ? 1 : 0;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * multiplier;
    hash ^= hash >> 32;
  };
  for (const Endpoint& end : key.ends) {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::memcpy(&low, end.address.data(), 8);
    std::memcpy(&high, end.address.data() + 8, 8);
    mix(low);
    if (key.ipv6) mix(high);
  }
  mix(std::uint64_t{key.ends[0].port} << 16 | key.ends[1].port);
  return hash;
}

}  // namespace rdmawire::reassembly
