#include "codec/base/field.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace rdmawire {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

// Collects text and drops what no longer fits.
class Sink {
 public:
  explicit Sink(std::span<char> out) : out_(out) {}

  void put(char c) {
    if (size_ < out_.size()) out_[size_++] = c;
  }
  void put(std::string_view text) {
    for (const char c : text) put(c);
  }
  void put_hex_octet(std::uint8_t octet) {
    put(hex_digits[octet >> 4]);
    put(hex_digits[octet & 15U]);
  }
  void put_number(std::uint64_t value, int base) {
    std::array<char, 20> digits;
    const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), value, base).ptr;
    put(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
  }
  std::size_t size() const { return size_; }

 private:
  std::span<char> out_;
  std::size_t size_ = 0;
};

void put_ipv4(Sink& sink, Bytes address) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (i != 0) sink.put('.');
    sink.put_number(address[i], 10);
  }
}

// RFC 5952: the longest run of two or more zero groups, the first of equals, becomes "::".
void put_ipv6(Sink& sink, Bytes address) {
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
      sink.put("::");
      i += best_length;
      continue;
    }
    if (i != 0 && !(shortened && i == best + best_length)) sink.put(':');
    sink.put_number(group[i], 16);
    ++i;
  }
  if (mapped) {
    sink.put(':');
    put_ipv4(sink, address.subspan(12));
  }
}

}  // namespace

std::size_t format_value(const FieldInfo& field, Bytes header, std::span<char> out) {
  Sink sink(out);
  switch (field.display) {
    case Display::dec:
    case Display::flag:
      sink.put_number(number(field, header), 10);
      break;
    case Display::hex: {
      const std::uint64_t value = number(field, header);
      sink.put("0x");
      for (unsigned octet = std::max((field.bits + 7U) / 8U, unsigned{field.text_octets}); octet-- > 0;) {
        sink.put_hex_octet(static_cast<std::uint8_t>(value >> (8 * octet)));
      }
      break;
    }
    case Display::octets:
      for (const std::uint8_t octet : octets(field, header)) sink.put_hex_octet(octet);
      break;
    case Display::mac:
      for (bool first = true; const std::uint8_t octet : octets(field, header)) {
        if (!first) sink.put(':');
        first = false;
        sink.put_hex_octet(octet);
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
