// A stream of octets both ways, which never blocks: TCP, or what stands before it and changes it. The octet-stream
// counterpart of Wire (wire.h), on the same clock (monotonic_now).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "codec/base/bytes.h"
#include "codec/iwarp/fpdu.h"
#include "pcap/wire/socket_address.h"
#include "protocol/time.h"

namespace rdmawire::wire {

struct IoResult {
  enum class Status : std::uint8_t {
    done,         // size octets went or came, one at least
    would_block,  // wait until poll() says that it is possible
    ended,        // receive: the peer's FIN
    failed,       // the connection is gone
  };
  Status status = Status::would_block;
  std::size_t size = 0;
  SocketError error;  // failed
};

class Stream {
 public:
  virtual ~Stream() = default;

  // Has begun, and did not end here: close() and abort() end it, perhaps later, after what is held back.
  virtual bool is_open() const = 0;

  // Does what is due. Gives what may have become possible without poll() saying so: of POLLIN, POLLOUT and POLLHUP.
  virtual short turn(Time now) = 0;
  // To wait for what the caller wants of POLLIN and POLLOUT: poll descriptor() (-1: nothing) for events(), until
  // next_deadline() (nothing: for ever).
  virtual int descriptor() const = 0;
  virtual short events(short wanted) const = 0;
  virtual std::optional<Time> next_deadline() const = 0;

  // True once it is connected; false: not yet, poll() for writing. ECONNREFUSED, EHOSTUNREACH, ETIMEDOUT, ...
  virtual SocketResult<bool> finish_connect() = 0;
  // The first octets, as many as are taken now. ends_record: the last one ends a TCP segment.
  virtual IoResult send(Bytes octets, bool ends_record, Time now) = 0;
  // What is there, as much of it as fits.
  virtual IoResult receive(MutableBytes out, Time now) = 0;
  // What has gone wrong since, without sending or receiving; nothing if nothing has.
  virtual std::optional<SocketError> take_error() = 0;

  // Octets of the largest segment that goes now.
  virtual iwarp::Emss emss() const = 0;
  virtual SocketResult<SocketAddress> local_address() const = 0;
  virtual SocketResult<SocketAddress> peer_address() const = 0;

  // FIN, after what was sent. Receiving goes on.
  virtual SocketResult<void> shut_down(Time now) = 0;
  // Both directions. What was sent is still delivered; if there is something that was not received, by RST all the
  // same.
  virtual void close(Time now) = 0;
  // RST. What was sent may be lost. Once more, or after close(): at once.
  virtual void abort(Time now) = 0;

 protected:
  Stream() = default;
  Stream(Stream&&) = default;
  Stream& operator=(Stream&&) = default;
};

// A stream around another one: what it does not say itself is as there.
class WrappingStream : public Stream {
 public:
  explicit WrappingStream(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}

  bool is_open() const override { return stream_->is_open(); }
  short turn(Time now) override { return stream_->turn(now); }
  int descriptor() const override { return stream_->descriptor(); }
  short events(short wanted) const override { return stream_->events(wanted); }
  std::optional<Time> next_deadline() const override { return stream_->next_deadline(); }
  iwarp::Emss emss() const override { return stream_->emss(); }
  SocketResult<SocketAddress> local_address() const override { return stream_->local_address(); }
  SocketResult<SocketAddress> peer_address() const override { return stream_->peer_address(); }

 protected:
  std::unique_ptr<Stream> stream_;
};

}  // namespace rdmawire::wire
