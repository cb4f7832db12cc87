// Streams for the tests of stream.h, made word by word as RFC 5044 describes them, by code that shares nothing with
// what it tests; and what a Deframer makes of streams.
#pragma once

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "codec/stream.h"

namespace rdmawire::test {

using Octets = std::vector<std::uint8_t>;

// Whether to take the time for all that can be tested, and not a slice of it: by hand, with optimisation.
inline bool test_all_streams() { return std::getenv("RDMAWIRE_ALL_STREAMS") != nullptr; }

inline void put(Octets& out, std::uint64_t value, unsigned len) {
  while (len-- > 0) out.push_back(static_cast<std::uint8_t>(value >> 8 * len));
}

// CRC-32C, bit by bit (RFC 3385: reflected 0x82F63B78), eight bits at a time for speed; as it stands in the field.
inline std::array<std::uint8_t, 4> model_crc(const std::uint8_t* octets, std::size_t len) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> out{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? c >> 1 ^ 0x82F63B78 : c >> 1;
      out[i] = c;
    }
    return out;
  }();
  std::uint32_t crc = 0xFFFFFFFF;
  for (std::size_t i = 0; i < len; ++i) crc = table[(crc ^ octets[i]) & 0xFF] ^ crc >> 8;
  crc = ~crc;
  return {static_cast<std::uint8_t>(crc), static_cast<std::uint8_t>(crc >> 8), static_cast<std::uint8_t>(crc >> 16),
          static_cast<std::uint8_t>(crc >> 24)};
}

// What is known of an FPDU of a model stream.
struct Made {
  std::size_t begin = 0;  // in the stream; the leading Marker's, if there is one
  std::size_t end = 0;
  Octets ulpdu;
  std::vector<std::size_t> markers;  // their places in the stream
};

// A sender: appends FPDUs to a stream in words of four octets.
struct Model {
  bool markers = false;
  bool crc = true;
  std::size_t seq_start = 0;  // in the stream
  Octets stream;
  std::vector<Made> fpdus;

  void add(const Octets& ulpdu) {
    Made made{stream.size(), 0, ulpdu, {}};
    Octets body;
    put(body, ulpdu.size(), 2);
    body.insert(body.end(), ulpdu.begin(), ulpdu.end());
    while (body.size() % 4 != 0) body.push_back(0);
    std::optional<std::size_t> length_at;
    const auto marker_if_due = [&] {
      if (!markers || (stream.size() - seq_start) % 512 != 0) return;
      made.markers.push_back(stream.size());
      const std::size_t back = length_at ? stream.size() - *length_at : 0;
      put(stream, 0, 2);
      put(stream, back, 2);
    };
    for (std::size_t word = 0; word < body.size(); word += 4) {
      marker_if_due();
      if (!length_at) length_at = stream.size();
      stream.insert(stream.end(), body.begin() + static_cast<std::ptrdiff_t>(word),
                    body.begin() + static_cast<std::ptrdiff_t>(word + 4));
    }
    marker_if_due();
    const auto sum = model_crc(stream.data() + made.begin, stream.size() - made.begin);
    for (const std::uint8_t octet : sum) stream.push_back(crc ? octet : 0);
    made.end = stream.size();
    fpdus.push_back(made);
  }
};

// DDP segments with RDMAP's octets in them, as wire-level constants: RFC 5041, 4; RFC 5040, 4.
inline Octets tagged(unsigned opcode, std::uint32_t stag, std::uint64_t offset, bool last, const Octets& payload) {
  Octets out;
  put(out, last ? 0xC1 : 0x81, 1);
  put(out, 0x40 | opcode, 1);
  put(out, stag, 4);
  put(out, offset, 8);
  out.insert(out.end(), payload.begin(), payload.end());
  return out;
}
inline Octets untagged(unsigned opcode, std::uint32_t queue, std::uint32_t msn, std::uint32_t offset, bool last,
                       const Octets& payload, std::uint32_t invalidated = 0) {
  Octets out;
  put(out, last ? 0x41 : 0x01, 1);
  put(out, 0x40 | opcode, 1);
  put(out, invalidated, 4);
  put(out, queue, 4);
  put(out, msn, 4);
  put(out, offset, 4);
  out.insert(out.end(), payload.begin(), payload.end());
  return out;
}

inline Octets random_octets(std::mt19937& random, std::size_t len) {
  Octets out(len);
  for (std::uint8_t& octet : out) octet = static_cast<std::uint8_t>(random());
  return out;
}

