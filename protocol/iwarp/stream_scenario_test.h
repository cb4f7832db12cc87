// One RDMAP stream, with a peer that the test plays, segment by segment.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "protocol/iwarp/segment_test.h"
#include "protocol/vectors/recorded_iwarp.h"

namespace rdmawire::iwarp::stream_test {

using Script = rdmawire::test::BasicScript<Quirk>;
using enum Opcode;

// What the memory of the stream's end is registered as; the STags in hex are these numbers.
inline constexpr std::uint64_t at_all = 0x100000;  // 64 KiB with all rights, from offset 0
inline constexpr std::uint32_t all_stag = 0x100;
inline constexpr std::uint64_t at_readable = 0x200000;  // 256 octets from offset 0x8000, without rights to change it
inline constexpr std::uint32_t readable_stag = 0x200;
inline constexpr std::uint64_t at_writable = 0x300000;  // 256 octets from offset 0x8100, not to be read
inline constexpr std::uint32_t writable_stag = 0x300;
inline constexpr std::uint64_t at_foreign = 0x400000;  // 256 octets from offset 0x8200, of another protection domain
inline constexpr std::uint32_t foreign_stag = 0x400;
inline constexpr std::uint64_t at_fast = 0x500000;  // 256 octets from offset 0x8300, registered by a work request
inline constexpr std::uint32_t fast_stag = 0x500;
inline constexpr std::uint32_t other_stream_stag = 0x600;  // a window on all from 0x100 on, 256 octets, of another QP
inline constexpr std::uint32_t window_stag = 0x700;        // likewise, of this one
inline constexpr std::uint64_t at_top =
    0xFFFFFFFFFFFFFFF0;  // 16 octets from offset 0x8400, to the end of all addresses
inline constexpr std::uint32_t top_stag = 0x800;
inline constexpr std::uint32_t no_stag = 0xBAD00;

inline constexpr verbs::Access remote_rights =
    verbs::rights::remote_write | verbs::rights::remote_read | verbs::rights::remote_atomic;

inline void add(Quirks& to, const Quirks& more) {
  for (const QuirkInfo& row : quirk_table) {
    if (more.has(row.quirk)) to.add(row.quirk);
  }
}

struct StreamSetup {
  std::uint16_t ird = 4;
  std::uint16_t ord = 4;
  ReadyToReceive ready = ReadyToReceive::none;
  RdmapConfig rdmap;
  verbs::Access access = remote_rights;  // of the queue pair
  bool shared = false;                   // receives from an SRQ
  std::size_t cq_size = 64;
  std::uint32_t mulpdu = 256;
  std::uint32_t number = 7;  // of the queue pair
  bool start = true;
};

// Memory and queues of a host, which may have several streams.
struct StreamHost {
  alignas(8) std::array<std::uint8_t, 1U << 16> octets{};
  vectors::Recording recording;
  vectors::RecordedMemory memory{recording, {4, 16}};
  verbs::Pd pd = memory.allocate_pd().value();
  verbs::Pd other_pd = memory.allocate_pd().value();
  vectors::RecordedEvents events{recording, 32};
  vectors::RecordedSharedReceives srq{recording, pd, {16, 4, 0}, events};

  // recorded: the kind of machine that the host's only stream is, for a vector.
  explicit StreamHost(std::string_view machine = {}) : recording(machine, octets, !machine.empty()) {
    using namespace verbs::rights;
    const verbs::Access everything = local_write | remote_rights;
    const auto part = [this](std::size_t from, std::size_t size) { return MutableBytes(octets).subspan(from, size); };
    BOOST_REQUIRE((key(memory.register_region(pd, octets, at_all, everything | bind_window)) == all_stag));
    BOOST_REQUIRE((key(memory.register_region(pd, part(0x8000, 256), at_readable, remote_read)) == readable_stag));
    BOOST_REQUIRE(
        (key(memory.register_region(pd, part(0x8100, 256), at_writable, local_write | remote_write)) == writable_stag));
    BOOST_REQUIRE((key(memory.register_region(other_pd, part(0x8200, 256), at_foreign, everything)) == foreign_stag));
    BOOST_REQUIRE((key(memory.allocate_region(pd, 256)) == fast_stag));
    BOOST_REQUIRE(memory.fast_register({fast_stag}, pd, part(0x8300, 256), at_fast, everything | bind_window));
    for (const auto& [stag, qp] : {std::pair{other_stream_stag, 99U}, std::pair{window_stag, 7U}}) {
      BOOST_REQUIRE((key(memory.allocate_window(pd, verbs::KeyKind::window2)) == stag));
      BOOST_REQUIRE(memory.bind_window2({stag}, pd, {qp}, {{all_stag}, at_all + 0x100, 256, remote_rights}));
    }
    BOOST_REQUIRE((key(memory.register_region(pd, part(0x8400, 16), at_top, everything)) == top_stag));
  }

