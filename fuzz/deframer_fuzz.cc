// One direction of a stream through the Deframer, with holes: in pieces as the input says, and without those breaks,
// which must make no difference. See stream_input.h for how an input is read.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "codec/crc/crc.h"
#include "codec/stream.h"
#include "fuzz/check_fields.h"
#include "fuzz/stream_input.h"

namespace {

using namespace rdmawire;
using fuzz::require;
using fuzz::StreamInput;

struct Found {
  iwarp::Fpdu fpdu;  // its octets are in `octets`
  std::vector<std::uint8_t> octets;
  Loss lost_before;
};

struct Outcome {
  std::vector<Found> fpdus;
  Loss lost;
  std::uint64_t end = 0;
};

bool same(const Loss& a, const Loss& b) {
  return a.missing_len == b.missing_len && a.skipped_len == b.skipped_len && a.num_fpdus == b.num_fpdus;
}

bool same(const Found& a, const Found& b) {
  return a.octets == b.octets && a.fpdu.stream_offset == b.fpdu.stream_offset && a.fpdu.wire_len == b.fpdu.wire_len &&
         a.fpdu.first_marker == b.fpdu.first_marker && a.fpdu.num_markers == b.fpdu.num_markers &&
         a.fpdu.ulpdu_len == b.fpdu.ulpdu_len && a.fpdu.num_wrong_markers == b.fpdu.num_wrong_markers &&
         a.fpdu.crc == b.fpdu.crc && same(a.lost_before, b.lost_before);
}

// The same octets and holes as one piece between two holes.
std::vector<StreamInput::Step> without_breaks(const StreamInput& input, std::vector<std::uint8_t>& storage) {
  std::size_t total = 0;
  for (const auto& step : input.steps) total += step.octets.size();
  storage.reserve(total);
  std::vector<StreamInput::Step> steps;
  for (const auto& step : input.steps) {
    const std::size_t at = storage.size();
    storage.insert(storage.end(), step.octets.begin(), step.octets.end());
    if (!step.hole && !steps.empty() && !steps.back().hole) {
      steps.back().octets = {steps.back().octets.data(), steps.back().octets.size() + step.len};
      steps.back().len += step.len;
    } else {
      steps.push_back({step.hole, Bytes(storage).subspan(at), step.len});
    }
  }
  return steps;
}

void take_all(Deframer& deframer, Outcome& out) {
  while (const auto next = deframer.next()) {
    out.fpdus.push_back({next->fpdu, {next->fpdu.octets.begin(), next->fpdu.octets.end()}, next->lost_before});
  }
}

Outcome run(const StreamInput& input, const std::vector<StreamInput::Step>& steps) {
  static std::vector<std::uint8_t> buffer(Deframer::min_buffer);
  Deframer deframer(buffer, input.params, input.offset, input.synced);
  Outcome out;
  for (const auto& step : steps) {
    if (step.hole) {
      deframer.skip(step.len);
      take_all(deframer, out);
    } else {
      // A copy that is gone afterwards, so that the sanitizer sees what is kept though it must not be.
      const std::vector<std::uint8_t> piece(step.octets.begin(), step.octets.end());
      deframer.feed(piece);
      take_all(deframer, out);
    }
  }
  deframer.finish();
  take_all(deframer, out);
  out.lost = deframer.lost();
  out.end = deframer.offset();
  return out;
}

// Each octet of the stream by its offset; those of holes are not there.
class Fed {
 public:
  Fed(const StreamInput& input) : end_(input.offset) {
    for (const auto& step : input.steps) {
      if (!step.hole && !step.octets.empty()) pieces_.emplace(end_, step.octets);
      end_ += step.len;
    }
  }
  // True if these octets were fed there.
  bool has(std::uint64_t offset, Bytes octets) const {
    while (!octets.empty()) {
      auto piece = pieces_.upper_bound(offset);
      if (piece == pieces_.begin()) return false;
      --piece;
      const std::uint64_t in_piece = offset - piece->first;
      if (in_piece >= piece->second.size()) return false;
      const std::size_t len = std::min<std::size_t>(octets.size(), piece->second.size() - in_piece);
      if (!std::ranges::equal(piece->second.subspan(in_piece, len), octets.first(len))) return false;
      octets = octets.subspan(len);
      offset += len;
    }
    return true;
  }
  // Octets fed in [begin, end).
  std::uint64_t num_in(std::uint64_t begin, std::uint64_t end) const {
    std::uint64_t num = 0;
    for (const auto& [at, octets] : pieces_) {
      const std::uint64_t from = std::max(begin, at);
      const std::uint64_t to = std::min(end, at + octets.size());
      if (from < to) num += to - from;
    }
    return num;
  }
  std::uint64_t end() const { return end_; }

