// A port: frames in and out, for any number of queue pairs.
//
//   port.attach(queue_pair);
//   port.on_frame(octets, now);
//   while (std::size_t size = port.poll_transmit(buffer, now)) send(buffer.first(size));
//   sleep until port.next_deadline(), then port.on_deadline(now);
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "codec/frame.h"
#include "codec/ib/well_known.h"
#include "protocol/ib/drop_cause.h"
#include "protocol/ib/expected_headers.h"
#include "protocol/ib/packet_writer.h"
#include "protocol/ib/port_config.h"
#include "protocol/ib/queue_pair_machine.h"

namespace rdmawire::ib {

class Port {
 public:
  explicit Port(const PortConfig& config);

  const PortConfig& config() const { return config_; }
  // The link that frames come from and go to: Ethernet, or native InfiniBand.
  LinkType link() const { return native_ ? LinkType::infiniband : LinkType::ethernet; }

  // Its number must be new: unknown_handle; no_room beyond max_queue_pairs. It must be detached before its end.
  verbs::VerbsResult<void> attach(QueuePairMachine& machine);
  void detach(QueuePairMachine& machine);
  // Datagrams to that group go to it too (UD-10).
  verbs::VerbsResult<void> join(QueuePairMachine& machine, const Gid& group);
  void leave(QueuePairMachine& machine, const Gid& group);

  // A frame as it came, whole; padding and FCS behind it do no harm.
  void on_frame(Bytes frame, Time now);
  // Writes the next frame to out (room for max_frame_len(4096)) and returns its octets; 0 if there is none now.
  std::size_t poll_transmit(MutableBytes out, Time now);
  std::optional<Time> next_deadline() const;
  void on_deadline(Time now);

  std::uint64_t num_dropped(DropCause cause) const { return dropped_[static_cast<std::size_t>(cause)]; }
  std::uint64_t num_received() const { return num_received_; }
  std::uint64_t num_sent() const { return num_sent_; }
  std::uint64_t num_cnps_sent() const { return num_cnps_sent_; }
  std::uint64_t num_cnps_received() const { return num_cnps_received_; }

 private:
  struct Attached {
    QueuePairMachine* machine = nullptr;
    verbs::QueuePair* qp = nullptr;  // the machine's
    Qpn number;
    std::uint32_t generation = ~0U;  // of the queue pair, when what follows was made
    PathHeaders path;
    ExpectedHeaders expected;  // of a connection
    BthRest rest;
    Carrier carrier{};
    // Congestion: the interval between the octets of this queue pair, as a part of the full rate.
    std::uint32_t slowness = 1;  // 1 full rate, 2 half of it, ...
    Time next_send{};
    Time recovers{};
    std::optional<Time> last_cnp;
  };
  struct Cnp {
    std::size_t attached = 0;
    verbs::AddressVector path;
    Qpn destination_qp;
    PKey p_key;
  };
  struct Membership {
    Gid group;
    QueuePairMachine* machine = nullptr;
  };

  bool quirk(Quirk which) const { return config_.quirks.has(which); }
  void drop(DropCause cause) { ++dropped_[static_cast<std::size_t>(cause)]; }
  // port_receive.cc
  std::optional<DropCause> check_frame(const Frame& frame) const;
  std::optional<DropCause> check_address(const Frame& frame, const Bth& bth, const Attached& to) const;
  bool came_by(const Frame& frame, Carrier carrier, const verbs::AddressVector& path) const;
  inline std::optional<DropCause> check_partition(const Bth& bth, const Attached& to) const;
  inline std::optional<DropCause> check_q_key(const RxPacket& packet, const Attached& to) const;
  inline Attached* await(Bytes frame);
  void read(Bytes octets, Time now);
  // Both, frame: nullptr if the headers before the BTH are those that the queue pair `to` expects.
  inline void take(const Frame* frame, Attached* to, Time now);
  void deliver(const Frame* frame, Attached& to, Time now);
  inline void migrate(const Bth& bth, Attached& to);
  void note_congestion(const RxPacket& packet, Attached& to, Time now);
  void on_cnp(Attached& to, Time now);

  Attached* find(Qpn number) {
    // A number lies in the first free slot from its own on.
    const std::size_t mask = slots_mask_;
    for (std::size_t i = 0; i <= mask; ++i) {
      Attached& one = attached_[(number.value + i) & mask];
      if (one.machine == nullptr) return nullptr;
      if (one.number == number) return &one;
    }
    return nullptr;
  }
  void refresh(Attached& of) {
    if (of.generation != of.qp->generation()) make_path(of);
  }
  void make_path(Attached& of);
  inline std::size_t write(Attached& from, const TxPacket& packet, MutableBytes out, Time now);
  std::size_t write_cnp(MutableBytes out);

  PortConfig config_;
  bool native_ = false;
  std::vector<Attached> attached_;  // a power of two of them
  std::size_t slots_mask_ = 0;
  std::size_t num_attached_ = 0;
  // Here, because they are too large to be made anew for each frame.
  RxPacket received_;
  TxPacket sent_;
  std::vector<Membership> groups_;
  std::size_t next_ = 0;  // whose turn it is
  std::vector<Cnp> cnps_;
  std::size_t num_cnps_ = 0;
  std::optional<Time> last_port_cnp_;
  Time asked_{};  // when poll_transmit or on_deadline was called last
  std::array<std::uint64_t, static_cast<std::size_t>(DropCause::count_)> dropped_{};
  std::uint64_t num_received_ = 0;
  std::uint64_t num_sent_ = 0;
  std::uint64_t num_cnps_sent_ = 0;
  std::uint64_t num_cnps_received_ = 0;
};

}  // namespace rdmawire::ib
