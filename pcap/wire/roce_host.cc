#include "pcap/wire/roce_host.h"

#include <poll.h>

#include <algorithm>

#include "codec/ib/bth.h"
#include "codec/ib/gid.h"
#include "codec/ib/opcode.h"
#include "codec/net/net.h"
#include "protocol/ib/expected_headers.h"

namespace rdmawire::wire {
namespace {

using Status = IoResult::Status;

// EUI-64 of the MAC address, as devices derive it.
Guid guid_of(const MacAddress& mac) {
  const auto& o = mac.octets;
  const std::array<std::uint8_t, 8> octets{
      static_cast<std::uint8_t>(o[0] ^ 2U), o[1], o[2], 0xFF, 0xFE, o[3], o[4], o[5]};
  return {load_be<8>(octets.data())};
}

ib::PortConfig port_config(const RoceHostConfig& config) {
  ib::PortConfig out;
  out.mac = config.network.mac;
  for (const IpPrefix& own : config.network.addresses) {
    out.gids.push_back({own.address, ib::Carrier::rocev2, std::nullopt});
  }
  out.p_keys = {config.p_key};
  out.max_queue_pairs = config.max_connections + 1;
  out.quirks = config.quirks;
  return out;
}

cm::Config cm_config(const RoceHostConfig& config) {
  cm::Config out;
  // Those that are over, and in TIMEWAIT, count too.
  out.max_connections = 4 * config.max_connections;
  out.max_responder_resources = config.max_responder_resources;
  out.target_ack_delay = config.target_ack_delay;
  out.ca_guid = guid_of(config.network.mac);
  out.first_comm_id = {static_cast<std::uint32_t>(config.seed) | 1U};
  out.first_transaction = {config.seed >> 16 | 1U};
  for (const IpPrefix& own : config.network.addresses) {
    out.gids.push_back(own.address);
    out.ip_addresses.push_back(own.address);
  }
  out.quirks = config.quirks;
  return out;
}

// As the wire has it.
RoceHostConfig fitted(const Wire& wire, RoceHostConfig config) {
  if (const auto link = wire.made_up_link()) {
    config.network.mac = link->own;
    config.network.all_others = link->peers;
  }
  return config;
}

}  // namespace

RoceHost::RoceHost(Wire& wire, const RoceHostConfig& config)
    : wire_(wire),
      config_(fitted(wire, config)),
      neighbours_(config_.network),
      port_(port_config(config_)),
      cm_(cm_config(config_)),
      pd_(memory_.allocate_pd().value_or(verbs::Pd{})),
      mad_key_(
          memory_.register_region(pd_, mads_, mad_address, verbs::rights::local_write).value_or(verbs::MemoryKey{})),
      gsi_({ib::gsi_qp, verbs::Service::ud, pd_, {num_mads, 1, mad::mad_size}, {num_mads, 1, 0}, false},
           {memory_, send_cq_, receive_cq_, events_, nullptr}, ib::mtu4096) {
  using namespace verbs::attribute;
  verbs::QpAttributes attributes;
  attributes.q_key = ib::gsi_q_key;
  static_cast<void>(gsi_.modify(verbs::QpState::init, attributes, p_key_index | verbs::attribute::port | q_key));
  for (std::uint64_t slot = 0; slot < num_mads; ++slot) post_receive(slot);
  static_cast<void>(gsi_.modify(verbs::QpState::rtr));
  static_cast<void>(gsi_.modify(verbs::QpState::rts, attributes, sq_psn));
  static_cast<void>(port_.attach(gsi_));
  neighbours_.announce();
}

void RoceHost::post_receive(std::uint64_t slot) {
  const verbs::Sge sge{mad_address + slot * mad_room, mad_room, mad_key_};
  static_cast<void>(gsi_.post_receive({{slot}, {&sge, 1}}));
}

std::optional<UdpPort> RoceHost::only_source_port() const {
  const auto link = wire_.made_up_link();
  return link ? link->udp_source_port : std::nullopt;
}

verbs::AddressVector RoceHost::path(const Gid& address, const MacAddress& mac, std::size_t source) const {
  verbs::AddressVector out;
  out.destination_lid = {0xFFFF};
  out.global = true;
  out.destination_gid = address;
  out.source_gid_index = static_cast<std::uint8_t>(source);
  out.destination_mac = mac;
  if (const auto port = only_source_port()) out.udp_source_port = *port;
  return out;
}

std::optional<verbs::AddressVector> RoceHost::path_to(const Gid& address) const {
  const auto mac = neighbours_.find(address);
  if (!mac) return std::nullopt;
  const auto& own = config_.network.addresses;
  const auto fits = [&](const IpPrefix& one) { return is_ipv4_mapped(one.address) == is_ipv4_mapped(address); };
  auto source = std::ranges::find_if(own, [&](const IpPrefix& one) { return fits(one) && one.has(address); });
  if (source == own.end()) source = std::ranges::find_if(own, fits);
  if (source == own.end()) return std::nullopt;
  return path(address, *mac, static_cast<std::size_t>(source - own.begin()));
}

bool RoceHost::turn(Time now) {
  if (error_) return false;
  neighbours_.on_deadline(now);
  port_.on_deadline(now);
  cm_.on_deadline(now);
  const bool received = receive(now);
  send_mads(now);
  const bool sent = transmit(now);
  return received || sent;
}

bool RoceHost::receive(Time now) {
  bool any = false;
  // The wire may have kept frames back that come now without a word of poll().
  if (const auto due = wire_.next_deadline(); due && *due <= now) may_receive_ = true;
  for (std::uint32_t i = 0; may_receive_ && i < config_.max_frames_per_turn; ++i) {
    const IoResult got = wire_.receive(in_, now);
    if (got.status == Status::failed) error_ = got.error;
    if (got.status != Status::done) {
      may_receive_ = false;
      break;
    }
    any = true;
    take(Bytes(in_).first(std::min(got.size, in_.size())), now);
  }
  return any;
}

void RoceHost::take(Bytes frame, Time now) {
  constexpr std::size_t link_len = header_size<net::Ethernet>;
  if (frame.size() < link_len) return;
  const auto link = decode<net::Ethernet>(frame.first<link_len>());
  const bool group = (link.destination.octets[0] & 1U) != 0;
  if (link.destination != config_.network.mac && !group) {
    ++num_not_for_us_;
    return;
  }
  if (neighbours_.on_frame(frame, now)) return;
  if (group) {
    ++num_not_for_us_;
    return;
  }
  departures_.on_received(frame, now);
  port_.on_frame(frame, now);
  if (receive_cq_.size() != 0) take_mads(link.source, now);
}

void RoceHost::take_mads(const MacAddress& from, Time now) {
  std::array<verbs::Completion, 1> done;
  while (receive_cq_.poll(done) != 0) {
    const verbs::Completion& one = done[0];
    const Bytes octets = Bytes(mads_).subspan(one.id.value * mad_room, mad_room);
    if (one.status == verbs::CompletionStatus::success && one.has_grh) {
      // A GRH, or an IPv6 header, or an IPv4 header in its last 20 octets (IBTA A17.4.5.1).
      const auto four = decode<net::Ipv4>(octets.subspan<20, 20>());
      const auto six = decode<net::Ipv6>(octets.first<40>());
      const bool is_four = six.version != 6;
      const Gid source = is_four ? ib::gid_of(four.source) : ib::gid_of(six.source);
      const Gid destination = is_four ? ib::gid_of(four.destination) : ib::gid_of(six.destination);
      const auto& own = config_.network.addresses;
      const auto to = std::ranges::find(own, destination, &IpPrefix::address);
      if (to != own.end() && one.source_qp == ib::gsi_qp) {
        const auto back = path(source, from, static_cast<std::size_t>(to - own.begin()));
        cm_.on_mad(octets.subspan(ib::UdQueuePair::grh_size, one.byte_len - ib::UdQueuePair::grh_size), back, now);
      }
    }
    post_receive(one.id.value);
  }
}

void RoceHost::send_mads(Time now) {
  std::array<verbs::Completion, 16> done;
  while (send_cq_.poll(done) != 0) {
  }
  // What the queue has no room for waits in the manager.
  while (gsi_.verbs().send_queue().size() < num_mads) {
    cm::TxMad mad;
    if (!cm_.poll_transmit(mad, now)) break;
    verbs::SendWork work;
    work.opcode = verbs::WorkOpcode::send;
    work.signaled = false;
    work.inline_data = true;
    work.data = mad.octets;
    work.destination = mad.path;
    work.destination_qp = ib::gsi_qp;
    work.q_key = ib::gsi_q_key;
    static_cast<void>(gsi_.post_send(work));
  }
}

bool RoceHost::transmit(Time now) {
  bool any = false;
  for (std::uint32_t i = 0; may_send_ && i < config_.max_frames_per_turn; ++i) {
    if (out_len_ == 0) out_len_ = neighbours_.poll_transmit(out_);
    if (out_len_ == 0) out_len_ = port_.poll_transmit(out_, now);
    if (out_len_ == 0) break;
    const IoResult sent = wire_.send(Bytes(out_).first(out_len_), now);
    if (sent.status == Status::failed) {
      error_ = sent.error;
      break;
    }
    if (sent.status == Status::would_block) {
      may_send_ = false;
      break;
    }
    departures_.on_sent(Bytes(out_).first(out_len_), now);
    any = true;
    out_len_ = 0;
  }
  return any;
}

short RoceHost::events() const { return static_cast<short>(wire_.events() | (out_len_ != 0 ? POLLOUT : 0)); }

void RoceHost::on_ready(short events) {
  const bool over = (events & (POLLERR | POLLHUP)) != 0;
  if (over || (events & POLLIN) != 0) may_receive_ = true;
  if (over || (events & POLLOUT) != 0) may_send_ = true;
}

std::optional<Time> RoceHost::next_deadline() const {
  if (error_) return std::nullopt;
  std::optional<Time> first = neighbours_.next_deadline();
  keep_sooner(first, port_.next_deadline());
  keep_sooner(first, cm_.next_deadline());
  keep_sooner(first, wire_.next_deadline());
  return first;
}

}  // namespace rdmawire::wire
