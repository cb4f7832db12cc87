#include "pcap/wire/recorded_stream.h"

namespace rdmawire::wire {

using Status = IoResult::Status;
using Way = Recorder::Way;

SocketResult<bool> RecordedStream::finish_connect() {
  const SocketResult<bool> out = stream_->finish_connect();
  if (out && *out) recording_.begin(*stream_);
  return out;
}

IoResult RecordedStream::send(Bytes octets, bool ends_record, Time now) {
  const IoResult sent = stream_->send(octets, ends_record, now);
  if (sent.status == Status::done) recording_.add(Way::out, octets.first(sent.size), stream_->emss().value);
  if (sent.status == Status::failed) recording_.fail(sent.error);
  return sent;
}

IoResult RecordedStream::receive(MutableBytes out, Time now) {
  const IoResult got = stream_->receive(out, now);
  if (got.status == Status::done) recording_.add(Way::in, Bytes(out).first(got.size), stream_->emss().value);
  if (got.status == Status::ended) recording_.end(Way::in);
  if (got.status == Status::failed) recording_.fail(got.error);
  return got;
}

std::optional<SocketError> RecordedStream::take_error() {
  const std::optional<SocketError> error = stream_->take_error();
  if (error) recording_.fail(*error);
  return error;
}

SocketResult<void> RecordedStream::shut_down(Time now) {
  const SocketResult<void> done = stream_->shut_down(now);
  if (done) recording_.end(Way::out);
  return done;
}

void RecordedStream::close(Time now) {
  recording_.end(Way::out);
  stream_->close(now);
}

void RecordedStream::abort(Time now) {
  recording_.reset(Way::out);
  stream_->abort(now);
}

}  // namespace rdmawire::wire
