// Who sent a packet to whom.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "codec/frame.h"

namespace rdmawire::cli {

// An address as text, without a heap.
class AddressText {
 public:
  AddressText() = default;
  // display: how the octets are shown; they are as many as its addresses have.
  AddressText(Display display, Bytes octets);
  static AddressText lid(std::uint16_t lid);
  std::string_view view() const { return {text_.data(), size_}; }

 private:
  std::array<char, 46> text_;
  std::size_t size_ = 0;
};

struct Endpoints {
  AddressText source;
  AddressText destination;
};

// The innermost IP addresses, in RoCEv1 the GIDs, in native InfiniBand the LIDs; else the MAC addresses; empty if there
// are none.
Endpoints endpoints_of(const Frame& frame);

}  // namespace rdmawire::cli
