// Congestion and migration, which are the port's.
#include "protocol/ib/port_scenario_test.h"

namespace rdmawire::ib::test {
namespace {

using enum Opcode;

BOOST_AUTO_TEST_SUITE(port_congestion)

//= CN-01 test
//= CN-02 test
//= CN-03 test
//= CN-09 test
//= MIG-04 test
RDMAWIRE_SCENARIO(congestion_mark_is_answered_by_a_cnp) {
  Net t(script);
  auto spec = t.spec();
  spec.ipv4->traffic_class = {3};
  spec.bth.ack_request = false;
  t.take(spec, "rocev2 CNP (RoCEv2, Annex A17) 0 qp 0x17 B");
  // DSCP 48 and ECT(0); then the BTH and sixteen octets of zeros.
  t.note(t.part(15, 1), "c2");
  t.note(t.part(42, 28), "8100ffff400000170000000000000000000000000000000000000000");
}
//= CN-01 test
RDMAWIRE_SCENARIO(congestion_mark_of_ipv6) {
  Net t(script, setup_for(v6));
  auto spec = t.spec();
  spec.ipv6->traffic_class = {3};
  t.take(spec, "rocev2 CNP (RoCEv2, Annex A17) 0 qp 0x17 B, rocev2 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M");
}
//= CN-07 test
RDMAWIRE_SCENARIO(cnps_are_paced) {
  Net t(script);
  for (std::uint32_t i = 0; i < 3; ++i) {
    auto spec = t.spec(100 + i);
    spec.ipv4->traffic_class = {3};
    spec.bth.ack_request = false;
    t.now = Time(i * 25000);
    t.take(spec, i == 1 ? "" : "rocev2 CNP (RoCEv2, Annex A17) 0 qp 0x17 B");
  }
}
//= CN-07 test
// Two queue pairs marked at once, with the same peer or with two: CNPs for each way of pacing.
RDMAWIRE_SCENARIO(unit_of_cnp_pacing) {
  std::string all;
  for (const CnpPacing pacing : {CnpPacing::queue_pair, CnpPacing::destination, CnpPacing::port}) {
    for (const std::uint8_t peer : {std::uint8_t{2}, std::uint8_t{3}}) {
      NetSetup setup;
      setup.config.cnp_pacing = pacing;
      Net t(script, setup);
      vectors::RecordedRc second(t.end.recording, t.end.config_of(9, 64), t.end.resources(), {}, vectors::RcIn::port);
      auto attributes = t.attributes();
      attributes.path.destination_gid.octets[15] = peer;
      End::connect(second, attributes);
      (void)t.port.attach(second);
      auto spec = t.spec();
      spec.ipv4->traffic_class = {3};
      t.port.on_frame(Net::octets(spec), {});
      spec.bth.dest_qp = {9};
      spec.ipv4->source.octets[3] = peer;
      t.port.on_frame(Net::octets(spec), {});
      std::vector<std::uint8_t> out(max_frame_len(4096));
      while (t.port.poll_transmit(out, {}) != 0) continue;
      all += ' ' + std::to_string(t.port.num_cnps_sent());
      t.port.detach(second);
    }
  }
  script.expect(all, " 2 2 1 2 1 1", std::source_location::current());
}
//= CN-04 test
//= CN-05 test
//= CN-06 test
//= CN-09 test
RDMAWIRE_SCENARIO(cnp_halves_the_rate_until_it_recovers) {
  NetSetup setup;
  setup.config.rate_bits_per_second = 1'000'000'000;
  Net t(script, setup);
  for (const bool becn : {true, false}) {
    auto cnp = t.spec(0, CNP_ROCEV2);
    cnp.bth.becn = becn;
    cnp.bth.ack_request = false;
    cnp.ipv4->traffic_class = {0x15 << 2};
    t.take(cnp, "");
  }
  // A quarter of 1 Gbit/s: 62 octets take 4 * 496 ns.
  t.take(t.spec(100), "rocev2 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M");
  t.take(t.spec(101), "");
  t.at(1983, "");
  t.at(1984, "rocev2 RC_ACKNOWLEDGE 101 0x00 msn 2 qp 0x17 M");
  t.deadline("3968");
  t.at(300000, "");
  t.at(600000, "");
  t.take(t.spec(102), "rocev2 RC_ACKNOWLEDGE 102 0x00 msn 3 qp 0x17 M");
  t.take(t.spec(103), "rocev2 RC_ACKNOWLEDGE 103 0x00 msn 4 qp 0x17 M");
}
//= CN-10 test
RDMAWIRE_SCENARIO(forward_mark_of_native_is_answered_backward) {
  Net t(script, native());
  auto spec = t.spec();
  spec.bth.fecn = true;
  t.take(spec, "ib CNP (native IB, Annex A10) 0 qp 0x17 B, ib RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M");
}

//= MIG-01 test
//= MIG-02 test
//= MIG-05 test
RDMAWIRE_SCENARIO(m_bit_follows_the_migration_state) {
  Net t(script);
  auto spec = t.spec(100);
  spec.bth.migrated = false;
  t.take(spec, "rocev2 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M");
  t.migration(verbs::MigrationState::rearm);
  t.take(t.spec(101), "rocev2 RC_ACKNOWLEDGE 101 0x00 msn 2 qp 0x17");
  spec.bth.psn = {102};
  t.take(spec, "rocev2 RC_ACKNOWLEDGE 102 0x00 msn 3 qp 0x17");
  t.note(std::to_string(static_cast<int>(t.end.qp.verbs().attributes().migration)), "2");
}
//= MIG-03 test
RDMAWIRE_SCENARIO(m_bit_on_the_alternate_path_migrates) {
  Net t(script);
  t.migration(verbs::MigrationState::armed);
  auto spec = t.spec(100);
  spec.bth.migrated = false;
  t.take(spec, "rocev2 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17");
  spec = t.spec(101);
  spec.ipv4->source = {{10, 0, 0, 9}};
  t.take(spec, "rocev2 RC_ACKNOWLEDGE 101 0x00 msn 2 qp 0x17 M, event PATH_MIG");
  t.note(t.part(30, 4), "0a000009");
}
//= MIG-03 test
RDMAWIRE_SCENARIO(m_bit_on_the_primary_path_does_not_migrate) {
  Net t(script);
  t.migration(verbs::MigrationState::armed);
  t.take(t.spec(100), "drop: not from the peer's address, event PATH_MIG_ERR");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace rdmawire::ib::test
