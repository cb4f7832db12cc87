// Bulk data from one process to another by one of iWARP's operations, with a checksum at both ends. The client says
// what is done, in MPA's private data; the server follows.
//
// The data go in rounds, of no more octets than the region holds that both ends have registered. In each, the end that
// the data come from makes them up, and the other one clears its region before. Between rounds the ends exchange small
// Sends:
//
//   server  READY round, checksum     its region and its receives are there; the checksum is of all rounds before
//   client  the data                  WRITEs, SENDs, or READs of the server's region
//   client  DONE round, checksum      all is sent, or has come; of this round too
//   server  ARRIVED round
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "pcap/wire/iwarp_host.h"

namespace rdmawire::wire {

enum class TransferBy : std::uint8_t { write, send, read };

std::string_view name_of(TransferBy by);

struct TransferPlan {
  TransferBy by = TransferBy::write;
  std::uint64_t total_len = 0;            // octets
  std::uint32_t message_len = 64 * 1024;  // octets; the last message of a round may be shorter
  std::uint32_t seed = 1;                 // of the data
};

struct TransferOptions {
  std::uint32_t region_len = 16 * 1024 * 1024;  // octets
  std::uint32_t depth = 32;                     // requests that are posted at a time
  bool markers = false;                         // in what this end receives
  bool crc = true;                              // both ends have to agree on false
  Segmentation segmentation = Segmentation::aligned;
  Duration startup_timeout = std::chrono::seconds(10);
  Duration stall_timeout = std::chrono::seconds(30);
  Duration linger = std::chrono::seconds(5);
};

struct TransferResult {
  bool good = false;             // all has gone, and the checksums are equal
  std::string fault;             // what is wrong, in words; empty if it is good
  std::uint64_t num_octets = 0;  // of data
  std::uint32_t checksum = 0;    // CRC-32 of all of them, as this end has them
  std::uint32_t peer_checksum = 0;
  double seconds = 0;  // without the making up and the checksums; client only
};

// Each runs until the connection is closed, by itself or the peer, or until `until`.
TransferResult run_transfer_client(TcpStream stream, const TransferPlan& plan, const TransferOptions& options,
                                   Time until);
TransferResult run_transfer_server(TcpStream stream, const TransferOptions& options, Time until);

}  // namespace rdmawire::wire
