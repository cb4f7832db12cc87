// Short programs for one end of a connection, and what is seen of it, as text.
//
// A program: steps with semicolons between them. req and rep stand for the keys of a Request and a Reply, 61*3 for
// 616161.
//   conf NAME=NUMBER...   the MpaConfig's markers crc enhanced rev p2p send write read ird ord max_ird max_pd confirm
//   initiate HEX, respond
//   < HEX                 octets of the peer
//   accept HEX ird=N ord=N, reject (the same), confirm, refuse
//   first                 the first FPDU is sent
//   fin, lost, broken     the peer closes; the connection is lost; a local error
//   wait SECONDS
//   data, terms           shows the peer's private data, or what is negotiated
// What is seen after each step: "took N" of octets that are not all taken, "refused: ...", "> HEX" for what is sent,
// and the events; at the end, the state.
#pragma once

#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "codec/base/header_test.h"
#include "protocol/vectors/recorded_mpa.h"

namespace rdmawire::iwarp::test {

using rdmawire::test::octets;

inline const std::string request_key = "4d504120494420526571204672616d65";
inline const std::string reply_key = "4d504120494420526570204672616d65";

inline std::string hex(Bytes octets) {
  std::string out;
  for (const std::uint8_t octet : octets) {
    out += "0123456789abcdef"[octet >> 4];
    out += "0123456789abcdef"[octet & 15U];
  }
  return out;
}

// As programs have them: with req or rep for the key, and 61*40 for forty and more of the same.
inline std::string shortened(Bytes octets) {
  std::string out;
  std::size_t at = 0;
  const std::string digits = hex(octets);
  if (digits.starts_with(request_key)) out = "req ";
  if (digits.starts_with(reply_key)) out = "rep ";
  if (!out.empty()) at = mpa_request_key.size();
  while (at < octets.size()) {
    std::size_t end = at;
    while (end < octets.size() && octets[end] == octets[at]) ++end;
    if (end - at < 40) {
      out += hex(octets.subspan(at++, 1));
      continue;
    }
    out += ' ' + hex(octets.subspan(at, 1)) + '*' + std::to_string(end - at) + ' ';
    at = end;
  }
  return out;
}

// "crc markers-i p2p write i=IRD/ORD r=IRD/ORD", with - for a depth that is not negotiated.
inline std::string text(const Negotiated& n) {
  const auto depth = [](std::optional<std::uint16_t> value) { return value ? std::to_string(*value) : "-"; };
  std::string out = n.accepted ? "accepted" : "rejected";
  if (n.crc) out += " crc";
  if (n.markers_from_initiator) out += " markers-i";
  if (n.markers_from_responder) out += " markers-r";
  if (n.enhanced) out += " enhanced";
  if (n.peer_to_peer) out += " p2p";
  if (n.rtr_send) out += " send";
  if (n.rtr_write) out += " write";
  if (n.rtr_read) out += " read";
  if (!n.enhanced) return out;
  out += " i=" + depth(n.initiator.ird) + "/" + depth(n.initiator.ord);
  return out + " r=" + depth(n.responder.ird) + "/" + depth(n.responder.ord);
}

inline std::string text(const MpaEvent& event) {
  std::string out(name_of(event.kind));
  if (event.kind == MpaEventKind::ended) {
    out += std::string(": ") + std::string(info(event.end).name) + ", " + std::string(name_of(event.after));
  }
  if (event.revision != 0) out += " rev=" + std::to_string(event.revision);
  if (event.peer.ird) out += " ird=" + std::to_string(*event.peer.ird);
  if (event.peer.ord) out += " ord=" + std::to_string(*event.peer.ord);
  return out;
}

class Script {
 public:
  explicit Script(const MpaConfig& config = {}) : config_(config) {}

  std::string run(const std::string& program) {
    std::istringstream steps(program);
    for (std::string step; std::getline(steps, step, ';');) {
      std::istringstream words(step);
      std::string verb;
      if (words >> verb) {
        do_step(verb, words);
        look();
      }
    }
    return seen_ + std::string(name_of(mpa_->state()));
  }

  const MpaConnection& mpa() const { return mpa_->plain(); }

 private:
  struct Arguments {
    std::vector<std::uint8_t> data;
    std::optional<std::uint16_t> ird;
    std::optional<std::uint16_t> ord;
  };

