// iWARP conversations for tests, made by other means than the library's: FPDUs octet by octet, and a TCP connection
// whose frames go straight into IwarpStreams, or get lost on the way.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/crc/crc.h"
#include "pcap/reassembly/test_frames.h"
#include "pcap/reassembly/test_sink.h"

namespace rdmawire::reassembly::test {

using Octets = std::vector<std::uint8_t>;

inline Octets joined(std::initializer_list<Octets> parts) {
  Octets out;
  for (const Octets& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

inline Octets text(std::string_view characters) { return {characters.begin(), characters.end()}; }

// flags: M 0x80, C 0x40, R 0x20, S 0x10.
inline Octets startup_frame(bool reply, std::uint8_t flags, std::size_t private_len = 0, std::uint8_t revision = 1) {
  Octets out = text(reply ? "MPA ID Rep Frame" : "MPA ID Req Frame");
  out.push_back(flags);
  out.push_back(revision);
  out.push_back(static_cast<std::uint8_t>(private_len >> 8));
  out.push_back(static_cast<std::uint8_t>(private_len));
  out.insert(out.end(), private_len, 'p');
  return out;
}
inline Octets request(std::uint8_t flags = 0, std::size_t private_len = 0) {
  return startup_frame(false, flags, private_len);
}
inline Octets reply(std::uint8_t flags = 0, std::size_t private_len = 0) {
  return startup_frame(true, flags, private_len);
}

// One direction's FPDUs: RFC 5044, 4.
class FpduWriter {
 public:
  FpduWriter(bool markers, bool crc) : markers_(markers), crc_(crc) {}

  // The next FPDU.
  Octets write(const Octets& ulpdu) {
    Octets words{static_cast<std::uint8_t>(ulpdu.size() >> 8), static_cast<std::uint8_t>(ulpdu.size())};
    words.insert(words.end(), ulpdu.begin(), ulpdu.end());
    while (words.size() % 4 != 0) words.push_back(0);
    Octets out;
    std::size_t begin = 0;  // of ULPDU_Length
    const auto mark = [&] {
      if (!markers_ || (position_ + out.size()) % 512 != 0) return;
      const std::size_t back = out.empty() ? 0 : out.size() - begin;
      out.insert(out.end(), {0, 0, static_cast<std::uint8_t>(back >> 8), static_cast<std::uint8_t>(back)});
    };
    for (std::size_t i = 0; i < words.size(); i += 4) {
      mark();
      if (i == 0) begin = out.size();
      out.insert(out.end(), words.begin() + static_cast<std::ptrdiff_t>(i),
                 words.begin() + static_cast<std::ptrdiff_t>(i + 4));
    }
    mark();
    const std::uint32_t crc = crc_ ? crc::crc32c(out) : 0;
    for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::uint8_t>(crc >> shift));
    position_ += out.size();
    return out;
  }

  // A Send of one segment: the next message.
  Octets send(const Octets& payload) {
    const std::uint32_t msn = ++msn_;
    Octets ulpdu{0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0};
    for (unsigned shift = 32; shift > 0; shift -= 8) ulpdu.push_back(static_cast<std::uint8_t>(msn >> (shift - 8)));
    ulpdu.insert(ulpdu.end(), 4, 0);
    ulpdu.insert(ulpdu.end(), payload.begin(), payload.end());
    return write(ulpdu);
  }

 private:
  bool markers_;
  bool crc_;
  std::size_t position_ = 0;  // octets since SeqStart
  std::uint32_t msn_ = 0;
};

// A TCP connection.
class Talk {
 public:
  struct End {
    std::uint32_t next = 0;
  };

  explicit Talk(TestStreams& streams, std::uint32_t client_isn = 1000, std::uint32_t server_isn = 0xFFFF'FF00)
      : streams_(streams), client_{client_isn}, server_{server_isn} {}

  // How frames are made; sequence and octets are filled in.
  TestSegment form;
  bool lose = false;             // what is sent is not captured
  bool ack = true;               // segments acknowledge all that the other end sent
  std::size_t snap_len = 65536;  // captured octets of a frame

  void open() {
    syn(false);
    syn(true);
    say(false, {});
  }
  void syn(bool server) {
    TestSegment segment = next(server);
    segment.syn = true;
    segment.ack = server;
    put(segment);
    ++end(server).next;
  }
  // The next octets of an end, in one segment; returns its frame's number. With fin they are the last.
  std::uint64_t say(bool server, const Octets& octets, bool fin = false) {
    TestSegment segment = next(server);
    segment.octets = octets;
    segment.fin = fin;
    put(segment);
    end(server).next += static_cast<std::uint32_t>(octets.size()) + (fin ? 1 : 0);
    return streams_.number;
  }
  std::uint64_t client(const Octets& octets) { return say(false, octets); }
  std::uint64_t server(const Octets& octets) { return say(true, octets); }
  // Octets that an end sent so many octets ago (or sends only later, if negative).
  std::uint64_t again(bool server, std::int64_t ago, const Octets& octets) {
    TestSegment segment = next(server);
    segment.sequence -= static_cast<std::uint32_t>(ago);
    segment.octets = octets;
    put(segment);
    return streams_.number;
  }
  void reset(bool server) {
    TestSegment segment = next(server);
    segment.rst = true;
    put(segment);
  }
  // Frames that are none of this connection's.
  void others(std::size_t num) {
    for (std::size_t i = 0; i < num; ++i) {
      const Octets frame = build({.ack = false, .client_port = 9, .server_port = 9});
      streams_.add(parse(frame), ++streams_.number);
    }
  }
  End& end(bool server) { return server ? server_ : client_; }
  // Whether the last frame was said to be of a known conversation.
  bool known() const { return known_; }

 private:
  TestSegment next(bool server) {
    TestSegment segment = form;
    segment.from_server = server;
    segment.sequence = end(server).next;
    segment.acknowledgment = end(!server).next;
    segment.ack = ack;
    return segment;
  }
  void put(const TestSegment& segment) {
    ++streams_.number;
    if (lose) return;
    const Octets frame = build(segment);
    known_ = streams_.add(parse(Bytes(frame).first(std::min(frame.size(), snap_len)), frame.size()), streams_.number);
  }

  TestStreams& streams_;
  End client_;
  End server_;
  bool known_ = false;
};

// "Req 0+30 @4-4", "fpdu 30+52 @8-9 c0": what it is, where it lies, its frames, who sent it.
inline std::string show(const SeenPdu& pdu) {
  std::string out;
  if (pdu.kind == iwarp::PduKind::mpa_request) out = "Req ";
  if (pdu.kind == iwarp::PduKind::mpa_reply) out = "Rep ";
  if (pdu.kind == iwarp::PduKind::fpdu) out = "fpdu ";
  out += std::to_string(pdu.stream_offset) + "+" + std::to_string(pdu.wire_len) + " @" +
         std::to_string(pdu.first_frame) + "-" + std::to_string(pdu.last_frame) + (pdu.from_initiator ? " i" : " r");
  if (!pdu.is_whole()) out += " cut";
  if (pdu.lost_before.missing_len != 0) out += " missing " + std::to_string(pdu.lost_before.missing_len);
  if (pdu.lost_before.skipped_len != 0) out += " skipped " + std::to_string(pdu.lost_before.skipped_len);
  return out;
}

inline std::vector<std::string> shown(const TestStreams& streams) {
  std::vector<std::string> out;
  for (const SeenPdu& pdu : streams.sink.pdus) out.push_back(show(pdu));
  return out;
}

inline void check(const TestStreams& streams, const std::vector<std::string>& expected) {
  BOOST_TEST(shown(streams) == expected, boost::test_tools::per_element());
}

// A Send of so many octets of payload makes an FPDU of 24 octets more (18 of DDP header, 2 of length, 4 of CRC), and
// pad.
inline Octets payload(std::size_t len) {
  Octets out(len);
  for (std::size_t i = 0; i < len; ++i) out[i] = static_cast<std::uint8_t>(i * 7);
  return out;
}

// A connection that was opened, with its start-up frames: frames 1 to 5.
struct Opened {
  TestStreams streams;
  Talk talk{streams};
  FpduWriter client;
  FpduWriter server;

  explicit Opened(std::uint8_t request_flags = 0x40, std::uint8_t reply_flags = 0x40, const StreamOptions& options = {})
      : streams(options),
        client((reply_flags & 0x80) != 0, ((request_flags | reply_flags) & 0x40) != 0),
        server((request_flags & 0x80) != 0, ((request_flags | reply_flags) & 0x40) != 0) {
    talk.open();
    talk.client(request(request_flags, 10));
    talk.server(reply(reply_flags, 20));
    check(streams, {"Req 0+30 @4-4 i", "Rep 0+40 @5-5 r"});
    streams.sink.pdus.clear();
  }
};

}  // namespace rdmawire::reassembly::test
