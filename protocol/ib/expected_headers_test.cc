// Frames that a port tells by comparing octets fare as they do when it reads them layer by layer: the same frame behind
// two VLAN tags, which mean nothing to it but are more than it expects.
#include "protocol/ib/expected_headers.h"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codec/ib/icrc.h"
#include "protocol/ib/port_scenario_test.h"

namespace rdmawire::ib::test {
namespace {

using enum Opcode;
using Octets = std::vector<std::uint8_t>;

constexpr std::size_t type_at = 12;

Octets behind_two_tags(const Octets& frame) {
  const std::array<std::uint8_t, 8> tags{0x88, 0xA8, 0, 7, 0x81, 0x00, 0, 9};
  Octets out = frame;
  out.insert(out.begin() + type_at, tags.begin(), tags.end());
  return out;
}

ExpectedHeaders expected_by(const Net& net) {
  const verbs::AddressVector& path = net.end.qp.verbs().attributes().path;
  return {PathHeaders(net.port.config(), path), net.port.config(), path};
}

struct Shape {
  std::string name;
  std::uint8_t gid;
  std::size_t network_at;
  std::size_t bth_at;
  IcrcStart icrc;
};
const std::array shapes{Shape{"IPv4", v4, 14, 42, IcrcStart::ipv4}, Shape{"IPv6", v6, 14, 62, IcrcStart::ipv6},
                        Shape{"RoCEv1", v1, 14, 54, IcrcStart::grh}, Shape{"tagged", tagged, 18, 46, IcrcStart::ipv4}};

// A WRITE of 13 octets, so that there is a pad.
Octets frame_of(const Net& net, const Shape& shape) {
  static const Octets payload(13, 0xA5);
  FrameSpec spec = net.spec(net.end.qp.responder().expected_psn().value);
  if (shape.gid == tagged) {
    spec.num_vlans = 1;
    spec.vlans[0].id = 5;
  }
  spec.payload = payload;
  spec.reth = {{base_address}, {net.end.key.value}, 13};
  return Net::octets(spec);
}

void correct_icrc(Octets& frame, const Shape& shape) {
  const std::size_t at = frame.size() - 4;
  const std::uint32_t crc =
      icrc(shape.icrc, Bytes(frame).first(at).subspan(shape.network_at), shape.bth_at - shape.network_at);
  for (std::size_t i = 0; i < 4; ++i) frame[at + i] = static_cast<std::uint8_t>(crc >> (8 * i));
}

// What a port did with all it got: counts of drops by cause, CNPs, octets of memory, what it sends.
std::string told(Net& net) {
  std::string out;
  for (std::size_t i = 0; i < static_cast<std::size_t>(DropCause::count_); ++i) {
    out += std::to_string(net.port.num_dropped(static_cast<DropCause>(i))) + ' ';
  }
  out += hex(net.end.octets.data(), 16);
  Octets sent(max_frame_len(4096));
  while (const std::size_t size = net.port.poll_transmit(sent, net.now)) out += ", " + hex(sent.data(), size);
  return out + ", " + std::to_string(net.port.num_cnps_received()) + ' ' +
         std::to_string(net.end.qp.responder().expected_psn().value);
}

// The two ports, one for each way.
struct Both {
  Script script;
  const Shape& shape;
  Net told_apart, read;
  std::size_t num_matches = 0;