 private:
  std::map<std::uint64_t, Bytes> pieces_;
  std::uint64_t end_;
};

void check_crc(const iwarp::Fpdu& fpdu, const StreamParams& params) {
  if (params.crc == Setting::off) require(fpdu.crc.status == CrcStatus::disabled);
  if (fpdu.crc.status != CrcStatus::good && fpdu.crc.status != CrcStatus::bad) return;
  require(fpdu.is_whole());
  const Bytes covered = fpdu.octets.first(fpdu.octets.size() - iwarp::mpa_crc_size);
  const bool right = crc::portable::crc32c(covered) ==
                     __builtin_bswap32(static_cast<std::uint32_t>(load_be<4>(covered.data() + covered.size())));
  require(right == (fpdu.crc.status == CrcStatus::good));
  require((fpdu.crc.stored == fpdu.crc.computed) == right);
}

// Markers lie where they must, and what is between them is the ULPDU.
void check_markers(const iwarp::Fpdu& fpdu, const StreamParams& params) {
  if (params.markers == Setting::off) require(fpdu.num_markers == 0);
  require((fpdu.first_marker == iwarp::Fpdu::no_marker) == (fpdu.num_markers == 0));
  require(fpdu.wire_len == iwarp::unmarked_len(fpdu.ulpdu_len) + fpdu.num_markers * iwarp::marker_size);
  if (fpdu.num_markers != 0) {
    const std::uint64_t last = fpdu.first_marker + (fpdu.num_markers - 1U) * std::uint64_t{iwarp::marker_interval};
    require(last + iwarp::marker_size + iwarp::mpa_crc_size <= fpdu.wire_len);
    if (params.markers == Setting::on && params.seq_start) {
      require((fpdu.stream_offset + fpdu.first_marker - *params.seq_start) % iwarp::marker_interval == 0);
    }
  }
  std::vector<std::uint8_t> ulpdu;
  fpdu.for_each_span([&](Bytes span) {
    require(!span.empty() && span.data() >= fpdu.octets.data() &&
            span.data() + span.size() <= fpdu.octets.data() + fpdu.octets.size());
    ulpdu.insert(ulpdu.end(), span.begin(), span.end());
  });
  require(fpdu.is_whole() ? ulpdu.size() == fpdu.ulpdu_len : ulpdu.size() <= fpdu.ulpdu_len);
  std::array<std::uint8_t, 128> scratch;
  const Bytes head = fpdu.head(scratch);
  require(head.size() == std::min(ulpdu.size(), scratch.size()) || head.size() >= scratch.size());
  require(head.size() <= ulpdu.size() && std::equal(head.begin(), head.end(), ulpdu.begin()));
}

// FPDUs and losses tile the stream.
void check_tiles(const StreamInput& input, const Outcome& out) {
  const Fed fed(input);
  std::uint64_t at = input.offset;
  const auto pass = [&](const Loss& loss) {
    const std::uint64_t end = at + loss.missing_len + loss.skipped_len;
    require(fed.num_in(at, end) == loss.skipped_len);
    require((loss.num_fpdus != 0) == (end != at));
    at = end;
  };
  for (const Found& found : out.fpdus) {
    pass(found.lost_before);
    require(found.fpdu.stream_offset == at);
    require(fed.has(at, found.octets));
    at += found.fpdu.wire_len;
    require(at <= fed.end());
  }
  pass(out.lost);
  require(at == fed.end());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 300'000) return 0;
  const StreamInput input({data, size});
  std::vector<std::uint8_t> storage;
  const Outcome pieces = run(input, input.steps);
  const Outcome whole = run(input, without_breaks(input, storage));
  require(std::ranges::equal(pieces.fpdus, whole.fpdus, [](const Found& a, const Found& b) { return same(a, b); }));
  require(same(pieces.lost, whole.lost) && pieces.end == whole.end);
  check_tiles(input, pieces);
  for (const Found& found : pieces.fpdus) {
    iwarp::Fpdu fpdu = found.fpdu;
    fpdu.octets = found.octets;
    require(fpdu.octets.size() <= fpdu.wire_len && !fpdu.octets.empty());
    check_crc(fpdu, input.params);
    check_markers(fpdu, input.params);
  }
  return 0;
}
