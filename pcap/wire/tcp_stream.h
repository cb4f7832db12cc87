// A TCP connection of the operating system, which never blocks: octets out and in, and how it ends. IPv4 and IPv6.
//
// For a sender that aligns its segments (RFC 5044, 5), each write that ends a record ends a TCP segment too, where the
// system can do that (Linux: MSG_EOR), and nothing is held back to be joined with what follows (TCP_NODELAY).
//
// No signal is raised or handled: a connection that is gone is an error of the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "codec/base/bytes.h"
#include "codec/iwarp/fpdu.h"
#include "pcap/wire/socket_address.h"
#include "pcap/wire/stream.h"
#include "protocol/time.h"

namespace rdmawire::wire {

// The system's monotonic clock, as the machines take it.
Time monotonic_now();

// Octets of the largest segment that a connection sends: max_segment as the system tells it; where it does not, what
// the path's MTU leaves after the headers; where it does not tell that either, the least that any path takes. Nothing
// or 0 is what the system does not tell; headers are without options of IP and with time stamps of TCP.
iwarp::Emss largest_segment(std::optional<int> max_segment, std::optional<int> path_mtu, bool ipv6);

// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { reset(); }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  int release();
  void reset();

 private:
  int number_ = -1;
};

struct TcpOptions {
  // The system gives the connection up when what was sent stays unacknowledged, or the peer's window closed, for so
  // long (TCP_USER_TIMEOUT). Zero: its own default.
  Duration user_timeout{};
  // Asks a silent peer whether it is there, after so long, and gives it up after two more questions a third of that
  // apart. Zero: never.
  Duration keep_alive{};
  // Octets that the system buffers for each direction. Zero: it decides.
  std::uint32_t send_buffer_len = 0;
  std::uint32_t receive_buffer_len = 0;
  // No segment that is sent or taken has more octets (TCP_MAXSEG). Zero: as the path has it.
  std::uint16_t max_segment_len = 0;
};

class TcpStream final : public Stream {
 public:
  TcpStream() = default;
  // Begins to connect; see finish_connect.
  static SocketResult<TcpStream> connect(const SocketAddress& to, const TcpOptions& options = {});
  // A descriptor that is a TCP connection already.
  static SocketResult<TcpStream> adopt(Descriptor descriptor, const TcpOptions& options = {});

  bool is_open() const override { return descriptor_.is_open(); }

  short turn(Time) override { return 0; }
  int descriptor() const override { return descriptor_.number(); }
  short events(short wanted) const override { return wanted; }
  std::optional<Time> next_deadline() const override { return std::nullopt; }

  SocketResult<bool> finish_connect() override;
  IoResult send(Bytes octets, bool ends_record, Time now) override;
  IoResult receive(MutableBytes out, Time now) override;
  std::optional<SocketError> take_error() override;

  // largest_segment, as the system tells it.
  iwarp::Emss emss() const override;
  // Octets that were sent and are not acknowledged.
  std::size_t num_unacknowledged() const;

  SocketResult<SocketAddress> local_address() const override;
  SocketResult<SocketAddress> peer_address() const override;

  SocketResult<void> shut_down(Time now) override;
  void close(Time) override { descriptor_.reset(); }
  void abort(Time now) override;

 private:
  explicit TcpStream(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  Descriptor descriptor_;
};

class TcpListener {
 public:
  // Port 0: one that the system chooses, see address().
  static SocketResult<TcpListener> listen(const SocketAddress& at, const TcpOptions& options = {});

  int descriptor() const { return descriptor_.number(); }
  SocketResult<SocketAddress> address() const;
  // The next connection; a closed stream if there is none now: poll() for reading. Errors are of the listener; of a
  // connection that was gone before it was accepted nobody hears.
  SocketResult<TcpStream> accept();
  // The same, and waits for it until the deadline: ETIMEDOUT.
  SocketResult<TcpStream> accept_until(Time deadline);

 private:
  TcpListener(Descriptor descriptor, const TcpOptions& options)
      : descriptor_(std::move(descriptor)), options_(options) {}

  Descriptor descriptor_;
  TcpOptions options_;
};

// Waits until the descriptor is ready for events (POLLIN, POLLOUT), or the deadline. Returns what poll() reports, 0 if
// the deadline came. A descriptor that is not open only waits.
short wait_for(int descriptor, short events, Time deadline);

}  // namespace rdmawire::wire