 private:
  static std::uint32_t key(const verbs::VerbsResult<verbs::MemoryKey>& made) { return made ? made->value : 0; }
};

// What completes, is raised, and changes of a queue pair and its stream.
class StreamWatch {
 public:
  void start(const verbs::QueuePair& qp, StreamState stream) {
    qp_ = qp.state();
    stream_ = stream;
  }
  // The queues may be such as record.
  template <class Completions, class Events>
  void look(const verbs::QueuePair& qp, StreamState stream, Completions& send_cq, Completions& receive_cq,
            Events& events, rdmawire::test::Joined& happened) {
    for (Completions* queue : {&send_cq, &receive_cq}) {
      verbs::Completion one;
      while (queue->poll({&one, 1}) != 0) happened.add(text_of_completion(one));
    }
    while (const auto event = events.poll()) happened.add("event " + std::string(name_of(event->kind)));
    if (qp.state() != qp_) happened.add(name_of(qp.state()));
    if (stream != stream_) happened.add(name_of(stream));
    start(qp, stream);
  }

 private:
  static std::string text_of_completion(const verbs::Completion& one) {
    std::string out =
        std::string(name_of(one.opcode)) + ' ' + std::to_string(one.id.value) + ' ' + std::string(name_of(one.status));
    if (one.status != verbs::CompletionStatus::success) return out;
    if (one.byte_len != 0) out += ' ' + std::to_string(one.byte_len);
    if (one.opcode == verbs::CompletionOpcode::receive_immediate_data) {
      out += " data " + rdmawire::test::hex_of(one.immediate_data.data(), one.immediate_data.size());
    }
    if (one.solicited) out += " SE";
    if (one.has_invalidated) {
      const std::array<std::uint8_t, 4> key{static_cast<std::uint8_t>(one.invalidated.value >> 24),
                                            static_cast<std::uint8_t>(one.invalidated.value >> 16),
                                            static_cast<std::uint8_t>(one.invalidated.value >> 8),
                                            static_cast<std::uint8_t>(one.invalidated.value)};
      out += " inv " + rdmawire::test::hex_of(key.data(), key.size());
    }
    return out;
  }

  verbs::QpState qp_{};
  StreamState stream_{};
};

class Stream {
 public:
  using Where = std::source_location;

  StreamHost own_host;
  StreamHost& host;
  vectors::RecordedCompletions send_cq;
  vectors::RecordedCompletions receive_cq;
  vectors::RecordedStream stream;
  std::uint32_t mulpdu;

  explicit Stream(Script& script, const StreamSetup& setup = {}, StreamHost* shared_host = nullptr)
      : own_host(shared_host == nullptr && script.quirks().empty() && setup.rdmap.quirks.empty() ? "rdmap" : ""),
        host(shared_host == nullptr ? own_host : *shared_host),
        send_cq(host.recording, setup.cq_size),
        receive_cq(host.recording, setup.cq_size),
        stream(host.recording, {{setup.number}, verbs::Service::iwarp, host.pd, {64, 4, 64}, {64, 4, 0}, true},
               {host.memory, send_cq, receive_cq, host.events, setup.shared ? &host.srq : nullptr},
               with(setup.rdmap, script.quirks())),
        mulpdu(setup.mulpdu),
        script_(script) {
    verbs::QpAttributes attributes;
    attributes.access = setup.access;
    BOOST_REQUIRE(stream.verbs().modify(verbs::QpState::init, attributes, verbs::attribute::access));
    if (setup.start) stream.start(setup.ird, setup.ord, setup.ready);
    watch_.start(stream.verbs(), stream.state());
  }

