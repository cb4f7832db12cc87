#include "pcap/wire/tcp_stream.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/sockios.h>
#endif

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>
#include <utility>

namespace rdmawire::wire {
namespace {

// EINTR asks for the same again.
template <class Call>
auto repeat(Call&& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

bool set(int descriptor, int level, int name, int value) {
  return setsockopt(descriptor, level, name, &value, sizeof value) == 0;
}

std::optional<int> get(int descriptor, int level, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  if (getsockopt(descriptor, level, name, &value, &size) != 0) return std::nullopt;
  return value;
}

template <class Unit>
int whole(Duration duration) {
  const auto count = std::chrono::ceil<Unit>(duration).count();
  return static_cast<int>(std::clamp<std::int64_t>(count, 1, std::numeric_limits<int>::max()));
}

SocketError last_error(std::string_view action) { return {action, errno}; }

// What has to stand before the connection does.
bool set_early(int descriptor, const TcpOptions& o) {
  bool good = true;
  if (o.send_buffer_len != 0) good &= set(descriptor, SOL_SOCKET, SO_SNDBUF, static_cast<int>(o.send_buffer_len));
  if (o.receive_buffer_len != 0) good &= set(descriptor, SOL_SOCKET, SO_RCVBUF, static_cast<int>(o.receive_buffer_len));
  if (o.max_segment_len != 0) good &= set(descriptor, IPPROTO_TCP, TCP_MAXSEG, o.max_segment_len);
  return good;
}

bool set_late(int descriptor, const TcpOptions& o) {
  const int flags = fcntl(descriptor, F_GETFL);
  bool good = flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0;
  good &= set(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
#ifdef TCP_USER_TIMEOUT
  if (o.user_timeout > Duration{}) {
    good &= set(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, whole<std::chrono::milliseconds>(o.user_timeout));
  }
#endif
  if (o.keep_alive > Duration{}) {
    good &= set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
    good &= set(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, whole<std::chrono::seconds>(o.keep_alive));
    good &= set(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, whole<std::chrono::seconds>(o.keep_alive / 3));
    good &= set(descriptor, IPPROTO_TCP, TCP_KEEPCNT, 2);
#endif
  }
  return good;
}

using NameCall = int (*)(int, sockaddr*, socklen_t*);

SocketResult<SocketAddress> address_by(NameCall call, int descriptor) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (call(descriptor, reinterpret_cast<sockaddr*>(&storage), &size) != 0) {
    return tl::unexpected(last_error("ask for the address"));
  }
  return SocketAddress(storage, size);
}

}  // namespace

//= MPA-5044-3-02, MPA-5044-5.1-01
iwarp::Emss largest_segment(std::optional<int> max_segment, std::optional<int> path_mtu, bool ipv6) {
  if (max_segment && *max_segment > 0) return {static_cast<std::uint32_t>(*max_segment)};
  const int headers = ipv6 ? 40 + 32 : 20 + 32;
  const int least_mtu = ipv6 ? 1280 : 576;
  return {static_cast<std::uint32_t>((path_mtu && *path_mtu > headers ? *path_mtu : least_mtu) - headers)};
}

Time monotonic_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    number_ = other.release();
  }
  return *this;
}

int Descriptor::release() { return std::exchange(number_, -1); }

// Closed even if the call is interrupted: it is not to be repeated.
void Descriptor::reset() {
  if (number_ >= 0) ::close(release());
}

short wait_for(int descriptor, short events, Time deadline) {
  while (true) {
    const Time left = deadline - monotonic_now();
    pollfd one{descriptor, events, 0};
    const int timeout = left <= Time{} ? 0 : whole<std::chrono::milliseconds>(left);
    const int num_ready = ::poll(&one, 1, timeout);
    if (num_ready > 0) return one.revents;
    if (num_ready < 0 && errno != EINTR) return POLLERR;
    if (monotonic_now() >= deadline) return 0;
  }
}

// --- TcpStream ---

