// One direction of an MPA stream: octets in any pieces to FPDUs, and ULPDUs to octets. RFC 5044.
//
//   Deframer deframer(buffer, params, offset, synced);
//   for (Bytes piece : pieces) {
//     deframer.feed(piece);
//     while (const auto fpdu = deframer.next()) use(*fpdu);
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "codec/base/bytes.h"
#include "codec/base/error.h"
#include "codec/fpdu_at.h"
#include "codec/iwarp/evidence.h"
#include "codec/iwarp/fpdu.h"
#include "codec/range_crc.h"
#include "codec/setting.h"
#include "codec/window.h"

namespace rdmawire {

struct StreamParams {
  Setting markers = Setting::unknown;
  // on: a whole FPDU's CRC is good or bad. off: it is disabled. unknown: it is unchecked, until one is good; from then
  // on as with on. (A CRC that is not good says nothing as long as it may not be in use, but is not known to be
  // disabled either.)
  Setting crc = Setting::unknown;
  // The octet after the start-up frame, from which Markers count (SeqStart); only with markers on. Without it their
  // places are found from the stream.
  std::optional<std::uint64_t> seq_start;
  // False: CRCs are left unchecked, which is faster, but where an FPDU has to be found.
  bool check_crc = true;
};

// What a hole, or a start in mid-stream, has cost: the octets between one FPDU and the next one that was found, of
// which there are missing_len + skipped_len.
struct Loss {
  std::uint64_t missing_len = 0;  // octets that were never captured
  std::uint64_t skipped_len = 0;  // octets that were, but in which no FPDU could be found
  // FPDUs lost: at least so many. FPDUs lie end to end, so these octets belong to one or more, and to no fewer than it
  // takes of the largest ones to fill them.
  std::uint32_t num_fpdus = 0;
  explicit operator bool() const { return missing_len != 0 || skipped_len != 0 || num_fpdus != 0; }
};

struct DeframedFpdu {
  iwarp::Fpdu fpdu;
  Loss lost_before;
};

// Bounded memory: nothing but the buffer given. Zero-copy: an FPDU that lies in one piece is given as it lies there;
// one that crosses pieces is put together in the buffer, each octet copied once.
//
// The FPDUs given, and what is said to be lost between them, tile the stream: each octet fed or skipped is in one of
// them. In which pieces the stream comes makes no difference.
//
// A bad CRC or an impossible header alone does not end the framing. But an FPDU that has one is held back until the
// next 20 octets are there. If those cannot be the next header, or FPDUs with good CRCs lie inside, its length is not
// believed: it is lost, and the search begins. With a hole behind it, it is given if its own header can be one; and if
// the stream ends with it.
class Deframer {
 public:
  // The least that the buffer must have: two FPDUs of the largest size, the header of a third, and what the search
  // needs beside. With more, it can wait for more of them, and finds a stream of large FPDUs without CRC sooner.
  static constexpr std::size_t min_buffer = 2 * std::size_t{iwarp::max_fpdu_len} + iwarp::max_fpdu_len / 4;

  // offset: of the first octet that will be fed. synced: an FPDU (or the Marker before it) begins there; otherwise its
  // first task is to find one. With Markers whose places are not known, a synced stream is taken to begin where they
  // count from; with Setting::unknown, it has Markers if it begins with one.
  Deframer(MutableBytes buffer, const StreamParams& params, std::uint64_t offset, bool synced);

  // The stream's next octets. They must stay until next() has returned nothing; feed, skip and finish only then.
  void feed(Bytes piece) { piece_ = piece; }
  // The stream's next len octets were not captured. An FPDU whose ULPDU_Length was read is not lost by that: it comes
  // out at its end, with those of its octets that lie before the hole.
  void skip(std::uint64_t len) { gap_ = len; }
  // The stream ends here: what still waits for more is decided. Then next() until it returns nothing. An FPDU that has
  // begun and did not end is lost.
  void finish() { finished_ = true; }
  // The next FPDU; nothing until more is fed. It is valid until the next call of anything.
  std::optional<DeframedFpdu> next();

  bool synced() const { return state_ != State::searching; }
  // Octets up to here are given out, or lost.
  std::uint64_t offset() const { return start_; }
  // What is lost since the last FPDU; after finish(), all that follows the last one.
  Loss lost() const;
  // Octets that the search has looked at, each as often as it has. It is bounded: see detail::Judge.
  std::uint64_t search_work() const { return work_ + crcs_.work(); }

 private:
  enum class State : std::uint8_t {
    synced,     // an FPDU begins at start_
    cut,        // cut_, which begins at start_, has a hole; its further octets are passed over
    searching,  // no FPDU is known at start_
  };

  // Each does one step, and returns the FPDU that it gave. Without one, either something has changed, or idle_ is set.
  std::optional<DeframedFpdu> next_in_piece();
  std::optional<DeframedFpdu> next_in_window();
  std::optional<DeframedFpdu> next_cut();

  // deframer_search.cc
  void search();
  void take_in();
  bool drop_to_candidate(bool ends);
  bool hides_another(const iwarp::Fpdu& fpdu);
  void lose_front(std::size_t len);

