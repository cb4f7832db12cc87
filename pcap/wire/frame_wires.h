// The kinds of wires that open_wire() knows. Errors are what the system refuses.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "pcap/wire/wire.h"

namespace rdmawire::wire {

using OpenedWire = SocketResult<std::unique_ptr<Wire>>;

// Of a socket: room for what a burst of a whole window takes, as far as the system allows it.
void enlarge_buffers(int descriptor);

OpenedWire open_packet_wire(const std::string& interface);
OpenedWire open_tap_wire(const std::string& interface);
// local, remote: as SocketAddress::parse reads them.
OpenedWire open_datagram_wire(std::string_view local, std::string_view remote);
// The number of a descriptor that this process has inherited, and which is its own from now on.
OpenedWire adopt_datagram_wire(int descriptor);
// Frames with made-up link headers (ip_wire.cc, udp_wire.cc).
OpenedWire open_ip_wire(const std::string& address);
OpenedWire open_udp_wire(const std::string& address);

}  // namespace rdmawire::wire
