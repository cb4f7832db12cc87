// A wire: Ethernet frames in and out, on the system's monotonic clock (monotonic_now). It never blocks; wait with
// poll() on descriptor() for events(), or until next_deadline().
//
//   auto wire = open_wire("packet:eth0");
//   wire->send(frame, now);
//   while (wire->receive(buffer, now).status == IoResult::Status::done) ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "codec/base/bytes.h"
#include "codec/base/types.h"
#include "pcap/wire/tcp_stream.h"
#include "protocol/time.h"

namespace rdmawire::wire {

// Of a wire that carries IP packets through the operating system, and makes link headers up for them.
struct MadeUpLink {
  MacAddress own;
  MacAddress peers;                          // of all others
  std::optional<UdpPort> udp_source_port{};  // the only one that packets leave from
};

class Wire {
 public:
  // Room for any frame: a jumbo frame of 9000 octets of payload, and headers.
  static constexpr std::size_t max_frame_len = 9216;

  Wire() = default;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  virtual ~Wire() = default;

  // done: the frame is taken, though not necessarily delivered. would_block: it is not; try again when poll() says
  // POLLOUT. failed: the wire is gone.
  virtual IoResult send(Bytes frame, Time now) = 0;
  // The next frame; size says how long it is. would_block: none is there now. failed: the wire is gone. Frames that are
  // longer than out are cut; max_frame_len is enough.
  virtual IoResult receive(MutableBytes out, Time now) = 0;

  virtual int descriptor() const = 0;
  virtual short events() const;
  // When receive() may give something, or something is to be sent, though the descriptor is silent; nothing: never.
  virtual std::optional<Time> next_deadline() const { return std::nullopt; }
  virtual std::optional<MadeUpLink> made_up_link() const { return std::nullopt; }
  // Frames that were lost because the network behind the wire carries none of their length.
  virtual std::uint64_t num_too_long() const { return 0; }
  // What it is, for people: "interface eth0".
  virtual std::string text() const = 0;
};

// A wire around another one, which outlives it: what it does not say itself is as there.
class WrappingWire : public Wire {
 public:
  explicit WrappingWire(Wire& wire) : wire_(wire) {}

  int descriptor() const override { return wire_.descriptor(); }
  short events() const override { return wire_.events(); }
  std::optional<Time> next_deadline() const override { return wire_.next_deadline(); }
  std::optional<MadeUpLink> made_up_link() const override { return wire_.made_up_link(); }
  std::uint64_t num_too_long() const override { return wire_.num_too_long(); }
  std::string text() const override { return wire_.text(); }

 protected:
  Wire& wire_;
};

// The next frame, waiting for it until the deadline: would_block if there is none by then.
IoResult receive_until(Wire& wire, MutableBytes out, Time deadline);

// Opens the wire that a text names:
//   packet:eth0            an interface of this machine, by a packet socket (needs CAP_NET_RAW)
//   tap:tap0               a TAP device, made if it is not there (needs CAP_NET_ADMIN); it is set up
//   dgram:LOCAL,REMOTE     datagrams of UDP, a frame each: QEMU's -netdev dgram,local.type=inet
//   fd:N                   an inherited descriptor of a datagram socket, a frame each: QEMU's local.type=fd
//   ip:ADDRESS             IP packets to and from an address that this machine has (needs CAP_NET_RAW)
//   udp:ADDRESS            the same by a UDP socket, which needs no rights (udp_wire.cc says what that costs)
// The error says what is wrong with the text, or what the system refuses.
tl::expected<std::unique_ptr<Wire>, std::string> open_wire(std::string_view text);

// The same for a descriptor that is there, of a datagram socket.
std::unique_ptr<Wire> datagram_wire(Descriptor descriptor, std::string text);

}  // namespace rdmawire::wire
