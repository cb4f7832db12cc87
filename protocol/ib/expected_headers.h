// Frames that look as a connection expects them are told by comparing octets; all others are read layer by layer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/base/bytes.h"
#include "protocol/ib/packet_writer.h"

namespace rdmawire::ib {

// Where the transport packet lies in a frame; octets from the frame's first.
struct TransportPlace {
  std::uint32_t bth = 0;  // 0: there is none
  std::uint32_t icrc = 0;

  constexpr explicit operator bool() const { return bth != 0; }
  friend constexpr bool operator==(const TransportPlace&, const TransportPlace&) = default;
};

// Where the BTH begins if the frame is of RoCE and its headers are the usual ones: no IP options or extension headers,
// at most one VLAN tag. Something else, or 0, if not.
std::size_t usual_bth_at(Bytes frame);

// The headers before the BTH of the frames that come over a path of RoCE: the octets that the port judges, with the
// values that let parse_frame and the port's checks find nothing wrong. What it does not know it leaves to them, so
// that they alone say what a frame is and why it is dropped.
class ExpectedHeaders {
 public:
  // Expects nothing.
  ExpectedHeaders() = default;
  // reply: the headers that go the other way.
  ExpectedHeaders(const PathHeaders& reply, const PortConfig& port, const verbs::AddressVector& path);

  // The place of the transport packet if the frame has these headers, lengths that agree with each other, and a right
  // ICRC; none if not, or if the frame has more headers than are expected.
  TransportPlace match(Bytes frame) const;
  // Of a frame that matches: has a switch marked it (CN-01)?
  bool marked(Bytes frame) const;

 private:
  static constexpr std::size_t judged_from = 12;  // of the Ethernet header only the EtherType
  static constexpr std::size_t room = (PathHeaders::max_size - judged_from + 7) / 8 * 8 + judged_from;  // whole words

  template <Header T>
  void add(const T& header, const T& judged);
  inline bool same(const std::uint8_t* frame) const;
  inline std::uint32_t transport_len(const std::uint8_t* network) const;

  IcrcStart icrc_{};
  std::uint32_t network_at_ = 0;
  std::uint32_t size_ = 0;  // 0: nothing matches
  std::array<std::uint8_t, room> octets_{};
  std::array<std::uint8_t, room> judged_{};  // bits
};

}  // namespace rdmawire::ib
