// Bits of memory keys that a peer cannot guess: RFC 5040, 8.1.1; RFC 5042, 6.1.1.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace rdmawire::verbs {

// 128 bits that nobody else knows, of the host's source of randomness. All 0: keys count up.
using KeySecret = std::array<std::uint64_t, 2>;

// SipHash-2-4 of 0, 1, 2, ... by the secret.
class KeySource {
 public:
  explicit KeySource(const KeySecret& secret) : secret_(secret) {}

  bool counts_up() const { return secret_ == KeySecret{}; }
  std::uint64_t next() {
    std::array<std::uint64_t, 4> v{secret_[0] ^ 0x736F6D6570736575, secret_[1] ^ 0x646F72616E646F6D,
                                   secret_[0] ^ 0x6C7967656E657261, secret_[1] ^ 0x7465646279746573};
    const auto mix = [&v](unsigned rounds) {
      while (rounds-- != 0) {
        v[0] += v[1], v[1] = std::rotl(v[1], 13) ^ v[0], v[0] = std::rotl(v[0], 32);
        v[2] += v[3], v[3] = std::rotl(v[3], 16) ^ v[2];
        v[0] += v[3], v[3] = std::rotl(v[3], 21) ^ v[0];
        v[2] += v[1], v[1] = std::rotl(v[1], 17) ^ v[2], v[2] = std::rotl(v[2], 32);
      }
    };
    // The message's eight octets, and the block with its length.
    for (const std::uint64_t block : {num_given_++, std::uint64_t{8} << 56}) {
      v[3] ^= block;
      mix(2);
      v[0] ^= block;
    }
    v[2] ^= 0xFF;
    mix(4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
  }

 private:
  KeySecret secret_;
  std::uint64_t num_given_ = 0;
};

}  // namespace rdmawire::verbs
