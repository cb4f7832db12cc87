#include "pcap/wire/iwarp_host.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace rdmawire::wire {
namespace {

using iwarp::HostAction;
using Status = IoResult::Status;

// No segment that the queue pair gives is longer: poll_octets takes the EMSS, and more than this no TCP segment has.
constexpr std::size_t max_segment_len = 65536;

std::string text_of(iwarp::TerminateError error) {
  const iwarp::TerminateInfo* row = iwarp::find(error);
  const std::string layer(name_of(error.layer()));
  if (row == nullptr) {
    return layer + ": error type " + std::to_string(error.type()) + ", code " + std::to_string(error.code());
  }
  return layer + ": " + std::string(row->text);
}

std::string text_of(const iwarp::StreamEnd& end) {
  using By = iwarp::StreamEnd::By;
  switch (end.by) {
    case By::nobody:
      return "";
    case By::ulp:
      return "closed in order";
    case By::error_here:
      return "ended by this side, " + (end.has_error ? text_of(end.error) : "without a Terminate");
    case By::peer:
      return "ended by the peer's Terminate, " + text_of(end.error) +
             (end.in_siw_order ? " (its bits in the order of Linux siw)" : "");
    case By::loss:
      return "lost";
  }
  return "";
}

}  // namespace

IwarpHost::IwarpHost(iwarp::MpaQueuePair& qp, std::unique_ptr<Stream> stream, const IwarpHostConfig& config)
    : qp_(qp),
      stream_(std::move(stream)),
      config_(config),
      in_(std::max<std::uint32_t>(config.receive_len, 1)),
      out_(max_segment_len) {}

bool IwarpHost::turn(Time now) {
  if (state_ == HostState::closed || state_ == HostState::left) return false;
  on_ready(stream_->turn(now));
  if (state_ == HostState::closing) {
    if (now >= progress_at_ + config_.stall_timeout) stream_->abort(now);
    if (!stream_->is_open()) state_ = HostState::closed;
    return is_closed();
  }
  if (state_ == HostState::connecting && !finish_connect(now)) return false;
  if (!is_waiting()) progress_at_ = now;
  if (const auto due = qp_.next_deadline(); due && now >= *due) qp_.on_deadline(now);
  bool any = receive(now);
  if (state_ == HostState::running && !send_error_) any = send(now) || any;
  if (send_error_ && !may_receive_) lose(ConnectionEnd::lost, *send_error_, now);
  any = act(now) || any;
  if (state_ == HostState::running && is_waiting() && now >= progress_at_ + config_.stall_timeout) {
    lose(ConnectionEnd::stalled, {"wait for the peer", ETIMEDOUT}, now);
  }
  return any;
}

// The peer has something to do: to take what goes out, or to answer.
bool IwarpHost::is_waiting() const {
  return state_ == HostState::running && (out_at_ != out_len_ || !qp_.verbs().send_queue().empty());
}

bool IwarpHost::finish_connect(Time now) {
  if (!connect_deadline_) connect_deadline_ = now + config_.connect_timeout;
  const SocketResult<bool> connected = stream_->finish_connect();
  if (!connected) {
    lose(ConnectionEnd::not_reached, connected.error(), now);
  } else if (*connected) {
    start(now);
  } else if (now >= *connect_deadline_) {
    lose(ConnectionEnd::not_reached, {"connect", ETIMEDOUT}, now);
  }
  return state_ == HostState::running;
}

void IwarpHost::start(Time now) {
  state_ = HostState::running;
  progress_at_ = now;
  qp_.set_emss(stream_->emss());
  const auto started =
      config_.role == iwarp::Role::initiator ? qp_.connect(config_.private_data, now) : qp_.listen(now);
  // It is for the consumer to give a queue pair and private data that can be used.
  if (!started) lose(ConnectionEnd::not_reached, {"start MPA", EINVAL}, now);
}

bool IwarpHost::receive(Time now) {
  // What is wrong with a connection whose other direction has ended poll() tells, and receiving does not.
  if (peer_closed_ && hung_up_) {
    hung_up_ = false;
    if (const auto error = stream_->take_error()) lose(ConnectionEnd::lost, *error, now);
    return has_ended();
  }
  if (!may_receive_ || peer_closed_) return false;
  const IoResult got = stream_->receive(in_, now);
  switch (got.status) {
    case Status::would_block:
      may_receive_ = false;
      return false;
    case Status::failed:
      lose(ConnectionEnd::lost, got.error, now);
      return true;
    case Status::ended:
      peer_closed_ = true;
      may_receive_ = false;
      qp_.on_peer_closed(now);
      return true;
    case Status::done:
      break;
  }
  progress_at_ = now;
  num_received_ += got.size;
  const std::size_t taken = qp_.on_octets(Bytes(in_).first(got.size), now);
  ulp_len_ = got.size - taken;
  if (ulp_len_ != 0) std::copy_n(in_.begin() + static_cast<std::ptrdiff_t>(taken), ulp_len_, in_.begin());
  return true;
}

