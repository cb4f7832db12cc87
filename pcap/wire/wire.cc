#include "pcap/wire/wire.h"

#include <poll.h>

#include <charconv>

#include "pcap/wire/frame_wires.h"

namespace rdmawire::wire {
namespace {

using Opened = tl::expected<std::unique_ptr<Wire>, std::string>;

Opened from_socket(SocketResult<std::unique_ptr<Wire>> opened, std::string_view text) {
  if (opened) return std::move(*opened);
  return tl::unexpected(std::string(text) + ": " + to_string(opened.error()));
}

}  // namespace

short Wire::events() const { return POLLIN; }

IoResult receive_until(Wire& wire, MutableBytes out, Time deadline) {
  for (;;) {
    const Time now = monotonic_now();
    const IoResult got = wire.receive(out, now);
    if (got.status != IoResult::Status::would_block || now >= deadline) return got;
    Time until = deadline;
    if (const auto due = wire.next_deadline()) until = std::min(until, *due);
    wait_for(wire.descriptor(), wire.events(), until);
  }
}

Opened open_wire(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  if (rest.empty()) return tl::unexpected("'" + std::string(text) + "' is not KIND:WHICH, as packet:eth0 is");
  if (kind == "packet") return from_socket(open_packet_wire(std::string(rest)), text);
  if (kind == "tap") return from_socket(open_tap_wire(std::string(rest)), text);
  if (kind == "ip") return from_socket(open_ip_wire(std::string(rest)), text);
  if (kind == "udp") return from_socket(open_udp_wire(std::string(rest)), text);
  if (kind == "fd") {
    int number = -1;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (read.ec != std::errc{} || read.ptr != rest.data() + rest.size() || number < 0) {
      return tl::unexpected("'" + std::string(text) + "': not the number of a descriptor");
    }
    return from_socket(adopt_datagram_wire(number), text);
  }
  if (kind == "dgram") {
    const std::size_t comma = rest.find(',');
    if (comma == std::string_view::npos) {
      return tl::unexpected("'" + std::string(text) + "' is not dgram:LOCAL,REMOTE, each ADDRESS:PORT");
    }
    return from_socket(open_datagram_wire(rest.substr(0, comma), rest.substr(comma + 1)), text);
  }
  return tl::unexpected("'" + std::string(kind) + "' is no kind of wire: packet, tap, dgram, fd, ip and udp are");
}

}  // namespace rdmawire::wire
