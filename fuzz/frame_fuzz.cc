// A whole frame of one link type (RDMAWIRE_FUZZ_LINK). The first two octets say how much longer than the rest the frame
// was on the wire: a cut capture.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/frame.h"
#include "codec/frame_build.h"
#include "fuzz/check_fields.h"

namespace {

using namespace rdmawire;
using fuzz::check_fields;
using fuzz::require;

void check_layers(const Frame& frame) {
  require(frame.layers().size() <= Frame::max_layers);
  for (const LayerRef& ref : frame.layers()) {
    require(ref.layer == ref.header->layer && ref.size >= ref.header->size);
    require(std::size_t{ref.offset} + ref.size <= frame.captured.size());
    check_fields(*ref.header, frame.octets(ref));
  }
}

void check_lengths(const Frame& frame, std::uint32_t wire_len) {
  require(frame.wire_len == wire_len);
  require(frame.packet_end <= wire_len);
  require(frame.payload_offset <= wire_len);
  require(std::uint64_t{frame.payload_offset} + frame.payload_len + frame.pad_len <= frame.packet_end ||
          frame.payload_len == 0);
  require(frame.payload().size() <= frame.payload_len);
}

void check_crc(const CrcCheck& check, const Frame& frame) {
  if (check.status == CrcStatus::good) require(check.stored == check.computed);
  if (check.status == CrcStatus::bad) require(check.stored != check.computed);
  if (check.status == CrcStatus::good || check.status == CrcStatus::bad) {
    require(check.offset < frame.captured.size() && frame.packet_end_known);
  }
}

// What can be taken apart is put together again, octet by octet.
void check_rebuilt(const Frame& frame) {
  const auto spec = spec_of(frame);
  if (!spec) return;
  std::vector<std::uint8_t> out(frame_size(*spec));
  const auto size = build_frame(*spec, out);
  require(size.has_value() && *size == out.size());
  // ERF headers are the capture's, not the frame's.
  const std::size_t start = frame.packet_end - *size;
  require(std::ranges::equal(out, frame.captured.subspan(start, *size)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  // A copy, so that the sanitizer sees a read past the captured octets.
  const std::vector<std::uint8_t> captured(data + 2, data + size);
  const std::uint32_t wire_len = static_cast<std::uint32_t>(captured.size()) + data[0] * 256U + data[1];
  const Frame frame = parse_frame(LinkType::RDMAWIRE_FUZZ_LINK, captured, wire_len);
  check_layers(frame);
  check_lengths(frame, wire_len);
  check_crc(frame.icrc, frame);
  check_crc(frame.vcrc, frame);
  const Error violation = first_violation(frame);
  require(!frame.error || violation);
  require(!to_string(violation).view().empty());
  check_rebuilt(frame);

  // Without the rest of the wire nothing is judged bad: what is cut off can't be what is wrong.
  const std::size_t half = captured.size() / 2;
  const Frame cut = parse_frame(LinkType::RDMAWIRE_FUZZ_LINK, Bytes(captured).first(half), wire_len);
  check_layers(cut);
  if (!frame.error) require(!cut.error || cut.error.error_class() == ErrorClass::truncated_capture);
  if (half < frame.packet_end && cut.icrc.status == CrcStatus::bad) require(frame.icrc.status == CrcStatus::bad);
  return 0;
}
