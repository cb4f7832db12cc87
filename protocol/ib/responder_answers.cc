// What the responder sends: the queue of answers, and what duplicates are answered.
#include <algorithm>
#include <cstring>

#include "protocol/ib/responder.h"

namespace rdmawire::ib {

void Responder::queue(const Item& answer) {
  if (num_items_ == items_.size()) {
    // Only duplicates and NAKs can be too many; the requester asks again.
    return;
  }
  if (quirk(Quirk::acknowledge_before_read) && answer.kind == ItemKind::acknowledge) {
    for (std::size_t i = num_items_++; i > 0; --i) item(i) = item(i - 1);
    item(0) = answer;
    return;
  }
  item(num_items_++) = answer;
}

void Responder::queue_acknowledge(Psn psn, bool replay) {
  if (quirk(Quirk::never_acknowledge)) return;
  if (quirk(Quirk::acknowledge_psn_plus_one)) ++psn;
  //= ACK-03
  //= ACK-04
  if (num_items_ != 0 && item(num_items_ - 1).kind == ItemKind::acknowledge) {
    Item& last = item(num_items_ - 1);
    if (last.psn.distance_to(psn) > 0) last.psn = psn;
    return;
  }
  Item answer{ItemKind::acknowledge, psn, msn_};
  answer.replay = replay;
  queue(answer);
}

void Responder::pop_item() {
  first_item_ = place(1);
  --num_items_;
}

void Responder::drop_after(Psn psn) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < num_items_; ++i) {
    const Item one = item(i);
    if (psn.distance_to(one.psn) <= 0) {
      item(kept++) = one;
      continue;
    }
    // It will have to be said again.
    if (one.kind == ItemKind::nak) gap_told_ = rnr_told_ = false;
  }
  num_items_ = kept;
}

void Responder::on_duplicate(const RxPacket& packet) {
  //= PSN-09
  if (quirk(Quirk::duplicate_rearms_nak)) gap_told_ = false;
  if (packet.row == nullptr || !packet.headers_complete) return;
  //= MSN-05
  if (quirk(Quirk::msn_counts_duplicates)) ++msn_;
  const OpcodeInfo& row = *packet.row;
  if (row.operation == Operation::read) return repeat_read(packet);
  if (row.answer != Answer::acknowledge) return repeat_result(packet);
  //= DUP-11
  if (quirk(Quirk::nak_bad_duplicate) && row.has(Layer::reth) && check_key(packet) != RequestFault::none) {
    return die({ItemKind::nak, packet.bth.psn, msn_, Syndrome::nak(NakCode::remote_access_error)});
  }
  if (quirk(Quirk::execute_duplicate_write) && row.operation == Operation::write && row.starts_message() &&
      row.ends_message()) {
    write_payload(packet, nullptr);
  }
  //= DUP-03
  if (!packet.bth.ack_request && !quirk(Quirk::acknowledge_every_duplicate)) return;
  if (quirk(Quirk::silent_duplicate) || !any_acknowledgeable_) return;
  //= DUP-01
  //= DUP-02
  queue_acknowledge(quirk(Quirk::duplicate_acknowledges_read) ? epsn_ - 1 : last_acknowledgeable_, true);
}

Responder::Resource* Responder::find_resource(Psn psn, Operation operation) {
  for (Resource& resource : resources_) {
    if (!resource.used || resource.operation != operation) continue;
    if (psn.in_window(resource.first, resource.num_packets)) return &resource;
  }
  return nullptr;
}

void Responder::repeat_read(const RxPacket& packet) {
  const Psn psn = packet.bth.psn;
  Resource* resource = find_resource(psn, Operation::read);
  //= DUP-06
  if (resource == nullptr) {
    if (quirk(Quirk::nak_unknown_duplicate)) die({ItemKind::nak, psn, msn_, Syndrome::nak(NakCode::invalid_request)});
    return;
  }
  const Reth& asked = packet.headers.reth;
  const Reth& original = resource->reth;
  const std::uint64_t skipped = std::uint64_t{resource->first.forward_to(psn)} * qp_.attributes().path_mtu.octets();
  //= DUP-07
  if (asked.r_key != original.r_key && !quirk(Quirk::repeat_read_with_other_key)) return;
  //= DUP-04
  //= DUP-05
  const bool tail = asked.virtual_address.value == original.virtual_address.value + skipped &&
                    std::uint64_t{asked.dma_len} + skipped == original.dma_len;
  const bool part = asked.virtual_address.value >= original.virtual_address.value &&
                    asked.virtual_address.value - original.virtual_address.value + asked.dma_len <= original.dma_len;
  if (!tail && !(quirk(Quirk::repeat_any_part_of_read) && part)) return;
  //= OPS-06
  if (quirk(Quirk::replay_resets_sequence)) message_ = Message::none;
  //= PSN-14
  //= DUP-10
  drop_after(psn - 1);
  Item answer{ItemKind::read, psn, resource->msn};
  answer.replay = true;
  answer.resource = static_cast<std::uint8_t>(resource - resources_.data());
  answer.address = quirk(Quirk::repeat_read_from_start) ? original.virtual_address.value : asked.virtual_address.value;
  answer.left_len = asked.dma_len;
  answer.first_sent = skipped != 0 && quirk(Quirk::repeat_read_as_before);
  queue(answer);
}