  explicit Both(const Shape& s) : shape(s), told_apart(script, setup_for(s.gid)), read(script, setup_for(s.gid)) {}
  bool over() const { return told_apart.end.qp.responder().over() || told_apart.port.num_cnps_sent() != 0; }
  void take(const Octets& frame) {
    const TransportPlace place = expected_by(told_apart).match(frame);
    if (place) {
      ++num_matches;
      const Frame whole = parse_frame(LinkType::ethernet, frame, static_cast<std::uint32_t>(frame.size()));
      BOOST_REQUIRE(whole.find(Layer::bth) != nullptr);
      BOOST_TEST(place.bth == whole.find(Layer::bth)->offset);
      BOOST_TEST(place.icrc == whole.icrc.offset);
      BOOST_TEST((whole.icrc.status == CrcStatus::good));
    }
    BOOST_TEST(!expected_by(read).match(behind_two_tags(frame)));
    told_apart.now = read.now = told_apart.now + Time(1000);
    told_apart.port.on_frame(frame, told_apart.now);
    read.port.on_frame(behind_two_tags(frame), read.now);
    BOOST_TEST(told(told_apart) == told(read));
  }
};

BOOST_AUTO_TEST_SUITE(expected_headers)

BOOST_AUTO_TEST_CASE(frame_of_the_connection_matches) {
  for (const Shape& shape : shapes) {
    BOOST_TEST_CONTEXT(shape.name) {
      Both both(shape);
      const Octets frame = frame_of(both.told_apart, shape);
      BOOST_TEST(
          (expected_by(both.told_apart).match(frame) ==
           TransportPlace{static_cast<std::uint32_t>(shape.bth_at), static_cast<std::uint32_t>(frame.size() - 4)}));
      both.take(frame);
      BOOST_TEST(both.num_matches == 1U);
      BOOST_TEST(both.told_apart.end.octets[12] == 0xA5);
    }
  }
}

// With the ICRC as it was, and with one that fits the flipped bit.
BOOST_AUTO_TEST_CASE(every_flipped_bit_fares_as_when_it_is_read) {
  for (const Shape& shape : shapes) {
    for (const bool corrected : {false, true}) {
      auto both = std::make_unique<Both>(shape);
      std::size_t num_matches = 0;
      const std::size_t num_bits = 8 * frame_of(both->told_apart, shape).size();
      for (std::size_t bit = 0; bit < num_bits; ++bit) {
        if (both->over()) both = std::make_unique<Both>(shape);
        Octets frame = frame_of(both->told_apart, shape);
        frame[bit / 8] ^= static_cast<std::uint8_t>(0x80U >> (bit % 8));
        if (corrected) correct_icrc(frame, shape);
        BOOST_TEST_CONTEXT(shape.name << ", bit " << bit << (corrected ? ", ICRC corrected" : "")) {
          both->take(frame);
        }
        num_matches += std::exchange(both->num_matches, 0);
      }
      // The two addresses of Ethernet at least, which no port judges.
      BOOST_TEST(num_matches > 96U);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_length_fares_as_when_it_is_read) {
  for (const Shape& shape : shapes) {
    auto both = std::make_unique<Both>(shape);
    const std::size_t whole = frame_of(both->told_apart, shape).size();
    for (std::size_t size = type_at + 2; size < whole + 70; ++size) {
      if (both->over()) both = std::make_unique<Both>(shape);
      Octets frame = frame_of(both->told_apart, shape);
      frame.resize(size);
      BOOST_TEST_CONTEXT(shape.name << ", " << size << " octets") { both->take(frame); }
    }
  }
}

// Each of the two bytes of every length field takes values around the right one and at the ends.
BOOST_AUTO_TEST_CASE(every_length_field_fares_as_when_it_is_read) {
  for (const Shape& shape : shapes) {
    auto both = std::make_unique<Both>(shape);
    const bool ip4 = shape.icrc == IcrcStart::ipv4;
    const std::vector<std::size_t> fields = ip4 ? std::vector<std::size_t>{2, 24} : std::vector<std::size_t>{4, 44};
    for (const std::size_t field : fields) {
      for (const bool all : {false, true}) {
        for (int change = -60; change <= 60; ++change) {
          if (both->over()) both = std::make_unique<Both>(shape);
          Octets frame = frame_of(both->told_apart, shape);
          for (const std::size_t each : fields) {
            if (each != field && !all) continue;
            if (shape.icrc == IcrcStart::grh && each == 44) continue;  // has no UDP header
            std::uint8_t* const at = frame.data() + shape.network_at + each;
            store_be<2>(at, load_be<2>(at) + static_cast<std::uint64_t>(change));
          }
          correct_icrc(frame, shape);
          BOOST_TEST_CONTEXT(shape.name << ", field at " << field << " by " << change) { both->take(frame); }
        }
      }
    }
  }
}

//= MIG-03 test
BOOST_AUTO_TEST_CASE(while_the_path_may_change_frames_of_both_are_read) {
  Script script;
  Net net(script);
  net.migration(verbs::MigrationState::armed);
  FrameSpec spec = net.spec();
  spec.bth.migrated = false;
  net.port.on_frame(Net::octets(spec), {});
  BOOST_TEST(net.end.qp.responder().expected_psn().value == 101U);
  // From the alternate path's other end, and asking to migrate.
  spec.bth.psn = {101};
  spec.bth.migrated = true;
  spec.ipv4->source = {{10, 0, 0, 9}};
  net.port.on_frame(Net::octets(spec), {});
  BOOST_TEST(net.end.qp.responder().expected_psn().value == 102U);
  BOOST_TEST((net.end.qp.verbs().attributes().migration == verbs::MigrationState::migrated));
  // Now that one is the path, and the first is not.
  spec.bth.psn = {102};
  net.port.on_frame(Net::octets(spec), {});
  BOOST_TEST(net.end.qp.responder().expected_psn().value == 103U);
  spec.bth.psn = {103};
  spec.ipv4->source = {{10, 0, 0, 2}};
  net.port.on_frame(Net::octets(spec), {});
  BOOST_TEST(net.port.num_dropped(DropCause::wrong_address) == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::ib::test
