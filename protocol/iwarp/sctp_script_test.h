// One DDP stream session, driven by hand, and a transcript of all that it does, so that a test can state it exactly.
// The same scenarios show the quirks.
//
// Lines of a transcript:
//   C 0000 0001 aabb   sends a session control message: DDP-SSN, function, private data
//   S 0001 aabb        sends a segment: DDP-SSN, ULPDU. After either, "ordered" if it is not unordered
//   in 0001 aabb       gives a ULPDU up in order; after it, "again" if it was given ahead
//   ahead 0003 aabb    gives one up for placement
//   request, established, ended: events, with what they say
//   refused: ...       what the ULP asked for
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/bytes.h"
#include "protocol/vectors/recorded_sctp.h"

namespace rdmawire::iwarp::sctp_test {

inline std::vector<std::uint8_t> octets_of(std::string_view hex) {
  std::vector<std::uint8_t> out;
  int high = -1;
  for (const char c : hex) {
    if (c == ' ') continue;
    const int digit = c <= '9' ? c - '0' : c - 'a' + 10;
    if (high < 0) {
      high = digit;
    } else {
      out.push_back(static_cast<std::uint8_t>(high << 4 | digit));
      high = -1;
    }
  }
  return out;
}

inline std::string hex_of(Bytes octets) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t octet : octets) {
    out += digits[octet >> 4];
    out += digits[octet & 15];
  }
  return out;
}

// " aabb", or the length where it says more.
inline std::string data_text(Bytes octets) {
  if (octets.empty()) return {};
  return octets.size() > 32 ? " (" + std::to_string(octets.size()) + ")" : " " + hex_of(octets);
}

inline std::string text_of(const SctpTxChunk& chunk) {
  const bool control = chunk.protocol == net::SctpPayloadProtocol::ddp_session_control;
  std::string out = (control ? "C " : "S ") + hex_of(chunk.octets.first(2));
  if (control) out += " " + hex_of(chunk.octets.subspan(2, 2));
  return out + data_text(chunk.octets.subspan(control ? 4 : 2)) + (chunk.unordered ? "" : " ordered");
}

inline std::string text_of(const ReadDepths& depths) {
  const auto number = [](std::optional<std::uint16_t> n) { return n ? std::to_string(*n) : std::string("-"); };
  return number(depths.ird) + "/" + number(depths.ord);
}

class Script {
 public:
  explicit Script(std::optional<Quirk> quirk = {}) {
    config.mpa.enhanced = false;
    if (quirk) config.mpa.quirks.add(*quirk);
  }

  // To be changed before the first call of anything else.
  SctpConfig config;
  SctpAssociation association;
  SctpListener* listener = nullptr;

  void start_initiator(std::string_view private_data = {}) {
    say(session().start_initiator(association, octets_of(private_data), now_));
  }
  void start_responder() { say(session().start_responder(association, listener)); }
  void accept(const SctpAnswer& answer = {}) { say(session().accept(answer)); }
  void accept(std::string_view private_data) {
    const auto octets = octets_of(private_data);
    say(session().accept({.private_data = octets}));
  }
  void reject(std::string_view private_data = {}, bool because_enhanced = false) {
    const auto octets = octets_of(private_data);
    say(session().reject({.private_data = octets, .because_enhanced = because_enhanced}));
  }
  void terminate() { say(session().terminate(now_)); }
  void send(std::string_view ulpdu) {
    const auto octets = octets_of(ulpdu);
    // In two pieces.
    const Bytes all(octets);
    const std::array<Bytes, 2> pieces{all.first(all.size() / 2), all.subspan(all.size() / 2)};
    say(session().send(pieces));
  }
  void control(std::string_view user_data) { chunk(net::SctpPayloadProtocol::ddp_session_control, user_data); }
  void segment(std::string_view user_data) { chunk(net::SctpPayloadProtocol::ddp_segment, user_data); }
  void chunk(net::SctpPayloadProtocol protocol, std::string_view user_data) {
    chunk(protocol, Bytes(octets_of(user_data)));
  }
  void chunk(net::SctpPayloadProtocol protocol, Bytes user_data) {
    session().on_chunk(protocol, user_data, now_);
    note();
  }
  void acknowledge(std::uint16_t ssn) {
    session().on_acknowledged(ssn);
    note();
  }
  void acknowledge_all() {
    session().on_all_acknowledged();
    note();
  }
  void wait(Duration time) {
    now_ += time;
    session().on_deadline(now_);
    note();
  }
  void lose_association() {
    session().on_association_lost();
    note();
  }
  void shut_association_down() {
    session().on_association_shut_down();
    note();
  }
  void line(std::string_view text) { transcript_ += std::string(text) + "\n"; }

  vectors::RecordedSctp& session() {
    if (!session_) session_.emplace(config);
    return *session_;
  }
  const std::string& transcript() const { return transcript_; }

 private:
  template <class Answer>
  void say(const Answer& answer) {
    if (!answer) line("refused: " + std::string(verbs::name_of(answer.error())));
    note();
  }

  void note_events() {
    while (const auto event = session().poll_event()) {
      std::string text(name_of(event->kind));
      if (event->kind == SctpEventKind::ended) text += " " + std::string(info(event->end).name);
      if (event->enhanced) text += " enhanced, peer " + text_of(event->peer);
      if (event->kind == SctpEventKind::established && event->enhanced) {
        const Negotiated& n = session().negotiated();
        text += ", own " + text_of(session().depths());
        if (n.peer_to_peer) text += ", ready by";
        if (n.rtr_send) text += " Send";
        if (n.rtr_write) text += " Write";
        if (n.rtr_read) text += " Read";
      }
      line(text + data_text(session().peer_private_data()));
    }
  }

  void note() {
    note_events();
    while (const auto segment = session().next_segment()) {
      line("in " + number_text(segment->number) + data_text(segment->ulpdu) + (segment->was_ahead ? " again" : ""));
    }
    note_events();
    while (const auto segment = session().next_ahead()) {
      line("ahead " + number_text(segment->number) + data_text(segment->ulpdu));
    }
    while (const auto chunk = session().poll_transmit()) line(text_of(*chunk));
  }

  static std::string number_text(std::uint64_t number) {
    return hex_of(std::array{static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>(number)});
  }

  std::optional<vectors::RecordedSctp> session_;
  std::string transcript_;
  Time now_{};
};

struct Scenario {
  std::string_view name;
  void (*run)(Script&);
  std::string_view expected;  // transcript
};

// All of them: those of RFC 5043, and those of RFC 6581, 7.
const std::vector<Scenario>& sctp_scenarios();
const std::vector<Scenario>& sctp_enhanced_scenarios();

}  // namespace rdmawire::iwarp::sctp_test
