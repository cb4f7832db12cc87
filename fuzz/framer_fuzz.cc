// ULPDUs through the Framer, held against FPDUs made octet by octet, and back through the Deframer in pieces. Octet 0:
// Markers (bit 0), CRC (bit 1), the Framer's first FPDU is the stream's first (bit 2); octet 1: where the stream stands
// otherwise; octets 2 and 3: octets of each piece. Then the ULPDUs: each two octets of length, and its octets, which
// begin anew when the input ends. Each gets the first octets of a DDP header, since the Deframer doubts others.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "codec/stream.h"
#include "fuzz/check_fields.h"
#include "fuzz/marked_fpdu.h"
#include "fuzz/stream_input.h"

namespace {

using namespace rdmawire;
using fuzz::require;

constexpr std::size_t max_stream_len = 400'000;

struct Framed {
  std::uint64_t offset;
  std::uint32_t len;
  std::vector<std::uint8_t> ulpdu;
};

void check_deframed(Deframer& deframer, const std::vector<Framed>& framed, std::size_t& num, bool crc) {
  while (const auto next = deframer.next()) {
    require(num < framed.size() && !next->lost_before);
    const Framed& expected = framed[num++];
    const iwarp::Fpdu& fpdu = next->fpdu;
    require(fpdu.stream_offset == expected.offset && fpdu.wire_len == expected.len && fpdu.is_whole());
    require(fpdu.num_wrong_markers == 0);
    require(fpdu.crc.status == (crc ? CrcStatus::good : CrcStatus::disabled));
    std::vector<std::uint8_t> ulpdu;
    fpdu.for_each_span([&](Bytes span) { ulpdu.insert(ulpdu.end(), span.begin(), span.end()); });
    require(ulpdu == expected.ulpdu);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input({data, size});
  const std::uint8_t flags = input.octet();
  const bool markers = (flags & 1U) != 0;
  const bool crc = (flags & 2U) != 0;
  const std::uint64_t first = 4U * input.octet();
  const std::uint64_t begin = (flags & 4U) != 0 ? 0 : first;
  const std::size_t piece_len = input.word() + std::size_t{1};

  Framer framer(markers, crc, begin);
  std::vector<Framed> framed;
  std::vector<std::uint8_t> stream;
  while (!input.rest().empty() && stream.size() < max_stream_len) {
    const std::uint16_t len = input.word();
    const Bytes given = input.take(len);
    std::vector<std::uint8_t> ulpdu(given.begin(), given.end());
    for (std::size_t i = 0; ulpdu.size() < len; ++i) ulpdu.push_back(given.empty() ? 0xA5 : given[i % given.size()]);
    constexpr std::array<std::uint8_t, 2> write{0xC1, 0x40};
    constexpr std::array<std::uint8_t, 10> send{0x41, 0x43};
    if (len % 2 == 0) {
      ulpdu.resize(std::max<std::size_t>(len, 14));
      std::ranges::copy(write, ulpdu.begin());
    } else {
      ulpdu.resize(std::max<std::size_t>(len, 18));
      std::ranges::copy(send, ulpdu.begin());
    }
    const auto ulpdu_len = static_cast<std::uint32_t>(ulpdu.size());

    // In two pieces, as a header and a payload.
    const std::size_t head = ulpdu_len / 3;
    const std::array<Bytes, 2> pieces{Bytes(ulpdu).first(head), Bytes(ulpdu).subspan(head)};
    const std::uint32_t fpdu_len = framer.fpdu_len(ulpdu_len);
    const std::uint64_t before = framer.offset();
    require(before == begin + stream.size());
    std::vector<std::uint8_t> out(fpdu_len);
    const auto short_by_one = framer.frame(pieces, MutableBytes(out).first(fpdu_len - 1));
    if (ulpdu_len > iwarp::max_mulpdu) {
      require(!framer.frame(pieces, out) && framer.offset() == before);
      continue;
    }
    require(!short_by_one && short_by_one.error().code == ErrorCode::output_too_small && framer.offset() == before);
    const auto written = framer.frame(pieces, out);
    require(written.has_value() && *written == fpdu_len && framer.offset() == before + fpdu_len);
    fuzz::MarkedFpdu expected = fuzz::make_fpdu(ulpdu, markers, before);
    if (!crc) std::fill(expected.octets.end() - iwarp::mpa_crc_size, expected.octets.end(), std::uint8_t{0});
    require(out == expected.octets);
    framed.push_back({before, fpdu_len, std::move(ulpdu)});
    stream.insert(stream.end(), out.begin(), out.end());
  }

  static std::vector<std::uint8_t> buffer(Deframer::min_buffer);
  StreamParams params;
  params.markers = markers ? Setting::on : Setting::off;
  params.crc = crc ? Setting::on : Setting::off;
  params.seq_start = 0;
  Deframer deframer(buffer, params, begin, true);
  std::size_t num = 0;
  for (Bytes left = stream; !left.empty();) {
    const Bytes piece = left.first(std::min(left.size(), piece_len));
    left = left.subspan(piece.size());
    deframer.feed(piece);
    check_deframed(deframer, framed, num, crc);
  }
  deframer.finish();
  check_deframed(deframer, framed, num, crc);
  require(num == framed.size() && !deframer.lost());
  return 0;
}