SocketResult<TcpStream> TcpStream::connect(const SocketAddress& to, const TcpOptions& options) {
  Descriptor descriptor(::socket(to.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!descriptor.is_open()) return tl::unexpected(last_error("open a socket"));
  if (!set_early(descriptor.number(), options) || !set_late(descriptor.number(), options)) {
    return tl::unexpected(last_error("set up the socket"));
  }
  // An interrupted connect goes on by itself, as one that would block does.
  if (::connect(descriptor.number(), to.data(), to.size()) != 0 && errno != EINPROGRESS && errno != EINTR) {
    return tl::unexpected(last_error("connect"));
  }
  return TcpStream(std::move(descriptor));
}

SocketResult<TcpStream> TcpStream::adopt(Descriptor descriptor, const TcpOptions& options) {
  if (!set_late(descriptor.number(), options)) return tl::unexpected(last_error("set up the socket"));
  return TcpStream(std::move(descriptor));
}

SocketResult<bool> TcpStream::finish_connect() {
  if ((wait_for(descriptor(), POLLOUT, Time{}) & (POLLOUT | POLLERR | POLLHUP)) == 0) return false;
  if (const auto error = take_error()) return tl::unexpected(SocketError{"connect", error->os_error});
  return true;
}

std::optional<SocketError> TcpStream::take_error() {
  const std::optional<int> error = get(descriptor(), SOL_SOCKET, SO_ERROR);
  if (!error) return last_error("use the connection");
  if (*error == 0) return std::nullopt;
  return SocketError{"use the connection", *error};
}

IoResult TcpStream::send(Bytes octets, bool ends_record, Time) {
  const int flags = MSG_NOSIGNAL | (ends_record ? MSG_EOR : 0);
  const ssize_t size = repeat([&] { return ::send(descriptor(), octets.data(), octets.size(), flags); });
  if (size >= 0) return {IoResult::Status::done, static_cast<std::size_t>(size), {}};
  if (errno == EAGAIN || errno == EWOULDBLOCK) return {IoResult::Status::would_block, 0, {}};
  return {IoResult::Status::failed, 0, last_error("send")};
}

IoResult TcpStream::receive(MutableBytes out, Time) {
  const ssize_t size = repeat([&] { return ::recv(descriptor(), out.data(), out.size(), 0); });
  if (size > 0) return {IoResult::Status::done, static_cast<std::size_t>(size), {}};
  if (size == 0) return {IoResult::Status::ended, 0, {}};
  if (errno == EAGAIN || errno == EWOULDBLOCK) return {IoResult::Status::would_block, 0, {}};
  return {IoResult::Status::failed, 0, last_error("receive")};
}

iwarp::Emss TcpStream::emss() const {
  const auto max_segment = get(descriptor(), IPPROTO_TCP, TCP_MAXSEG);
  if (max_segment && *max_segment > 0) return largest_segment(max_segment, {}, false);
  const auto local = local_address();
  const bool ipv6 = local && local->is_ipv6();
  std::optional<int> path_mtu;
#if defined(IP_MTU) && defined(IPV6_MTU)
  path_mtu = ipv6 ? get(descriptor(), IPPROTO_IPV6, IPV6_MTU) : get(descriptor(), IPPROTO_IP, IP_MTU);
#endif
  return largest_segment({}, path_mtu, ipv6);
}

std::size_t TcpStream::num_unacknowledged() const {
#ifdef SIOCOUTQ
  int size = 0;
  if (::ioctl(descriptor(), SIOCOUTQ, &size) == 0 && size > 0) return static_cast<std::size_t>(size);
#endif
  return 0;
}

SocketResult<SocketAddress> TcpStream::local_address() const { return address_by(&getsockname, descriptor()); }
SocketResult<SocketAddress> TcpStream::peer_address() const { return address_by(&getpeername, descriptor()); }

SocketResult<void> TcpStream::shut_down(Time) {
  if (::shutdown(descriptor(), SHUT_WR) != 0) return tl::unexpected(last_error("end the stream"));
  return {};
}

void TcpStream::abort(Time now) {
  if (!is_open()) return;
  const linger at_once{1, 0};
  setsockopt(descriptor(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(now);
}

// --- TcpListener ---

SocketResult<TcpListener> TcpListener::listen(const SocketAddress& at, const TcpOptions& options) {
  Descriptor descriptor(::socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!descriptor.is_open()) return tl::unexpected(last_error("open a socket"));
  // What it has of these is what the connections get. A port whose last connection lingers is free.
  if (!set_early(descriptor.number(), options) || !set(descriptor.number(), SOL_SOCKET, SO_REUSEADDR, 1)) {
    return tl::unexpected(last_error("set up the socket"));
  }
  if (::bind(descriptor.number(), at.data(), at.size()) != 0 || ::listen(descriptor.number(), SOMAXCONN) != 0) {
    return tl::unexpected(last_error("listen"));
  }
  return TcpListener(std::move(descriptor), options);
}

SocketResult<SocketAddress> TcpListener::address() const { return address_by(&getsockname, descriptor()); }

SocketResult<TcpStream> TcpListener::accept() {
  while (true) {
    Descriptor descriptor(::accept4(this->descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (descriptor.is_open()) return TcpStream::adopt(std::move(descriptor), options_);
    switch (errno) {
      case EAGAIN:
#if EAGAIN != EWOULDBLOCK
      case EWOULDBLOCK:
#endif
        return TcpStream();
      // Of the connection: it is gone, and the next one may be there.
      case EINTR:
      case ECONNABORTED:
      case EPROTO:
      case ENETDOWN:
      case ENOPROTOOPT:
      case EHOSTDOWN:
      case EHOSTUNREACH:
      case ENETUNREACH:
        continue;
      default:
        return tl::unexpected(last_error("accept"));
    }
  }
}

SocketResult<TcpStream> TcpListener::accept_until(Time deadline) {
  while (true) {
    SocketResult<TcpStream> stream = accept();
    if (!stream || stream->is_open()) return stream;
    if (wait_for(descriptor(), POLLIN, deadline) == 0) return tl::unexpected(SocketError{"accept", ETIMEDOUT});
  }
}

}  // namespace rdmawire::wire