bool IwarpHost::send(Time now) {
  const bool aligned = qp_.segmentation() == Segmentation::aligned;
  bool any = false;
  if (may_send_) qp_.set_emss(stream_->emss());
  for (std::uint32_t i = 0; may_send_ && i < config_.max_segments_per_turn; ++i) {
    if (out_at_ == out_len_) {
      out_at_ = 0;
      out_len_ = qp_.poll_octets(out_, now);
      if (out_len_ == 0) break;
      any = true;
    }
    const IoResult sent = stream_->send(Bytes(out_).subspan(out_at_, out_len_ - out_at_), aligned, now);
    if (sent.status == Status::failed) {
      send_error_ = sent.error;
      may_receive_ = !peer_closed_;
      return true;
    }
    if (sent.status == Status::would_block) {
      may_send_ = false;
      break;
    }
    any = true;
    progress_at_ = now;
    num_sent_ += sent.size;
    out_at_ += sent.size;
  }
  return any;
}

bool IwarpHost::act(Time now) {
  if (state_ != HostState::running) return false;
  const HostAction action = qp_.take_action();
  if (action == HostAction::abort) {
    stream_->abort(now);
    end_by(ConnectionEnd::aborted, now);
    return true;
  }
  shut_down_due_ = shut_down_due_ || action == HostAction::shut_down;
  close_due_ = close_due_ || action == HostAction::close;
  if (out_at_ != out_len_) return action != HostAction::none;
  if (close_due_) {
    stream_->close(now);
    end_by(ConnectionEnd::closed, now);
    return true;
  }
  if (shut_down_due_) {
    shut_down_due_ = false;
    if (const auto done = stream_->shut_down(now); !done) lose(ConnectionEnd::lost, done.error(), now);
    return true;
  }
  if (qp_.mpa().state() == iwarp::MpaState::left) {
    state_ = HostState::left;
    return true;
  }
  return action != HostAction::none;
}

void IwarpHost::lose(ConnectionEnd end, const SocketError& error, Time now) {
  if (has_ended()) return;
  error_ = error;
  stream_->abort(now);
  end_by(end, now);
  qp_.on_connection_lost(now);
}

void IwarpHost::end_by(ConnectionEnd end, Time now) {
  end_ = end;
  progress_at_ = now;
  state_ = stream_->is_open() ? HostState::closing : HostState::closed;
}

void IwarpHost::abort(Time now) {
  if (is_closed()) return;
  lose(ConnectionEnd::aborted, {}, now);
}

std::unique_ptr<Stream> IwarpHost::take_stream() {
  state_ = HostState::closed;
  return std::move(stream_);
}

int IwarpHost::descriptor() const { return stream_ ? stream_->descriptor() : -1; }

short IwarpHost::events() const {
  if (state_ == HostState::connecting) return POLLOUT;
  if (state_ == HostState::left || is_closed()) return 0;
  int wanted = 0;
  if (state_ == HostState::running && !peer_closed_) wanted |= POLLIN;
  if (state_ == HostState::running && out_at_ != out_len_) wanted |= POLLOUT;
  return stream_->events(static_cast<short>(wanted));
}

void IwarpHost::on_ready(short events) {
  const bool over = (events & (POLLERR | POLLHUP)) != 0;
  if (over || (events & POLLIN) != 0) may_receive_ = true;
  if (over || (events & POLLOUT) != 0) may_send_ = true;
  hung_up_ = hung_up_ || over;
}

std::optional<Time> IwarpHost::next_deadline() const {
  if (state_ == HostState::connecting) return connect_deadline_;
  if (state_ == HostState::left || is_closed()) return std::nullopt;
  std::optional<Time> due = stream_->next_deadline();
  if (state_ == HostState::closing) keep_sooner(due, progress_at_ + config_.stall_timeout);
  if (state_ != HostState::running) return due;
  keep_sooner(due, qp_.next_deadline());
  if (is_waiting()) keep_sooner(due, progress_at_ + config_.stall_timeout);
  return due;
}

bool IwarpHost::wait(Time deadline) {
  const std::optional<Time> own = next_deadline();
  const Time until = own ? std::min(*own, deadline) : deadline;
  on_ready(wait_for(descriptor(), events(), until));
  return monotonic_now() < deadline;
}

std::string IwarpHost::end_text() const {
  std::string out;
  const auto add = [&](std::string_view layer, const std::string& what) {
    if (what.empty()) return;
    if (!out.empty()) out += "; ";
    out += std::string(layer) + ": " + what;
  };
  if (const auto end = qp_.mpa().end()) add("MPA", std::string(info(*end).text));
  add("RDMAP", text_of(qp_.stream().end()));
  switch (end_) {
    case ConnectionEnd::none:
      break;
    case ConnectionEnd::closed:
      add("TCP", "closed");
      break;
    case ConnectionEnd::aborted:
      add("TCP", "reset by this side");
      break;
    case ConnectionEnd::not_reached:
    case ConnectionEnd::lost:
      add("TCP", to_string(error_));
      break;
    case ConnectionEnd::stalled:
      add("TCP", "reset by this side: the peer neither takes nor answers what is sent");
      break;
  }
  return out;
}

}  // namespace rdmawire::wire
