// A Terminate of any content, and the Terminate that blames a segment of any content. Octet 0 chooses: with its highest
// bit clear, the rest is what follows the DDP header of a Terminate; with it set, the others are a row of the error
// table, octet 1 the code where the row leaves it open, octets 2 and 3 what was read already, and the rest the segment.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/iwarp/pdu_build.h"
#include "fuzz/iwarp_checks.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::iwarp;
using fuzz::require;

std::uint32_t len_of(Bytes octets) { return static_cast<std::uint32_t>(octets.size()); }

void check_any(Bytes body) {
  constexpr std::array<std::uint8_t, 18> ddp{0x41, 0x47, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0};
  std::vector<std::uint8_t> ulpdu(ddp.begin(), ddp.end());
  ulpdu.insert(ulpdu.end(), body.begin(), body.end());
  const Pdu pdu = parse_ulpdu(ulpdu, len_of(ulpdu));
  fuzz::check_pdu(pdu, len_of(ulpdu));
  fuzz::check_judgement(pdu);
  require(pdu.opcode != nullptr && pdu.opcode->opcode == Opcode::TERMINATE);
  if (body.size() < header_size<Terminate>) {
    require(pdu.error.code == ErrorCode::truncated_wire);
    return;
  }
  const HeaderBytes<Terminate> control = body.first<header_size<Terminate>>();
  const Bytes after = body.subspan(header_size<Terminate>);
  const bool siw = order_of(control, after, len_of(after)) == TerminateOrder::siw;
  const LayerRef* found = pdu.find(Layer::terminate);
  require(found != nullptr);
  require(found->header == (siw ? &header_info<SiwTerminate> : &header_info<Terminate>));
  // What the control announces is there, or the segment ends too early.
  const Terminate read = siw ? decode<SiwTerminate>(control).standard() : decode<Terminate>(control);
  if (pdu.error) {
    require(pdu.error.code == ErrorCode::truncated_wire);
  } else {
    require((pdu.find(Layer::terminated_length) != nullptr) == read.length_follows());
    require((pdu.find(Layer::read_request) != nullptr) == read.has_rdma_header);
  }
  const auto spec = spec_of(pdu);
  require(spec.has_value() == !pdu.error);
  if (!spec) return;
  std::vector<std::uint8_t> out(pdu_size(*spec));
  const auto size = build_pdu(*spec, out);
  require(size.has_value() && std::ranges::equal(Bytes(out).first(*size), ulpdu));
}

void check_made(const TerminateInfo& row, std::uint8_t code, std::uint32_t read_done_len, Bytes segment) {
  const Pdu blamed = parse_ulpdu(segment, len_of(segment));
  if (const auto read = blamed.get<ReadRequest>()) read_done_len = std::min(read_done_len, read->read_len);
  const PduSpec spec = terminate_spec(row, segment, read_done_len, code);
  std::vector<std::uint8_t> ulpdu(pdu_size(spec));
  require(build_pdu(spec, ulpdu).has_value());
  const Pdu pdu = parse_ulpdu(ulpdu, len_of(ulpdu));
  fuzz::check_pdu(pdu, len_of(ulpdu));
  require(!pdu.error && pdu.payload_len == 0 && !first_violation(pdu) && !first_reserved_set(pdu));
  const auto control = pdu.get<Terminate>();
  require(control.has_value() && find(control->error) == &row);
  require(control->error.code() == (row.any_code ? code : row.error.code()));

  const bool blames = row.headers != TerminatedHeaders::none && !segment.empty();
  const auto len = pdu.get<TerminatedLength>();
  require(control->has_length == blames && len.has_value() == blames);
  if (blames) require(len->segment_len == segment.size());
  // The blamed segment's headers stand in it as they came, but for what was read already.
  std::size_t at = ulpdu.size();
  if (const auto read = pdu.get<ReadRequest>()) {
    const auto whole = blamed.get<ReadRequest>();
    require(whole.has_value() && row.headers == TerminatedHeaders::read && control->has_rdma_header);
    require(read->read_len + read_done_len == whole->read_len && read->sink_stag == whole->sink_stag);
    require(read->sink_offset.value == whole->sink_offset.value + read_done_len);
    at -= header_size<ReadRequest>;
  }
  if (control->has_ddp_header) {
    const bool tagged = (segment.front() & 0x80U) != 0;
    const std::size_t size = tagged ? header_size<DdpTagged> : header_size<DdpUntagged>;
    require(std::ranges::equal(Bytes(ulpdu).subspan(at - size, size), segment.first(size)));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 || size > 2048) return 0;
  // A copy, so that the sanitizer sees a read past its end.
  const std::vector<std::uint8_t> rest(data + 1, data + size);
  if ((data[0] & 0x80U) == 0) {
    check_any(rest);
  } else if (rest.size() >= 3) {
    const TerminateInfo& row = terminate_table[(data[0] & 0x7FU) % terminate_table.size()];
    check_made(row, rest[0], rest[1] * 256U + rest[2], Bytes(rest).subspan(3));
  }
  return 0;
}
