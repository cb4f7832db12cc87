// A port with a queue pair of each service, and frames made by hand. The port's addresses end in 1, the peer's in 2.
#pragma once

#include <source_location>
#include <string>
#include <vector>

#include "codec/frame_build.h"
#include "protocol/ib/packet_test.h"
#include "protocol/vectors/recorded_port.h"

namespace rdmawire::ib::test {

inline constexpr std::uint8_t v4 = 0, v6 = 1, v1 = 2, tagged = 3;  // entries of the GID table

inline Gid gid_v4(std::uint8_t last) { return {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, last}}; }
inline Gid gid_v6(std::uint8_t last) { return {{0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last}}; }
inline Gid gid_v1(std::uint8_t last) { return {{0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last}}; }
inline Gid gid_of(std::uint8_t entry, std::uint8_t last) {
  return entry == v6 ? gid_v6(last) : entry == v1 ? gid_v1(last) : gid_v4(last);
}

struct NetSetup {
  std::uint8_t gid = v4;
  bool native = false;
  bool global = true;
  verbs::QpAttributes attributes = End::attributes();  // of the reliable connection; path and destination are added
  PortConfig config;
};

inline NetSetup setup_for(std::uint8_t gid) {
  NetSetup out;
  out.gid = gid;
  return out;
}
inline NetSetup native(bool global = true) {
  NetSetup out;
  out.native = true;
  out.global = global;
  return out;
}

class Net {
 public:
  Time now{};
  End end;  // queue pair 7, a reliable connection to 0x17
  verbs::QueueSizes sizes{16, 4, 64};
  vectors::RecordedUd ud, gsi;  // queue pairs 8 and 1
  vectors::RecordedPort port;

  explicit Net(Script& script, const NetSetup& setup = {})
      : end(7, rc_config(script), 128, false, vectors::RcIn::port),
        ud(end.recording, {{8}, verbs::Service::ud, end.pd, sizes, sizes, false}, end.resources(), mtu4096),
        gsi(end.recording, {{1}, verbs::Service::ud, end.pd, sizes, sizes, false}, end.resources(), mtu4096),
        port(end.recording, config(setup, script)),
        setup_(setup),
        script_(script) {
    verbs::QpAttributes a = setup.attributes;
    a.path.global = setup.global;
    a.path.destination_lid = {2};
    a.path.destination_mac = {{2, 0, 0, 0, 0, 2}};
    a.path.destination_gid = setup.native ? gid_v1(2) : gid_of(setup.gid, 2);
    a.path.source_gid_index = setup.native ? 0 : setup.gid;
    a.alternate_path = a.path;
    a.alternate_path.destination_gid.octets[15] = 9;
    if (a.destination_qp.value == 0) a.destination_qp = {0x17};
    attributes_ = a;
    end.connect(a);
    a.q_key = {0x11111111};
    using namespace verbs::attribute;
    (void)end.qp.modify(verbs::QpState::rts, a, alternate_path);
    for (vectors::RecordedUd* one : {&ud, &gsi}) {
      (void)one->modify(verbs::QpState::init, a, p_key_index | verbs::attribute::port | q_key);
      (void)one->modify(verbs::QpState::rtr, a);
      (void)one->modify(verbs::QpState::rts, a, sq_psn);
    }
    for (QueuePairMachine* one : std::initializer_list<QueuePairMachine*>{&end.qp, &ud, &gsi}) (void)port.attach(*one);
    watch_.start(end.qp.verbs());
  }
  using Where = std::source_location;

  const verbs::QpAttributes& attributes() const { return attributes_; }

  // A frame from the peer: WRITE ONLY of no octets that asks for an ACK, unless changed.
  FrameSpec spec(std::uint32_t psn = 100, Opcode opcode = Opcode::RC_RDMA_WRITE_ONLY) const {
    FrameSpec out = rocev2_spec();
    out.ethernet->source = {{2, 0, 0, 0, 0, 2}};
    out.ethernet->destination = {{2, 0, 0, 0, 0, 1}};
    out.bth.opcode = opcode;
    out.bth.psn = {psn};
    out.bth.dest_qp = {7};
    out.bth.ack_request = true;
    const Gid source = setup_.native ? gid_v1(2) : gid_of(setup_.gid, 2);
    const Gid destination = setup_.native ? gid_v1(1) : gid_of(setup_.gid, 1);
    if (setup_.native || setup_.gid == v1) {
      out.ipv4.reset();
      out.udp.reset();
      if (setup_.native) out.ethernet.reset();
      if (setup_.native) out.lrh = Lrh{};
      if (setup_.native) out.lrh->dlid = {1}, out.lrh->slid = {2};
      if (!setup_.native || setup_.global) {
        out.grh = Grh{};
        out.grh->ip_version = 6;
        out.grh->hop_limit = 64;
        out.grh->sgid = source;
        out.grh->dgid = destination;
      }
    } else if (setup_.gid == v6) {
      out.ipv4.reset();
      out.ipv6.emplace();
      out.ipv6->hop_limit = 64;
      out.ipv6->source = {source.octets};
      out.ipv6->destination = {destination.octets};
    } else {
      out.ipv4->source = {{10, 0, 0, 2}};
      out.ipv4->destination = {{10, 0, 0, 1}};
    }
    return out;
  }
  FrameSpec datagram(std::uint32_t qp = 8, std::uint32_t q_key = 0x11111111) const {
    FrameSpec out = spec(1, Opcode::UD_SEND_ONLY);
    out.bth.dest_qp = {qp};
    out.deth = {{q_key}, 0, {0x17}};
    return out;
  }
  static std::vector<std::uint8_t> octets(const FrameSpec& spec) {
    std::vector<std::uint8_t> out(frame_size(spec));
    BOOST_REQUIRE(build_frame(spec, out).has_value());
    return out;
  }

