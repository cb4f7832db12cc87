#include "protocol/hostile/consumer.h"

#include <algorithm>
#include <array>

namespace rdmawire::hostile {
namespace {

using verbs::Completion;
using verbs::CompletionStatus;
using verbs::WorkOpcode;

constexpr std::uint64_t base_address = 0x7000'0000'0000;

std::uint32_t depth_of(std::size_t count) { return static_cast<std::uint32_t>(count + 1); }

std::size_t num_requests(const Scenario& scenario, std::size_t end) {
  std::size_t out = 0;
  for (const Connection& one : scenario.connections) out += one.programs[end].requests.size();
  return out;
}
std::size_t num_buffers(const Scenario& scenario, std::size_t end) {
  std::size_t out = scenario.shared_receives[end].size();
  for (const Connection& one : scenario.connections) out += one.receives[end].size();
  return out;
}

}  // namespace

Consumer::Consumer(std::size_t end, const RunOptions& options, const Scenario& scenario, Network& network)
    : end_(end),
      options_(options),
      scenario_(scenario),
      network_(network),
      octets_(scenario.memory[end]),
      send_cq_(num_requests(scenario, end) + 8),
      receive_cq_(num_buffers(scenario, end) + 8) {
  namespace r = verbs::rights;
  region_ = memory_.register_region(pd_, octets_, base_address, r::local_write | r::remote | r::bind_window)
                .value_or(verbs::MemoryKey{});
  if (scenario.shared()) {
    srq_.emplace(pd_, verbs::QueueSizes{depth_of(scenario.shared_receives[end].size()), 1, 0}, events_);
    receivers_.emplace_back(scenario.shared_receives[end]);
  }
  for (std::size_t i = 0; i < scenario.connections.size(); ++i) {
    const Connection& connection = scenario.connections[i];
    Line line;
    line.pair = &network.add(end,
                             {{number_of(end, i)},
                              scenario.service,
                              pd_,
                              {depth_of(connection.programs[end].requests.size()), 4, max_inline},
                              {depth_of(connection.receives[end].size()), 1, 0},
                              false},
                             {memory_, send_cq_, receive_cq_, events_, srq_ ? &*srq_ : nullptr});
    line.window = memory_.allocate_window(pd_, verbs::KeyKind::window2).value_or(verbs::MemoryKey{});
    line.fast_region = memory_.allocate_region(pd_, octets_.size()).value_or(verbs::MemoryKey{});
    for (std::size_t from = 0; from < scenario.connections.size(); ++from) {
      line.times.emplace_back(messages(from).size());
    }
    line.next_message.resize(scenario.connections.size());
    lines_.push_back(std::move(line));
    if (!srq_) receivers_.emplace_back(connection.receives[end]);
  }
}

std::optional<std::size_t> Consumer::connection_of(std::size_t end, Qpn number) const {
  for (std::size_t i = 0; i < scenario_.connections.size(); ++i) {
    if (number.value == number_of(end, i)) return i;
  }
  return std::nullopt;
}

verbs::MemoryKey Consumer::key_of(std::size_t connection, const KeyName& name) const {
  switch (name.of) {
    case KeyName::Of::window:
      return verbs::MemoryKey::of(lines_[connection].window.index(), name.octet);
    case KeyName::Of::fast_region:
      return verbs::MemoryKey::of(lines_[connection].fast_region.index(), name.octet);
    case KeyName::Of::region:
      break;
  }
  return region_;
}

bool Consumer::post(Time now) {
  bool any = false;
  for (std::size_t i = 0; i < receivers_.size(); ++i) any = post_receives(i, now) || any;
  for (std::size_t i = 0; i < lines_.size(); ++i) any = post_sends(i) || any;
  return any;
}

bool Consumer::post_receive(std::size_t receiver, const verbs::RecvWork& work) {
  return (srq_ ? srq_->post(work) : lines_[receiver].pair->post_receive(work)).has_value();
}

// As many as shall be there, one at a time.
bool Consumer::post_receives(std::size_t receiver, Time now) {
  Receiver& queue = receivers_[receiver];
  if (now < queue.next_post) return false;
  const std::size_t ahead = options_.num_receives_ahead;
  const bool all = ahead == 0;
  bool posted = false;
  while (queue.num_posted < queue.buffers->size()) {
    if (!all && (posted || queue.num_posted >= queue.num_done + ahead)) break;
    const Buffer& buffer = (*queue.buffers)[queue.num_posted];
    const verbs::Sge sge{base_address + buffer.at, buffer.length, region_};
    if (!post_receive(receiver, {{receiver << 32 | queue.num_posted}, {&sge, 1}})) break;
    ++queue.num_posted;
    posted = true;
  }
  if (posted) queue.next_post = now + options_.receive_delay;
  return posted;
}

std::optional<Time> Consumer::next_post(Time now) const {
  std::optional<Time> first;
  for (const Receiver& queue : receivers_) {
    if (queue.num_posted == queue.buffers->size() || queue.next_post <= now) continue;
    if (!first || queue.next_post < *first) first = queue.next_post;
  }
  return first;
}

bool Consumer::post_sends(std::size_t connection) {
  Line& line = lines_[connection];
  const std::size_t before = line.num_posted;
  const auto& requests = program(connection).requests;
  while (line.num_posted < requests.size()) {
    const Request& request = requests[line.num_posted];
    if (request.after_received > line.num_received) break;
    if (!post_send(connection, request)) break;
    ++line.num_posted;
  }
  return line.num_posted != before;
}

bool Consumer::post_send(std::size_t connection, const Request& request) {
  namespace r = verbs::rights;
  verbs::SendWork work = request.work;
  std::vector<verbs::Sge> sges = request.sges;
  for (verbs::Sge& sge : sges) sge.address += base_address, sge.l_key = region_;
  if (work.inline_data) {
    work.data = Bytes(octets_).subspan(request.sges[0].address, request.length);
  } else {
    work.sges = sges;
  }
  const std::uint64_t at = work.remote_address;
  work.remote_address += base_address;
  switch (work.opcode) {
    case WorkOpcode::bind_window:
      work.window = key_of(connection, request.key);
      work.bind = {region_, work.remote_address, request.length, r::remote_write | r::remote_read};
      break;
    case WorkOpcode::fast_register:
      work.window = key_of(connection, request.key);
      work.register_memory = MutableBytes(octets_).subspan(at, request.length);
      work.register_address = work.remote_address;
      work.register_access = r::local_write | r::remote_write | r::remote_read;
      break;
    case WorkOpcode::local_invalidate:
      work.invalidate = key_of(connection, request.key);
      break;
    case WorkOpcode::send_with_invalidate:
      work.invalidate = peer_->key_of(connection, request.key);
      break;
    default:
      work.r_key = peer_->key_of(connection, request.key);
      break;
  }
  if (scenario_.service == verbs::Service::ud) {
    const verbs::QueuePair& to = peer_->lines_[request.to].pair->verbs();
    work.destination = network_.path_to(1 - end_);
    work.destination_qp = to.config().number;
    constexpr std::uint32_t privileged = 0x80000000;
    work.q_key = request.q_key == Request::Key::own     ? QKey{privileged}
                 : request.q_key == Request::Key::wrong ? QKey{to.attributes().q_key.value ^ 0x100}
                                                        : to.attributes().q_key;
  }
  return lines_[connection].pair->post_send(work).has_value();
}

std::string Consumer::check_completions() {
  std::array<Completion, 16> done;
  while (const std::size_t count = send_cq_.poll(done)) {
    for (std::size_t i = 0; i < count; ++i) {
      if (std::string fault = check_send(done[i]); !fault.empty()) return fault;
    }
  }
  while (const std::size_t count = receive_cq_.poll(done)) {
    for (std::size_t i = 0; i < count; ++i) {
      if (std::string fault = check_receive(done[i]); !fault.empty()) return fault;
    }
  }
  while (const auto event = events_.poll()) {
    using enum verbs::EventKind;
    // The others say that somebody did wrong, and nobody does.
    const bool harmless = event->kind == communication_established || event->kind == last_wqe_reached;
    if (!harmless) return "event " + std::string(name_of(event->kind));
  }
  for (std::size_t i = 0; i < lines_.size(); ++i) count_silent(i);
  return {};
}

// After the last completion: silent requests at the end are done too.
void Consumer::count_silent(std::size_t connection) {
  Line& line = lines_[connection];
  const auto& requests = program(connection).requests;
  if (line.num_posted != requests.size() || in_error(connection)) return;
  if (!line.pair->verbs().send_queue().empty()) return;
  for (std::size_t n = line.next_completion; n < requests.size(); ++n) {
    if (requests[n].work.signaled) return;
  }
  line.num_sent = line.next_completion = requests.size();
}

std::string Consumer::check_send(const Completion& done) {
  const auto connection = connection_of(end_, done.qp);
  if (!connection) return "send completion of an unknown queue pair";
  Line& line = lines_[*connection];
  const auto& requests = program(*connection).requests;
  const std::uint64_t id = done.id.value;
  if (id >= line.num_posted || id < line.next_completion) return "send completion out of order";
  // Those before it succeeded, and were not to be told.
  for (std::size_t n = line.next_completion; n < id; ++n) {
    if (requests[n].work.signaled || line.flushed) return "send completion missing";
  }
  line.next_completion = id + 1;
  if (!line.flushed) line.num_sent = id;
  if (done.status == CompletionStatus::retries_exceeded || done.status == CompletionStatus::rnr_retries_exceeded) {
    if (line.gave_up) return "two requests gave up";
    line.gave_up = line.flushed = true;
    return {};
  }
  if (done.status == CompletionStatus::work_flushed) {
    line.flushed = true;
    return {};
  }
  if (line.flushed) return "success after the end of the connection";
  if (done.status != CompletionStatus::success) return "send completed with " + std::string(name_of(done.status));
  const Request& request = requests[id];
  const auto& row = verbs::info(request.work.opcode);
  if (done.opcode != row.completion) return "wrong opcode of a send completion";
  if (row.writes_local && done.byte_len != request.length) return "wrong length of what came back";
  line.num_sent = id + 1;
  return {};
}

std::string Consumer::check_receive(const Completion& done) {
  const auto connection = connection_of(end_, done.qp);
  if (!connection) return "receive completion of an unknown queue pair";
  const std::size_t receiver = done.id.value >> 32;
  const std::size_t number = done.id.value & 0xFFFFFFFF;
  if (receiver >= receivers_.size() || (!srq_ && receiver != *connection)) return "receive completion of no receive";
  Receiver& queue = receivers_[receiver];
  if (number >= queue.num_posted) return "receive completion of no receive";
  // Of an SRQ each queue pair takes what comes next, and is done with it in its own time.
  if (!srq_ && number != queue.num_done) return "receive completion out of order";
  if (queue.done[number]) return "a receive completed twice";
  queue.done[number] = true;
  ++queue.num_done;
  const Buffer& buffer = (*queue.buffers)[number];
  if (done.status == CompletionStatus::work_flushed) {
    flushed_.push_back(buffer);
    return {};
  }
  if (done.status != CompletionStatus::success) return "receive completed with " + std::string(name_of(done.status));
  return check_message(done, *connection, buffer);
}

// Is it that message, whole?
bool Consumer::fits(const Completion& done, std::size_t connection, const Received& message,
                    const Buffer& buffer) const {
  const bool datagram = scenario_.service == verbs::Service::ud;
  const std::uint32_t skipped = datagram ? grh_area_len : 0;
  if (message.must_not_come || message.to != connection) return false;
  if (done.opcode != message.opcode || done.byte_len != message.byte_len + skipped) return false;
  if (done.solicited != message.solicited) return false;
  if (done.has_immediate != message.has_immediate || done.immediate != message.immediate) return false;
  if (done.has_invalidated != message.has_invalidated) return false;
  if (done.has_invalidated && done.invalidated != key_of(connection, message.invalidated)) return false;
  if (message.opcode != verbs::CompletionOpcode::receive) return true;
  if (done.byte_len > buffer.length) return false;
  const auto sent = Bytes(scenario_.memory[1 - end_]).subspan(message.source, message.byte_len);
  return std::ranges::equal(sent, Bytes(octets_).subspan(buffer.at + skipped, message.byte_len));
}

std::string Consumer::check_message(const Completion& done, std::size_t connection, const Buffer& buffer) {
  Line& line = lines_[connection];
  std::size_t from = connection;
  if (scenario_.service == verbs::Service::ud) {
    const auto sender = connection_of(1 - end_, done.source_qp);
    if (!sender) return "datagram of an unknown queue pair";
    from = *sender;
    if (done.byte_len < grh_area_len) return "datagram without the area of the GRH";
    const Bytes area = Bytes(octets_).subspan(buffer.at, grh_area_len);
    if (std::string fault = network_.check_grh_area(end_, area, done); !fault.empty()) return fault;
  }
  ++line.num_received;
  const auto& sent = messages(from);
  std::size_t& next = line.next_message[from];
  if (reliable()) {
    if (next == sent.size() || !fits(done, connection, sent[next], buffer)) return "wrong receive completion";
    arrivals_.push_back({static_cast<std::uint32_t>(from), next++, buffer, false});
    return {};
  }
  // Unreliable: one that was sent and did not come before, but for what the network doubles; a later one, but for what
  // it holds back.
  const std::uint8_t most = options_.copies() ? 2 : 1;
  for (std::size_t i = options_.reorders() ? 0 : next; i < sent.size(); ++i) {
    std::uint8_t& times = line.times[from][i];
    if (times == most || !fits(done, connection, sent[i], buffer)) continue;
    ++times;
    next = i + 1;
    arrivals_.push_back({static_cast<std::uint32_t>(from), i, buffer, done.has_grh});
    return {};
  }
  return "a message came that was not sent, or not so, or once more";
}

bool Consumer::all_sent(std::size_t connection) const {
  return lines_[connection].num_sent == program(connection).requests.size();
}

bool Consumer::all_received(std::size_t connection) const {
  return !reliable() || lines_[connection].next_message[connection] == messages(connection).size();
}

std::vector<Buffer> Consumer::unfinished() const {
  std::vector<Buffer> out = flushed_;
  for (std::size_t i = 0; i < receivers_.size(); ++i) {
    const Receiver& queue = receivers_[i];
    // Of an unreliable service a message breaks off, and the next takes the same buffer. Of an SRQ any may be in use.
    const auto lost = [&](std::size_t connection) { return gave_up(connection) || peer_->gave_up(connection); };
    bool any = !reliable() || (!srq_ && lost(i));
    for (std::size_t connection = 0; srq_ && connection < lines_.size(); ++connection) any = any || lost(connection);
    for (std::size_t n = 0; any && n < queue.num_posted; ++n) {
      if (queue.done[n]) continue;
      out.push_back((*queue.buffers)[n]);
      any = srq_.has_value();
    }
  }
  return out;
}

}  // namespace rdmawire::hostile
