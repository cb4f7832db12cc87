// Frames of a port are those of testdata/reference, octet by octet.
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "codec/base/header_test.h"
#include "protocol/ib/port_scenario_test.h"

namespace rdmawire::ib::test {
namespace {

using enum Opcode;

std::map<std::string, std::vector<std::uint8_t>> vectors() {
  std::ifstream file("testdata/reference/vectors.json");
  std::map<std::string, std::vector<std::uint8_t>> out;
  for (const auto& row : nlohmann::json::parse(file)) {
    out[row["name"].get<std::string>()] = rdmawire::test::octets(row["hex"].get<std::string>());
  }
  return out;
}

struct OfReference {
  std::string name;
  NetSetup setup;
};
std::vector<OfReference> setups() {
  std::vector<OfReference> out{
      {"v6", setup_for(v6)}, {"v1", setup_for(v1)}, {"ib-local", native(false)}, {"ib-global", native()}};
  for (OfReference& one : out) {
    one.setup.attributes.sq_psn = one.setup.attributes.rq_psn = {256};
  }
  out[0].setup.attributes.path.flow_label = 0xBEEF;
  out[0].setup.attributes.path.udp_source_port = {0xC0DE};
  return out;
}

BOOST_AUTO_TEST_SUITE(port_octets)

//= V1-01 test
//= V2-16 test
//= CRC-02 test
//= CRC-03 test
BOOST_AUTO_TEST_CASE(send_is_that_of_the_reference_octet_by_octet) {
  const auto all = vectors();
  for (OfReference one : setups()) {
    BOOST_TEST_CONTEXT(one.name) {
      if (one.name == "v6") one.setup.attributes.path.traffic_class = 0x1A;
      one.setup.attributes.destination_qp = {0x12};
      Script script;
      Net t(script, one.setup);
      for (std::uint8_t i = 0; i < 16; ++i) t.end.octets[i] = i;
      const std::array sges{t.end.sge(0, 16)};
      verbs::SendWork work;
      work.opcode = verbs::WorkOpcode::send;
      work.solicited = true;
      work.sges = sges;
      BOOST_TEST(t.end.qp.post_send(work).has_value());
      std::vector<std::uint8_t> out(max_frame_len(4096));
      out.resize(t.port.poll_transmit(out, {}));
      BOOST_TEST(out == all.at(one.name + " RC SEND ONLY 16 B AckReq SE"), boost::test_tools::per_element());
    }
  }
}
//= ACK-10 test
//= CRD-01 test
BOOST_AUTO_TEST_CASE(acknowledge_is_that_of_the_reference_octet_by_octet) {
  const auto all = vectors();
  for (OfReference one : setups()) {
    BOOST_TEST_CONTEXT(one.name) {
      if (one.name == "v6") one.setup.attributes.path.traffic_class = 0x02;
      one.setup.attributes.destination_qp = {0x21};
      Script script;
      Net t(script, one.setup);
      const std::array sges{t.end.sge(0, 16)};
      for (std::uint64_t i = 0; i < 100; ++i) BOOST_TEST(t.end.qp.post_receive({{i}, sges}).has_value());
      t.port.on_frame(Net::octets(t.spec(256, RC_SEND_ONLY)), {});
      std::vector<std::uint8_t> out(max_frame_len(4096));
      out.resize(t.port.poll_transmit(out, {}));
      BOOST_TEST(out == all.at(one.name + " RC ACK credit code 0x0d (96)"), boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::ib::test
