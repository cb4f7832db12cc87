// Edges: wraps, exhaustion, every code of the timers, every path MTU. Both halves of a pair, or one with a peer by
// hand.
#include "protocol/ib/rc_scenario_test.h"

namespace rdmawire::ib::test {
namespace {

using enum Opcode;
using W = verbs::WorkOpcode;

BOOST_AUTO_TEST_SUITE(boundaries)

//= PSN-01 test
RDMAWIRE_SCENARIO(requester_psn_wraps) {
  Setup setup;
  setup.attributes.sq_psn = {0xFFFFFE};
  Rc t(script, setup);
  t.post(t.work(1, W::rdma_write, 1200),
         "RC_RDMA_WRITE_FIRST 16777214 len 256 [00..00] va 0x200000 key 0x55 dma 1200, RC_RDMA_WRITE_MIDDLE 16777215 "
         "len 256 [00..00], RC_RDMA_WRITE_MIDDLE 0 len 256 [00..00], RC_RDMA_WRITE_MIDDLE 1 len 256 [00..00], "
         "RC_RDMA_WRITE_LAST 2 len 176 A [00..00]");
  t.take(ack(0, 0), "");
  t.take(ack(2, 1), "RDMA_WRITE 1 SUCCESS");
}
//= PSN-01 test
//= RD-05 test
RDMAWIRE_SCENARIO(read_over_the_wrap_is_asked_for_again) {
  Setup setup;
  setup.attributes.sq_psn = {0xFFFFFF};
  Rc t(script, setup);
  t.post(t.work(1, W::rdma_read, 768), "RC_RDMA_READ_REQUEST 16777215 A va 0x200000 key 0x55 dma 768");
  t.take(Packet(RC_RDMA_READ_RESPONSE_FIRST, 0xFFFFFF).data(256).aeth(0x1F, 1), "");
  t.take(Packet(RC_RDMA_READ_RESPONSE_LAST, 1).data(256).aeth(0x1F, 1),
         "RC_RDMA_READ_REQUEST 0 A va 0x200100 key 0x55 dma 512");
}

//= MSN-08 test
// No scenario: it takes too long to run for each quirk.
BOOST_AUTO_TEST_CASE(msn_wraps) {
  Script script;
  Rc t(script);
  RxPacket packet = t.write(100, 0, 0).quiet().rx;
  for (std::uint32_t i = 0; i < Msn::modulus - 2; ++i) {
    packet.bth.psn = Psn{100} + i;
    t.end.qp.on_packet(packet, {});
  }
  t.take(t.write(98, 0, 0), "RC_ACKNOWLEDGE 98 0x00 msn 16777215");
  t.take(t.write(99, 0, 4), "RC_ACKNOWLEDGE 99 0x00 msn 0");
  t.take(t.write(100, 0, 4), "RC_ACKNOWLEDGE 100 0x00 msn 1");
}
//= MSN-08 test
//= CRD-02 test
// The limit is a message number that wraps too.
RDMAWIRE_SCENARIO(credit_limit_wraps) {
  Rc t(script);
  t.post(t.work(1, W::send, 4), "RC_SEND_ONLY 100 len 4 A [00000000]");
  t.take(ack(100, 0xFFFFFF, 0x04), "SEND 1 SUCCESS");
  for (std::uint64_t i = 2; i <= 4; ++i) t.hold(t.work(i, W::send, 4));
  t.poll("RC_SEND_ONLY 101 len 4 A [00000000], RC_SEND_ONLY 102 len 4 A [00000000]");
}

//= PSN-03 test
// Reads of 2^23 packets together: the last of them would be one too many.
RDMAWIRE_SCENARIO(no_more_than_half_the_psns_are_outstanding) {
  Setup setup;
  setup.config.max_outstanding_packets = Psn::modulus;  // only PSN-03 holds it back
  Rc t(script, setup);
  // A region that says it is so large; only its first octets are touched.
  const MutableBytes large(t.end.octets.data(), 1U << 31);
  const auto key = t.end.memory.register_region(t.end.pd, large, 0x100000000, verbs::rights::local_write).value();
  const auto read = [&](std::uint64_t id, std::uint32_t size) {
    auto work = t.work(id, W::rdma_read, 0);
    const std::array sges{verbs::Sge{0x100000000, size, key}};
    work.sges = sges;
    t.hold(work);
  };
  read(1, 1U << 31);
  read(2, 4);
  t.poll("RC_RDMA_READ_REQUEST 100 A va 0x200000 key 0x55 dma 2147483648");
  t.take(Packet(RC_RDMA_READ_RESPONSE_FIRST, 100).data(256).aeth(0x1F, 1),
         "RC_RDMA_READ_REQUEST 8388708 A va 0x200000 key 0x55 dma 4");
}

//= RNR-05 test
RDMAWIRE_SCENARIO(rnr_retry_seven_is_for_ever) {
  Setup setup;
  setup.attributes.rnr_retry = 7;
  Rc t(script, setup);
  t.post(t.work(1, W::send, 4), "RC_SEND_ONLY 100 len 4 A [00000000]");
  std::int64_t ns = 0;
  unsigned num_sent = 0;
  for (unsigned i = 0; i < 1000; ++i) {
    t.hold(ack(100, 0, 0x21));
    ns += 10000;
    t.now = Time(ns);
    t.end.qp.on_deadline(t.now);
    while (t.end.poll(t.now)) ++num_sent;
  }
  t.note(std::to_string(num_sent), "1000");
  t.take(ack(100, 1), "SEND 1 SUCCESS");
}
//= RNR-05 test
RDMAWIRE_SCENARIO(each_rnr_retry_count) {
  std::string sent;
  for (std::uint8_t count = 0; count < 7; ++count) {
    Setup setup;
    setup.attributes.rnr_retry = count;
    Rc t(script, setup);
    t.hold(t.work(1, W::send, 4));
    unsigned number = 0;
    for (unsigned i = 0; i < 10; ++i) {
      while (t.end.poll(t.now)) ++number;
      t.hold(ack(100, 0, 0x21));
      t.now += Time(10000);
    }
    sent += ' ' + std::to_string(number);
  }
  script.expect(sent, " 1 2 3 4 5 6 7", std::source_location::current());
}
//= TMO-05 test
RDMAWIRE_SCENARIO(each_retry_count) {
  std::string sent;
  for (std::uint8_t count = 0; count < 8; ++count) {
    Setup setup;
    setup.attributes.retry_count = count;
    Rc t(script, setup);
    t.hold(t.work(1, W::rdma_write, 4));
    unsigned number = 0;
    for (unsigned i = 0; i < 10; ++i) {
      while (t.end.poll(t.now)) ++number;
      t.now += Time(67108864);
      t.end.qp.on_deadline(t.now);
    }
    sent += ' ' + std::to_string(number);
  }
  script.expect(sent, " 1 2 3 4 5 6 7 8", std::source_location::current());
}

//= TMO-01 test
//= TMO-02 test
RDMAWIRE_SCENARIO(each_timeout_code) {
  std::string all;
  for (std::uint8_t code = 0; code < 32; ++code) {
    Setup setup;
    setup.attributes.timeout = {code};
    Rc t(script, setup);
    t.hold(t.work(1, W::rdma_write, 4));
    (void)t.end.poll();
    const auto due = t.end.qp.next_deadline();
    all += ' ' + (due ? std::to_string(due->count()) : std::string("never"));
  }
  script.expect(all,
                " never 8192 16384 32768 65536 131072 262144 524288 1048576 2097152 4194304 8388608 16777216 33554432"
                " 67108864 134217728 268435456 536870912 1073741824 2147483648 4294967296 8589934592 17179869184"
                " 34359738368 68719476736 137438953472 274877906944 549755813888 1099511627776 2199023255552"
                " 4398046511104 8796093022208",
                std::source_location::current());
}
//= RNR-04 test
//= RNR-10 test
//= RNR-11 test
RDMAWIRE_SCENARIO(each_rnr_code) {
  std::string all;
  for (unsigned code = 0; code < 32; ++code) {
    Rc t(script);
    t.hold(t.work(1, W::send, 4));
    (void)t.end.poll();
    t.hold(ack(100, 0, 0x20 | code));
    const auto due = t.end.qp.next_deadline();
    all += ' ' + (due ? std::to_string(due->count()) : std::string("never"));
  }
  script.expect(
      all,
      " 655360000 10000 20000 30000 40000 60000 80000 120000 160000 240000 320000 480000 640000 960000 1280000"
      " 1920000 2560000 3840000 5120000 7680000 10240000 15360000 20480000 30720000 40960000 61440000"
      " 81920000 122880000 163840000 245760000 327680000 491520000",
      std::source_location::current());
}

//= LEN-12 test
//= PSN-05 test
// 5000 octets, written and read: the packets and the octets of the last one.
RDMAWIRE_SCENARIO(each_path_mtu) {
  std::string all;
  for (std::uint8_t code = 1; code <= 5; ++code) {
    Setup setup;
    setup.attributes.path_mtu = {code};
    Rc t(script, setup);
    for (const bool write : {true, false}) {
      if (write) t.hold(t.work(1, W::rdma_write, 5000));
      if (!write) t.hold(t.read(100, 0, 5000));
      unsigned number = 0;
      std::size_t size = 0;
      while (const auto sent = t.end.poll()) {
        ++number;
        size = sent->payload.size();
      }
      all += ' ' + std::to_string(number) + '/' + std::to_string(size);
    }
  }
  script.expect(all, " 20/136 20/136 10/392 10/392 5/904 5/904 3/904 3/904 2/904 2/904",
                std::source_location::current());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::ib::test
