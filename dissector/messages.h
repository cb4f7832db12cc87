// SENDs of several packets: which packets make one message. For the dissectors of upper layers, who go wrong when PSNs
// wrap, packets come again or are lost: they are given whole messages only.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "codec/base/types.h"
#include "codec/frame.h"

namespace rdmawire::dissector {

// A packet's place in a message.
struct MessagePart {
  std::uint32_t message = 0;  // messages count from 0 in the order of their first packets
  std::uint32_t number = 0;   // the packet's place in it, from 0
  bool last = false;

  friend bool operator==(const MessagePart&, const MessagePart&) = default;
};

// Takes packets as a responder does: one that does not go on where the message stands, or whose ICRC is wrong, is no
// part of it. A first packet begins anew, so a message that is sent again whole is one message more.
class Messages {
 public:
  // Senders with a message begun, by addresses and destination QP. When there are more, all are forgotten.
  static constexpr std::size_t max_senders = 65536;

  // Each packet once, in the order of the capture. Nothing for what is no SEND of several packets, or no part of one.
  std::optional<MessagePart> add(const Frame& frame);

 private:
  struct Sender {
    std::array<std::uint8_t, 32> addresses{};  // of both ends
    std::uint32_t service = 0;
    std::uint32_t dest_qp = 0;

    friend auto operator<=>(const Sender&, const Sender&) = default;
  };
  struct Begun {
    std::uint32_t message = 0;
    std::uint32_t num_parts = 0;
    Psn next;
  };
  static Sender sender_of(const Frame& frame, Qpn dest_qp);

  std::map<Sender, Begun> begun_;
  std::uint32_t num_messages_ = 0;
};

// The row of a SEND of one packet that does what the message does which this packet ends; the packet's own if there is
// none.
const ib::OpcodeInfo& whole_message(const ib::OpcodeInfo& last);

}  // namespace rdmawire::dissector
