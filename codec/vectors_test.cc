// The 55 packets of testdata/reference/vectors.json: 7 from other projects and real devices, 48 made for this one by
// independent code (bitwise CRC in Python) and checked with scapy.
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "codec/base/header_test.h"
#include "codec/frame.h"
#include "codec/frame_build.h"

namespace {

using namespace rdmawire;

struct Vector {
  std::string name;
  std::string kind;
  std::vector<std::uint8_t> octets;

  LinkType link() const { return kind == "ib" || kind == "fc" ? LinkType::infiniband : LinkType::ethernet; }
  Frame parse() const { return parse_frame(link(), octets, static_cast<std::uint32_t>(octets.size())); }
};

std::vector<Vector> vectors() {
  std::ifstream file("testdata/reference/vectors.json");
  std::vector<Vector> out;
  for (const auto& row : nlohmann::json::parse(file))
    out.push_back({row["name"], row["kind"], test::octets(row["hex"].get<std::string>())});
  BOOST_REQUIRE(out.size() == 55U);
  return out;
}

Vector vector_named(const std::string& name) {
  for (const Vector& vector : vectors()) {
    if (vector.name == name) return vector;
  }
  BOOST_FAIL("no vector " << name);
  return {};
}

std::string layer_names(const Frame& frame) {
  std::string names;
  for (const LayerRef& ref : frame.layers()) names += (names.empty() ? "" : " ") + std::string(info(ref.layer).name);
  return names;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(vectors_of_the_reference)

//= CRC-01, CRC-02, CRC-03, V1-01, V2-16 test
BOOST_AUTO_TEST_CASE(each_is_read_to_its_end_with_good_crcs) {
  const std::map<std::string, Family> families{{"eth-v1", Family::rocev1},
                                               {"eth-v4", Family::rocev2},
                                               {"eth-v6", Family::rocev2},
                                               {"ib", Family::infiniband},
                                               {"fc", Family::infiniband}};
  for (const Vector& vector : vectors()) {
    BOOST_TEST_CONTEXT(vector.name) {
      const Frame frame = vector.parse();
      BOOST_TEST(!frame.error, to_string(frame.error).view());
      BOOST_TEST((frame.family == families.at(vector.kind)));
      BOOST_TEST(frame.packet_end == vector.octets.size());
      BOOST_TEST((frame.icrc.status == (vector.kind == "fc" ? CrcStatus::absent : CrcStatus::good)));
      BOOST_TEST((frame.vcrc.status == (vector.link() == LinkType::infiniband ? CrcStatus::good : CrcStatus::absent)));
    }
  }
}

BOOST_AUTO_TEST_CASE(each_is_built_again_octet_by_octet) {
  for (const Vector& vector : vectors()) {
    BOOST_TEST_CONTEXT(vector.name) {
      const Frame frame = vector.parse();
      const auto spec = spec_of(frame);
      BOOST_REQUIRE(spec.has_value());
      // CRCs and checksums are computed, not copied.
      BOOST_TEST(!spec->keep.icrc);
      BOOST_TEST(!spec->keep.vcrc);
      BOOST_TEST(!spec->keep.ip_checksum);
      BOOST_TEST(!spec->keep.udp_checksum);
      BOOST_TEST(frame_size(*spec) == vector.octets.size());
      std::vector<std::uint8_t> out(vector.octets.size(), 0xA5);
      const auto size = build_frame(*spec, out);
      BOOST_REQUIRE(size.has_value());
      BOOST_TEST(*size == vector.octets.size());
      BOOST_TEST(out == vector.octets, boost::test_tools::per_element());
      std::vector<std::uint8_t> small(vector.octets.size() - 1);
      BOOST_TEST((build_frame(*spec, small).error().code == ErrorCode::output_too_small));
    }
  }
}

// The ICRC covers what is invariant: a flipped bit there makes it bad, in a masked field it does not.
//= CRC-04 test
BOOST_AUTO_TEST_CASE(every_flipped_bit_is_found_or_is_in_a_variant_field) {
  std::size_t found = 0;
  std::size_t masked = 0;
  for (const Vector& vector : vectors()) {
    if (vector.kind == "fc") continue;
    const Frame whole = vector.parse();
    const std::size_t start = whole.layers()[vector.kind == "ib" ? 0 : 1].offset;
    for (std::size_t bit = 8 * start; bit < 8 * std::size_t{whole.packet_end}; ++bit) {
      Vector damaged = vector;
      damaged.octets[bit / 8] = static_cast<std::uint8_t>(damaged.octets[bit / 8] ^ 0x80U >> bit % 8);
      const Frame frame = damaged.parse();
      if (vector.kind == "ib") {
        // Everything but a length that moves the CRC is covered by the VCRC.
        BOOST_REQUIRE((frame.vcrc.status != CrcStatus::good));
        continue;
      }
      if (frame.icrc.status == CrcStatus::good) {
        ++masked;
      } else {
        ++found;
      }
    }
  }
  // Masked bits a packet: IPv4 TOS, TTL, two checksums and BTH octet 4: 8 + 8 + 16 + 16 + 8 = 56; IPv6 8 + 20 + 8 + 16
  // + 8 = 60; RoCEv1 8 + 20 + 8 + 8 = 44.
  std::size_t v4 = 0;
  std::size_t v6 = 0;
  std::size_t v1 = 0;
  for (const Vector& vector : vectors()) {
    v4 += vector.kind == "eth-v4";
    v6 += vector.kind == "eth-v6";
    v1 += vector.kind == "eth-v1";
  }
  BOOST_TEST(masked == 56 * v4 + 60 * v6 + 44 * v1);
  BOOST_TEST(found > 0U);
}

BOOST_AUTO_TEST_CASE(every_prefix_is_cut_never_bad) {
  for (const Vector& vector : vectors()) {
    BOOST_TEST_CONTEXT(vector.name) {
      for (std::size_t cut = 0; cut < vector.octets.size(); ++cut) {
        // A copy of its own, so that a sanitizer sees a read past the end.
        const std::vector<std::uint8_t> octets(vector.octets.begin(),
                                               vector.octets.begin() + static_cast<std::ptrdiff_t>(cut));
        const Frame frame = parse_frame(vector.link(), octets, static_cast<std::uint32_t>(vector.octets.size()));
        BOOST_REQUIRE((!frame.error || frame.error.error_class() == ErrorClass::truncated_capture));
        BOOST_REQUIRE((frame.icrc.status == CrcStatus::unchecked || frame.icrc.status == CrcStatus::absent ||
                       (vector.kind == "ib" && frame.icrc.status == CrcStatus::good)));
        BOOST_REQUIRE((frame.vcrc.status == CrcStatus::unchecked || frame.vcrc.status == CrcStatus::absent));
      }
    }
  }
}

//= CN-02 test
BOOST_AUTO_TEST_CASE(layers_and_values_of_one_of_each_carrier) {
  const Vector cnp = vector_named("s3 RoCEv2/IPv4 CNP captured on ConnectX-4 Lx");
  Frame frame = cnp.parse();
  BOOST_TEST(layer_names(frame) == "eth ip udp bth cnp");
  BOOST_TEST(frame.get<net::Udp>()->source_port.value == 0);
  BOOST_TEST(frame.get<net::Ipv4>()->traffic_class.dscp() == 48);
  BOOST_TEST((frame.get<ib::Bth>()->opcode == ib::Opcode{0x81}));
  BOOST_TEST(frame.get<ib::Bth>()->becn);
  BOOST_TEST(!frame.get<ib::Bth>()->solicited);
  BOOST_TEST(!frame.get<ib::Bth>()->migrated);
  BOOST_TEST(frame.get<ib::Bth>()->psn.value == 0U);
  BOOST_TEST((frame.get<ib::CnpReserved>()->reserved == std::array<std::uint8_t, 16>{}));
  BOOST_TEST(frame.payload_len == 0U);
  BOOST_TEST(frame.icrc.stored == 0x82FD002AU);
  BOOST_TEST(frame.icrc.computed == 0x82FD002AU);
  BOOST_TEST(frame.icrc.offset == 70U);

  const Vector write = vector_named("s4 RoCEv1 RC RDMA WRITE ONLY pad3");
  frame = write.parse();
  BOOST_TEST(layer_names(frame) == "eth grh bth reth");
  BOOST_TEST(frame.payload_offset == 82U);
  BOOST_TEST(frame.payload_len == 5U);
  BOOST_TEST(frame.pad_len == 3);
  BOOST_TEST(frame.get<ib::Reth>()->dma_len == 5U);

  const Vector global = vector_named("n2 native global RC RDMA WRITE ONLY 14 B");
  frame = global.parse();
  BOOST_TEST(layer_names(frame) == "lrh grh bth reth");
  BOOST_TEST(frame.payload_len == 14U);
  BOOST_TEST(frame.vcrc.stored == 0x7C44U);
  // A CRC sample, not a valid packet: NxtHdr 0 and PayLen 50 where 48 follow.
  BOOST_TEST(to_string(first_violation(frame)).view() == "Global Route Header at offset 8: unknown next protocol");

  const Vector link = vector_named("ib flow control packet");
  frame = link.parse();
  BOOST_TEST(layer_names(frame) == "flow_control");
  BOOST_TEST(frame.get<ib::FlowControl>()->credit_limit == 0x456);
  BOOST_TEST(frame.vcrc.computed == 0x6A84U);
}

//= MPE-01, MPE-06, XRC-01 test
BOOST_AUTO_TEST_CASE(headers_of_the_later_annexes) {
  const Vector flush = vector_named("v4 RC FLUSH global visibility, range");
  Frame frame = flush.parse();
  BOOST_TEST(layer_names(frame) == "eth ip udp bth feth reth");
  BOOST_TEST((frame.get<ib::Bth>()->opcode == ib::Opcode{0x1C}));
  BOOST_TEST(!frame.get<ib::Bth>()->solicited);
  BOOST_TEST(frame.payload_len == 0U);
  const Vector write = vector_named("v4 RC ATOMIC WRITE");
  frame = write.parse();
  BOOST_TEST(layer_names(frame) == "eth ip udp bth reth");
  BOOST_TEST((frame.get<ib::Bth>()->opcode == ib::Opcode{0x1D}));
  BOOST_TEST(frame.get<ib::Reth>()->dma_len == 8U);
  BOOST_TEST(frame.payload_len == 8U);
  const Vector xrc = vector_named("v4 XRC SEND ONLY 4 B");
  frame = xrc.parse();
  BOOST_TEST(layer_names(frame) == "eth ip udp bth xrceth");
  BOOST_TEST((frame.get<ib::Bth>()->opcode == ib::Opcode{0xA4}));
  BOOST_TEST(frame.get<ib::Xrceth>()->srqn.value == 0x77U);
  BOOST_TEST(frame.payload_len == 4U);
}

BOOST_AUTO_TEST_CASE(strict_accepts_all_but_the_crc_sample) {
  std::string refused;
  for (const Vector& vector : vectors()) {
    if (!parse_frame_strict(vector.link(), vector.octets, static_cast<std::uint32_t>(vector.octets.size())))
      refused += vector.name + "\n";
  }
  BOOST_TEST(refused == "n2 native global RC RDMA WRITE ONLY 14 B\n");
}

BOOST_AUTO_TEST_SUITE_END()
