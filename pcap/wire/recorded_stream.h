// A stream whose octets are recorded as they went and came (tcp_recording.h).
#pragma once

#include <memory>
#include <optional>

#include "pcap/wire/recorder.h"
#include "pcap/wire/stream.h"
#include "pcap/wire/tcp_recording.h"

namespace rdmawire::wire {

class RecordedStream final : public WrappingStream {
 public:
  // recorder outlives it.
  RecordedStream(std::unique_ptr<Stream> stream, Recorder& recorder, OpenedBy opened_by)
      : WrappingStream(std::move(stream)), recording_(&recorder, opened_by) {}

  SocketResult<bool> finish_connect() override;
  IoResult send(Bytes octets, bool ends_record, Time now) override;
  IoResult receive(MutableBytes out, Time now) override;
  std::optional<SocketError> take_error() override;

  SocketResult<void> shut_down(Time now) override;
  void close(Time now) override;
  void abort(Time now) override;

 private:
  TcpRecording recording_;
};

}  // namespace rdmawire::wire
