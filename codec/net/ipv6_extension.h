// The headers between IPv6's own and the transport's: RFC 8200, 4; the form of all later ones: RFC 6564; the
// authentication header (RFC 4302, 2), which IPv4 has too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/net/types.h"

namespace rdmawire::net {

// True if the protocol number says that an extension header follows, whose first octet says what follows it. (ESP
// is none of them: what follows it is encrypted.)
constexpr bool is_ipv6_extension(IpProtocol protocol) {
  switch (protocol) {
    case IpProtocol::hop_by_hop:
    case IpProtocol::routing:
    case IpProtocol::fragment:
    case IpProtocol::authentication:
    case IpProtocol::destination_options:
    case IpProtocol::mobility:
    case IpProtocol::host_identity:
    case IpProtocol::shim6:
      return true;
    default:
      return false;
  }
}

// What every extension header but the fragment header begins with.
struct Ipv6Extension {
  IpProtocol next_header{};
  std::uint8_t length{};  // its unit depends on the header: see extension_size
};

constexpr auto layout(std::type_identity<Ipv6Extension>) {
  return Layout(Layer::ipv6_extension,  //
                field<&Ipv6Extension::next_header, 8>("rdma.ipv6_ext.nxt", "Next header"),
                field<&Ipv6Extension::length, 8>("rdma.ipv6_ext.len", "Length"));
}
static_assert(header_size<Ipv6Extension> == 2);

// Octets of the whole extension header of the given kind, from its length field: units of 8 octets without the first
// 8; the authentication header's of 4 octets without the first 8. Fragment headers have no length field.
constexpr std::size_t extension_size(IpProtocol kind, std::uint8_t length) {
  switch (kind) {
    case IpProtocol::fragment:
      return 8;
    case IpProtocol::authentication:
      return 8 + 4 * std::size_t{length};
    default:
      return 8 + 8 * std::size_t{length};
  }
}

// IpProtocol::hop_by_hop; the options follow.
struct Ipv6HopByHop {
  IpProtocol next_header{};
  std::uint8_t length{};  // units of 8 octets without the first 8
};

constexpr auto layout(std::type_identity<Ipv6HopByHop>) {
  return Layout(Layer::ipv6_extension,  //
                field<&Ipv6HopByHop::next_header, 8>("ipv6.hopopts.nxt", "Next header"),
                field<&Ipv6HopByHop::length, 8>("ipv6.hopopts.len", "Length"));
}
static_assert(header_size<Ipv6HopByHop> == 2);

// IpProtocol::routing; data of the routing type follow.
struct Ipv6Routing {
  IpProtocol next_header{};
  std::uint8_t length{};  // units of 8 octets without the first 8
  std::uint8_t type{};
  std::uint8_t segments_left{};
};

constexpr auto layout(std::type_identity<Ipv6Routing>) {
  return Layout(Layer::ipv6_extension,  //
                field<&Ipv6Routing::next_header, 8>("ipv6.routing.nxt", "Next header"),
                field<&Ipv6Routing::length, 8>("ipv6.routing.len", "Length"),
                field<&Ipv6Routing::type, 8>("ipv6.routing.type", "Type"),
                field<&Ipv6Routing::segments_left, 8>("ipv6.routing.segleft", "Segments left"));
}
static_assert(header_size<Ipv6Routing> == 4);

// IpProtocol::destination_options; the options follow.
struct Ipv6DestinationOptions {
  IpProtocol next_header{};
  std::uint8_t length{};  // units of 8 octets without the first 8
};

constexpr auto layout(std::type_identity<Ipv6DestinationOptions>) {
  return Layout(Layer::ipv6_extension,  //
                field<&Ipv6DestinationOptions::next_header, 8>("ipv6.dstopts.nxt", "Next header"),
                field<&Ipv6DestinationOptions::length, 8>("ipv6.dstopts.len", "Length"));
}
static_assert(header_size<Ipv6DestinationOptions> == 2);

// IpProtocol::fragment.
struct Ipv6Fragment {
  IpProtocol next_header{};  // of the whole packet's first fragmented header
  std::uint8_t reserved8{};
  std::uint16_t offset{};  // units of 8 octets
  std::uint8_t reserved2{};
  bool more_fragments{};
  std::uint32_t identification{};

  // False for an atomic fragment (RFC 6946): the whole packet is in this frame.
  constexpr bool is_fragment() const { return more_fragments || offset != 0; }
};

constexpr auto layout(std::type_identity<Ipv6Fragment>) {
  return Layout(
      Layer::ipv6_fragment,  //
      field<&Ipv6Fragment::next_header, 8>("ipv6.fraghdr.nxt", "Next header"),
      field<&Ipv6Fragment::reserved8, 8>("ipv6.fraghdr.reserved_octet", "Reserved octet").as(Display::hex).reserved(),
      field<&Ipv6Fragment::offset, 13>("ipv6.fraghdr.offset", "Fragment offset"),
      field<&Ipv6Fragment::reserved2, 2>("ipv6.fraghdr.reserved_bits", "Reserved bits").reserved(),
      field<&Ipv6Fragment::more_fragments, 1>("ipv6.fraghdr.more", "More fragments"),
      field<&Ipv6Fragment::identification, 32>("ipv6.fraghdr.ident", "Identification").as(Display::hex));
}
static_assert(header_size<Ipv6Fragment> == 8);

// IpProtocol::authentication; the integrity check value follows.
struct Authentication {
  IpProtocol next_header{};
  std::uint8_t length{};  // units of 4 octets without the first 8
  std::array<std::uint8_t, 2> reserved{};
  std::uint32_t spi{};  // security parameters index
  std::uint32_t sequence{};
};

constexpr auto layout(std::type_identity<Authentication>) {
  return Layout(Layer::authentication,  //
                field<&Authentication::next_header, 8>("ah.next_header", "Next header"),
                field<&Authentication::length, 8>("ah.length", "Length"),
                field<&Authentication::reserved, 16>("ah.reserved", "Reserved").reserved(),
                field<&Authentication::spi, 32>("ah.spi", "Security parameters index").as(Display::hex),
                field<&Authentication::sequence, 32>("ah.sequence", "Sequence number"));
}
static_assert(header_size<Authentication> == 12);

// Octets of the whole header, by its own length field.
constexpr std::size_t full_size(const Ipv6HopByHop& header) {
  return extension_size(IpProtocol::hop_by_hop, header.length);
}
constexpr std::size_t full_size(const Ipv6Routing& header) {
  return extension_size(IpProtocol::routing, header.length);
}
constexpr std::size_t full_size(const Ipv6DestinationOptions& header) {
  return extension_size(IpProtocol::destination_options, header.length);
}
constexpr std::size_t full_size(const Authentication& header) {
  return extension_size(IpProtocol::authentication, header.length);
}

// The layout of the extension header of that kind (is_ipv6_extension).
constexpr const HeaderInfo& extension_info(IpProtocol kind) {
  switch (kind) {
    case IpProtocol::hop_by_hop:
      return header_info<Ipv6HopByHop>;
    case IpProtocol::routing:
      return header_info<Ipv6Routing>;
    case IpProtocol::destination_options:
      return header_info<Ipv6DestinationOptions>;
    case IpProtocol::fragment:
      return header_info<Ipv6Fragment>;
    case IpProtocol::authentication:
      return header_info<Authentication>;
    default:
      return header_info<Ipv6Extension>;
  }
}

}  // namespace rdmawire::net
