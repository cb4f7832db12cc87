// The Deframer where it knows where an FPDU begins. Where it does not: deframer_search.cc.
#include <algorithm>
#include <array>
#include <limits>

#include "codec/stream.h"

namespace rdmawire {

namespace {

using detail::FpduShape;
using iwarp::Fpdu;

// CRCs that are not good, after which Setting::unknown looks at no more: each has one chance in 2^32 to be good where
// CRCs are not in use, and would make all that follow bad.
constexpr std::uint32_t max_crc_trials = 16;

// The shortest FPDU, a tagged segment without payload; any has so many octets.
constexpr std::uint32_t min_ddp_fpdu_len = iwarp::unmarked_len(14);

// Octets from the ULPDU's first until those that tell a segment's type have been read: DDP's control octet and RDMAP's.
constexpr std::size_t type_len = 2;

// Whether the first four octets of an FPDU, from the ULPDU_Length on, may be those of a DDP segment with RDMAP in it:
// they have the versions, and the length has room for the header. No Marker lies between them.
bool is_likely(Bytes octets) {
  if (octets.size() < 4) return true;
  const std::uint32_t ulpdu_len = static_cast<std::uint32_t>(load_be<2>(octets.data()));
  const bool tagged = (octets[2] & 0x80U) != 0;
  return (octets[2] & 0x03U) == 1 && octets[3] >> 6 == 1 && ulpdu_len >= (tagged ? 14U : 18U);
}

std::uint64_t min64(std::uint64_t a, std::uint64_t b) { return std::min(a, b); }

}  // namespace

Deframer::Deframer(MutableBytes buffer, const StreamParams& params, std::uint64_t offset, bool synced)
    : Deframer(buffer, detail::RangeCrc::notes_size(buffer.size()), params, offset, synced) {}

Deframer::Deframer(MutableBytes buffer, std::size_t notes_size, const StreamParams& params, std::uint64_t offset,
                   bool synced)
    : window_(buffer.subspan(notes_size)),
      start_(offset),
      state_(synced ? State::synced : State::searching),
      markers_setting_(params.markers),
      markers_known_(params.markers == Setting::off ||
                     (params.markers == Setting::on && (params.seq_start.has_value() || synced))),
      crc_(params.crc),
      check_crc_(params.check_crc),
      crcs_(buffer.first(notes_size)),
      known_stream_(synced || (params.markers != Setting::unknown && params.crc != Setting::unknown)),
      aligned_(synced || (params.markers == Setting::on && params.seq_start.has_value())),
      alignment_(synced ? offset : params.seq_start.value_or(offset)) {
  if (params.markers == Setting::on) markers_ = {true, params.seq_start.value_or(offset)};
}

//= MPA-5044-5.1-04, MPA-5044-6-03, MPA-5044-A.4-01
std::optional<DeframedFpdu> Deframer::next() {
  for (idle_ = false; !idle_;) {
    std::optional<DeframedFpdu> out;
    if (state_ == State::searching) {
      search();
    } else if (state_ == State::cut) {
      out = next_cut();
    } else if (!markers_known_ && !find_first_marker()) {
      continue;
    } else if (window_.empty()) {
      out = next_in_piece();
    } else {
      out = next_in_window();
    }
    if (out) return out;
  }
  return std::nullopt;
}

Loss Deframer::lost() const {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t len = missing_len_ + skipped_len_;
  const std::uint64_t num_fpdus = len / iwarp::max_fpdu_len + (len % iwarp::max_fpdu_len != 0 ? 1 : 0);
  return {missing_len_, skipped_len_, static_cast<std::uint32_t>(min64(num_fpdus, most))};
}

DeframedFpdu Deframer::give(const Fpdu& fpdu) {
  DeframedFpdu out{fpdu, {}};
  if (missing_len_ + skipped_len_ != 0) {
    out.lost_before = lost();
    missing_len_ = skipped_len_ = 0;
  }
  start_ += fpdu.wire_len;
  if (fpdu.crc.status != CrcStatus::bad) note_header(fpdu);
  return out;
}

void Deframer::note_header(const Fpdu& fpdu) {
  std::array<std::uint8_t, iwarp::max_ddp_header_len> scratch;
  headers_.note(fpdu.ulpdu_len, fpdu.head(scratch));
}

CrcCheck Deframer::check_crc(const Fpdu& fpdu) {
  CrcCheck out;
  out.offset = fpdu.wire_len - iwarp::mpa_crc_size;
  out.status = crc_ == Setting::off ? CrcStatus::disabled : CrcStatus::unchecked;
  if (crc_ == Setting::off || !check_crc_ || !fpdu.is_whole()) return out;  //= MPA-5044-4.1-07
  if (crc_ == Setting::unknown && num_crc_trials_ == max_crc_trials) return out;
  const CrcCheck checked = iwarp::check_crc(fpdu);
  if (checked.status == CrcStatus::bad && crc_ == Setting::unknown) {
    ++num_crc_trials_;
    return out;
  }
  if (checked.status == CrcStatus::good) crc_ = Setting::on;
  return checked;
}

// Whether something is wrong with the FPDU that may come from a wrong ULPDU_Length.
bool Deframer::is_doubtful(const Fpdu& fpdu) {
  if (fpdu.crc.status == CrcStatus::good) return false;
  return fpdu.crc.status == CrcStatus::bad || !is_likely(fpdu.octets.subspan(fpdu.header_offset()));
}

// Whether the length of a doubtful FPDU can be believed all the same. behind: the octets that follow it, up to those of
// the shortest FPDU; is_end: the stream ends with them.
bool Deframer::is_believable(const Fpdu& fpdu, Bytes behind, bool is_end) {
  // Where a CRC shows that something is wrong, a header must be right in all; without one, a sender who sets reserved
  // bits or sends opcodes of its own must still be followed.
  const auto is_header = [&](const Fpdu& one) {
    if (fpdu.crc.status != CrcStatus::bad) return is_likely(one.octets.subspan(one.header_offset()));
    std::array<std::uint8_t, iwarp::max_ddp_header_len> scratch;
    return iwarp::is_possible_segment(one.ulpdu_len, one.head(scratch));
  };
  if (hides_another(fpdu)) return false;
  if (is_end && behind.empty()) return true;
  const std::uint64_t end = fpdu.stream_offset + fpdu.wire_len;
  if (behind.size() < detail::length_end(markers_, end) + type_len) return is_header(fpdu);
  const FpduShape shape = detail::shape_at(markers_, end, behind);
  return is_header(
      detail::fpdu_at(markers_, end, shape, behind.first(std::min<std::size_t>(behind.size(), shape.len))));
}

bool Deframer::find_first_marker() {
  keep(std::min<std::size_t>(piece_.size(),
                             iwarp::marker_size - std::min<std::size_t>(window_.size(), iwarp::marker_size)));
  if (window_.size() >= iwarp::marker_size) {
    markers_.any = load_be<4>(window_.front().data()) == 0;
    markers_.origin = start_;
    markers_known_ = true;
    return true;
  }
  if (gap_ != 0) {
    lose_sync();
  } else if (finished_) {
    lose_sync();
  } else {
    idle_ = true;
  }
  return false;
}

std::optional<DeframedFpdu> Deframer::next_in_piece() {
  const FpduShape shape = detail::shape_at(markers_, start_, piece_);
  std::size_t wanted = piece_.size();
  if (shape.len != 0 && piece_.size() >= shape.len) {
    Fpdu fpdu = detail::fpdu_at(markers_, start_, shape, piece_.first(shape.len));
    fpdu.crc = check_crc(fpdu);
    if (!is_doubtful(fpdu)) {
      piece_ = piece_.subspan(shape.len);
      return give(fpdu);
    }
    doubted_ = fpdu.crc;
    wanted = std::min<std::size_t>(wanted, shape.len);
  }
  if (!piece_.empty()) {
    keep(wanted);
  } else if (gap_ != 0) {
    lose_sync();
  } else {
    idle_ = true;
  }
  return std::nullopt;
}

std::optional<DeframedFpdu> Deframer::next_in_window() {
  const Bytes octets = window_.front();
  const bool has_hole = octets.size() < window_.size();
  const FpduShape shape = detail::shape_at(markers_, start_, octets);
  std::size_t wanted = shape.len != 0 ? shape.len : detail::length_end(markers_, start_);
  if (shape.len != 0 && octets.size() >= shape.len) {
    Fpdu fpdu = detail::fpdu_at(markers_, start_, shape, octets.first(shape.len));
    fpdu.crc = doubted_ ? *doubted_ : check_crc(fpdu);
    const bool may_wait = !has_hole && (!piece_.empty() || (gap_ == 0 && !finished_));
    const std::size_t behind_len = markers_.marked_len(start_ + shape.len, min_ddp_fpdu_len);
    const Bytes behind = octets.subspan(shape.len);
    const bool is_doubted = is_doubtful(fpdu);
    if (is_doubted && behind.size() < behind_len && may_wait) {
      doubted_ = fpdu.crc;
      wanted += behind_len;
    } else if (is_doubted && !is_believable(fpdu, behind.first(std::min(behind.size(), behind_len)),
                                            !has_hole && gap_ == 0 && finished_)) {
      lose_sync();
      return std::nullopt;
    } else {
      doubted_.reset();
      window_.drop(shape.len);
      return give(fpdu);
    }
  }
  if (!has_hole && !piece_.empty()) {
    keep(std::min(piece_.size(), wanted - octets.size()));
  } else if (has_hole || gap_ != 0) {
    const std::size_t header = detail::length_end(markers_, start_) - header_size<iwarp::FpduHeader>;
    if (shape.len == 0 || !is_likely(octets.subspan(header))) {
      lose_sync();
    } else if (window_.size() < shape.len) {
      begin_cut(shape);
    } else {
      Fpdu fpdu = detail::fpdu_at(markers_, start_, shape, octets);
      fpdu.crc = check_crc(fpdu);
      window_.drop(shape.len);
      return give(fpdu);
    }
  } else if (finished_) {
    // It is unfinished, or its length is wrong and there are others in what it seems to cover.
    lose_sync();
  } else {
    idle_ = true;
  }
  return std::nullopt;
}

// What was kept of the FPDU stays in the buffer, where nothing is written until cut_ has been given.
void Deframer::begin_cut(const FpduShape& shape) {
  cut_ = detail::fpdu_at(markers_, start_, shape, window_.front());
  cut_.crc = check_crc(cut_);
  cut_rest_ = shape.len - static_cast<std::uint32_t>(window_.size());
  cut_missing_ = window_.missing_in(window_.size());
  window_.reset(start_ + shape.len);
  state_ = State::cut;
}

std::optional<DeframedFpdu> Deframer::next_cut() {
  const auto passed = static_cast<std::uint32_t>(min64(piece_.size(), cut_rest_));
  piece_ = piece_.subspan(passed);
  cut_rest_ -= passed;
  const auto missing = static_cast<std::uint32_t>(min64(gap_, cut_rest_));
  gap_ -= missing;
  cut_rest_ -= missing;
  cut_missing_ += missing;
  if (cut_rest_ == 0) {
    state_ = State::synced;
    return give(cut_);
  }
  if (finished_) {
    state_ = State::synced;
    const std::uint64_t passed_len = cut_.wire_len - cut_rest_;
    missing_len_ += cut_missing_;
    skipped_len_ += passed_len - cut_missing_;
    start_ += passed_len;
    window_.reset(start_);
  }
  idle_ = true;
  return std::nullopt;
}

void Deframer::keep(std::size_t len) {
  if (window_.empty()) window_.reset(start_);
  if (window_.room() < len) window_.move_to_front();
  window_.append(piece_.first(len));
  piece_ = piece_.subspan(len);
}

void Deframer::lose_sync() {
  doubted_.reset();
  aligned_ = true;
  alignment_ = start_;
  needed_end_ = 0;
  if (window_.empty()) window_.reset(start_);
  state_ = State::searching;
}

}  // namespace rdmawire
