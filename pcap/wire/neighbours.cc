#include "pcap/wire/neighbours.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "codec/ib/gid.h"
#include "codec/net/checksum.h"
#include "codec/net/net.h"
#include "pcap/wire/ip_frames.h"

namespace rdmawire::wire {
namespace {

using Frame = std::vector<std::uint8_t>;
using ib::gid_of;

constexpr std::size_t max_queued = 64;  // frames; more are lost, as on any network
constexpr MacAddress broadcast{{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}};

// ARP for Ethernet and IPv4: RFC 826.
constexpr std::size_t arp_len = 28;
constexpr std::array<std::uint8_t, 6> arp_kind{0, 1, 0x08, 0, 6, 4};  // hardware, protocol, lengths
constexpr std::uint16_t arp_request = 1;
constexpr std::uint16_t arp_reply = 2;

// ICMP: RFC 792, RFC 4443, RFC 4861.
constexpr std::uint8_t echo_request = 8;
constexpr std::uint8_t echo_request6 = 128;
constexpr std::uint8_t echo_reply6 = 129;
constexpr std::uint8_t neighbour_solicitation = 135;
constexpr std::uint8_t neighbour_advertisement = 136;
constexpr std::uint8_t source_link_address = 1;
constexpr std::uint8_t target_link_address = 2;
constexpr std::size_t neighbour_message_len = 24;  // without options
constexpr std::uint8_t solicited_override = 0x60;
constexpr std::uint8_t override_only = 0x20;
constexpr Gid all_nodes{{0xFF, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
constexpr MacAddress all_nodes_mac{{0x33, 0x33, 0, 0, 0, 1}};
constexpr std::uint8_t unrouted_hop_limit = 255;

template <class T>
T header_of(Bytes octets, std::size_t at) {
  return decode<T>(octets.subspan(at).first<header_size<T>>());
}
template <class T>
void put(Frame& frame, const T& header) {
  frame.resize(frame.size() + header_size<T>);
  encode(header, std::span<std::uint8_t, header_size<T>>(frame.data() + frame.size() - header_size<T>, header_size<T>));
}
void put(Frame& frame, Bytes octets) { frame.insert(frame.end(), octets.begin(), octets.end()); }

Frame frame_to(const MacAddress& to, const MacAddress& from, net::EtherType type) {
  Frame out;
  put(out, net::Ethernet{to, from, type});
  return out;
}

std::uint16_t icmp6_checksum(const Gid& from, const Gid& to, Bytes message) {
  net::InternetChecksum sum;
  sum.add(from.octets);
  sum.add(to.octets);
  sum.add_word(static_cast<std::uint16_t>(message.size()));
  sum.add_word(static_cast<std::uint16_t>(net::IpProtocol::icmpv6));
  sum.add(message);
  return sum.checksum();
}

// Behind the link header.
void put_ip(Frame& frame, const IpPath& path, net::IpProtocol protocol, IpFamily family, Bytes message) {
  frame.resize(link_len + ip_len(family));
  write_ip(frame, path, protocol, family, message.size());
  put(frame, message);
}

// An IPv6 packet with an ICMP message whose checksum is still 0.
void put_icmp6(Frame& frame, const Gid& from, const Gid& to, std::uint8_t hop_limit, Frame message) {
  store_be<2>(message.data() + 2, icmp6_checksum(from, to, message));
  put_ip(frame, {from, to, {}, hop_limit}, net::IpProtocol::icmpv6, IpFamily::six, message);
}

Frame neighbour_message(std::uint8_t type, std::uint8_t flags, const Gid& target, std::uint8_t option,
                        const MacAddress& mac) {
  Frame out{type, 0, 0, 0, flags, 0, 0, 0};
  put(out, Bytes(target.octets));
  out.push_back(option);
  out.push_back(1);  // 8 octets
  put(out, Bytes(mac.octets));
  return out;
}

// Of an option of that type, nothing if there is none.
std::optional<MacAddress> link_address(Bytes options, std::uint8_t type) {
  while (options.size() >= 8 && options[1] != 0) {
    const std::size_t size = std::size_t{8} * options[1];
    if (options[0] == type) {
      MacAddress out;
      std::copy_n(options.begin() + 2, out.octets.size(), out.octets.begin());
      return out;
    }
    if (size > options.size()) break;
    options = options.subspan(size);
  }
  return std::nullopt;
}

}  // namespace

bool Neighbours::is_own(const Gid& address) const {
  return std::ranges::any_of(config_.addresses, [&](const IpPrefix& own) { return own.address == address; });
}

Gid Neighbours::hop_to(const Gid& address) const {
  const bool four = is_ipv4_mapped(address);
  for (const IpPrefix& own : config_.addresses) {
    if (own.has(address)) return address;
  }
  for (const Gid& gateway : config_.gateways) {
    if (is_ipv4_mapped(gateway) == four) return gateway;
  }
  return address;
}

const Gid* Neighbours::own_address_for(const Gid& hop) const {
  const Gid* out = nullptr;
  for (const IpPrefix& own : config_.addresses) {
    if (is_ipv4_mapped(own.address) != is_ipv4_mapped(hop)) continue;
    if (out == nullptr || own.has(hop)) out = &own.address;
  }
  return out;
}

void Neighbours::learn(const Gid& address, const MacAddress& mac) {
  // The same as before, mostly: each packet asks.
  if (!known_.empty() && known_.back().address == address && known_.back().mac == mac) return;
  if (is_own(address)) return;
  std::erase_if(known_, [&](const Known& one) { return one.address == address; });
  if (known_.size() >= config_.max_neighbours) known_.pop_front();
  known_.push_back({address, mac});
  std::erase_if(questions_, [&](const Question& one) { return one.hop == address; });
}

std::optional<MacAddress> Neighbours::find(const Gid& address) const {
  if (config_.all_others) return config_.all_others;
  const auto mac_of = [this](const Gid& neighbour) -> std::optional<MacAddress> {
    const auto found = std::ranges::find(known_, neighbour, &Known::address);
    return found == known_.end() ? std::nullopt : std::optional(found->mac);
  };
  // What an address behind a gateway last came from is as good as the gateway.
  if (const auto direct = mac_of(address)) return direct;
  return mac_of(hop_to(address));
}

void Neighbours::look_for(const Gid& address, Time now) {
  if (find(address)) return;
  const Gid hop = hop_to(address);
  if (std::ranges::any_of(questions_, [&](const Question& one) { return one.hop == hop; })) return;
  questions_.push_back({hop, config_.num_attempts, now});
  on_deadline(now);
}

bool Neighbours::failed(const Gid& address) const {
  const auto found = std::ranges::find(questions_, hop_to(address), &Question::hop);
  return found != questions_.end() && found->num_left == 0;
}

std::optional<Time> Neighbours::next_deadline() const {
  std::optional<Time> first;
  for (const Question& one : questions_) {
    if (one.num_left != 0) keep_sooner(first, one.next);
  }
  return first;
}

void Neighbours::on_deadline(Time now) {
  for (Question& one : questions_) {
    // The last attempt is waited for as well.
    while (one.num_left != 0 && one.next <= now) {
      --one.num_left;
      if (one.num_left != 0) ask(one.hop);
      one.next = now + config_.attempt_interval;
    }
  }
}

void Neighbours::announce() {
  if (config_.all_others) return;
  for (const IpPrefix& own : config_.addresses) {
    if (is_ipv4_mapped(own.address)) {
      ask_arp(own.address, own.address);
      continue;
    }
    Frame frame = frame_to(all_nodes_mac, config_.mac, net::EtherType::ipv6);
    put_icmp6(frame, own.address, all_nodes, unrouted_hop_limit,
              neighbour_message(neighbour_advertisement, override_only, own.address, target_link_address, config_.mac));
    queue(std::move(frame));
  }
}

void Neighbours::ask_arp(const Gid& own, const Gid& hop) {
  Frame frame = frame_to(broadcast, config_.mac, net::EtherType::arp);
  put(frame, Bytes(arp_kind));
  frame.push_back(0);
  frame.push_back(arp_request);
  put(frame, Bytes(config_.mac.octets));
  put(frame, Bytes(own.octets).last(4));
  frame.resize(frame.size() + 6);
  put(frame, Bytes(hop.octets).last(4));
  queue(std::move(frame));
}

void Neighbours::ask(const Gid& hop) {
  const Gid* own = own_address_for(hop);
  if (own == nullptr) return;
  if (is_ipv4_mapped(hop)) return ask_arp(*own, hop);
  // The solicited-node multicast address: RFC 4291, 2.7.1.
  Gid group{{0xFF, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xFF}};
  std::copy_n(hop.octets.begin() + 13, 3, group.octets.begin() + 13);
  MacAddress to{{0x33, 0x33}};
  std::copy_n(group.octets.begin() + 12, 4, to.octets.begin() + 2);
  Frame frame = frame_to(to, config_.mac, net::EtherType::ipv6);
  put_icmp6(frame, *own, group, unrouted_hop_limit,
            neighbour_message(neighbour_solicitation, 0, hop, source_link_address, config_.mac));
  queue(std::move(frame));
}

void Neighbours::queue(Frame frame) {
  if (out_.size() < max_queued) out_.push_back(std::move(frame));
}

std::size_t Neighbours::poll_transmit(MutableBytes out) {
  if (out_.empty()) return 0;
  const Frame frame = std::move(out_.front());
  out_.pop_front();
  const std::size_t size = std::min(frame.size(), out.size());
  std::copy_n(frame.begin(), size, out.begin());
  return size;
}

bool Neighbours::on_frame(Bytes frame, Time) {
  if (frame.size() < link_len) return false;
  switch (header_of<net::Ethernet>(frame, 0).type) {
    case net::EtherType::arp:
      on_arp(frame);
      return true;
    case net::EtherType::ipv4:
      return on_ipv4(frame);
    case net::EtherType::ipv6:
      return on_ipv6(frame);
    default:
      return false;
  }
}

void Neighbours::on_arp(Bytes frame) {
  if (frame.size() < link_len + arp_len) return;
  const Bytes arp = frame.subspan(link_len);
  if (!std::ranges::equal(arp.first(arp_kind.size()), arp_kind)) return;
  const auto operation = load_be<2>(arp.data() + 6);
  MacAddress mac;
  std::copy_n(arp.begin() + 8, 6, mac.octets.begin());
  Ipv4Address from;
  std::copy_n(arp.begin() + 14, 4, from.octets.begin());
  Ipv4Address to;
  std::copy_n(arp.begin() + 24, 4, to.octets.begin());
  if (!is_own(gid_of(to))) return;
  if (from != Ipv4Address{}) learn(gid_of(from), mac);
  if (operation != arp_request) return;
  Frame answer = frame_to(mac, config_.mac, net::EtherType::arp);
  put(answer, Bytes(arp_kind));
  answer.push_back(0);
  answer.push_back(arp_reply);
  put(answer, Bytes(config_.mac.octets));
  put(answer, Bytes(to.octets));
  put(answer, Bytes(mac.octets));
  put(answer, Bytes(from.octets));
  queue(std::move(answer));
}

bool Neighbours::on_ipv4(Bytes frame) {
  constexpr std::size_t header_len = ip_len(IpFamily::four);
  if (frame.size() < link_len + header_len) return false;
  const auto link = header_of<net::Ethernet>(frame, 0);
  const auto ip = header_of<net::Ipv4>(frame, link_len);
  if (!is_own(gid_of(ip.destination))) return false;
  learn(gid_of(ip.source), link.source);
  if (ip.protocol != net::IpProtocol::icmp) return false;
  if (ip.ihl != header_len / 4 || ip.is_fragment() || ip.total_length < header_len + 8 ||
      frame.size() < link_len + ip.total_length) {
    return true;
  }
  const Bytes message = frame.subspan(link_len + header_len, ip.total_length - header_len);
  if (message[0] != echo_request) return true;
  Frame answer = frame_to(link.source, config_.mac, net::EtherType::ipv4);
  put_ip(answer, {gid_of(ip.destination), gid_of(ip.source)}, net::IpProtocol::icmp, IpFamily::four, message);
  std::uint8_t* icmp = answer.data() + link_len + header_len;
  icmp[0] = 0;
  store_be<2>(icmp + 2, 0);
  net::InternetChecksum sum;
  sum.add(Bytes(icmp, message.size()));
  store_be<2>(icmp + 2, sum.checksum());
  queue(std::move(answer));
  return true;
}

bool Neighbours::on_ipv6(Bytes frame) {
  constexpr std::size_t header_len = ip_len(IpFamily::six);
  if (frame.size() < link_len + header_len) return false;
  const auto link = header_of<net::Ethernet>(frame, 0);
  const auto ip = header_of<net::Ipv6>(frame, link_len);
  const Gid from = gid_of(ip.source);
  const Gid to = gid_of(ip.destination);
  const bool own = is_own(to);
  if (own && from != Gid{}) learn(from, link.source);
  if (ip.next_header != net::IpProtocol::icmpv6) return false;
  if (ip.payload_length < 8 || frame.size() < link_len + header_len + ip.payload_length) return true;
  const Bytes message = frame.subspan(link_len + header_len, ip.payload_length);
  if (icmp6_checksum(from, to, message) != 0) return true;
  if (message[0] == neighbour_solicitation && ip.hop_limit == unrouted_hop_limit) {
    on_solicitation(frame, message, from);
  } else if (message[0] == neighbour_advertisement && message.size() >= neighbour_message_len) {
    Gid target;
    std::copy_n(message.begin() + 8, 16, target.octets.begin());
    const auto mac = link_address(message.subspan(neighbour_message_len), target_link_address);
    if (own) learn(target, mac.value_or(link.source));
  } else if (own && message[0] == echo_request6) {
    Frame back(message.begin(), message.end());
    back[0] = echo_reply6;
    store_be<2>(back.data() + 2, 0);
    Frame answer = frame_to(link.source, config_.mac, net::EtherType::ipv6);
    put_icmp6(answer, to, from, 64, std::move(back));
    queue(std::move(answer));
  }
  return true;
}

void Neighbours::on_solicitation(Bytes frame, Bytes message, const Gid& from) {
  if (message.size() < neighbour_message_len) return;
  Gid target;
  std::copy_n(message.begin() + 8, 16, target.octets.begin());
  // From the unspecified address somebody asks whether his own new address is free (RFC 4862, 5.4).
  if (!is_own(target) || from == Gid{}) return;
  const MacAddress mac = link_address(message.subspan(neighbour_message_len), source_link_address)
                             .value_or(header_of<net::Ethernet>(frame, 0).source);
  learn(from, mac);
  Frame answer = frame_to(mac, config_.mac, net::EtherType::ipv6);
  put_icmp6(answer, target, from, unrouted_hop_limit,
            neighbour_message(neighbour_advertisement, solicited_override, target, target_link_address, config_.mac));
  queue(std::move(answer));
}

}  // namespace rdmawire::wire
