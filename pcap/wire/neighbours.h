// The network layer of a host that is not the operating system's: it answers ARP (RFC 826), IPv6 neighbour solicitation
// (RFC 4861, 7.2) and echo requests for its own addresses, and finds the MAC addresses of others. Frames and time in,
// frames out; it does no I/O.
//
//   if (neighbours.on_frame(frame, now)) return;          // it was for this layer
//   while (std::size_t size = neighbours.poll_transmit(buffer)) send(buffer.first(size));
//   neighbours.look_for(address, now);  ... neighbours.find(address)
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "codec/base/bytes.h"
#include "codec/base/types.h"
#include "pcap/wire/ip_address.h"
#include "protocol/time.h"

namespace rdmawire::wire {

struct NeighboursConfig {
  MacAddress mac;
  std::vector<IpPrefix> addresses;       // own
  std::vector<Gid> gateways;             // for what lies in none of their networks; at most one of each family counts
  std::optional<MacAddress> all_others;  // nobody is asked: all have this MAC address
  // Of a question for a MAC address.
  std::uint32_t num_attempts = 10;
  Duration attempt_interval = std::chrono::milliseconds(500);
  // Neighbours that are remembered; those heard of longest ago are forgotten first.
  std::size_t max_neighbours = 256;
};

class Neighbours {
 public:
  explicit Neighbours(NeighboursConfig config) : config_(std::move(config)) {}

  // Tells all who may remember another MAC address for an own IP address (RFC 5227, 2.3; RFC 4861, 7.2.6).
  void announce();

  // Takes a frame. True if it was for this layer alone: ARP, or ICMP. Of IP packets to an own address it learns where
  // they come from, and that is all.
  bool on_frame(Bytes frame, Time now);
  // Asks for the address until find() knows it or failed() is true. Asking again changes nothing.
  void look_for(const Gid& address, Time now);
  std::optional<MacAddress> find(const Gid& address) const;
  // Nobody has answered, after all attempts.
  bool failed(const Gid& address) const;

  // Writes the next frame (room for Wire::max_frame_len); 0 if there is none.
  std::size_t poll_transmit(MutableBytes out);
  std::optional<Time> next_deadline() const;
  void on_deadline(Time now);

 private:
  struct Known {
    Gid address;
    MacAddress mac;
  };
  struct Question {
    Gid hop;
    std::uint32_t num_left = 0;
    Time next{};
  };

  bool is_own(const Gid& address) const;
  // The neighbour that packets to the address go to.
  Gid hop_to(const Gid& address) const;
  const Gid* own_address_for(const Gid& hop) const;
  void learn(const Gid& address, const MacAddress& mac);
  void ask(const Gid& hop);
  void ask_arp(const Gid& own, const Gid& hop);
  void queue(std::vector<std::uint8_t> frame);
  void on_arp(Bytes frame);
  bool on_ipv4(Bytes frame);
  bool on_ipv6(Bytes frame);
  void on_solicitation(Bytes frame, Bytes message, const Gid& from);

  NeighboursConfig config_;
  std::deque<Known> known_;  // those heard of last stand last
  std::vector<Question> questions_;
  std::deque<std::vector<std::uint8_t>> out_;
};

}  // namespace rdmawire::wire
