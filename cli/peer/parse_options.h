// The words of the command line of `rdmawire peer`, and what they mean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "cli/peer/options.h"

namespace rdmawire::cli::peer {

// As they stand on the command line. Sizes take the units KiB, MiB and GiB; 0 of what says "default" stands for that.
struct PeerArguments {
  std::string service;
  std::string listen;
  std::string connect;
  std::string wire;

  std::string size;
  std::string count;
  std::string operation = "write";
  bool verify = false;
  unsigned regions = 1;
  std::string region_size = "1MiB";

  std::vector<std::string> addresses;
  std::vector<std::string> gateways;
  std::string mac;
  unsigned mtu = 1024;
  std::string p_key = "0xffff";
  int dscp = -1;
  std::string ecn;
  unsigned hop_limit = 64;
  unsigned udp_source_port = 0;
  unsigned ack_timeout = 16;
  unsigned retry_count = 7;
  unsigned rnr_retry = 7;
  unsigned rnr_timer = 12;
  unsigned window = 128;
  unsigned keep_alive = 10;  // seconds

  std::string crc = "on";
  std::string markers = "off";
  unsigned revision = 2;
  std::vector<std::string> rtr;

  unsigned depth = 32;
  unsigned initiator_depth = 16;
  unsigned responder_resources = 16;
  std::vector<std::string> quirks;
  std::string seed;
  std::string record;
  std::string impair;
  unsigned connections = 0;
  unsigned max_connections = 16;
  unsigned time_limit = 0;        // seconds
  unsigned connect_timeout = 20;  // seconds
};

// Locally administered, and the same for an address each time: its peers remember it.
MacAddress made_up_mac(const Gid& address);
// Of the other end of a simulated link: where this end connects to, or the address beside the one that it listens at.
Gid other_end_of(const PeerOptions& options);

// The error is one line for the user.
tl::expected<PeerOptions, std::string> read_arguments(const PeerArguments& arguments);

// "loss=1%,dup=0.5%,reorder=3,corrupt=0.1%,delay=2ms": reorder is how many later frames may overtake one, of 5 % of
// them or of as many as stand before it ("reorder=10%:3").
tl::expected<link::Impairments, std::string> read_impairments(std::string_view text);
// What of them a TCP connection shows: a loss is a segment that is late by 200 ms, the least that Linux waits before it
// sends one again. The error says why there is no reordering and no duplication.
tl::expected<link::StreamImpairments, std::string> on_stream(const link::Impairments& impairments);
// A count of octets: "64", "64KiB".
tl::expected<std::uint64_t, std::string> read_size(std::string_view text);

// All quirks, a line each: name, family, origin, what it does.
std::string list_quirks();

}  // namespace rdmawire::cli::peer