  static Arguments arguments(std::istringstream& words) {
    Arguments out;
    std::string digits;
    for (std::string word; words >> word;) {
      if (word.starts_with("ird="))
        out.ird = static_cast<std::uint16_t>(std::stoul(word.substr(4)));
      else if (word.starts_with("ord="))
        out.ord = static_cast<std::uint16_t>(std::stoul(word.substr(4)));
      else if (word == "req")
        digits += request_key;
      else if (word == "rep")
        digits += reply_key;
      else if (const auto star = word.find('*'); star != std::string::npos) {
        for (unsigned long n = std::stoul(word.substr(star + 1)); n != 0; --n) digits += word.substr(0, star);
      } else
        digits += word;
    }
    out.data = octets(digits);
    return out;
  }

  void do_step(const std::string& verb, std::istringstream& words) {
    if (verb == "conf") {
      configure(words);
      mpa_.emplace(config_);
      return;
    }
    if (!mpa_) mpa_.emplace(config_);
    if (verb == "wait") {
      unsigned seconds = 0;
      words >> seconds;
      now_ += std::chrono::seconds(seconds);
      return mpa_->on_deadline(now_);
    }
    const Arguments given = arguments(words);
    const Bytes data(given.data);
    if (verb == "<") {
      const std::size_t taken = mpa_->on_octets(data, now_);
      if (taken != data.size()) show("took " + std::to_string(taken));
    } else if (verb == "initiate") {
      tried(mpa_->start_initiator(data, now_));
    } else if (verb == "respond") {
      tried(mpa_->start_responder(now_));
    } else if (verb == "accept") {
      tried(mpa_->accept({data, given.ird, given.ord}));
    } else if (verb == "reject") {
      tried(mpa_->reject({data, given.ird, given.ord}));
    } else if (verb == "confirm") {
      tried(mpa_->confirm_reply());
    } else if (verb == "refuse") {
      tried(mpa_->refuse_reply());
    } else if (verb == "first") {
      mpa_->on_first_fpdu_sent();
    } else if (verb == "fin") {
      mpa_->on_peer_closed();
    } else if (verb == "lost") {
      mpa_->on_connection_lost();
    } else if (verb == "broken") {
      mpa_->on_local_error();
    } else if (verb == "data") {
      show("data " + shortened(mpa_->peer_private_data()));
    } else if (verb == "terms") {
      show(text(mpa_->negotiated()));
    } else {
      BOOST_FAIL("unknown step " << verb);
    }
  }

  void configure(std::istringstream& words) {
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      const std::string name = word.substr(0, equals);
      const auto value = static_cast<std::uint16_t>(std::stoul(word.substr(equals + 1)));
      const bool on = value != 0;
      if (name == "markers")
        config_.markers = on;
      else if (name == "crc")
        config_.crc = on;
      else if (name == "enhanced")
        config_.enhanced = on;
      else if (name == "rev")
        config_.revision = static_cast<std::uint8_t>(value);
      else if (name == "p2p")
        config_.peer_to_peer = on;
      else if (name == "send")
        config_.rtr_send = on;
      else if (name == "write")
        config_.rtr_write = on;
      else if (name == "read")
        config_.rtr_read = on;
      else if (name == "ird")
        config_.ird = value;
      else if (name == "ord")
        config_.ord = value;
      else if (name == "max_ird")
        config_.max_ird = value;
      else if (name == "max_pd")
        config_.max_private_data_len = value;
      else if (name == "confirm")
        config_.confirm_reply = on;
      else
        BOOST_FAIL("unknown setting " << name);
    }
  }

  void tried(const verbs::VerbsResult<void>& result) {
    if (!result) show("refused: " + std::string(name_of(result.error())));
  }
  void show(const std::string& what) { seen_ += what + " | "; }

  void look() {
    std::array<std::uint8_t, 600> out;
    const std::size_t len = mpa_->poll_octets(out);
    if (len != 0) show("> " + shortened(Bytes(out).first(len)));
    while (const auto event = mpa_->poll_event()) show(text(*event));
  }

  MpaConfig config_;
  std::optional<vectors::RecordedMpa> mpa_;
  Time now_{};
  std::string seen_;
};

inline std::string run(const std::string& program, const MpaConfig& config = {}) { return Script(config).run(program); }

}  // namespace rdmawire::iwarp::test