  DeframedFpdu give(const iwarp::Fpdu& fpdu);
  CrcCheck check_crc(const iwarp::Fpdu& fpdu);
  void note_header(const iwarp::Fpdu& fpdu);
  static bool is_doubtful(const iwarp::Fpdu& fpdu);
  bool is_believable(const iwarp::Fpdu& fpdu, Bytes behind, bool is_end);
  bool find_first_marker();
  void keep(std::size_t len);
  void begin_cut(const detail::FpduShape& shape);
  void lose_sync();

  Deframer(MutableBytes buffer, std::size_t notes_size, const StreamParams& params, std::uint64_t offset, bool synced);

  detail::Window window_;  // what is kept of the stream, from start_ on; empty where no FPDU is begun
  Bytes piece_;            // what follows it and was captured
  std::uint64_t gap_ = 0;  // or was not
  std::uint64_t start_;    // what lies before it is given out, or lost
  detail::MarkerPlaces markers_;
  State state_;
  Setting markers_setting_;
  bool markers_known_;  // their places, or that there are none
  Setting crc_;
  bool check_crc_;
  bool finished_ = false;
  bool idle_ = false;                 // nothing more can be done with what was fed
  std::uint32_t num_crc_trials_ = 0;  // while crc_ is unknown: those that were not good
  std::optional<CrcCheck> doubted_;   // of the FPDU at start_, which waits for what follows it
  iwarp::Fpdu cut_;                   // only in State::cut
  std::uint32_t cut_rest_ = 0;        // octets until its end
  std::uint64_t cut_missing_ = 0;     // octets of it that were not captured
  std::uint64_t missing_len_ = 0;     // since the last FPDU
  std::uint64_t skipped_len_ = 0;

  // For the search.
  iwarp::Chain headers_;  // of the FPDUs given
  detail::RangeCrc crcs_;
  bool known_stream_;  // it is iWARP, and it is known how it is framed
  bool aligned_;       // FPDUs begin at multiples of four octets from alignment_ on
  std::uint64_t alignment_;
  std::uint64_t needed_end_ = 0;  // nothing can be decided before the stream was seen up to here
  std::uint64_t work_ = 0;
};

// The sending side: ULPDUs to FPDUs, from the first octet after the start-up frame on.
class Framer {
 public:
  // markers: the other end asked for them (M). crc: either end did (C); otherwise the field is zero. offset: octets of
  // the stream that have gone before.
  Framer(bool markers, bool crc, std::uint64_t offset = 0) : markers_(markers), crc_(crc), offset_(offset) {}

  // Octets of the stream so far.
  std::uint64_t offset() const { return offset_; }
  // Those that the next FPDU takes with a ULPDU of ulpdu_len octets.
  std::uint32_t fpdu_len(std::uint32_t ulpdu_len) const {
    return detail::MarkerPlaces{markers_, 0}.marked_len(offset_, iwarp::unmarked_len(ulpdu_len));
  }
  // Writes the next FPDU to the front of out, its ULPDU put together from pieces (header, payload), and returns its
  // length. The ULPDUs that DDP makes are of iwarp::mulpdu octets at most; any other is framed too. Fails with
  //   output_too_small  fpdu_len says how much it takes;
  //   value_too_big     the ULPDU has more than iwarp::max_mulpdu octets: segment it.
  // Nothing is written then, and the same FPDU can be framed again.
  Result<std::uint32_t> frame(std::span<const Bytes> ulpdu, MutableBytes out);

 private:
  bool markers_;
  bool crc_;
  std::uint64_t offset_;
};

enum class Segmentation : std::uint8_t {
  aligned,  // each TCP segment begins with an FPDU (RFC 5044, 5.1); small ones share one if they fit whole
  packed,   // segments are filled, and FPDUs cross them
};

// Where the TCP segments end that carry the FPDUs.
class Segmenter {
 public:
  // emss: 1 or more.
  Segmenter(iwarp::Emss emss, Segmentation segmentation) : emss_(emss.value), segmentation_(segmentation) {}

  // An FPDU of fpdu_len octets comes next. Calls end(at) for each segment that is complete by that: it ends at octets
  // after the FPDU's beginning (0: before the FPDU). What lies after the last end waits for more FPDUs; send it when
  // there are none. An aligned FPDU of more than the EMSS takes as many segments as it needs, all for itself.
  template <class End>
  void add(std::uint32_t fpdu_len, End&& end) {
    if (segmentation_ == Segmentation::packed) {
      std::uint32_t at = emss_ - filled_;
      for (; at <= fpdu_len; at += emss_) end(at);
      filled_ = emss_ - (at - fpdu_len);
      return;
    }
    if (filled_ != 0 && fpdu_len > emss_ - filled_) {
      end(std::uint32_t{0});
      filled_ = 0;
    }
    if (fpdu_len > emss_) {
      for (std::uint32_t at = emss_; at < fpdu_len; at += emss_) end(at);
    }
    filled_ += fpdu_len;
    if (filled_ >= emss_) {
      end(fpdu_len);
      filled_ = 0;
    }
  }
  // What waited has been sent: the next FPDU begins a segment.
  void flush() { filled_ = 0; }

 private:
  std::uint32_t emss_;
  Segmentation segmentation_;
  std::uint32_t filled_ = 0;  // octets of the segment that is not complete
};

}  // namespace rdmawire