  // The segment comes; what leaves then, completes, is raised.
  void take(const SegmentOctets& segment, std::string_view expected, const Where& where = Where::current()) {
    hold(segment);
    poll(expected, ~0U, where);
  }
  void take(const Seg& segment, std::string_view expected, const Where& where = Where::current()) {
    take(segment.octets(), expected, where);
  }
  // It is answered by this Terminate, rest, and the end of the stream.
  void refuse(const SegmentOctets& segment, std::string_view control, std::string_view rest = "event QP_REQ_ERR",
              const Where& where = Where::current()) {
    take(segment, terminate_text(control, segment) + ", " + std::string(rest) + ", ERR, TERMINATED", where);
  }
  void refuse(const Seg& segment, std::string_view control, std::string_view rest = "event QP_REQ_ERR",
              const Where& where = Where::current()) {
    refuse(segment.octets(), control, rest, where);
  }
  // It comes, and nothing is polled.
  void hold(const SegmentOctets& segment) { stream.on_segment(RxSegment(segment)); }
  void hold(const Seg& segment) { hold(segment.octets()); }
  void ahead(const Seg& segment) {
    const SegmentOctets octets = segment.octets();
    stream.place_ahead(RxSegment(octets));
  }
  // At most that many segments leave.
  void poll(std::string_view expected, unsigned most = ~0U, const Where& where = Where::current()) {
    for (unsigned i = 0; i < most && i < 5000; ++i) {
      const std::uint32_t len = stream.next_len(mulpdu);
      if (len == 0) break;
      TxSegment segment;
      stream.next_segment(segment, mulpdu);
      last_sent.assign(segment.header.begin(), segment.header.begin() + segment.header_len);
      for (const Bytes piece : segment.payload) last_sent.insert(last_sent.end(), piece.begin(), piece.end());
      happened_.add(text_of(last_sent));
    }
    watch_.look(stream.verbs(), stream.state(), send_cq, receive_cq, host.events, happened_);
    script_.expect(happened_.take(), expected, where);
  }
  void post(const verbs::SendWork& work, std::string_view expected, const Where& where = Where::current()) {
    hold(work);
    poll(expected, ~0U, where);
  }
  void hold(const verbs::SendWork& work) {
    const auto posted = stream.post_send(work);
    if (!posted) happened_.add("refused: " + std::string(name_of(posted.error())));
  }
  // Receives of that size with those numbers, into memory from offset `local` on.
  void receives(std::uint64_t first, unsigned count, std::uint32_t size = 64, std::uint32_t local = 0) {
    for (unsigned i = 0; i < count; ++i) {
      const std::array sges{sge(local, size)};
      const verbs::RecvWork work{{first + i}, sges};
      (void)(stream.verbs().has_srq() ? host.srq.post(work) : stream.post_receive(work));
    }
  }
  void memory(std::uint32_t offset, std::uint32_t size, std::string_view expected,
              const Where& where = Where::current()) {
    script_.expect(rdmawire::test::hex_of(host.octets.data() + offset, size), expected, where);
  }
  void note(const std::string& actual, std::string_view expected, const Where& where = Where::current()) {
    script_.expect(actual, expected, where);
  }
  void fill(std::uint32_t offset, std::uint32_t size, unsigned first = 1) {
    for (std::uint32_t i = 0; i < size; ++i) host.octets.at(offset + i) = static_cast<std::uint8_t>(first + i);
  }

  verbs::Sge sge(std::uint32_t local, std::uint32_t size, std::uint32_t key = all_stag) const {
    return {at_all + local, size, {key}};
  }
  // Own work: local octets from `local` on; STag 0x55 and offset 0x7000 of the peer's.
  verbs::SendWork work(std::uint64_t id, verbs::WorkOpcode opcode, std::uint32_t size, std::uint32_t local = 0) {
    sges_ = {sge(local, size)};
    verbs::SendWork out;
    out.id = {id};
    out.opcode = opcode;
    out.sges = sges_;
    out.remote_address = 0x7000;
    out.r_key = {0x55};
    return out;
  }

  std::vector<std::uint8_t> last_sent;

 private:
  static RdmapConfig with(RdmapConfig config, const Quirks& quirks) {
    add(config.quirks, quirks);
    return config;
  }
  Script& script_;
  rdmawire::test::Joined happened_;
  StreamWatch watch_;
  std::vector<verbs::Sge> sges_;
  vectors::Finisher finisher_{host.recording};
};

}  // namespace rdmawire::iwarp::stream_test
