#include "dissector/messages.h"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>

#include <string>
#include <vector>

#include "codec/frame_build.h"

namespace rdmawire::dissector {
namespace {

using ib::Opcode;

constexpr std::array payload{std::uint8_t{1}, std::uint8_t{2}, std::uint8_t{3}, std::uint8_t{4}};

class Sender {
 public:
  explicit Sender(Messages& messages, std::uint32_t qp = 0x11, std::uint8_t address = 1)
      : messages_(messages), qp_(qp), address_(address) {}

  // "message.number", with a ! if it is the last; "-" for none.
  std::string say(Opcode opcode, std::uint32_t psn, bool good = true) {
    FrameSpec spec = rocev2_spec();
    spec.ipv4->source = {{10, 0, 0, address_}};
    spec.bth.opcode = opcode;
    spec.bth.dest_qp = {qp_};
    spec.bth.psn = {psn};
    spec.payload = payload;
    std::vector<std::uint8_t> octets(200);
    const auto size = build_frame(spec, octets);
    BOOST_REQUIRE(size.has_value());
    octets.resize(*size);
    if (!good) octets.back() ^= 1;
    const auto part = messages_.add(parse_frame(LinkType::ethernet, octets, static_cast<std::uint32_t>(octets.size())));
    if (!part) return "-";
    return std::to_string(part->message) + "." + std::to_string(part->number) + (part->last ? "!" : "");
  }

 private:
  Messages& messages_;
  std::uint32_t qp_;
  std::uint8_t address_;
};

BOOST_AUTO_TEST_SUITE(messages)

BOOST_AUTO_TEST_CASE(the_packets_of_a_message_count_from_its_first_and_psns_wrap) {
  Messages all;
  Sender sender(all);
  BOOST_TEST(sender.say(Opcode::RC_SEND_FIRST, 0xFFFFFE) == "0.0");
  BOOST_TEST(sender.say(Opcode::RC_SEND_MIDDLE, 0xFFFFFF) == "0.1");
  BOOST_TEST(sender.say(Opcode::RC_SEND_LAST_WITH_IMMEDIATE, 0) == "0.2!");
  BOOST_TEST(sender.say(Opcode::RC_SEND_FIRST, 1) == "1.0");
}

BOOST_AUTO_TEST_CASE(what_is_no_send_of_several_packets_is_no_part_and_changes_nothing) {
  Messages all;
  Sender sender(all);
  BOOST_TEST(sender.say(Opcode::RC_SEND_ONLY, 4) == "-");
  BOOST_TEST(sender.say(Opcode::RC_SEND_MIDDLE, 5) == "-");
  BOOST_TEST(sender.say(Opcode::RC_SEND_FIRST, 6) == "0.0");
  BOOST_TEST(sender.say(Opcode::RC_RDMA_WRITE_MIDDLE, 7) == "-");
  BOOST_TEST(sender.say(Opcode::RC_SEND_LAST, 7) == "0.1!");
}

BOOST_AUTO_TEST_CASE(after_a_loss_the_message_goes_on_where_it_stood) {
  Messages all;
  Sender sender(all);
  BOOST_TEST(sender.say(Opcode::RC_SEND_FIRST, 10) == "0.0");
  BOOST_TEST(sender.say(Opcode::RC_SEND_MIDDLE, 12) == "-");
  BOOST_TEST(sender.say(Opcode::RC_SEND_LAST, 13) == "-");
  // Go back N.
  BOOST_TEST(sender.say(Opcode::RC_SEND_MIDDLE, 11) == "0.1");
  BOOST_TEST(sender.say(Opcode::RC_SEND_MIDDLE, 11) == "-");
  BOOST_TEST(sender.say(Opcode::RC_SEND_MIDDLE, 12) == "0.2");
  BOOST_TEST(sender.say(Opcode::RC_SEND_LAST, 13) == "0.3!");
  BOOST_TEST(sender.say(Opcode::RC_SEND_LAST, 13) == "-");
}

BOOST_AUTO_TEST_CASE(a_corrupted_packet_is_no_part_and_the_one_that_replaces_it_is) {
  Messages all;
  Sender sender(all);
  BOOST_TEST(sender.say(Opcode::RC_SEND_FIRST, 10) == "0.0");
  BOOST_TEST(sender.say(Opcode::RC_SEND_LAST, 11, false) == "-");
  BOOST_TEST(sender.say(Opcode::RC_SEND_LAST, 11) == "0.1!");
}

BOOST_AUTO_TEST_CASE(a_message_that_is_sent_again_whole_is_one_more) {
  Messages all;
  Sender sender(all);
  BOOST_TEST(sender.say(Opcode::UC_SEND_FIRST, 10) == "0.0");
  BOOST_TEST(sender.say(Opcode::UC_SEND_FIRST, 10) == "1.0");
  BOOST_TEST(sender.say(Opcode::UC_SEND_LAST, 11) == "1.1!");
}

BOOST_AUTO_TEST_CASE(senders_are_told_apart_by_queue_pair_address_and_service) {
  Messages all;
  Sender one(all, 0x11, 1);
  Sender other_qp(all, 0x12, 1);
  Sender other_address(all, 0x11, 2);
  BOOST_TEST(one.say(Opcode::RC_SEND_FIRST, 10) == "0.0");
  BOOST_TEST(other_qp.say(Opcode::RC_SEND_FIRST, 10) == "1.0");
  BOOST_TEST(other_address.say(Opcode::RC_SEND_FIRST, 10) == "2.0");
  BOOST_TEST(one.say(Opcode::UC_SEND_FIRST, 10) == "3.0");
  BOOST_TEST(other_address.say(Opcode::RC_SEND_LAST, 11) == "2.1!");
  BOOST_TEST(one.say(Opcode::RC_SEND_LAST, 11) == "0.1!");
  BOOST_TEST(other_qp.say(Opcode::RC_SEND_LAST, 11) == "1.1!");
}

BOOST_AUTO_TEST_CASE(a_whole_message_has_the_opcode_of_one_packet_with_the_same_headers) {
  const auto whole = [](Opcode opcode) { return whole_message(*ib::find(opcode)).name; };
  BOOST_TEST(whole(Opcode::RC_SEND_LAST) == "RC_SEND_ONLY");
  BOOST_TEST(whole(Opcode::RC_SEND_LAST_WITH_IMMEDIATE) == "RC_SEND_ONLY_WITH_IMMEDIATE");
  BOOST_TEST(whole(Opcode::RC_SEND_LAST_WITH_INVALIDATE) == "RC_SEND_ONLY_WITH_INVALIDATE");
  BOOST_TEST(whole(Opcode::UC_SEND_LAST_WITH_IMMEDIATE) == "UC_SEND_ONLY_WITH_IMMEDIATE");
  BOOST_TEST(whole(Opcode::XRC_SEND_LAST_WITH_INVALIDATE) == "XRC_SEND_ONLY_WITH_INVALIDATE");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::dissector
