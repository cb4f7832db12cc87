// A host of RoCEv2 on a wire: its own MAC and IP addresses, a port, queue pair 1 and a connection manager. It moves
// frames between them; connections and queue pairs are the consumer's.
//
//   RoceHost host(*wire, config);
//   host.port().attach(queue_pair); host.cm().listen(...) or host.cm().connect(...)
//   for (;;) {
//     while (host.turn(monotonic_now())) {}
//     while (auto event = host.cm().poll_event()) ...
//     poll host.descriptor() for host.events() until host.next_deadline()
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pcap/wire/departures.h"
#include "pcap/wire/neighbours.h"
#include "pcap/wire/wire.h"
#include "protocol/cm/manager.h"
#include "protocol/ib/port.h"
#include "protocol/ib/ud_queue_pair.h"

namespace rdmawire::wire {

struct RoceHostConfig {
  NeighboursConfig network;
  PKey p_key{0xFFFF};
  std::size_t max_connections = 64;
  std::uint8_t max_responder_resources = 16;  // of one connection
  std::uint8_t target_ack_delay = 15;         // 4.096 us * 2^n: what peers add to their ACK timeout
  // Where IDs of the connection manager count up from: another after each start, as peers remember.
  std::uint64_t seed = 0;
  ib::Quirks quirks;
  // A turn takes, and sends, no more frames.
  std::uint32_t max_frames_per_turn = 64;
};

class RoceHost {
 public:
  // The wire outlives it. network has one address at least.
  RoceHost(Wire& wire, const RoceHostConfig& config);

  ib::Port& port() { return port_; }
  const ib::Port& port() const { return port_; }
  cm::Manager& cm() { return cm_; }
  const cm::Manager& cm() const { return cm_; }
  Neighbours& neighbours() { return neighbours_; }

  // The path from here to an address, as far as the host knows it; nothing as long as its MAC address is not known
  // (neighbours().look_for) or there is no own address of its kind.
  std::optional<verbs::AddressVector> path_to(const Gid& address) const;
  // The only UDP port that packets can leave from, if there is but one. What path_to gives has it already.
  std::optional<UdpPort> only_source_port() const;
  const Gid& own_gid(const verbs::AddressVector& path) const { return port_.config().gids[path.source_gid_index].gid; }

  // Does what can be done now without waiting; true if it was something.
  bool turn(Time now);
  int descriptor() const { return wire_.descriptor(); }
  short events() const;
  void on_ready(short events);
  std::optional<Time> next_deadline() const;
  // The wire is gone: nothing goes or comes any more.
  const std::optional<SocketError>& error() const { return error_; }

  // Frames that the wire could not carry for their length.
  std::uint64_t num_too_long() const { return wire_.num_too_long(); }
  // Frames on the wire that were for other hosts, or no RoCE.
  std::uint64_t num_not_for_us() const { return num_not_for_us_; }
  const Departures& departures() const { return departures_; }

 private:
  bool receive(Time now);
  void take(Bytes frame, Time now);
  void take_mads(const MacAddress& from, Time now);
  void send_mads(Time now);
  bool transmit(Time now);
  void post_receive(std::uint64_t slot);
  // To whom is reached by that MAC address.
  verbs::AddressVector path(const Gid& address, const MacAddress& mac, std::size_t source) const;

  static constexpr std::size_t num_mads = 64;
  static constexpr std::size_t mad_room = ib::UdQueuePair::grh_size + mad::mad_size;
  static constexpr std::uint64_t mad_address = 0x1000;

  Wire& wire_;
  RoceHostConfig config_;
  Neighbours neighbours_;
  ib::Port port_;
  cm::Manager cm_;

  std::vector<std::uint8_t> mads_ = std::vector<std::uint8_t>(num_mads * mad_room);
  verbs::MemoryTable memory_{{1, 4, {}}};
  verbs::Pd pd_;
  verbs::MemoryKey mad_key_;
  verbs::CompletionQueue send_cq_{num_mads + 1};
  verbs::CompletionQueue receive_cq_{num_mads + 1};
  verbs::EventQueue events_{16};
  ib::UdQueuePair gsi_;

  bool may_receive_ = true;  // as far as it is known
  bool may_send_ = true;
  std::vector<std::uint8_t> in_ = std::vector<std::uint8_t>(Wire::max_frame_len);
  std::vector<std::uint8_t> out_ = std::vector<std::uint8_t>(Wire::max_frame_len);
  std::size_t out_len_ = 0;  // of a frame that the wire did not take
  std::optional<SocketError> error_;
  std::uint64_t num_not_for_us_ = 0;
  Departures departures_;
};

}  // namespace rdmawire::wire
