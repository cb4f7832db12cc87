#include "protocol/vectors/json.h"

#include <charconv>
#include <stdexcept>

namespace rdmawire::vectors {
namespace {

constexpr std::string_view digits = "0123456789abcdef";
constexpr std::size_t shortest_run = 16;

// Octets from `at` on of which each is `step` more than the one before.
std::size_t run_len(Bytes octets, std::size_t at, unsigned step) {
  std::size_t end = at + 1;
  while (end < octets.size() && octets[end] == static_cast<std::uint8_t>(octets[end - 1] + step)) ++end;
  return end - at;
}

void put(std::string& out, std::uint8_t octet) {
  out += digits[octet >> 4];
  out += digits[octet & 15U];
}

void put_run(std::string& out, std::uint8_t first, char kind, std::size_t len) {
  if (!out.empty() && out.back() != ' ') out += ' ';
  put(out, first);
  out += kind + std::to_string(len) + ' ';
}

std::uint8_t octet_at(std::string_view text, std::size_t at) {
  std::uint8_t out = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + 2, out, 16);
  if (error != std::errc{} || end != text.data() + at + 2)
    throw std::invalid_argument("not octets: " + std::string(text));
  return out;
}

}  // namespace

std::string pack(Bytes octets) {
  std::string out;
  for (std::size_t at = 0; at < octets.size();) {
    const std::size_t same = run_len(octets, at, 0);
    const std::size_t counting = run_len(octets, at, 1);
    if (std::max(same, counting) < shortest_run) {
      put(out, octets[at++]);
    } else {
      put_run(out, octets[at], same >= counting ? '*' : '+', std::max(same, counting));
      at += std::max(same, counting);
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::vector<std::uint8_t> unpack(std::string_view text) {
  std::vector<std::uint8_t> out;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.size() > 2 && (word[2] == '*' || word[2] == '+')) {
      const auto first = octet_at(word, 0);
      const unsigned long len = std::stoul(std::string(word.substr(3)));
      for (unsigned long i = 0; i < len; ++i)
        out.push_back(static_cast<std::uint8_t>(first + (word[2] == '+' ? i : 0)));
      continue;
    }
    if (word.size() % 2 != 0) throw std::invalid_argument("half an octet: " + std::string(word));
    for (std::size_t at = 0; at < word.size(); at += 2) out.push_back(octet_at(word, at));
  }
  return out;
}

std::string hex_number(std::uint64_t value) {
  std::string out;
  do {
    out.insert(out.begin(), digits[value & 15U]);
    value >>= 4;
  } while (value != 0);
  return "0x" + out;
}

std::uint64_t from_hex_number(std::string_view text) {
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), out, 16);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::invalid_argument("not a number: " + std::string(text));
  return out;
}

}  // namespace rdmawire::vectors
