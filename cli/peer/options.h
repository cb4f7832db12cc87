// What the command line of `rdmawire peer` says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/peer/service.h"
#include "codec/ib/encodings.h"
#include "pcap/wire/neighbours.h"
#include "protocol/ib/quirks.h"
#include "protocol/iwarp/mpa_config.h"
#include "protocol/link/byte_stream.h"
#include "protocol/link/impairments.h"

namespace rdmawire::cli::peer {

struct PeerOptions {
  const ServiceInfo* service = nullptr;
  ServiceOptions of_service;
  bool listens = false;
  std::string wire;  // "tcp", "sim", or as wire::open_wire reads it
  // listens: own, empty for any. Otherwise of the peer.
  std::string host;
  std::uint16_t port = 0;

  // --- Both families ---
  std::uint32_t depth = 32;  // requests at a time, and receives
  std::uint8_t initiator_depth = 16;
  std::uint8_t responder_resources = 16;
  std::uint64_t seed = 0;
  std::string record;                 // file; empty: none
  std::uint64_t max_sessions = 16;    // a server's, at a time
  std::uint64_t num_connections = 0;  // a server ends after so many; 0: never
  Duration time_limit{};              // 0: none
  Duration connect_timeout = std::chrono::seconds(20);
  std::vector<std::string> quirk_names;
  ib::Quirks ib_quirks;
  iwarp::Quirks iwarp_quirks;

  // --- RoCEv2 ---
  wire::NeighboursConfig network;
  ib::PathMtu path_mtu = ib::mtu1024;
  PKey p_key{0xFFFF};
  std::optional<std::uint8_t> traffic_class;
  std::uint8_t hop_limit = 64;
  std::optional<UdpPort> udp_source_port;
  std::uint8_t ack_timeout = 16;  // 4.096 us * 2^n
  std::uint8_t retry_count = 7;
  std::uint8_t rnr_retry = 7;
  std::uint8_t rnr_timer = 12;                     // code, 0.64 ms
  std::uint32_t window = 128;                      // packets
  Duration keep_alive = std::chrono::seconds(10);  // 0: never
  std::optional<link::Impairments> impairments;

  // --- iWARP ---
  iwarp::MpaConfig mpa;
  std::optional<link::StreamImpairments> stream_impairments;

  bool is_tcp() const { return wire == "tcp"; }
  // The other end is in this process.
  bool is_simulated() const { return wire == "sim"; }
};

}  // namespace rdmawire::cli::peer
