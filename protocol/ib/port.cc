#include "protocol/ib/port.h"

#include <algorithm>
#include <bit>

namespace rdmawire::ib {

Port::Port(const PortConfig& config)
    : config_(config), attached_(std::bit_ceil(config.max_queue_pairs)), cnps_(config.max_queue_pairs) {
  slots_mask_ = attached_.size() - 1;
  groups_.reserve(config.max_queue_pairs);
  // A port of Ethernet has a GID table of RoCE entries, one of InfiniBand none of them.
  native_ = std::ranges::all_of(config_.gids, [](const GidEntry& one) { return one.carrier == Carrier::native; });
}

verbs::VerbsResult<void> Port::attach(QueuePairMachine& machine) {
  const Qpn number = machine.verbs().config().number;
  if (find(number) != nullptr) return verbs::refuse(verbs::VerbsError::unknown_handle);
  if (num_attached_ == config_.max_queue_pairs) return verbs::refuse(verbs::VerbsError::no_room);
  const std::size_t mask = slots_mask_;
  std::size_t at = number.value & mask;
  while (attached_[at].machine != nullptr) at = (at + 1) & mask;
  attached_[at] = {};
  attached_[at].machine = &machine;
  attached_[at].qp = &machine.verbs();
  attached_[at].number = number;
  ++num_attached_;
  return {};
}

void Port::detach(QueuePairMachine& machine) {
  std::erase_if(groups_, [&](const Membership& one) { return one.machine == &machine; });
  Attached* gone = find(machine.verbs().config().number);
  if (gone == nullptr) return;
  num_cnps_ = 0;
  gone->machine = nullptr;
  --num_attached_;
  // Those that lay behind it because it was in their way move up.
  const std::size_t mask = slots_mask_;
  for (std::size_t i = 1; i <= mask; ++i) {
    Attached& one = attached_[(static_cast<std::size_t>(gone - attached_.data()) + i) & mask];
    if (one.machine == nullptr) return;
    QueuePairMachine& moved = *one.machine;
    one.machine = nullptr;
    --num_attached_;
    (void)attach(moved);
  }
}

verbs::VerbsResult<void> Port::join(QueuePairMachine& machine, const Gid& group) {
  if (find(machine.verbs().config().number) == nullptr) return verbs::refuse(verbs::VerbsError::unknown_handle);
  if (groups_.size() == groups_.capacity()) return verbs::refuse(verbs::VerbsError::no_room);
  leave(machine, group);
  groups_.push_back({group, &machine});
  return {};
}

void Port::leave(QueuePairMachine& machine, const Gid& group) {
  std::erase_if(groups_, [&](const Membership& one) { return one.machine == &machine && one.group == group; });
}

void Port::make_path(Attached& of) {
  const verbs::QueuePair& qp = *of.qp;
  of.generation = qp.generation();
  const verbs::QpAttributes& attributes = qp.attributes();
  //= ACK-14
  of.path = PathHeaders(config_, attributes.path);
  of.expected = {};
  if (qp.config().service != verbs::Service::ud) of.expected = ExpectedHeaders(of.path, config_, attributes.path);
  const std::uint8_t gid = attributes.path.source_gid_index;
  of.carrier = gid < config_.gids.size() ? config_.gids[gid].carrier : Carrier::native;
  //= ACK-13
  of.rest.p_key = attributes.p_key_index < config_.p_keys.size() ? config_.p_keys[attributes.p_key_index] : PKey{};
  if (quirk(Quirk::p_key_always_default)) of.rest.p_key = PKey{0xFFFF};
  of.rest.destination_qp = attributes.destination_qp;
}

std::size_t Port::write_cnp(MutableBytes out) {
  const Cnp& cnp = cnps_[--num_cnps_];
  const Attached& from = attached_[cnp.attached];
  TxPacket packet;
  //= CN-02
  //= CN-10
  packet.opcode = from.carrier == Carrier::rocev2 ? Opcode::CNP_ROCEV2 : Opcode::CNP_NATIVE;
  BthRest rest;
  //= MIG-04
  rest.migrated = false;
  //= CN-03
  rest.becn = !quirk(Quirk::cnp_without_becn);
  rest.p_key = cnp.p_key;
  rest.destination_qp = cnp.destination_qp;
  PathHeaders path(config_, cnp.path);
  ++num_cnps_sent_;
  ++num_sent_;
  return write_frame(path, packet, *ib::find(packet.opcode), rest, out.data());
}

inline std::size_t Port::write(Attached& from, const TxPacket& packet, MutableBytes out, Time now) {
  //= MIG-01
  from.rest.migrated = from.qp->attributes().migration == verbs::MigrationState::migrated && !quirk(Quirk::m_bit_clear);
  std::size_t size = 0;
  const OpcodeInfo& row = *ib::find(packet.opcode);
  if (packet.destination != nullptr) {
    PathHeaders path(config_, *packet.destination);
    BthRest rest = from.rest;
    rest.destination_qp = packet.destination_qp;
    size = write_frame(path, packet, row, rest, out.data());
  } else {
    size = write_frame(from.path, packet, row, from.rest, out.data());
  }
  ++num_sent_;
  if (from.slowness != 1) {
    //= CN-04
    const auto gap = std::chrono::nanoseconds(static_cast<std::int64_t>(std::uint64_t{size} * 8 * 1'000'000'000 *
                                                                        from.slowness / config_.rate_bits_per_second));
    from.next_send = now + gap;
  }
  return size;
}

std::size_t Port::poll_transmit(MutableBytes out, Time now) {
  asked_ = now;
  if (num_cnps_ != 0) return write_cnp(out);
  for (std::size_t i = 0; i <= slots_mask_; ++i) {
    Attached& one = attached_[next_];
    next_ = (next_ + 1) & slots_mask_;
    if (one.machine == nullptr) continue;
    if (one.slowness != 1 && now < one.next_send) continue;
    if (!one.machine->poll_transmit(sent_, now)) continue;
    refresh(one);
    return write(one, sent_, out, now);
  }
  return 0;
}

std::optional<Time> Port::next_deadline() const {
  std::optional<Time> first;
  for (const Attached& one : attached_) {
    if (one.machine == nullptr) continue;
    keep_sooner(first, one.machine->next_deadline());
    if (one.slowness == 1) continue;
    keep_sooner(first, one.recovers);
    // In the past it waits for nothing but poll_transmit.
    if (one.next_send > asked_) keep_sooner(first, one.next_send);
  }
  return first;
}

void Port::on_deadline(Time now) {
  asked_ = now;
  for (Attached& one : attached_) {
    if (one.machine == nullptr) continue;
    one.machine->on_deadline(now);
    //= CN-05
    if (one.slowness != 1 && now >= one.recovers) {
      one.slowness /= 2;
      one.recovers = now + config_.rate_recovery;
    }
  }
}

}  // namespace rdmawire::ib