  void take(const FrameSpec& spec, std::string_view expected, const Where& where = Where::current()) {
    take(octets(spec), expected, where);
  }
  void take(const std::vector<std::uint8_t>& frame, std::string_view expected, const Where& where = Where::current()) {
    port.on_frame(frame, now);
    poll(expected, where);
  }
  void at(std::int64_t ns, std::string_view expected, const Where& where = Where::current()) {
    now = Time(ns);
    port.on_deadline(now);
    poll(expected, where);
  }
  void poll(std::string_view expected, const Where& where = Where::current()) {
    Joined happened;
    for (std::size_t i = 0; i < num_dropped_.size(); ++i) {
      const auto count = port.num_dropped(static_cast<DropCause>(i));
      if (count != num_dropped_[i]) happened.add("drop: " + std::string(drop_cause_table[i].name));
      num_dropped_[i] = count;
    }
    std::vector<std::uint8_t> out(max_frame_len(4096));
    while (const std::size_t size = port.poll_transmit(out, now)) {
      sent_ = {out.begin(), out.begin() + static_cast<long>(size)};
      happened.add(text_of(sent_));
    }
    watch_.look(end.qp.verbs(), end.send_cq, end.receive_cq, end.events, happened);
    script_.expect(happened.take(), expected, where);
  }
  void note(const std::string& actual, std::string_view expected, const Where& where = Where::current()) {
    script_.expect(actual, expected, where);
  }
  void deadline(std::string_view expected, const Where& where = Where::current()) {
    const auto due = port.next_deadline();
    script_.expect(due ? std::to_string(due->count()) : "never", expected, where);
  }
  // The connection's.
  void migration(verbs::MigrationState state) {
    verbs::QpAttributes attributes;
    attributes.migration = state;
    BOOST_TEST(end.qp.modify(verbs::QpState::rts, attributes, verbs::attribute::migration).has_value());
  }
  void receives(vectors::RecordedUd& qp, unsigned count, std::uint32_t size = 64) {
    for (unsigned i = 0; i < count; ++i) {
      const std::array sges{end.sge(0, size)};
      (void)qp.post_receive({{i + 1}, sges});
    }
  }
  // Octets of the last frame that was sent.
  std::string part(std::size_t offset, std::size_t size) const {
    return offset + size <= sent_.size() ? hex(sent_.data() + offset, size) : "none";
  }

 private:
  static RcConfig rc_config(const Script& script) {
    RcConfig out;
    out.quirks = script.quirks();
    return out;
  }
  static PortConfig config(const NetSetup& setup, const Script& script) {
    PortConfig out = setup.config;
    out.mac = {{2, 0, 0, 0, 0, 1}};
    out.lid = {1};
    out.p_keys = {PKey{0xFFFF}, PKey{0x8001}, PKey{0x0002}, PKey{0x8000}};
    out.max_queue_pairs = 8;
    out.quirks = script.quirks();
    if (setup.native) {
      out.gids = {{gid_v1(1), Carrier::native, std::nullopt}};
    } else {
      out.gids = {{gid_v4(1), Carrier::rocev2, std::nullopt},
                  {gid_v6(1), Carrier::rocev2, std::nullopt},
                  {gid_v1(1), Carrier::rocev1, std::nullopt},
                  {gid_v4(1), Carrier::rocev2, 5}};
    }
    return out;
  }
  // "rocev2 RC_ACKNOWLEDGE 100 0x00 msn 1 qp 0x17 M", and what is wrong with it.
  std::string text_of(const std::vector<std::uint8_t>& frame_octets) const {
    const Frame frame = parse_frame(port.link(), frame_octets, static_cast<std::uint32_t>(frame_octets.size()));
    if (const Error error = first_violation(frame)) return "violation: " + std::string(rdmawire::info(error.code).name);
    Sent packet;
    const Bth bth = *frame.get<Bth>();
    packet.packet.opcode = bth.opcode;
    packet.packet.psn = bth.psn;
    packet.packet.ack_request = bth.ack_request;
    if (const auto aeth = frame.get<Aeth>()) packet.packet.headers.aeth = *aeth;
    packet.payload.assign(frame.payload().begin(), frame.payload().end());
    std::string out = std::string(name_of(frame.family)) + ' ' + text(packet) + " qp " + hex_number(bth.dest_qp.value);
    if (bth.p_key.value != 0xFFFF) out += " pkey " + hex_number(bth.p_key.value);
    if (bth.migrated) out += " M";
    if (bth.becn) out += " B";
    return out;
  }

  std::vector<std::uint8_t> sent_;
  NetSetup setup_;
  verbs::QpAttributes attributes_;
  Script& script_;
  Watch watch_;
  std::array<std::uint64_t, static_cast<std::size_t>(DropCause::count_)> num_dropped_{};
};

}  // namespace rdmawire::ib::test
