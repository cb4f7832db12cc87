// Whether an FPDU begins at a place of a stream, of which it is not known where FPDUs begin.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/base/bytes.h"
#include "codec/fpdu_at.h"
#include "codec/iwarp/evidence.h"
#include "codec/range_crc.h"
#include "codec/setting.h"
#include "codec/window.h"

namespace rdmawire::detail {

enum class Verdict : std::uint8_t {
  no,
  yes,
  wait,  // more of the stream must be seen
};

struct Judgement {
  Verdict verdict = Verdict::no;
  std::uint64_t needed_end = 0;  // wait: until the stream has been seen up to here
  MarkerPlaces markers;          // yes: how it is framed
  bool crc_in_use = false;       // yes: a CRC was good
};

// Weighs the evidence (codec/iwarp/evidence.h) that a chain of FPDUs begins at a place: each at the end of the one
// before, with a header that can be one, right Markers, zeros as pad and, where CRCs are in use, a good one.
//
// What it costs is bounded, whatever the octets are: for each place as many hypotheses about Markers as max_guesses
// says and one more, for each of these as many FPDUs as max_links says, for each of these a look at its header and
// Markers and a CRC, which reads no more than RangeCrc::direct_len octets beside those it notes. A place is looked at
// again only when so much more of the stream is there that the next FPDU of its chain can be.
class Judge {
 public:
  static constexpr unsigned max_links = 32;
  static constexpr unsigned max_guesses = 4;

  const Window& window;
  bool ends;     // nothing that follows the window has to do with it
  bool is_last;  // nothing follows it
  Setting crc;
  Setting markers;             // on: their places may be unknown all the same
  const MarkerPlaces* places;  // if they are known; else nullptr
  const iwarp::Chain& before;  // the headers before the hole
  bool known_stream;           // it is known to be iWARP, and how it is framed
  RangeCrc& crcs;
  std::uint64_t& work;  // octets looked at, CRCs apart

  Judgement judge(std::uint64_t offset);

 private:
  struct Guesses {
    std::array<std::uint64_t, max_guesses> origins{};
    std::size_t num = 0;
    std::uint64_t needed_end = 0;  // 0, or what must be seen to make them
  };
  struct Walk;

  Guesses guess_markers(std::uint64_t offset);
  Judgement walk(std::uint64_t offset, const MarkerPlaces& hypothesis, bool guessed);
  bool has_word(std::uint64_t offset, std::uint32_t word);
  bool may_begin_at(std::uint64_t offset);
  std::uint32_t num_others(std::uint64_t from, std::uint64_t offset);
};

}  // namespace rdmawire::detail