// What a direction may carry: messages of several kinds, most of more than one segment, all numbered as they must be.
class Traffic {
 public:
  explicit Traffic(std::uint32_t seed) : random_(seed) {}

  Octets next_ulpdu() {
    if (message_left_ == 0) begin_message();
    const std::uint32_t len =
        std::min<std::uint32_t>(message_left_, 1 + static_cast<std::uint32_t>(random_() % max_payload));
    const bool last = len == message_left_;
    message_left_ -= len;
    const Octets payload = random_octets(random_, len);
    const std::uint64_t at = offset_;
    offset_ += len;
    if (opcode_ == 0 || opcode_ == 2) return tagged(opcode_, stag_, at, last, payload);
    return untagged(opcode_, 0, msn_, static_cast<std::uint32_t>(at), last, payload);
  }

  std::uint32_t max_payload = 300;

 private:
  void begin_message() {
    constexpr std::array<unsigned, 4> opcodes{0, 2, 3, 5};
    opcode_ = opcodes[random_() % opcodes.size()];
    stag_ = static_cast<std::uint32_t>(random_());
    offset_ = opcode_ == 0 || opcode_ == 2 ? std::uint64_t{random_()} << 16 | random_() % 65536 : 0;
    if (opcode_ == 3 || opcode_ == 5) ++msn_;
    message_left_ = 1 + static_cast<std::uint32_t>(random_() % (4 * max_payload));
  }

  std::mt19937 random_;
  unsigned opcode_ = 0;
  std::uint32_t stag_ = 0;
  std::uint64_t offset_ = 0;
  std::uint32_t msn_ = 0;
  std::uint32_t message_left_ = 0;
};

inline Model traffic(std::uint32_t seed, bool markers, bool crc, std::size_t num_fpdus,
                     std::uint32_t max_payload = 300) {
  Model model;
  model.markers = markers;
  model.crc = crc;
  Traffic source(seed);
  source.max_payload = max_payload;
  for (std::size_t i = 0; i < num_fpdus; ++i) model.add(source.next_ulpdu());
  return model;
}

inline StreamParams params_of(const Model& model) {
  StreamParams params;
  params.markers = model.markers ? Setting::on : Setting::off;
  params.crc = model.crc ? Setting::on : Setting::off;
  if (model.markers) params.seq_start = model.seq_start;
  return params;
}

// An FPDU that came out, with copies of what it referred to.
struct Found {
  std::size_t begin = 0;
  std::size_t wire_len = 0;
  Octets octets;
  Octets ulpdu;  // what was captured of it
  std::vector<std::size_t> markers;
  std::size_t num_wrong_markers = 0;
  CrcCheck crc;
  Loss lost_before;

  std::size_t end() const { return begin + wire_len; }
};

inline Found found(const DeframedFpdu& out) {
  const iwarp::Fpdu& fpdu = out.fpdu;
  Found made;
  made.begin = fpdu.stream_offset;
  made.wire_len = fpdu.wire_len;
  made.octets.assign(fpdu.octets.begin(), fpdu.octets.end());
  fpdu.for_each_span([&](Bytes span) { made.ulpdu.insert(made.ulpdu.end(), span.begin(), span.end()); });
  for (std::size_t i = 0; i < fpdu.num_markers; ++i) {
    made.markers.push_back(fpdu.stream_offset + fpdu.first_marker + 512 * i);
  }
  made.num_wrong_markers = fpdu.num_wrong_markers;
  made.crc = fpdu.crc;
  made.lost_before = out.lost_before;
  return made;
}

// A Deframer with its buffer, which collects what comes out. Each piece lies in memory of its own while it is read, of
// exactly its size, so that a sanitizer sees what is read beside it.
class Collector {
 public:
  Collector(const StreamParams& params, std::uint64_t offset, bool synced,
            std::size_t buffer_size = Deframer::min_buffer)
      : buffer_(std::make_unique_for_overwrite<std::uint8_t[]>(buffer_size)),
        deframer(MutableBytes(buffer_.get(), buffer_size), params, offset, synced) {}

  void feed(Bytes piece) {
    const Octets copy(piece.begin(), piece.end());
    deframer.feed(copy);
    collect();
  }
  void skip(std::uint64_t len) {
    deframer.skip(len);
    collect();
  }
  void finish() {
    deframer.finish();
    collect();
  }

 private:
  std::unique_ptr<std::uint8_t[]> buffer_;
  void collect() {
    while (const auto out = deframer.next()) fpdus.push_back(test::found(*out));
  }

 public:
  Deframer deframer;
  std::vector<Found> fpdus;
};

}  // namespace rdmawire::test
