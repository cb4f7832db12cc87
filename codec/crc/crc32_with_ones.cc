#include "codec/crc/crc32_with_ones.h"

#include <array>

#include "codec/crc/crc.h"

namespace rdmawire::crc {

std::uint32_t crc32_with_ones(Bytes data, std::span<const Ones> words, std::uint32_t previous) {
  std::size_t done = 0;
  for (const Ones& word : words) {
    std::array<std::uint8_t, 4> set;
    store_be<4>(set.data(), load_be<4>(data.data() + word.offset) | word.bits);
    previous = crc32(set, crc32(data.subspan(done, word.offset - done), previous));
    done = word.offset + set.size();
  }
  return crc32(data.subspan(done), previous);
}

}  // namespace rdmawire::crc