// Of an atomic, a FLUSH or an ATOMIC WRITE.
void Responder::repeat_result(const RxPacket& packet) {
  const Psn psn = packet.bth.psn;
  const Operation operation = packet.row->operation;
  if (quirk(Quirk::forget_flush) && operation == Operation::flush) return;
  Resource* resource = find_resource(psn, operation);
  //= DUP-09
  if (resource == nullptr) {
    if (quirk(Quirk::nak_unknown_duplicate)) die({ItemKind::nak, psn, msn_, Syndrome::nak(NakCode::invalid_request)});
    return;
  }
  //= DUP-08
  //= DUP-12
  //= DUP-13
  drop_after(psn - 1);
  if (quirk(Quirk::execute_duplicate_atomic) && operation == Operation::atomic) return execute_atomic(packet);
  if (quirk(Quirk::execute_duplicate_atomic_write) && operation == Operation::atomic_write) {
    return execute_atomic_write(packet);
  }
  Item answer{operation == Operation::atomic ? ItemKind::atomic : ItemKind::empty_read, psn, resource->msn};
  answer.replay = true;
  answer.resource = static_cast<std::uint8_t>(resource - resources_.data());
  answer.original = resource->original;
  queue(answer);
}

Syndrome Responder::acknowledge_syndrome() {
  //= ACK-10
  //= CRD-01
  //= CRD-04
  //= CRD-05
  std::uint8_t code = CreditCode::not_used;
  if (config_.flow_control && (!qp_.has_srq() || quirk(Quirk::credits_in_spite_of_srq))) {
    // The one in use counts until its message does: credits then never fall behind what was granted.
    const std::size_t free = qp_.num_receives() + (qp_.has_receive() ? 1 : 0);
    code = CreditCode::for_receive_wqes(static_cast<std::uint32_t>(free)).value;
    if (quirk(Quirk::credits_one_too_many) && code < 30) ++code;
    if (quirk(Quirk::credits_always_zero)) code = 0;
  }
  last_credits_ = code;
  //= ACK-11
  Syndrome syndrome = Syndrome::ack(code);
  if (quirk(Quirk::acknowledge_reserved_bit)) syndrome.value |= 0x80U;
  return syndrome;
}

bool Responder::poll_transmit(TxPacket& out, Time) {
  //= ACK-05
  while (num_items_ != 0) {
    Item& next = item(0);
    out.clear();
    out.psn = next.psn;
    //= ACK-13
    out.headers.aeth.msn = next.msn;
    switch (next.kind) {
      case ItemKind::acknowledge:
        //= ACK-12
        out.opcode = Opcode::RC_ACKNOWLEDGE;
        out.headers.aeth = {acknowledge_syndrome(), msn_};
        pop_item();
        return true;
      case ItemKind::nak:
        out.opcode = Opcode::RC_ACKNOWLEDGE;
        out.headers.aeth.syndrome = next.syndrome;
        pop_item();
        return true;
      case ItemKind::atomic:
        out.opcode = Opcode::RC_ATOMIC_ACKNOWLEDGE;
        out.headers.aeth.syndrome = acknowledge_syndrome();
        out.headers.atomicacketh.original_remote_data = next.original;
        pop_item();
        return true;
      case ItemKind::empty_read:
        out.opcode = Opcode::RC_RDMA_READ_RESPONSE_ONLY;
        out.headers.aeth.syndrome = acknowledge_syndrome();
        pop_item();
        return true;
      case ItemKind::read:
        return send_read(next, out);
    }
  }
  return false;
}

bool Responder::send_read(Item& next, TxPacket& out) {
  const std::uint32_t size = std::min(next.left_len, qp_.attributes().path_mtu.octets());
  const bool ends = size == next.left_len;
  //= ORD-03
  if (size != 0) {
    const RKey key = resources_[next.resource].reth.r_key;
    const auto place = qp_.find_remote(key, next.address, size, verbs::rights::remote_read);
    //= RD-09
    if (!place && !quirk(Quirk::keep_reading_gone_memory)) {
      //= DUP-11
      // Nobody waits for it: a copy that the network held back can come long after its key was invalidated.
      if (next.replay) {
        pop_item();
        return poll_transmit(out, {});
      }
      const Psn psn = next.psn;
      const Msn msn = next.msn;
      num_items_ = 0;
      last_fault_ = RequestFault::remote_access;
      qp_.raise(verbs::EventKind::qp_access_error);
      die({ItemKind::nak, psn, msn, Syndrome::nak(NakCode::remote_access_error)});
      return poll_transmit(out, {});
    }
    static constexpr std::array<std::uint8_t, 4096> zeros{};
    piece_ = {place ? place.memory : zeros.data(), size};
    out.payload = {&piece_, 1};
    out.payload_len = size;
  }
  //= RD-01
  //= LEN-10
  using enum Opcode;
  if (ends) {
    out.opcode = next.first_sent ? RC_RDMA_READ_RESPONSE_LAST : RC_RDMA_READ_RESPONSE_ONLY;
  } else {
    out.opcode =
        next.first_sent || quirk(Quirk::read_all_middle) ? RC_RDMA_READ_RESPONSE_MIDDLE : RC_RDMA_READ_RESPONSE_FIRST;
  }
  out.headers.aeth.syndrome = acknowledge_syndrome();
  if (quirk(Quirk::current_msn_in_reads)) out.headers.aeth.msn = msn_;
  if (ends) {
    pop_item();
    return true;
  }
  next.first_sent = true;
  next.address += size;
  next.left_len -= size;
  //= PSN-11
  if (!quirk(Quirk::read_psn_constant)) ++next.psn;
  return true;
}

}  // namespace rdmawire::ib
