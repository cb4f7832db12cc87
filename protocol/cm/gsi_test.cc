// Messages of the manager on the wire: over queue pair 1 of a port.
#include <algorithm>

#include "protocol/cm/host_test.h"
#include "protocol/ib/port.h"
#include "protocol/ib/ud_queue_pair.h"

namespace rdmawire::cm {
namespace {

using namespace test;

// The first frame of rxe-rping.pcap up to its MAD.
constexpr std::string_view captured_headers =
    "525400770002525400770001080045000134"
    "8d9a400040119782"
    "0a4d00010a4d0002d87212b701200000"
    "6400ffff00000001800000008001000000000001";

}  // namespace

BOOST_AUTO_TEST_SUITE(cm_gsi)

//= CM-01 test
BOOST_AUTO_TEST_CASE(req_goes_from_queue_pair_1_to_queue_pair_1) {
  ib::PortConfig config;
  config.mac = {{0x52, 0x54, 0, 0x77, 0, 1}};
  config.gids = {{gid(1), ib::Carrier::rocev2, std::nullopt}};
  config.max_queue_pairs = 1;
  ib::Port port(config);
  verbs::MemoryTable memory{{1, 4}};
  const verbs::Pd pd = memory.allocate_pd().value();
  verbs::CompletionQueue cq{4};
  verbs::EventQueue events{4};
  ib::UdQueuePair qp({ib::gsi_qp, verbs::Service::ud, pd, {1, 1, mad::mad_size}, {1, 1, 0}, false},
                     {memory, cq, cq, events, nullptr}, ib::mtu1024);
  BOOST_REQUIRE(port.attach(qp).has_value());
  {
    using namespace verbs::attribute;
    verbs::QpAttributes a;
    a.q_key = ib::gsi_q_key;
    BOOST_REQUIRE(qp.modify(verbs::QpState::init, a, p_key_index | verbs::attribute::port | q_key).has_value());
    BOOST_REQUIRE(qp.modify(verbs::QpState::rtr, a).has_value());
    BOOST_REQUIRE(qp.modify(verbs::QpState::rts, a, sq_psn).has_value());
  }

  Active a;
  a.reply.destination_mac = {{0x52, 0x54, 0, 0x77, 0, 2}};
  a.reply.udp_source_port = {0xD872};
  ConnectParams params = rping_params();
  params.path.to = a.reply;
  a.connect(params);
  verbs::SendWork work;
  work.inline_data = true;
  work.data = a.last.octets;
  work.destination = a.last.path;
  work.destination_qp = ib::gsi_qp;
  work.q_key = ib::gsi_q_key;
  BOOST_REQUIRE(qp.post_send(work).has_value());
  std::array<std::uint8_t, ib::max_frame_len(4096)> frame{};
  const std::size_t size = port.poll_transmit(frame, {});

  auto expected = rdmawire::test::octets(captured_headers);
  const auto mad = captured_req();
  expected.insert(expected.end(), mad.begin(), mad.end());
  BOOST_REQUIRE_EQUAL(size, expected.size() + 4);
  // rxe leaves M clear, and asks for an ACK that no datagram gets.
  BOOST_TEST(frame[43] == 0x40);
  BOOST_TEST(frame[50] == 0);
  frame[43] = 0;
  frame[50] = 0x80;
  // It counts in the IP identification; the two checksums follow from it.
  for (const std::size_t at : {18U, 19U, 24U, 25U}) frame[at] = expected[at];
  BOOST_CHECK_EQUAL_COLLECTIONS(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(expected.size()),
                                expected.begin(), expected.end());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::cm
