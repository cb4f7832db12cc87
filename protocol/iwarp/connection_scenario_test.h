// One end of an MPA connection in Full Operation, with a peer that the test plays, octet by octet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codec/stream.h"
#include "protocol/iwarp/stream_scenario_test.h"

namespace rdmawire::iwarp::stream_test {

inline const std::string request_key_hex = "4d504120494420526571204672616d65";
inline const std::string reply_key_hex = "4d504120494420526570204672616d65";

struct ConnectionSetup {
  Role role = Role::initiator;
  MpaQueuePairConfig config;
  // After the key in the peer's frame: M is 80, C is 40; revision; length of what follows.
  std::string peer = "40 01 0000";
  // An initiator sends a Write without octets, so that the peer may speak. (With RFC 6581 it does so by itself.)
  bool speaks_first = true;

  ConnectionSetup() { config.mpa.enhanced = false; }
  ConnectionSetup& respond() {
    role = Role::responder;
    return *this;
  }
  // The peer's M and this end's.
  ConnectionSetup& markers(bool sent, bool received) {
    config.mpa.markers = received;
    if (sent) peer = "c0 01 0000";
    return *this;
  }
  ConnectionSetup& silent() {
    speaks_first = false;
    return *this;
  }
  ConnectionSetup& without_crc() {
    config.mpa.crc = false;
    peer = (peer.front() == 'c' ? "80" : "00") + peer.substr(2);
    return *this;
  }
};

class Connection {
 public:
  using Where = std::source_location;

  StreamHost host;
  vectors::RecordedCompletions send_cq{host.recording, 64};
  vectors::RecordedCompletions receive_cq{host.recording, 64};
  vectors::RecordedMpaQueuePair qp;
  Time now{};
  std::uint64_t peer_offset = 0;  // octets of the peer's FPDUs that were framed

  Connection(Script& script, const ConnectionSetup& setup)
      : host(is_plain(script, setup.config) ? "mpa_queue_pair" : ""),
        qp(host.recording, {{7}, verbs::Service::iwarp, host.pd, {64, 4, 64}, {64, 4, 0}, true},
           {host.memory, send_cq, receive_cq, host.events, nullptr}, with(setup.config, script.quirks())),
        script_(script),
        room_(70000) {
    verbs::QpAttributes attributes;
    attributes.access = remote_rights;
    BOOST_REQUIRE(qp.modify(verbs::QpState::init, attributes, verbs::attribute::access));
    if (setup.role == Role::initiator) {
      BOOST_REQUIRE(qp.connect({}, now));
      startup_ = take_all();
      give(reply_key_hex + setup.peer);
    } else {
      BOOST_REQUIRE(qp.listen(now));
      give(request_key_hex + setup.peer);
      BOOST_REQUIRE(qp.accept({}, now));
      startup_ = take_all();
    }
    own_startup_len_ = rdmawire::test::octets(request_key_hex + setup.peer).size();
    framer_ = Framer(qp.mpa().receives_markers(), qp.mpa().negotiated().crc);
    sent_.start(qp.mpa().sends_markers(), qp.mpa().negotiated().crc);
    if (setup.role == Role::initiator && setup.speaks_first && !qp.mpa().negotiated().peer_to_peer) speak();
    watch_.start(qp.verbs(), qp.stream().state());
  }

