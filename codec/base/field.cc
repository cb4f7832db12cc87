#include "codec/base/field.h"

#include <algorithm>
#include <array>

#include "codec/base/text.h"

namespace rdmawire {
namespace {

void put_ipv4(Text& sink, Bytes address) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (i != 0) sink.add('.');
    sink.add(address[i]);
  }
}

// RFC 5952: the longest run of two or more zero groups, the first of equals, becomes "::".
void put_ipv6(Text& sink, Bytes address) {
  std::array<unsigned, 8> group{};
  for (std::size_t i = 0; i < 8; ++i) group[i] = address[2 * i] * 256U + address[2 * i + 1];
  const bool mapped = group[0] + group[1] + group[2] + group[3] + group[4] == 0 && group[5] == 0xFFFF;
  const std::size_t groups = mapped ? 6 : 8;
  std::size_t best = 0;
  std::size_t best_length = 1;
  for (std::size_t i = 0; i < groups; ++i) {
    std::size_t length = 0;
    while (i + length < groups && group[i + length] == 0) ++length;
    if (length > best_length) {
      best = i;
      best_length = length;
    }
  }
  const bool shortened = best_length > 1;
  for (std::size_t i = 0; i < groups;) {
    if (shortened && i == best) {
      sink.add("::");
      i += best_length;
      continue;
    }
    if (i != 0 && !(shortened && i == best + best_length)) sink.add(':');
    sink.add_hex(group[i]);
    ++i;
  }
  if (mapped) {
    sink.add(':');
    put_ipv4(sink, address.subspan(12));
  }
}

}  // namespace

std::size_t format_value(const FieldInfo& field, Bytes header, std::span<char> out) {
  Text sink(out);
  switch (field.display) {
    case Display::dec:
    case Display::flag:
      sink.add(number(field, header));
      break;
    case Display::hex: {
      const unsigned octets = std::max((field.bits + 7U) / 8U, unsigned{field.text_octets});
      sink.add(Hex{number(field, header), 2 * octets});
      break;
    }
    case Display::octets:
      sink.add_hex_octets(octets(field, header));
      break;
    case Display::mac:
      for (bool first = true; const std::uint8_t octet : octets(field, header)) {
        if (!first) sink.add(':');
        first = false;
        sink.add_hex_octets({&octet, 1});
      }
      break;
    case Display::ipv4:
      put_ipv4(sink, octets(field, header));
      break;
    case Display::ipv6:
      put_ipv6(sink, octets(field, header));
      break;
  }
  return sink.size();
}

}  // namespace rdmawire
