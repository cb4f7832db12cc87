// The responder's checks of a request that is next in sequence, in the order of the specification.
#include "protocol/ib/responder.h"

namespace rdmawire::ib {
namespace {

using verbs::Access;

// What the peer's operation needs of the region and of the queue pair.
constexpr Access needed_for(const OpcodeInfo& row, const Feth& feth) {
  namespace r = verbs::rights;
  switch (row.operation) {
    case Operation::write:
    case Operation::atomic_write:
      return r::remote_write;
    case Operation::read:
      return r::remote_read;
    case Operation::atomic:
      return r::remote_atomic;
    case Operation::flush:
      return ((feth.placement & 1U) != 0 ? r::flush_visible : Access{}) |
             ((feth.placement & 2U) != 0 ? r::flush_persistent : Access{});
    default:
      return {};
  }
}

}  // namespace

bool Responder::is_ignored(RequestFault fault) const {
  // quirks.inc has them in the order of the faults.
  return quirk(static_cast<Quirk>(static_cast<unsigned>(fault)));
}

RequestFault Responder::check(const RxPacket& packet) {
  using enum RequestFault;
  //= HV-24
  const auto found = [this](RequestFault fault) { return fault != none && !is_ignored(fault); };
  //= HV-14
  if (packet.row == nullptr) return found(reserved_opcode) ? reserved_opcode : none;
  //= HV-23
  if (!packet.headers_complete && found(truncated_headers)) return truncated_headers;
  const OpcodeInfo& row = *packet.row;
  if (const auto fault = check_sequence(row); found(fault)) return fault;
  if (const auto fault = check_support(row); found(fault)) return fault;
  if (const auto fault = check_resources(row); found(fault)) return fault;
  if (const auto fault = check_address(packet); found(fault)) return fault;
  if (const auto fault = check_key(packet); found(fault)) return fault;
  if (const auto fault = check_length(packet); found(fault)) return fault;
  return none;
}

inline RequestFault Responder::check_sequence(const OpcodeInfo& row) const {
  const bool send = row.operation == Operation::send;
  const bool write = row.operation == Operation::write;
  //= OPS-05
  if (message_ == Message::none && row.starts_message()) return RequestFault::none;
  //= OPS-01
  if (message_ == Message::send && send && !row.starts_message()) return RequestFault::none;
  //= OPS-02
  if (message_ == Message::write && write && !row.starts_message()) return RequestFault::none;
  //= OPS-03
  //= OPS-04
  return RequestFault::opcode_sequence;
}

inline RequestFault Responder::check_support(const OpcodeInfo& row) const {
  //= MEM-05
  const Access allowed = qp_.attributes().access;
  if (row.operation == Operation::flush) {
    namespace r = verbs::rights;
    return (allowed & (r::flush_visible | r::flush_persistent)).any() ? RequestFault::none
                                                                      : RequestFault::operation_disabled;
  }
  return allowed.has(needed_for(row, {})) ? RequestFault::none : RequestFault::operation_disabled;
}

inline RequestFault Responder::check_resources(const OpcodeInfo& row) const {
  //= NAK-10
  //= NAK-11
  //= MPE-08
  const bool keeps_result = row.answer != Answer::acknowledge && row.answer != Answer::none;
  if (keeps_result && num_unanswered() >= num_resources()) return RequestFault::no_responder_resource;
  //= RNR-01
  //= RNR-08
  //= RNR-09
  if (row.receive_wqe == ReceiveWqe::takes && !qp_.can_take_receive()) return RequestFault::no_receive;
  return RequestFault::none;
}

inline RequestFault Responder::check_address(const RxPacket& packet) const {
  //= ATM-02
  const OpcodeInfo& row = *packet.row;
  const bool atomic = row.operation == Operation::atomic;
  //= ATM-01
  if (atomic && packet.headers.atomiceth.virtual_address.value % verbs::atomic_len != 0)
    return RequestFault::misaligned;
  //= MPE-06
  if (row.operation == Operation::atomic_write && packet.headers.reth.virtual_address.value % verbs::atomic_len != 0) {
    return RequestFault::misaligned;
  }
  //= MPE-02
  if (row.operation == Operation::flush && static_cast<unsigned>(packet.headers.feth.selectivity) > 1) {
    return RequestFault::flush_selectivity;
  }
  //= LEN-07
  //= MPE-03
  const bool whole_region =
      row.operation == Operation::flush && packet.headers.feth.selectivity == FlushSelectivity::whole_region;
  // A FLUSH of a range is shorter than what can be written.
  const std::uint64_t longest = verbs::max_message_len(verbs::Service::rc);
  const std::uint64_t most = row.operation == Operation::flush ? longest - 1 : longest;
  if (row.has(Layer::reth) && !whole_region && packet.headers.reth.dma_len > most) {
    return RequestFault::dma_len_too_large;
  }
  return RequestFault::none;
}

RequestFault Responder::check_key(const RxPacket& packet) {
  target_ = nullptr;
  const OpcodeInfo& row = *packet.row;
  const Access needed = needed_for(row, packet.headers.feth);
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  RKey key;
  if (row.has(Layer::atomiceth)) {
    address = packet.headers.atomiceth.virtual_address.value;
    key = packet.headers.atomiceth.r_key;
    length = verbs::atomic_len;
  } else if (row.has(Layer::reth)) {
    //= MEM-07
    address = packet.headers.reth.virtual_address.value;
    key = packet.headers.reth.r_key;
    length = packet.headers.reth.dma_len;
  } else if (row.operation == Operation::write) {
    //= MEM-10
    // All of the message was found for its first packet; that holds as long as no key changes.
    if (write_target_ != nullptr && write_generation_ == qp_.memory().generation()) {
      target_ = write_target_;
      return RequestFault::none;
    }
    address = write_.virtual_address.value;
    key = write_.r_key;
    length = write_.dma_len;
  } else {
    return RequestFault::none;
  }
  if (row.operation == Operation::flush) {
    //= MPE-03
    const verbs::KeyInfo* region = qp_.memory().find({key.value});
    const bool whole = packet.headers.feth.selectivity == FlushSelectivity::whole_region;
    if (whole && region != nullptr) address = region->address, length = 0;
    //= MPE-04
    const auto verdict = qp_.find_remote(key, address, length, needed).verdict;
    if (verdict == verbs::AccessVerdict::no_right) return RequestFault::flush_placement;
    return verdict == verbs::AccessVerdict::ok ? RequestFault::none : RequestFault::remote_access;
  }
  //= MEM-06
  if (length == 0) return RequestFault::none;
  //= MEM-01
  //= MEM-02
  //= MEM-03
  //= MEM-04
  //= MEM-11
  //= ATM-06
  //= MPE-07
  const auto place = qp_.find_remote(key, address, length, needed);
  target_ = place.memory;
  return place ? RequestFault::none : RequestFault::remote_access;
}

inline RequestFault Responder::check_length(const RxPacket& packet) const {
  using enum RequestFault;
  const OpcodeInfo& row = *packet.row;
  const std::uint32_t mtu = qp_.attributes().path_mtu.octets();
  const auto length = static_cast<std::uint32_t>(packet.payload.size());
  //= LEN-05
  if (!packet.payload_fits) return pad_too_large;
  switch (row.payload) {
    case PayloadRule::none:
      //= LEN-11
      if (length != 0) return unexpected_payload;
      break;
    case PayloadRule::eight:
      if (length != verbs::atomic_len || packet.headers.reth.dma_len != verbs::atomic_len) return dma_len_mismatch;
      break;
    case PayloadRule::full:
      //= LEN-01
      if (length != mtu || packet.bth.pad_count != 0) return not_full;
      break;
    case PayloadRule::nonempty:
      //= LEN-02
      if (length == 0 ? !quirk(Quirk::empty_last_accepted) : length > mtu) return bad_last_len;
      break;
    case PayloadRule::any:
      //= LEN-03
      if (length > mtu) return bad_only_len;
      break;
  }
  if (row.operation != Operation::write) return none;
  //= LEN-06
  const std::uint32_t left = row.starts_message() ? packet.headers.reth.dma_len : write_.dma_len;
  return (row.ends_message() ? length == left : length < left) ? none : dma_len_mismatch;
}

}  // namespace rdmawire::ib
