// The Deframer where it has to find an FPDU: after a hole, in mid-stream, or where the framing proved wrong.
//
// Places are considered one after the other. One that can't be decided before more of the stream is there holds back
// those behind it, until the stream ends or the window has no room for it.
#include <algorithm>
#include <array>

#include "codec/resync.h"
#include "codec/stream.h"

namespace rdmawire {

namespace {

// The octets that tell a place where an FPDU may begin: a Marker, and the first four of the FPDU.
constexpr std::size_t look_len = 8;

bool may_begin(const std::uint8_t* octets) {
  return iwarp::may_begin_fpdu(octets) ||
         (load_be<iwarp::marker_size>(octets) == 0 && iwarp::may_begin_fpdu(octets + iwarp::marker_size));
}

}  // namespace

void Deframer::search() {
  take_in();
  // A hole that no FPDU could span separates what is before it from what comes after it.
  const bool ends = finished_ || gap_ > iwarp::max_fpdu_len;
  const bool is_full = !ends && (!piece_.empty() || gap_ != 0);
  while (!window_.empty()) {
    const bool must_decide = ends || is_full;
    if (window_.end() < needed_end_ && !must_decide) break;
    if (drop_to_candidate(ends)) {
      const detail::MarkerPlaces* places = markers_known_ ? &markers_ : nullptr;
      detail::Judge judge{window_, ends,     finished_,     crc_,  markers_setting_,
                          places,  headers_, known_stream_, crcs_, work_};
      const detail::Judgement judgement = judge.judge(start_);
      if (judgement.verdict == detail::Verdict::yes) {
        state_ = State::synced;
        markers_ = judgement.markers;
        markers_known_ = true;
        if (judgement.crc_in_use) crc_ = Setting::on;
        known_stream_ = true;
        return;
      }
      // What would take more than the window can hold is given up; so it is the same in whatever pieces the stream
      // comes.
      if (judgement.verdict == detail::Verdict::wait && judgement.needed_end - start_ <= window_.horizon()) {
        needed_end_ = judgement.needed_end;
        if (!must_decide) break;
      }
      lose_front(1);
      needed_end_ = 0;
    }
    if (is_full && (window_.empty() || window_.is_move_cheap())) return;
  }
  idle_ = piece_.empty() && gap_ == 0;
}

// As much as there is room for.
void Deframer::take_in() {
  if (window_.empty()) {
    missing_len_ += gap_;
    start_ += gap_;
    gap_ = 0;
    window_.reset(start_);
  }
  if (window_.room() < piece_.size() + gap_ && window_.is_move_cheap()) window_.move_to_front();
  const std::size_t len = std::min(piece_.size(), window_.room());
  window_.append(piece_.first(len));
  piece_ = piece_.subspan(len);
  if (gap_ != 0 && gap_ <= window_.room() && gap_ <= iwarp::max_fpdu_len && window_.can_append_hole()) {
    window_.append_hole(static_cast<std::size_t>(gap_));
    gap_ = 0;
  }
}

// Loses what lies before the next place where an FPDU may begin, and says whether there is one. If that takes more
// octets than there are, it loses those before the place, and sets needed_end_.
bool Deframer::drop_to_candidate(bool ends) {
  const std::uint64_t step = aligned_ ? 4 : 1;
  const auto align = [&](std::uint64_t offset) { return aligned_ ? offset + (alignment_ - offset) % 4 : offset; };
  std::uint64_t at = align(start_);
  while (at < window_.end()) {
    const Bytes octets = window_.from(at);
    if (octets.empty()) {
      at = align(window_.hole_end(at));
      continue;
    }
    std::size_t i = 0;
    for (; i + look_len <= octets.size(); i += step) {
      if (may_begin(octets.data() + i)) break;
    }
    work_ += i;
    at += i;
    if (i + look_len <= octets.size()) {
      lose_front(static_cast<std::size_t>(at - start_));
      return true;
    }
    const std::uint64_t run_end = at - i + octets.size();
    if (run_end == window_.end() && !ends) {
      lose_front(static_cast<std::size_t>(std::min(at, window_.end()) - start_));
      needed_end_ = at + look_len;
      return false;
    }
    // So few octets before a hole or the end are no FPDU's header.
    at = align(std::max(run_end, at));
  }
  lose_front(window_.size());
  return false;
}

void Deframer::lose_front(std::size_t len) {
  const std::size_t missing = window_.missing_in(len);
  missing_len_ += missing;
  skipped_len_ += len - missing;
  start_ += len;
  window_.drop(len);
}

// Whether an FPDU with a good CRC lies inside of one with a bad CRC, which is in the window: then its ULPDU_Length is
// wrong, and happens to end where another FPDU begins.
bool Deframer::hides_another(const iwarp::Fpdu& fpdu) {
  if (fpdu.crc.status != CrcStatus::bad) return false;
  const std::uint64_t end = fpdu.stream_offset + fpdu.wire_len;
  for (std::uint64_t at = fpdu.stream_offset + 4; at + look_len <= end; at += 4) {
    const Bytes octets = window_.stretch(at, end);
    work_ += 4;
    if (!may_begin(octets.data())) continue;
    const detail::FpduShape shape = detail::shape_at(markers_, at, octets);
    if (shape.len == 0 || shape.len > octets.size()) continue;
    const iwarp::Fpdu other = detail::fpdu_at(markers_, at, shape, octets.first(shape.len));
    std::array<std::uint8_t, iwarp::max_ddp_header_len> scratch;
    if (!iwarp::is_possible_segment(other.ulpdu_len, other.head(scratch))) continue;
    const std::uint32_t before_crc = shape.len - iwarp::mpa_crc_size;
    const auto stored = static_cast<std::uint32_t>(load_be<iwarp::mpa_crc_size>(octets.data() + before_crc));
    if (stored == iwarp::mpa_crc_of(crcs_.crc(window_, at, at + before_crc))) return true;
  }
  return false;
}

}  // namespace rdmawire
