#include "codec/resync.h"

#include <algorithm>

namespace rdmawire::detail {

namespace {

using iwarp::Chain;
using iwarp::Fpdu;
using iwarp::marker_interval;
using iwarp::marker_size;

// The first octets of the ULPDU, without Markers: those of the DDP header, or as many as were captured.
Bytes head_of(const Fpdu& fpdu, std::array<std::uint8_t, iwarp::max_ddp_header_len>& scratch) {
  return fpdu.head(scratch);
}

bool is_pad_zero(const Fpdu& fpdu) {
  std::uint8_t all = 0;
  const std::uint32_t from = iwarp::fpdu_header_size + fpdu.ulpdu_len;
  for (std::uint32_t i = 0; i < iwarp::pad_len(fpdu.ulpdu_len); ++i) all |= fpdu.octets[fpdu.place_of(from + i)];
  return all == 0;
}

}  // namespace

bool Judge::has_word(std::uint64_t offset, std::uint32_t word) {
  const Bytes octets = window.from(offset);
  work += marker_size;
  return octets.size() >= marker_size && load_be<marker_size>(octets.data()) == word;
}

bool Judge::may_begin_at(std::uint64_t offset) {
  const Bytes octets = window.from(offset);
  work += 4;
  return octets.size() >= 4 && iwarp::may_begin_fpdu(octets.data());
}

// How many places before offset, back to the FPDU that begins at from, do not have the header's type that it has.
std::uint32_t Judge::num_others(std::uint64_t from, std::uint64_t offset) {
  constexpr std::uint32_t enough = 63;
  constexpr std::uint32_t type_mask = 0xBFFF;  // the last flag apart
  const Bytes octets = window.from(offset);
  if (octets.size() < 4) return 0;
  const auto type_at = [](const std::uint8_t* at) {
    return static_cast<std::uint32_t>(load_be<2>(at + 2)) & type_mask;
  };
  const std::uint32_t type = type_at(octets.data());
  std::uint32_t num = 0;
  for (std::uint64_t at = offset; num < enough && at - from > 4; ++num) {
    at -= 4;
    const Bytes other = window.from(at);
    work += 4;
    if (other.size() < 4 || type_at(other.data()) == type) break;
  }
  return num;
}

// Where Markers are, if there are any: in a stream that has them one stands within the next 512 octets, either before
// an FPDU, with the FPDUPTR 0, or inside of one, and then its FPDUPTR is its distance from where that begins. Up to it
// the FPDUs are as without Markers.
Judge::Guesses Judge::guess_markers(std::uint64_t offset) {
  Guesses out;
  const auto guess = [&](std::uint64_t origin) {
    if (out.num < max_guesses) out.origins[out.num++] = origin;
  };
  std::uint64_t at = offset;
  for (unsigned link = 0; link < max_links && at < offset + marker_interval; ++link) {
    if (!ends && window.end() < at + 8) {
      out.needed_end = at + 8;
      return out;
    }
    if (has_word(at, 0) && may_begin_at(at + marker_size)) {
      guess(at);
      return out;
    }
    if (!may_begin_at(at)) return out;
    const std::uint32_t len = shape_at({}, at, window.from(at)).len;
    // The last place inside: before the CRC.
    const std::uint64_t last = std::min(at + len - iwarp::mpa_crc_size, offset + marker_interval - marker_size);
    if (!ends && window.end() < last + marker_size) {
      out.needed_end = last + marker_size;
      return out;
    }
    for (std::uint64_t place = at + marker_size; place <= last; place += marker_size) {
      if (has_word(place, static_cast<std::uint32_t>(place - at))) guess(place);
    }
    at += len;
  }
  return out;
}

struct Judge::Walk {
  unsigned evidence = 0;
  // One in an FPDU that ends where its length says, or covered by a good CRC: an FPDU's own octets may look like one
  // (an MSN of 12 lies where a Marker with the FPDUPTR 12 would).
  bool marker_seen = false;
  bool marker_before = false;  // one in the FPDU before, whose end is not sure yet
  bool confirmed = false;      // that the first FPDU ends where its length says
  Setting crc = Setting::unknown;
  std::uint64_t verified_end = 0;  // so far the framing is sure
  std::uint32_t last_len = 0;      // of the FPDU before
  std::uint32_t last_crc = 0;      // its CRC, if it was good
};

Judgement Judge::walk(std::uint64_t offset, const MarkerPlaces& hypothesis, bool guessed) {
  Judgement out;
  out.markers = hypothesis;
  // There a Marker stands before the FPDU, and so its beginning.
  if (hypothesis.any && hypothesis.phase(offset) == marker_size) return out;
  Walk so_far;
  so_far.evidence = known_stream ? iwarp::known_stream_evidence : 0;
  so_far.crc = crc;
  so_far.verified_end = offset;
  Chain chain = before;
  chain.interrupt();

  const auto wait_until = [&](std::uint64_t end) {
    out.verdict = Verdict::wait;
    out.needed_end = end;
    return out;
  };
  const auto is_enough = [&] {
    if (so_far.evidence < iwarp::needed_evidence || !so_far.confirmed) return false;
    if (!guessed) return true;
    // Without a Marker so far as one must have come by now, there are none.
    return hypothesis.any ? so_far.marker_seen : so_far.verified_end - offset >= marker_interval || is_last;
  };

  std::uint64_t at = offset;
  std::uint64_t last_at = offset;
  for (unsigned link = 0; link < max_links; ++link) {
    const Bytes octets = window.from(at);
    const bool more = !ends && at + octets.size() >= window.end();
    const std::uint32_t head_end = hypothesis.marked_len(at, iwarp::fpdu_header_size + iwarp::max_ddp_header_len);
    if (more && octets.size() < head_end) return wait_until(at + head_end);
    const FpduShape shape = shape_at(hypothesis, at, octets);
    if (shape.len == 0) {
      // A hole, or the end. At the end, the last FPDU ends with the stream.
      if (link > 0 && at == window.end()) {
        so_far.confirmed = true;
        so_far.marker_seen = so_far.marker_seen || so_far.marker_before;
      }
      break;
    }
    const Bytes captured = octets.first(std::min<std::size_t>(octets.size(), shape.len));
    const Fpdu fpdu = fpdu_at(hypothesis, at, shape, captured);
    std::array<std::uint8_t, iwarp::max_ddp_header_len> scratch;
    work += iwarp::max_ddp_header_len + std::size_t{fpdu.num_markers} * marker_size;
    const auto worth = chain.add(shape.ulpdu_len, head_of(fpdu, scratch), link == 0 ? 0 : num_others(last_at, at));
    if (!worth) return out;
    so_far.evidence += *worth;
    if (link > 0) {
      so_far.confirmed = true;
      so_far.verified_end = at;
      so_far.marker_seen = so_far.marker_seen || so_far.marker_before;
    }
    // Marker by Marker, as the stream brings them: those that come after there is enough evidence must not count, or
    // the verdict would depend on how much of the stream is there.
    for (std::size_t i = 0;; ++i) {
      const std::size_t place = fpdu.first_marker + std::size_t{marker_interval} * i;
      const bool more_markers = i < fpdu.num_markers && place + marker_size <= captured.size();
      if (place != 0 && is_enough()) {
        out.verdict = Verdict::yes;
        out.crc_in_use = so_far.crc == Setting::on;
        return out;
      }
      if (!more_markers) break;
      if (!has_right_pointer(fpdu, place) || !has_reserved_zero(fpdu, place)) return out;
      // One before an FPDU says no more than where the FPDU before it ends.
      if (place == 0) continue;
      so_far.evidence += guessed && !so_far.marker_seen && !so_far.marker_before ? iwarp::first_marker_evidence
                                                                                 : iwarp::marker_evidence;
      so_far.marker_before = true;
    }
    if (captured.size() < shape.len) {
      if (at + shape.len > window.end()) {
        if (!ends) return wait_until(at + shape.len);
        break;
      }
    } else {
      if (!is_pad_zero(fpdu)) return out;
      if (so_far.crc != Setting::off) {
        const std::uint32_t before_crc = shape.len - iwarp::mpa_crc_size;
        const auto stored = static_cast<std::uint32_t>(load_be<4>(captured.data() + before_crc));
        const bool good = stored == iwarp::mpa_crc_of(crcs.crc(window, at, at + before_crc));
        if (good) {
          so_far.crc = Setting::on;
          // The same octets again have the same CRC.
          if (link == 0 || stored != so_far.last_crc || shape.len != so_far.last_len) {
            so_far.evidence += iwarp::crc_evidence;
          }
          so_far.last_crc = stored;
          so_far.confirmed = true;
          so_far.verified_end = at + shape.len;
          if (fpdu.num_markers != 0) so_far.marker_seen = true;
        } else if (so_far.crc == Setting::on) {
          return out;
        } else {
          // If CRCs are in use, it is no FPDU; so in this chain they are not.
          so_far.crc = Setting::off;
        }
        if (is_enough()) {
          out.verdict = Verdict::yes;
          out.crc_in_use = so_far.crc == Setting::on;
          return out;
        }
      }
    }
    so_far.last_len = shape.len;
    last_at = at;
    at += shape.len;
  }
  if (is_enough()) {
    out.verdict = Verdict::yes;
    out.crc_in_use = so_far.crc == Setting::on;
  }
  return out;
}

Judgement Judge::judge(std::uint64_t offset) {
  if (places) return walk(offset, *places, false);
  Judgement waiting;
  if (markers != Setting::on) {
    const Judgement out = walk(offset, {}, true);
    if (out.verdict == Verdict::yes) return out;
    waiting = out;
  }
  const Guesses guesses = guess_markers(offset);
  const auto consider = [&](const Judgement& out) {
    if (out.verdict != Verdict::wait) return;
    if (waiting.verdict != Verdict::wait || out.needed_end < waiting.needed_end) waiting = out;
  };
  for (std::size_t i = 0; i < guesses.num; ++i) {
    const Judgement out = walk(offset, {true, guesses.origins[i]}, true);
    if (out.verdict == Verdict::yes) return out;
    consider(out);
  }
  if (guesses.needed_end != 0) {
    Judgement out;
    out.verdict = Verdict::wait;
    out.needed_end = guesses.needed_end;
    consider(out);
  }
  return waiting;
}

}  // namespace rdmawire::detail
