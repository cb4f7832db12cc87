// Wherever an FPDU lies between Markers, and wherever TCP cuts the stream: what is delivered is the same.
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "codec/crc/crc.h"
#include "codec/stream.h"
#include "protocol/iwarp/connection_scenario_test.h"

namespace rdmawire::iwarp::stream_test {
namespace {

// What a receiver makes of octets: completions and memory, as text.
struct Delivery {
  std::string completions;
  std::uint32_t memory = 0;  // a CRC of it
  friend bool operator==(const Delivery&, const Delivery&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Delivery& one) {
    return out << one.completions << " memory " << one.memory;
  }
};

// No FPDU begins there: a Marker before its end is before its CRC.
constexpr std::uint32_t no_phase = 4;

// The peer's stream: a Write that moves the next FPDU to that phase, and then a Write, a Send of two segments and a
// Send, each of `size` octets. phase: a multiple of 4, as all FPDUs begin at.
SegmentOctets stream_of(std::uint32_t phase, std::uint32_t size) {
  Framer framer(true, true);
  SegmentOctets out;
  const auto frame = [&](const Seg& segment) {
    const SegmentOctets ulpdu = segment.octets();
    const std::array<Bytes, 1> pieces{ulpdu};
    const std::size_t at = out.size();
    out.resize(at + framer.fpdu_len(static_cast<std::uint32_t>(ulpdu.size())));
    BOOST_REQUIRE(framer.frame(pieces, MutableBytes(out).subspan(at)).has_value());
  };
  // Behind the first Marker: 2 + 14 + payload + 4 octets, with a Marker where 512 is passed.
  for (std::uint32_t filler = 0; filler < 600; ++filler) {
    const std::uint32_t end = framer.fpdu_len(14 + filler);
    if (end % 512 != phase) continue;
    frame(Seg(RDMA_WRITE).to(all_stag, at_all).data(filler, 0x80));
    break;
  }
  BOOST_REQUIRE(out.size() % 512 == phase);
  frame(Seg(RDMA_WRITE).to(all_stag, at_all + 0x2000).data(size, 1));
  frame(Seg(SEND, 1).more().data(size, 3));
  frame(Seg(SEND, 1).at(size).data(size, 5));
  frame(Seg(SEND_WITH_SE, 2).data(size, 7));
  return out;
}

template <class Cut>
Delivery deliver(const SegmentOctets& stream, Cut&& next_size) {
  Script script;
  ConnectionSetup setup;
  setup.config.mpa.markers = true;
  Connection t(script, setup);
  t.receives(1, 1, 4096, 0x4000);
  t.receives(2, 1, 4096, 0x6000);
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t size = std::min<std::size_t>(next_size(at), stream.size() - at);
    t.qp.on_octets(Bytes(stream).subspan(at, size), t.now);
    at += size;
  }
  Delivery out;
  verbs::Completion one;
  while (t.receive_cq.poll({&one, 1}) != 0) {
    out.completions += std::to_string(one.id.value) + ' ' + std::string(name_of(one.status)) + ' ' +
                       std::to_string(one.byte_len) + (one.solicited ? " SE; " : "; ");
  }
  out.completions += name_of(t.qp.stream().state());
  out.memory = crc::crc32c(t.host.octets);
  return out;
}

BOOST_AUTO_TEST_SUITE(mpa_phases)

//= DDP-5041-3-04, MPA-5044-4.3-04, MPA-5044-6-02, MPA-5044-4.3-12 test
BOOST_AUTO_TEST_CASE(pieces_do_not_matter_at_any_phase) {
  constexpr std::uint32_t seed = 20261129;
  std::mt19937 random(seed);
  for (const std::uint32_t size : {0U, 3U, 130U, 700U}) {
    std::optional<Delivery> first;
    for (std::uint32_t phase = 0; phase < 512; phase += 4) {
      if (phase == no_phase) continue;
      const SegmentOctets stream = stream_of(phase, size);
      const Delivery whole = deliver(stream, [&](std::size_t) { return stream.size(); });
      const std::string text = std::to_string(size);
      BOOST_TEST_REQUIRE(whole.completions == (size == 0 ? "1 SUCCESS 0; 2 SUCCESS 0 SE; RUNNING"
                                                         : "1 SUCCESS " + std::to_string(2 * size) + "; 2 SUCCESS " +
                                                               text + " SE; RUNNING"));
      const auto same = [&](const char* how, const Delivery& other) {
        BOOST_CHECK_MESSAGE(other == whole, how << ", phase " << phase << ", size " << size << ", seed " << seed << ": "
                                                << other << " for " << whole);
      };
      same("octet by octet", deliver(stream, [](std::size_t) { return 1U; }));
      std::uniform_int_distribution<std::size_t> pieces(1, 1 + random() % 700);
      same("random pieces", deliver(stream, [&](std::size_t) { return pieces(random); }));
    }
  }
}

// One cut, at each of the 512 phases and beyond.
//= DDP-5041-3-04 test
BOOST_AUTO_TEST_CASE(one_cut_anywhere_does_not_matter) {
  for (const std::uint32_t size : {5U}) {
    const SegmentOctets stream = stream_of(460, size);
    const Delivery whole = deliver(stream, [&](std::size_t) { return stream.size(); });
    BOOST_REQUIRE(stream.size() > 512);
    for (std::size_t cut = 1; cut < stream.size(); ++cut) {
      const Delivery other = deliver(stream, [&](std::size_t at) { return at == 0 ? cut : stream.size(); });
      BOOST_CHECK_MESSAGE(other == whole, "cut at " << cut << ", size " << size);
    }
  }
}

// What an endpoint sends with Markers is what it sends without, taken apart.
//= MPA-5044-4.3-01 test
BOOST_AUTO_TEST_CASE(sender_cuts_the_same_at_any_phase) {
  Script script;
  ConnectionSetup setup;
  setup.markers(true, false).silent();
  Connection sender(script, setup);
  FpduReceiver receiver;
  receiver.start(true, true);
  std::vector<std::uint8_t> room(1460);
  std::set<std::uint64_t> phases;
  std::uint32_t wrong = 0;
  std::uint32_t size = 0;
  for (std::uint64_t id = 0; id < 2000; ++id) {
    size = (size + 37) % 1400;
    sender.hold(sender.work(id, verbs::WorkOpcode::rdma_write, size));
    phases.insert(receiver.offset() % 512);
    std::uint32_t got = 0;
    while (const std::size_t sent = sender.qp.poll_octets(room, sender.now)) {
      receiver.on_octets(Bytes(room).first(sent), [&](const Fpdu& fpdu) {
        wrong += fpdu.crc.status != CrcStatus::good || fpdu.num_wrong_markers != 0;
        got += fpdu.ulpdu_len - 14;
      });
    }
    wrong += got != size;
    verbs::Completion one;
    while (sender.send_cq.poll({&one, 1}) != 0) wrong += one.status != verbs::CompletionStatus::success;
  }
  BOOST_TEST(wrong == 0U);
  BOOST_TEST(phases.size() == 127U);
  BOOST_TEST(!phases.contains(no_phase));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::iwarp::stream_test
