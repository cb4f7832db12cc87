#include "dissector/messages.h"

#include <algorithm>
#include <span>

#include "codec/base/field.h"
#include "codec/ib/bth.h"

namespace rdmawire::dissector {

Messages::Sender Messages::sender_of(const Frame& frame, Qpn dest_qp) {
  Sender out;
  out.service = static_cast<std::uint32_t>(frame.opcode->service);
  out.dest_qp = dest_qp.value;
  // The innermost header with addresses.
  const std::span<const LayerRef> layers = frame.layers();
  std::size_t size = 0;
  for (auto ref = layers.rbegin(); ref != layers.rend() && size == 0; ++ref) {
    for (const FieldInfo& field : ref->header->fields) {
      if (field.display != Display::ipv4 && field.display != Display::ipv6) continue;
      for (const std::uint8_t octet : octets(field, frame.octets(*ref))) {
        if (size < out.addresses.size()) out.addresses[size++] = octet;
      }
    }
  }
  return out;
}

std::optional<MessagePart> Messages::add(const Frame& frame) {
  const auto bth = frame.get<ib::Bth>();
  if (!bth || frame.opcode == nullptr || frame.opcode->operation != ib::Operation::send ||
      frame.opcode->position == ib::Position::only || frame.icrc.status == CrcStatus::bad) {
    return std::nullopt;
  }
  const Sender sender = sender_of(frame, bth->dest_qp);
  auto found = begun_.find(sender);
  if (frame.opcode->position == ib::Position::first) {
    if (found == begun_.end()) {
      if (begun_.size() >= max_senders) begun_.clear();
      found = begun_.emplace(sender, Begun{}).first;
    }
    found->second = {num_messages_++, 0, bth->psn};
  } else if (found == begun_.end() || found->second.next != bth->psn) {
    return std::nullopt;
  }
  Begun& begun = found->second;
  const MessagePart part{begun.message, begun.num_parts++, frame.opcode->position == ib::Position::last};
  begun.next = bth->psn + 1;
  if (part.last) begun_.erase(found);
  return part;
}

const ib::OpcodeInfo& whole_message(const ib::OpcodeInfo& last) {
  for (const ib::OpcodeInfo& row : ib::opcode_table) {
    if (row.service == last.service && row.operation == last.operation && row.position == ib::Position::only &&
        row.headers == last.headers) {
      return row;
    }
  }
  return last;
}

}  // namespace rdmawire::dissector
