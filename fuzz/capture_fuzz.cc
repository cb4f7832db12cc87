// A whole capture file, compressed or not, read to its end; in small blocks it must give the same as in large ones.
#include <cstddef>
#include <cstdint>

#include "pcap/reader.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::pcap;

// A few octets can decompress to gigabytes.
constexpr std::size_t max_input = 16'384;
constexpr std::uint64_t max_packets = 10'000;
constexpr std::uint64_t max_octets = 50'000;

struct Summary {
  std::uint64_t num_packets = 0;
  std::uint64_t num_octets = 0;
  std::uint64_t digest = 0;
  FileError error;

  void add(std::uint64_t value) { digest = (digest ^ value) * 0x100000001B3; }
  bool full() const { return num_packets >= max_packets || num_octets >= max_octets; }
  friend bool operator==(const Summary&, const Summary&) = default;
};

void check(bool holds) {
  if (!holds) __builtin_trap();
}

void add(Summary& out, const Packet& packet) {
  check(packet.number == ++out.num_packets);
  check(packet.time.nanoseconds < 1'000'000'000);
  check(packet.oddities.has(Oddity::captured_exceeds_original) == (packet.data.size() > packet.original_length));
  out.add(packet.file_offset);
  out.add(static_cast<std::uint64_t>(packet.time.seconds));
  out.add(packet.time.nanoseconds);
  out.add(packet.original_length);
  out.add(packet.interface_id);
  out.add(static_cast<std::uint64_t>(packet.link));
  out.add(packet.oddities.bits);
  out.add(packet.fcs_length.value_or(0xFF));
  for (const std::uint8_t octet : packet.data) out.add(octet);
  out.num_octets += packet.data.size();
}

Summary read(Bytes file, std::size_t block_size) {
  Summary out;
  auto reader = Reader::from_memory(file, {block_size});
  if (!reader) {
    out.error = reader.error();
  } else {
    while (!out.full()) {
      const auto packet = reader->next();
      if (!packet) out.error = packet.error();
      if (!packet || *packet == nullptr) break;
      add(out, **packet);
    }
    if (!out.full()) check(*reader->next() == nullptr);
  }
  check((out.error.os_error == 0) && !to_string(out.error).empty());
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > max_input) return 0;
  const Summary large = read({data, size}, 16'384);
  const Summary small = read({data, size}, 61);
  // A block that is stored as it is comes out piece by piece before its checksum or length is found wrong, or is kept
  // back whole, as the pieces of input lie. So small blocks may show more of a damaged file, and other damage in it.
  if (large.error.error.code == ErrorCode::bad_compression) {
    check(small.num_packets >= large.num_packets && (small.error.error || small.full()));
  } else {
    check(large == small);
  }
  return 0;
}
