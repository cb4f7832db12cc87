#include "pcap/wire/impaired_wire.h"

#include <poll.h>

#include <algorithm>

#include "codec/frame.h"
#include "pcap/wire/frame_link.h"

namespace rdmawire::wire {
namespace {

using Status = IoResult::Status;

constexpr std::size_t link_header_len = 14;

// RoCEv2, by the quick look that is enough to spare ARP and ICMP.
bool is_rocev2(Bytes frame) {
  constexpr std::uint16_t port = rocev2_port;
  const auto at = [&](std::size_t offset) {
    return offset + 2 <= frame.size() ? load_be<2>(frame.data() + offset) : 0;
  };
  if (at(12) == 0x0800 && frame.size() > 34)
    return frame[23] == 17 && at(link_header_len + (frame[14] & 15U) * 4 + 2) == port;
  return at(12) == 0x86DD && frame.size() > 54 && frame[20] == 17 && at(56) == port;
}

std::string what_was_done(const link::Delivery& done) {
  std::string out;
  if (done.num_flipped_bits != 0) add_purpose(out, std::to_string(done.num_flipped_bits) + " bit inverted");
  if (done.copy) add_purpose(out, "a copy");
  if (done.num_overtaking != 0) add_purpose(out, "overtaken by " + std::to_string(done.num_overtaking));
  return out;
}

}  // namespace

ImpairedWire::ImpairedWire(Wire& wire, const link::Impairments& impairments, std::uint64_t seed, Recorder* recorder)
    : WrappingWire(wire), link_(frame_link_config(seed)), recorder_(recorder) {
  link::Impairments all = impairments;
  all.protected_len = std::max<std::uint32_t>(all.protected_len, link_header_len);
  link_.set(here, there, all);
  link_.set(there, here, all);
}

void ImpairedWire::record(Bytes frame, Recorder::Way way, std::string_view comment) {
  if (recorder_ != nullptr) recorder_->add(frame, way, comment);
}

void ImpairedWire::put(link::Endpoint from, link::Endpoint to, Bytes frame, Time now) {
  const link::SendOutcome outcome = link_.send(from, to, frame, now);
  if (outcome == link::SendOutcome::accepted) return;
  const auto way = from == here ? Recorder::Way::out : Recorder::Way::in;
  record(frame, way, "dropped on purpose: " + std::string(name_of(outcome)));
}

IoResult ImpairedWire::send_now(Bytes frame, Time now) {
  const IoResult sent = wire_.send(frame, now);
  if (sent.status == Status::failed) error_ = sent.error;
  return sent;
}

void ImpairedWire::flush(Time now) {
  while (!error_) {
    // In their order.
    while (!to_send_.empty()) {
      if (send_now(to_send_.front(), now).status != Status::done) return;
      to_send_.pop_front();
    }
    const auto arrived = link_.receive(now);
    if (!arrived) return;
    const std::string comment = recorder_ == nullptr ? std::string() : what_was_done(*arrived);
    if (arrived->to == here) {
      record(arrived->octets, Recorder::Way::in, comment);
      received_.emplace_back(arrived->octets.begin(), arrived->octets.end());
      continue;
    }
    record(arrived->octets, Recorder::Way::out, comment);
    if (send_now(arrived->octets, now).status == Status::would_block) {
      to_send_.emplace_back(arrived->octets.begin(), arrived->octets.end());
    }
  }
}

IoResult ImpairedWire::send(Bytes frame, Time now) {
  flush(now);
  if (error_) return {Status::failed, 0, *error_};
  if (!to_send_.empty()) return {};
  if (!is_rocev2(frame)) {
    const IoResult sent = send_now(frame, now);
    if (sent.status == Status::done) record(frame, Recorder::Way::out, {});
    return sent;
  }
  put(here, there, frame, now);
  flush(now);
  if (error_) return {Status::failed, 0, *error_};
  return {Status::done, frame.size(), {}};
}

IoResult ImpairedWire::receive(MutableBytes out, Time now) {
  flush(now);
  while (!error_ && received_.empty()) {
    const IoResult got = wire_.receive(in_, now);
    if (got.status == Status::failed) error_ = got.error;
    if (got.status != Status::done) break;
    const Bytes frame = Bytes(in_).first(std::min(got.size, in_.size()));
    if (is_rocev2(frame)) {
      put(there, here, frame, now);
      flush(now);
    } else {
      record(frame, Recorder::Way::in, {});
      received_.emplace_back(frame.begin(), frame.end());
    }
  }
  if (received_.empty()) return error_ ? IoResult{Status::failed, 0, *error_} : IoResult{};
  return take_first(received_, out);
}

short ImpairedWire::events() const { return static_cast<short>(wire_.events() | (to_send_.empty() ? 0 : POLLOUT)); }

std::optional<Time> ImpairedWire::next_deadline() const {
  std::optional<Time> out = wire_.next_deadline();
  // A full wire is waited for by poll().
  if (to_send_.empty()) keep_sooner(out, link_.next_arrival());
  if (!received_.empty()) keep_sooner(out, std::optional(Time{}));
  return out;
}

}  // namespace rdmawire::wire
