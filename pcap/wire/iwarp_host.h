// Runs one queue pair of iWARP on one stream, a TCP connection mostly: hands over what comes, sends what it gives, does
// its actions, and keeps its deadlines. The consumer has the queue pair for itself otherwise: verbs, MPA's events,
// close().
//
//   IwarpHost host(qp, std::make_unique<TcpStream>(*TcpStream::connect(address)), {.role = iwarp::Role::initiator});
//   host.run_until([&] { return qp.verbs().state() == verbs::QpState::rts; }, deadline);
//   qp.post_send(...);
//   host.run_until([&] { return cq.poll(completions) != 0; }, deadline);
//   qp.close(monotonic_now());
//   host.run_until([] { return false; }, deadline);   // until it is closed
//   std::cout << host.end_text();
//
// For hosts with a loop of their own: turn(), then poll descriptor() for events() until next_deadline(), then
// on_ready().
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pcap/wire/stream.h"
#include "pcap/wire/tcp_stream.h"
#include "protocol/iwarp/mpa_queue_pair.h"

namespace rdmawire::wire {

struct IwarpHostConfig {
  // Who sends MPA's Request. Whoever connects, mostly, but it need not be so (MPA-5044-2-02).
  iwarp::Role role = iwarp::Role::initiator;
  Bytes private_data;  // of the Request; it must stay until the host is running

  Duration connect_timeout = std::chrono::seconds(10);
  // How long no octet may go or come while this side waits for the peer: to take what is to be sent, or to answer what
  // is posted. RDMAP has no time limit of its own, and TCP none if the peer's TCP is there and its process is not.
  Duration stall_timeout = std::chrono::seconds(30);

  // Octets that are taken from the system at once; a turn takes no more.
  std::uint32_t receive_len = 256 * 1024;
  // A turn sends no more segments.
  std::uint32_t max_segments_per_turn = 32;
};

enum class HostState : std::uint8_t {
  connecting,
  running,
  left,     // MPA has ended by the word of a ULP, without its TCP connection: see take_stream
  closing,  // ended, but the stream still has to send what it holds back
  closed,   // end() says how
};

// How the TCP connection ended.
enum class ConnectionEnd : std::uint8_t {
  none,         // it has not
  closed,       // the queue pair had it closed: both directions are ended, or the start-up has failed
  aborted,      // the peer did not end its direction in time: reset by this side
  not_reached,  // it never was there: error()
  lost,         // reset by the peer, or given up by the system: error()
  stalled,      // stall_timeout: reset by this side
};

class IwarpHost {
 public:
  // The stream is connected, or connecting. The queue pair is in INIT, and outlives the host.
  IwarpHost(iwarp::MpaQueuePair& qp, std::unique_ptr<Stream> stream, const IwarpHostConfig& config = {});

  HostState state() const { return state_; }
  bool is_closed() const { return state_ == HostState::closed; }
  ConnectionEnd end() const { return end_; }
  const SocketError& error() const { return error_; }
  // One line for people: what ended MPA, the RDMAP stream and TCP, and who is to blame; empty as long as nothing did.
  std::string end_text() const;

  // Octets of the connection, start-up frames included.
  std::uint64_t num_sent() const { return num_sent_; }
  std::uint64_t num_received() const { return num_received_; }

  // Does what can be done now without waiting; true if it was something. When it was nothing, call it once more after
  // work was posted.
  bool turn(Time now);
  // What to wait for: -1 if there is nothing but the deadline.
  int descriptor() const;
  short events() const;
  void on_ready(short events);
  std::optional<Time> next_deadline() const;

  // Turns, and waits between turns, until done() says so (true), or the host is closed or has left, or the deadline
  // came. done() is called after each turn and may post work; it should poll the completion queues.
  template <class Done>
  bool run_until(Done&& done, Time deadline) {
    while (true) {
      const bool any = turn(monotonic_now());
      if (done()) return true;
      if (state_ == HostState::closed || state_ == HostState::left) return false;
      // done() may have posted something.
      if (any || turn(monotonic_now())) {
        if (monotonic_now() >= deadline) return false;
        continue;
      }
      if (!wait(deadline)) return false;
    }
  }
  // Until there is something to do, or a deadline of its own (true), or the given one (false).
  bool wait(Time deadline);

  // Resets the connection at once: work ends in error.
  void abort(Time now);

  // HostState::left: the connection, and what the peer has sent beyond its start-up frame.
  std::unique_ptr<Stream> take_stream();
  Bytes octets_for_ulp() const { return Bytes(in_).first(ulp_len_); }

 private:
  bool is_waiting() const;
  bool finish_connect(Time now);
  void start(Time now);
  bool receive(Time now);
  bool send(Time now);
  bool act(Time now);
  bool has_ended() const { return end_ != ConnectionEnd::none; }
  void lose(ConnectionEnd end, const SocketError& error, Time now);
  // By what the stream was told to do.
  void end_by(ConnectionEnd end, Time now);

  iwarp::MpaQueuePair& qp_;
  std::unique_ptr<Stream> stream_;
  IwarpHostConfig config_;
  HostState state_ = HostState::connecting;
  ConnectionEnd end_ = ConnectionEnd::none;
  SocketError error_;
  std::optional<SocketError> send_error_;  // what the peer has sent before is still to be read
  std::optional<Time> connect_deadline_;
  Time progress_at_{};  // an octet went or came, or nothing was waited for

  bool may_receive_ = true;  // as far as it is known
  bool may_send_ = true;
  bool hung_up_ = false;
  bool peer_closed_ = false;
  bool shut_down_due_ = false;  // after what is in out_
  bool close_due_ = false;

  std::vector<std::uint8_t> in_;
  std::size_t ulp_len_ = 0;
  std::vector<std::uint8_t> out_;  // one segment
  std::size_t out_at_ = 0;         // octets of it that the system has taken
  std::size_t out_len_ = 0;

  std::uint64_t num_sent_ = 0;
  std::uint64_t num_received_ = 0;
};

}  // namespace rdmawire::wire
