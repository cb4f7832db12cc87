#include "protocol/ib/rc_states_page.h"

#include <array>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "protocol/ib/rc_states_rig.h"

namespace rdmawire::ib {
namespace {

using states::base_address;
using states::Incoming;
using states::mtu;
using states::Rig;
using verbs::WorkOpcode;
using enum Opcode;

// How a state is reached, and what its machine is then called.
struct State {
  std::string_view title;
  std::string_view reached;
  std::function<void(Rig&)> reach;
};

struct Event {
  std::string_view title;
  std::function<void(Rig&)> happen;
  // Responder: octets of the WRITE that a state begins; its LAST must end it, its MIDDLE must not.
  std::uint32_t write_len = 3 * mtu;
};

// --- The responder ---

// What came before all else: a WRITE, a READ and an atomic, so that there is something to repeat.
constexpr Psn written = states::first_psn;
constexpr Psn was_read = written + 1;
constexpr Psn added = written + 2;

Incoming request(Psn psn, Opcode opcode, std::uint32_t length, bool asks = true) {
  Incoming out;
  out.rx.row = find(opcode);
  out.rx.bth.opcode = opcode;
  out.rx.bth.psn = psn;
  out.rx.bth.ack_request = asks;
  out.rx.bth.pad_count = static_cast<std::uint8_t>(-length & 3U);
  out.length = length;
  return out;
}
Incoming remote(const Rig& rig, Psn psn, Opcode opcode, std::uint32_t length, std::uint32_t whole) {
  Incoming out = request(psn, opcode, length);
  out.rx.headers.reth = {{base_address}, {rig.key().value}, whole};
  out.rx.headers.atomiceth.virtual_address = {base_address};
  out.rx.headers.atomiceth.r_key = {rig.key().value};
  out.rx.headers.feth.placement = 1;
  return out;
}

void begin_responder(Rig& rig, unsigned num_receives) {
  rig.post_receives(num_receives);
  rig.take(remote(rig, written, RC_RDMA_WRITE_ONLY, 4, 4));
  rig.take(remote(rig, was_read, RC_RDMA_READ_REQUEST, 0, 4));
  rig.take(remote(rig, added, RC_FETCH_ADD, 0, 0));
  rig.poll();
}
void take_next(Rig& rig, Opcode opcode, std::uint32_t length) { rig.take(request(rig.expected_psn(), opcode, length)); }
void take_next_remote(Rig& rig, Opcode opcode, std::uint32_t length, std::uint32_t whole) {
  rig.take(remote(rig, rig.expected_psn(), opcode, length, whole));
}
void take_later(Rig& rig) {
  rig.take(remote(rig, rig.expected_psn() + 1, RC_RDMA_WRITE_ONLY, 4, 4));
  rig.poll();
}

std::vector<State> responder_states(std::uint32_t write_len) {
  const auto ready = [](Rig& rig) { begin_responder(rig, 4); };
  const auto in_send = [=](Rig& rig) {
    ready(rig);
    rig.take(request(rig.expected_psn(), RC_SEND_FIRST, mtu, false));
  };
  const auto begin_write = [=](Rig& rig) {
    Incoming first = remote(rig, rig.expected_psn(), RC_RDMA_WRITE_FIRST, mtu, write_len);
    first.rx.bth.ack_request = false;
    rig.take(first);
  };
  const auto in_write = [=](Rig& rig) {
    ready(rig);
    begin_write(rig);
  };
  const auto then_gap = [](auto before) {
    return [=](Rig& rig) {
      before(rig);
      take_later(rig);
    };
  };
  return {
      {"READY", "between messages", ready},
      {"IN SEND", "SEND FIRST came", in_send},
      {"IN WRITE", "WRITE FIRST came", in_write},
      {"READY, NAKED", "between messages, a later packet came", then_gap(ready)},
      {"IN SEND, NAKED", "SEND FIRST came, then a later packet", then_gap(in_send)},
      {"IN WRITE, NAKED", "WRITE FIRST came, then a later packet", then_gap(in_write)},
      {"READY, RNR", "a SEND came, and no receive was posted",
       [](Rig& rig) {
         begin_responder(rig, 0);
         take_next(rig, RC_SEND_ONLY, 4);
         rig.poll();
       }},
      {"IN WRITE, RNR", "WRITE FIRST came, then LAST with immediate, and no receive was posted",
       [=](Rig& rig) {
         begin_responder(rig, 0);
         begin_write(rig);
         take_next(rig, RC_RDMA_WRITE_LAST_WITH_IMMEDIATE, write_len - mtu > mtu ? mtu : write_len - mtu);
         rig.poll();
       }},
      {"READY, reading", "one of two packets of a READ has been answered",
       [=](Rig& rig) {
         ready(rig);
         take_next_remote(rig, RC_RDMA_READ_REQUEST, 0, 2 * mtu);
         rig.poll(1);
       }},
      {"READY, full", "two READs are not answered, and it has responder resources for two",
       [=](Rig& rig) {
         ready(rig);
         take_next_remote(rig, RC_RDMA_READ_REQUEST, 0, 4);
         take_next_remote(rig, RC_RDMA_READ_REQUEST, 0, 4);
       }},
      {"OVER", "a request was refused for good",
       [=](Rig& rig) {
         ready(rig);
         take_next(rig, RC_SEND_MIDDLE, mtu);
         rig.poll();
       }},
  };
}

std::vector<Event> responder_events() {
  const auto next = [](Opcode opcode, std::uint32_t length) {
    return [=](Rig& rig) { take_next(rig, opcode, length); };
  };
  const auto next_remote = [](Opcode opcode, std::uint32_t length, std::uint32_t whole) {
    return [=](Rig& rig) { take_next_remote(rig, opcode, length, whole); };
  };
  const auto changed = [](Opcode opcode, std::uint32_t length, std::uint32_t whole, auto change) {
    return [=](Rig& rig) {
      Incoming packet = remote(rig, rig.expected_psn(), opcode, length, whole);
      change(packet.rx);
      rig.take(packet);
    };
  };
  const auto again = [](Psn psn, Opcode opcode, std::uint32_t length, bool asks) {
    return [=](Rig& rig) {
      Incoming packet = remote(rig, psn, opcode, length, 4);
      packet.rx.bth.ack_request = asks;
      rig.take(packet);
    };
  };
  constexpr std::uint32_t ends = mtu + 4;  // of a WRITE: one packet and four octets
  return {
      {"SEND FIRST", next(RC_SEND_FIRST, mtu)},
      {"SEND MIDDLE", next(RC_SEND_MIDDLE, mtu)},
      {"SEND LAST", next(RC_SEND_LAST, 4)},
      {"SEND ONLY", next(RC_SEND_ONLY, 4)},
      {"SEND ONLY, longer than the receive", next(RC_SEND_ONLY, mtu + 4)},
      {"SEND LAST with invalidate of a bad key", next(RC_SEND_LAST_WITH_INVALIDATE, 4)},
      {"WRITE FIRST", next_remote(RC_RDMA_WRITE_FIRST, mtu, ends)},
      {"WRITE MIDDLE", next(RC_RDMA_WRITE_MIDDLE, mtu)},
      {"WRITE MIDDLE, not one path MTU", next(RC_RDMA_WRITE_MIDDLE, 4)},
      {"WRITE LAST", next(RC_RDMA_WRITE_LAST, 4), ends},
      {"WRITE LAST with immediate", next(RC_RDMA_WRITE_LAST_WITH_IMMEDIATE, 4), ends},
      {"WRITE LAST, not the DMA length", next(RC_RDMA_WRITE_LAST, 8), ends},
      {"WRITE ONLY", next_remote(RC_RDMA_WRITE_ONLY, 4, 4)},
      {"WRITE ONLY, bad R_Key",
       changed(RC_RDMA_WRITE_ONLY, 4, 4, [](RxPacket& rx) { rx.headers.reth.r_key = {0xBAD00}; })},
      {"READ", next_remote(RC_RDMA_READ_REQUEST, 0, 4)},
      {"READ, bad R_Key", changed(RC_RDMA_READ_REQUEST, 0, 4, [](RxPacket& rx) { rx.headers.reth.r_key = {0xBAD00}; })},
      {"FETCH ADD", next_remote(RC_FETCH_ADD, 0, 0)},
      {"FETCH ADD, misaligned",
       changed(RC_FETCH_ADD, 0, 0, [](RxPacket& rx) { rx.headers.atomiceth.virtual_address.value += 4; })},
      {"FLUSH", next_remote(RC_FLUSH, 0, 4)},
      {"ATOMIC WRITE", next_remote(RC_ATOMIC_WRITE, 8, 8)},
      {"reserved opcode", changed(RC_SEND_ONLY, 0, 0, [](RxPacket& rx) { rx.row = nullptr; })},
      {"headers cut short", changed(RC_RDMA_WRITE_ONLY, 0, 0, [](RxPacket& rx) { rx.headers_complete = false; })},
      {"any, later than expected",
       [](Rig& rig) { rig.take(remote(rig, rig.expected_psn() + 1, RC_RDMA_WRITE_ONLY, 4, 4)); }},
      {"WRITE again", again(written, RC_RDMA_WRITE_ONLY, 4, true)},
      {"WRITE again, asks for no ACK", again(written, RC_RDMA_WRITE_ONLY, 4, false)},
      {"READ again", again(was_read, RC_RDMA_READ_REQUEST, 0, true)},
      {"FETCH ADD again", again(added, RC_FETCH_ADD, 0, true)},
      {"READ again that nobody remembers", again(written - 9, RC_RDMA_READ_REQUEST, 0, true)},
      {"a receive is posted", [](Rig& rig) { rig.post_receives(1); }},
  };
}

// --- The requester ---

Incoming acknowledge(Psn psn, Syndrome syndrome) {
  Incoming out = request(psn, RC_ACKNOWLEDGE, 0, false);
  out.rx.headers.aeth.syndrome = syndrome;
  return out;
}
constexpr Syndrome plain_ack = Syndrome::ack(CreditCode::not_used);
constexpr Syndrome rnr_nak = Syndrome::rnr_nak(12);

// Three SENDs, all on their way.
void send_three(Rig& rig) {
  for (int i = 0; i < 3; ++i) rig.post(WorkOpcode::send, 4);
  rig.poll();
}
// A READ of three packets, and a SEND behind it.
constexpr std::uint32_t read_len = 2 * mtu + 4;
void read_and_send(Rig& rig) {
  rig.post(WorkOpcode::rdma_read, read_len);
  rig.post(WorkOpcode::send, 4);
  rig.poll();
}

std::vector<State> requester_states() {
  return {
      {"IDLE", "nothing is posted", [](Rig&) {}},
      {"WAIT ACK", "three SENDs were sent", send_three},
      {"WAIT ACK, NAKED", "then a sequence NAK of the second",
       [](Rig& rig) {
         send_three(rig);
         rig.take(acknowledge(rig.oldest_psn() + 1, Syndrome::nak(NakCode::psn_sequence_error)));
         rig.poll();
       }},
      {"WAIT ACK, last retry", "three SENDs were sent, and no retry is left",
       [](Rig& rig) {
         send_three(rig);
         for (int i = 0; i < states::retries; ++i) {
           rig.let_time_pass();
           rig.poll();
         }
       }},
      {"WAIT ACK, no credits", "an ACK said that no receive is there; one SEND asks, one more is posted",
       [](Rig& rig) {
         rig.post(WorkOpcode::send, 4);
         rig.poll();
         rig.take(acknowledge(rig.oldest_psn(), Syndrome::ack(0)));
         rig.post(WorkOpcode::send, 4);
         rig.post(WorkOpcode::send, 4);
         rig.poll();
       }},
      {"WAIT ANSWER", "a READ of three packets and a SEND were sent", read_and_send},
      {"WAIT ANSWER, begun", "then the first of three packets came",
       [](Rig& rig) {
         read_and_send(rig);
         Incoming first = request(rig.oldest_psn(), RC_RDMA_READ_RESPONSE_FIRST, mtu, false);
         first.rx.headers.aeth.syndrome = plain_ack;
         rig.take(first);
       }},
      {"WAIT ANSWER, atomic", "a FETCH ADD and a SEND were sent",
       [](Rig& rig) {
         rig.post(WorkOpcode::fetch_add, 8);
         rig.post(WorkOpcode::send, 4);
         rig.poll();
       }},
      {"WAIT ANSWER, fenced", "a READ of one packet was sent; a SEND with fence is posted",
       [](Rig& rig) {
         rig.post(WorkOpcode::rdma_read, 4);
         rig.post(WorkOpcode::send, 4, true);
         rig.poll();
       }},
      {"WAIT RNR", "three SENDs were sent, then an RNR NAK of the first",
       [](Rig& rig) {
         send_three(rig);
         rig.take(acknowledge(rig.oldest_psn(), rnr_nak));
         rig.poll();
       }},
      {"WAIT ACK, SQD", "three SENDs were sent, then SQD",
       [](Rig& rig) {
         send_three(rig);
         rig.drain_queue(true);
       }},
      {"STOPPED", "a SEND was refused for good",
       [](Rig& rig) {
         send_three(rig);
         rig.take(acknowledge(rig.oldest_psn(), Syndrome::nak(NakCode::invalid_request)));
         rig.poll();
       }},
  };
}

std::vector<Event> requester_events() {
  const auto ack = [](std::uint32_t ahead, Syndrome syndrome) {
    return [=](Rig& rig) { rig.take(acknowledge(rig.oldest_psn() + ahead, syndrome)); };
  };
  const auto nak = [=](std::uint32_t ahead, NakCode code) { return ack(ahead, Syndrome::nak(code)); };
  const auto answer = [](std::uint32_t ahead, Opcode opcode, std::uint32_t length) {
    return [=](Rig& rig) {
      Incoming out = request(rig.oldest_psn() + ahead, opcode, length, false);
      out.rx.headers.aeth.syndrome = plain_ack;
      rig.take(out);
    };
  };
  const auto post = [](WorkOpcode opcode, std::uint32_t length, bool fence) {
    return [=](Rig& rig) { rig.post(opcode, length, fence); };
  };
  constexpr std::uint8_t reserved_code = 9;
  return {
      {"ACK +0", ack(0, plain_ack)},
      {"ACK +2", ack(2, plain_ack)},
      {"ACK +9, never sent", ack(9, plain_ack)},
      {"ACK -1", [](Rig& rig) { rig.take(acknowledge(rig.oldest_psn() - 1, plain_ack)); }},
      {"ACK +0, reserved bit", ack(0, {static_cast<std::uint8_t>(0x80U | plain_ack.value)})},
      {"NAK +0: PSN sequence error", nak(0, NakCode::psn_sequence_error)},
      {"NAK +1: PSN sequence error", nak(1, NakCode::psn_sequence_error)},
      {"NAK +0: invalid request", nak(0, NakCode::invalid_request)},
      {"NAK +1: remote access error", nak(1, NakCode::remote_access_error)},
      {"NAK +0: remote operational error", nak(0, NakCode::remote_operational_error)},
      {"NAK +0: reserved code", nak(0, static_cast<NakCode>(reserved_code))},
      {"RNR NAK +0", ack(0, rnr_nak)},
      {"READ RESPONSE FIRST +0", answer(0, RC_RDMA_READ_RESPONSE_FIRST, mtu)},
      {"READ RESPONSE MIDDLE +0", answer(0, RC_RDMA_READ_RESPONSE_MIDDLE, mtu)},
      {"READ RESPONSE LAST +0", answer(0, RC_RDMA_READ_RESPONSE_LAST, 4)},
      {"READ RESPONSE ONLY +0", answer(0, RC_RDMA_READ_RESPONSE_ONLY, 4)},
      {"READ RESPONSE FIRST +0, not one path MTU", answer(0, RC_RDMA_READ_RESPONSE_FIRST, 4)},
      {"READ RESPONSE MIDDLE +1", answer(1, RC_RDMA_READ_RESPONSE_MIDDLE, mtu)},
      {"ATOMIC ACKNOWLEDGE +0", answer(0, RC_ATOMIC_ACKNOWLEDGE, 0)},
      {"the next deadline comes", [](Rig& rig) { rig.let_time_pass(); }},
      {"a SEND is posted", post(WorkOpcode::send, 4, false)},
      {"a SEND with fence is posted", post(WorkOpcode::send, 4, true)},
      {"a READ is posted", post(WorkOpcode::rdma_read, 4, false)},
      {"SQD is asked for", [](Rig& rig) { rig.drain_queue(true); }},
      {"RTS is asked for", [](Rig& rig) { rig.drain_queue(false); }},
  };
}

// --- The page ---

struct Half {
  std::string_view name;
  std::function<std::vector<State>(const Event&)> states;
  std::vector<Event> events;
  std::function<std::string(const Rig&)> state_of;
  std::function<Psn(const Rig&)> base_of;
};

// What one state does with one event: what happens, and the state after it, empty if it is the one before.
struct Cell {
  std::string what;
  std::string before;
  std::string after;
};

Cell drive(const Half& half, const State& state, const Event& event) {
  Rig rig;
  state.reach(rig);
  rig.forget();
  Cell out;
  out.before = half.state_of(rig);
  const Psn base = half.base_of(rig);
  event.happen(rig);
  rig.poll();
  out.after = half.state_of(rig);
  out.what = rig.text(base, out.after == out.before);
  return out;
}

void add_half(const Half& half, std::string& out) {
  const std::vector<State> states = half.states(half.events.front());
  std::string table = "| event |";
  for (const State& state : states) table += " " + std::string(state.title) + " |";
  table += "\n|---|";
  for (std::size_t i = 0; i < states.size(); ++i) table += "---|";
  table += '\n';
  // Of the machine's own states: which events lead from one to another.
  std::map<std::pair<std::string, std::string>, std::vector<std::string_view>> arrows;
  for (const Event& event : half.events) {
    table += "| " + std::string(event.title) + " |";
    for (const State& state : half.states(event)) {
      const Cell cell = drive(half, state, event);
      table += " " + cell.what;
      if (cell.after != cell.before) {
        table += " **-> " + cell.after + "**";
        auto& events = arrows[{cell.before, cell.after}];
        if (events.empty() || events.back() != event.title) events.push_back(event.title);
      }
      table += " |";
    }
    table += '\n';
  }
  out += "\n## " + std::string(half.name) + "\n\n```mermaid\nstateDiagram-v2\n";
  for (const auto& [ends, events] : arrows) {
    const auto id = [](std::string name) {
      std::erase_if(name, [](char c) { return c == ' ' || c == ','; });
      return name;
    };
    out += "    " + id(ends.first) + " --> " + id(ends.second) + ": " + std::string(events.front());
    if (events.size() == 2) out += " / " + std::string(events.back());
    if (events.size() > 2) out += " / " + std::to_string(events.size() - 1) + " more";
    out += '\n';
  }
  out += "```\n\nThe columns, and how each is reached:\n\n";
  for (const State& state : states) out += "- " + std::string(state.title) + ": " + std::string(state.reached) + "\n";
  out += '\n' + table;
}

}  // namespace

std::string rc_states_page() {
  std::string out =
      "# Requester and responder of a reliable connection\n\n"
      "Made by `bazel run //protocol/ib:print_rc_states_page`, which drives the machines into each state and lets each "
      "event\nhappen; a test compares. The machines' own states are in `protocol/ib/rc_states.h`; a column is one of "
      "them, some of\nthem more than once where what else the machine remembers makes a difference.\n\n"
      "A cell has what completes, what is raised and what leaves, and the machine's state afterwards if it is another "
      "one; `-`\nis nothing. Where a connection ends, all that is still posted is flushed: that is not repeated. "
      "Numbers "
      "with a sign are\nPSNs: of the responder from the one that it expected when the event came, of the requester "
      "from "
      "the oldest that was\nnot acknowledged then. The path MTU is 256, packets ask for an ACK unless said otherwise, "
      "and retry and RNR retry\ncounts are 2.\n";
  add_half({"Responder", [](const Event& event) { return responder_states(event.write_len); }, responder_events(),
            [](const Rig& rig) { return std::string(name_of(rig.responder_state())); },
            [](const Rig& rig) { return rig.expected_psn(); }},
           out);
  add_half({"Requester", [](const Event&) { return requester_states(); }, requester_events(),
            [](const Rig& rig) { return std::string(name_of(rig.requester_state())); },
            [](const Rig& rig) { return rig.oldest_psn(); }},
           out);
  return out;
}

}  // namespace rdmawire::ib
