// A DDP segment with what RDMAP has in it: alone, cut, and in FPDUs with Markers anywhere. Octets 0 and 1 say how much
// longer than the rest the ULPDU was on the wire, octet 2 where in the stream its FPDU begins.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/iwarp/pdu.h"
#include "codec/iwarp/pdu_build.h"
#include "fuzz/iwarp_checks.h"
#include "fuzz/marked_fpdu.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::iwarp;
using fuzz::require;

// Wherever it came from, it is the same segment. shift: from offsets in b to those in a.
void check_same(const Pdu& a, const Pdu& b, std::uint32_t shift) {
  require(a.opcode == b.opcode && a.payload_offset == b.payload_offset && a.payload_len == b.payload_len);
  require(a.error.code == b.error.code && a.error.layer == b.error.layer);
  std::size_t at = a.layers().size() - b.layers().size();
  for (const LayerRef& ref : b.layers()) {
    const LayerRef& other = a.layers()[at++];
    require(other.header == ref.header && other.offset == ref.offset + shift && other.continued == ref.continued);
    require(std::ranges::equal(a.octets(other), b.octets(ref)));
  }
}

// What can be taken apart is put together again, octet by octet.
void check_rebuilt(const Pdu& pdu, Bytes ulpdu) {
  const auto spec = spec_of(pdu);
  require(spec.has_value() == (!pdu.error && pdu.payload().size() == pdu.payload_len));
  if (!spec) return;
  std::vector<std::uint8_t> out(pdu_size(*spec));
  const auto size = build_pdu(*spec, out);
  require(size.has_value() && *size == out.size() && std::ranges::equal(out, ulpdu));
}

void check_framed(Bytes ulpdu, const Pdu& alone, bool markers, std::uint64_t position) {
  fuzz::MarkedFpdu made = fuzz::make_fpdu(ulpdu, markers, position);
  std::array<std::uint8_t, max_pdu_head> scratch;
  const Pdu pdu = parse_fpdu(made.fpdu, scratch);
  require(pdu.layers().size() == alone.layers().size() + 1 && pdu.ulpdu_offset == header_size<FpduHeader>);
  fuzz::check_pdu(pdu, static_cast<std::uint32_t>(header_size<FpduHeader> + ulpdu.size()));
  check_same(pdu, alone, header_size<FpduHeader>);
  fuzz::check_judgement(pdu, &made.fpdu);

  // Every way to the payload gives the ULPDU's octets.
  std::vector<std::uint8_t> payload;
  made.fpdu.for_each_span(pdu.payload_offset, pdu.payload_len,
                          [&](Bytes span) { payload.insert(payload.end(), span.begin(), span.end()); });
  const std::size_t from = std::min<std::size_t>(pdu.payload_offset, ulpdu.size());
  require(std::ranges::equal(payload, ulpdu.subspan(from)));
  std::array<std::uint8_t, 40> head_scratch;
  const Bytes head = made.fpdu.head(head_scratch);
  require(head.size() >= std::min(ulpdu.size(), head_scratch.size()));
  require(std::ranges::equal(head, ulpdu.first(head.size())));

  // A bad CRC is the first thing to be blamed.
  made.fpdu.crc.status = CrcStatus::bad;
  require(first_violation(pdu, &made.fpdu).code == ErrorCode::bad_mpa_crc);

  // Cut, it shows as much as is there.
  Fpdu cut = made.fpdu;
  cut.crc.status = CrcStatus::unchecked;
  cut.octets = cut.octets.first(cut.octets.size() / 2);
  const Pdu part = parse_fpdu(cut, scratch);
  fuzz::check_pdu(part, static_cast<std::uint32_t>(header_size<FpduHeader> + ulpdu.size()));
  if (!alone.error) require(!part.error || part.error.error_class() == ErrorClass::truncated_capture);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3 || size > max_ulpdu_len) return 0;
  // A copy, so that the sanitizer sees a read past the captured octets.
  const std::vector<std::uint8_t> captured(data + 3, data + size);
  const std::uint32_t len =
      std::min<std::uint32_t>(static_cast<std::uint32_t>(captured.size()) + data[0] * 256U + data[1], max_ulpdu_len);
  const Pdu pdu = parse_ulpdu(captured, len);
  fuzz::check_pdu(pdu, len);
  fuzz::check_judgement(pdu);

  // What is cut off can't be what is wrong.
  const Pdu cut = parse_ulpdu(Bytes(captured).first(captured.size() / 2), len);
  fuzz::check_pdu(cut, len);
  if (!pdu.error) require(!cut.error || cut.error.error_class() == ErrorClass::truncated_capture);

  const Pdu whole = parse_ulpdu(captured, static_cast<std::uint32_t>(captured.size()));
  check_rebuilt(whole, captured);
  check_framed(captured, whole, false, 0);
  check_framed(captured, whole, true, 4U * (data[2] % 128U));
  return 0;
}
