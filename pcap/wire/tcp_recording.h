// Records a TCP connection of the operating system, whose packets nobody sees: frames that are made up from the octets
// as they went and came. Link headers, IP and TCP are invented, with the connection's addresses and ports, right
// checksums, and sequence numbers that count the octets: a handshake, segments, and the end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "codec/base/bytes.h"
#include "codec/base/types.h"
#include "codec/net/net.h"
#include "pcap/wire/recorder.h"
#include "pcap/wire/stream.h"

namespace rdmawire::wire {

// Who sent the first SYN.
enum class OpenedBy : std::uint8_t { here, peer };

class TcpRecording {
 public:
  using Way = Recorder::Way;

  // What a recording's interface is called (Recorder::open).
  static constexpr std::string_view interface = "TCP of this machine; Ethernet, IP and TCP headers are made up";
  // An IPv4 packet holds no more.
  static constexpr std::size_t max_segment_len = 65535 - 20 - 20;

  // Of one connection. recorder outlives it; nullptr: nobody records, and nothing is done.
  TcpRecording(Recorder* recorder, OpenedBy opened_by) : recorder_(recorder), opened_by_(opened_by) {}

  // The connection stands: its handshake. If the system does not tell its addresses any more, none of it is recorded.
  void begin(const Stream& stream);
  // The next octets of a direction, in segments of this length at most.
  void add(Way way, Bytes octets, std::size_t segment_len, std::string_view comment = {});
  // FIN.
  void end(Way way);
  // RST. Nothing follows.
  void reset(Way way);
  // What the system refuses, which may be because of the peer's RST.
  void fail(const SocketError& error);

 private:
  struct Direction {
    std::uint32_t next = 0;  // sequence number
    bool ended = false;
  };

  static constexpr Way other(Way way) { return way == Way::out ? Way::in : Way::out; }
  Direction& of(Way way) { return directions_[way == Way::out ? 1 : 0]; }
  // Of tcp only the flags count; the rest is filled in here.
  void put(Way way, net::Tcp tcp, Bytes options, Bytes payload, std::string_view comment = {});

  Recorder* recorder_;
  OpenedBy opened_by_;
  bool standing_ = false;  // and somebody records
  Gid own_;
  Gid peers_;
  TcpPort own_port_;
  TcpPort peers_port_;
  std::array<Direction, 2> directions_;
  std::vector<std::uint8_t> frame_;
};

}  // namespace rdmawire::wire
