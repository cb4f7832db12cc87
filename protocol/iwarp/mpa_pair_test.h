// One end of a connection and what its owner sees, for the tests.
#pragma once

#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "codec/base/header_test.h"
#include "protocol/iwarp/mpa_connection.h"

namespace rdmawire::iwarp::test {

using rdmawire::test::octets;
using Octets = std::vector<std::uint8_t>;

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

inline MpaConfig with(Quirk quirk, MpaConfig config = {}) {
  config.quirks.add(quirk);
  return config;
}

struct End {
  explicit End(const MpaConfig& config = {}) : mpa(config) {}

  End& initiate(Bytes private_data = {}) {
    BOOST_TEST(mpa.start_initiator(private_data, now).has_value());
    return *this;
  }
  End& respond() {
    BOOST_TEST(mpa.start_responder(now).has_value());
    return *this;
  }
  // Gives these octets, and returns how many were taken.
  std::size_t give(Bytes octets) { return mpa.on_octets(octets, now); }
  std::size_t give(const std::string& hex_digits) { return give(Bytes(octets(hex_digits))); }
  // All that there is to send, in hex.
  std::string sent() {
    std::array<std::uint8_t, 600> out;
    return hex(Bytes(out).first(mpa.poll_octets(out)));
  }
  // The events since the last time: "request 2 ird=1 ord=- established", "ended:bad_key".
  std::string told() {
    std::string out;
    while (const auto event = mpa.poll_event()) {
      if (!out.empty()) out += ' ';
      out += name_of(event->kind);
      if (event->kind == MpaEventKind::ended) out += ':' + std::string(info(event->end).name);
      if (event->revision != 0) out += " rev=" + std::to_string(event->revision);
      if (event->peer.ird) out += " ird=" + std::to_string(*event->peer.ird);
      if (event->peer.ord) out += " ord=" + std::to_string(*event->peer.ord);
    }
    return out;
  }
  std::string state() const { return std::string(name_of(mpa.state())); }
  std::string private_data() const { return hex(mpa.peer_private_data()); }

  MpaConnection mpa;
  Time now{};
};

// What both see in common: "crc markers=i,r p2p rtr=send,write,read i=ird/ord r=ird/ord".
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
  out += " i=" + depth(n.initiator.ird) + "/" + depth(n.initiator.ord);
  return out + " r=" + depth(n.responder.ird) + "/" + depth(n.responder.ord);
}

}  // namespace rdmawire::iwarp::test