  // This end's start-up frame, without its key.
  std::string startup() const { return rdmawire::test::hex_of(startup_.data() + 16, startup_.size() - 16); }
  void give(std::string_view hex) { give(rdmawire::test::octets(hex)); }
  void give(const SegmentOctets& octets) { qp.on_octets(octets, now); }
  // The peer's next FPDUs.
  SegmentOctets framed(const SegmentOctets& ulpdu) {
    SegmentOctets out(framer_.fpdu_len(static_cast<std::uint32_t>(ulpdu.size())));
    const std::array<Bytes, 1> pieces{ulpdu};
    BOOST_REQUIRE(framer_.frame(pieces, out).has_value());
    peer_offset += out.size();
    return out;
  }
  SegmentOctets framed(const Seg& segment) { return framed(segment.octets()); }
  void take(const SegmentOctets& fpdus, std::string_view expected, const Where& where = Where::current()) {
    give(fpdus);
    poll(expected, where);
  }
  void take(const Seg& segment, std::string_view expected, const Where& where = Where::current()) {
    take(framed(segment), expected, where);
  }
  // Octets that are there early, at that offset of the peer's FPDUs.
  void ahead(std::uint64_t offset, const SegmentOctets& octets) {
    qp.on_octets_ahead(own_startup_len_ + offset, octets);
  }
  // What leaves: each TCP segment, its FPDUs by the ULPDU with + between; then the rest, and what the host is to do.
  void poll(std::string_view expected, const Where& where = Where::current()) {
    while (const std::size_t size = qp.poll_octets(room_, now)) show(Bytes(room_).first(size));
    if (const HostAction action = qp.take_action(); action != HostAction::none) {
      constexpr std::array<std::string_view, 4> names{"", "shut down", "close", "abort"};
      actions_.push_back(names[static_cast<std::size_t>(action)]);
    }
    watch_.look(qp.verbs(), qp.stream().state(), send_cq, receive_cq, host.events, happened_);
    for (const std::string_view action : actions_) happened_.add(action);
    actions_.clear();
    script_.expect(happened_.take(), expected, where);
  }
  // The octets of what leaves, without more.
  std::string poll_hex() {
    const SegmentOctets all = take_all();
    return rdmawire::test::hex_of(all.data(), all.size());
  }
  void post(const verbs::SendWork& work, std::string_view expected, const Where& where = Where::current()) {
    hold(work);
    poll(expected, where);
  }
  void hold(const verbs::SendWork& work) {
    const auto posted = qp.post_send(work);
    if (!posted) happened_.add("refused: " + std::string(name_of(posted.error())));
  }
  void receives(std::uint64_t first, unsigned count, std::uint32_t size = 64, std::uint32_t local = 0) {
    for (unsigned i = 0; i < count; ++i) {
      const std::array sges{verbs::Sge{at_all + local, size, {all_stag}}};
      (void)qp.post_receive({{first + i}, sges});
    }
  }
  void memory(std::uint32_t offset, std::uint32_t size, std::string_view expected,
              const Where& where = Where::current()) {
    script_.expect(rdmawire::test::hex_of(host.octets.data() + offset, size), expected, where);
  }
  void note(const std::string& actual, std::string_view expected, const Where& where = Where::current()) {
    script_.expect(actual, expected, where);
  }
  verbs::SendWork work(std::uint64_t id, verbs::WorkOpcode opcode, std::uint32_t size, std::uint32_t local = 0) {
    sges_ = {{at_all + local, size, {all_stag}}};
    verbs::SendWork out;
    out.id = {id};
    out.opcode = opcode;
    out.sges = sges_;
    out.remote_address = 0x7000;
    out.r_key = {0x55};
    return out;
  }

 private:
  static MpaQueuePairConfig with(MpaQueuePairConfig config, const Quirks& quirks) {
    add(config.mpa.quirks, quirks);
    add(config.rdmap.quirks, quirks);
    return config;
  }
  static bool is_plain(const Script& script, const MpaQueuePairConfig& config) {
    return script.quirks().empty() && config.mpa.quirks.empty() && config.rdmap.quirks.empty();
  }
  void speak() {
    BOOST_REQUIRE(qp.post_send(work(0, verbs::WorkOpcode::rdma_write, 0)));
    sent_.on_octets(take_all(), [](const Fpdu&) {});
    verbs::Completion one;
    BOOST_REQUIRE(send_cq.poll({&one, 1}) == 1U);
  }
  SegmentOctets take_all() {
    SegmentOctets out;
    while (const std::size_t size = qp.poll_octets(room_, now)) {
      out.insert(out.end(), room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(size));
    }
    return out;
  }
  void show(Bytes octets) {
    std::string text;
    sent_.on_octets(octets, [&](const Fpdu& fpdu) {
      SegmentOctets ulpdu;
      fpdu.for_each_span(0, fpdu.ulpdu_len, [&](Bytes span) { ulpdu.insert(ulpdu.end(), span.begin(), span.end()); });
      if (!text.empty()) text += " + ";
      text += text_of(ulpdu);
      if (fpdu.crc.status == CrcStatus::bad) text += " (bad CRC)";
      if (fpdu.num_wrong_markers != 0) text += " (bad Marker)";
    });
    if (sent_.is_inside()) text += " ...";
    happened_.add(text);
  }

  Script& script_;
  SegmentOctets room_;
  SegmentOctets startup_;
  std::uint64_t own_startup_len_ = 0;
  Framer framer_{false, true};
  FpduReceiver sent_;
  rdmawire::test::Joined happened_;
  StreamWatch watch_;
  std::vector<std::string_view> actions_;
  std::vector<verbs::Sge> sges_;
  vectors::Finisher finisher_{host.recording};
};

}  // namespace rdmawire::iwarp::stream_test
