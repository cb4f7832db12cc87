// A stream whose octets are recorded as they went and came (tcp_recording.h).
#pragma once

#include <memory>
#include <optional>

#include "pcap/wire/recorder.h"
#include "pcap/wire/stream.h"
#include "pcap/wire/tcp_recording.h"

namespace rdmawire::wire {

class RecordedStream final : public Stream {
 public:
  // recorder outlives it.
  RecordedStream(std::unique_ptr<Stream> stream, Recorder& recorder, OpenedBy opened_by)
      : stream_(std::move(stream)), recording_(&recorder, opened_by) {}

  bool is_open() const override { return stream_->is_open(); }
  short turn(Time now) override { return stream_->turn(now); }
  int descriptor() const override { return stream_->descriptor(); }
  short events(short wanted) const override { return stream_->events(wanted); }
  std::optional<Time> next_deadline() const override { return stream_->next_deadline(); }

  SocketResult<bool> finish_connect() override;
  IoResult send(Bytes octets, bool ends_record, Time now) override;
  IoResult receive(MutableBytes out, Time now) override;
  std::optional<SocketError> take_error() override;

  iwarp::Emss emss() const override { return stream_->emss(); }
  SocketResult<SocketAddress> local_address() const override { return stream_->local_address(); }
  SocketResult<SocketAddress> peer_address() const override { return stream_->peer_address(); }

  SocketResult<void> shut_down(Time now) override;
  void close(Time now) override;
  void abort(Time now) override;

 private:
  std::unique_ptr<Stream> stream_;
  TcpRecording recording_;
};

}  // namespace rdmawire::wire
