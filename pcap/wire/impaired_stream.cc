#include "pcap/wire/impaired_stream.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

namespace rdmawire::wire {
namespace {

using Status = IoResult::Status;

// Octets of each direction on the link; who sends more waits.
constexpr std::uint32_t capacity = 256 * 1024;
constexpr std::uint32_t max_segments = 1024;

link::ByteStreamConfig link_config(std::uint64_t seed) {
  link::ByteStreamConfig out;
  out.capacity = capacity;
  out.max_segments = max_segments;
  out.seed = seed;
  return out;
}

std::string what_was_done(const link::StreamPiece& piece, Time late_by) {
  std::string out;
  if (piece.corrupted) add_purpose(out, "1 bit inverted");
  if (piece.late) {
    add_purpose(out, std::to_string(std::chrono::round<std::chrono::milliseconds>(late_by).count()) + " ms late");
  }
  return out;
}

}  // namespace

ImpairedStream::ImpairedStream(std::unique_ptr<Stream> stream, const link::StreamImpairments& impairments,
                               std::uint64_t seed, ImpairedCounts& counts, const TcpRecording& recording)
    : WrappingStream(std::move(stream)),
      impairments_(impairments),
      link_(link_config(seed)),
      counts_(counts),
      recording_(recording),
      buffer_(TcpRecording::max_segment_len) {
  impairments_.keep_segments = true;
}

SocketResult<bool> ImpairedStream::finish_connect() {
  const SocketResult<bool> out = stream_->finish_connect();
  if (!out || !*out || connected_) return out;
  connected_ = true;
  recording_.begin(*stream_);
  impairments_.max_segment_len = TcpRecording::max_segment_len;
  link_.set(here, impairments_);
  impairments_.max_segment_len = std::min<std::uint32_t>(stream_->emss().value, TcpRecording::max_segment_len);
  link_.set(there, impairments_);
  return out;
}

void ImpairedStream::hold(const link::StreamPiece& piece, Way way) {
  Held& held = way == Way::out ? out_ : in_;
  held.octets.assign(piece.octets.begin(), piece.octets.end());
  held.at = 0;
  StreamCounts& counts = way == Way::out ? counts_.sent : counts_.received;
  ++counts.num_segments;
  if (piece.late) ++counts.num_late;
  if (piece.corrupted) ++counts.num_corrupted;
  recording_.add(way, held.octets, held.octets.size(), what_was_done(piece, impairments_.late_by));
}

// The caller is told when the peer's RST has come through the link.
void ImpairedStream::lose(const SocketError& error, Time now) {
  if (error_) return;
  error_ = error;
  link_.abort(there, now);
}

void ImpairedStream::move_in(Time now) {
  may_read_ = false;
  // Asked in any case: it moves the link's clock, without which next_deadline() would tell of what is past.
  while (const std::size_t room = link_.room(there, now)) {
    if (peer_ended_ || error_ || closing_) return;
    const IoResult got = stream_->receive(MutableBytes(buffer_).first(std::min(room, buffer_.size())), now);
    switch (got.status) {
      case Status::would_block:
        may_read_ = true;
        return;
      case Status::failed:
        return lose(got.error, now);
      case Status::ended:
        peer_ended_ = true;
        link_.close(there, now);
        return;
      case Status::done:
        link_.write(there, Bytes(buffer_).first(got.size), now);
        break;
    }
  }
}

void ImpairedStream::move_out(Time now) {
  while (stream_->is_open()) {
    while (!out_.is_empty()) {
      const IoResult sent = stream_->send(out_.rest(), ends_record_, now);
      if (sent.status == Status::would_block) return;
      if (sent.status == Status::failed) {
        out_ = {};
        if (closing_) {
          recording_.fail(sent.error);
          return stream_->abort(now);
        }
        // What the peer has sent before comes first.
        move_in(now);
        return lose(sent.error, now);
      }
      out_.at += sent.size;
    }
    const auto piece = link_.receive(there, now);
    if (!piece) return;
    switch (piece->kind) {
      case link::StreamPiece::Kind::in_order:
        hold(*piece, Way::out);
        break;
      case link::StreamPiece::Kind::end:
        recording_.end(Way::out);
        fin_sent_ = true;
        if (closing_) {
          stream_->close(now);
        } else if (const auto done = stream_->shut_down(now); !done) {
          lose(done.error(), now);
        }
        break;
      case link::StreamPiece::Kind::aborted:
        recording_.reset(Way::out);
        stream_->abort(now);
        break;
      case link::StreamPiece::Kind::ahead:
        break;
    }
  }
}

short ImpairedStream::turn(Time now) {
  if (!connected_) return 0;
  move_in(now);
  move_out(now);
  // Who is told of the peer's end already does not receive any more.
  return static_cast<short>(POLLIN | POLLOUT | (error_ && end_told_ ? POLLHUP : 0));
}

IoResult ImpairedStream::send(Bytes octets, bool ends_record, Time now) {
  if (error_told_ || (error_ && end_told_)) return {Status::failed, 0, *error_};
  // Segments stay whole.
  octets = octets.first(std::min(octets.size(), TcpRecording::max_segment_len));
  if (link_.room(here, now) < octets.size()) return {};
  ends_record_ = ends_record;
  link_.write(here, octets, now);
  move_out(now);
  return {Status::done, octets.size(), {}};
}

IoResult ImpairedStream::receive(MutableBytes out, Time now) {
  move_in(now);
  if (end_told_) return {Status::ended, 0, {}};
  if (in_.is_empty()) {
    const auto piece = link_.receive(here, now);
    if (!piece) return error_told_ ? IoResult{Status::failed, 0, *error_} : IoResult{};
    switch (piece->kind) {
      case link::StreamPiece::Kind::in_order:
        hold(*piece, Way::in);
        break;
      case link::StreamPiece::Kind::end:
        recording_.end(Way::in);
        end_told_ = true;
        return {Status::ended, 0, {}};
      case link::StreamPiece::Kind::aborted:
        recording_.fail(*error_);
        error_told_ = true;
        return {Status::failed, 0, *error_};
      case link::StreamPiece::Kind::ahead:
        return {};
    }
  }
  const Bytes some = in_.rest().first(std::min(in_.rest().size(), out.size()));
  std::copy(some.begin(), some.end(), out.begin());
  in_.at += some.size();
  return {Status::done, some.size(), {}};
}

std::optional<SocketError> ImpairedStream::take_error() {
  const std::optional<SocketError> error = error_ ? error_ : stream_->take_error();
  if (error) recording_.fail(*error);
  return error;
}

SocketResult<void> ImpairedStream::shut_down(Time now) {
  link_.close(here, now);
  move_out(now);
  return {};
}

void ImpairedStream::close(Time now) {
  if (!connected_ || error_ || fin_sent_) return stream_->close(now);
  closing_ = true;
  may_read_ = false;
  link_.close(here, now);
  move_out(now);
}

void ImpairedStream::abort(Time now) {
  // Nothing is left to be delivered, or it has had its time.
  if (!connected_ || error_ || closing_) {
    recording_.reset(Way::out);
    return stream_->abort(now);
  }
  closing_ = true;
  may_read_ = false;
  link_.abort(here, now);
  move_out(now);
}

int ImpairedStream::descriptor() const {
  // poll() would tell again and again what the caller cannot be told yet.
  const bool deaf = error_ || closing_ || (peer_ended_ && !end_told_);
  return deaf && out_.is_empty() ? -1 : stream_->descriptor();
}

short ImpairedStream::events(short wanted) const {
  if (!connected_) return wanted;
  return static_cast<short>((may_read_ ? POLLIN : 0) | (out_.is_empty() ? 0 : POLLOUT));
}

std::optional<Time> ImpairedStream::next_deadline() const {
  if (!connected_) return std::nullopt;
  const std::optional<Time> arrival = link_.next_arrival();
  // It may have arrived after the caller has asked.
  return error_ && !error_told_ && !arrival ? std::optional(Time{}) : arrival;
}

}  // namespace rdmawire::wire
