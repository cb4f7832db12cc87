#include "protocol/hostile/ib_network.h"

#include <algorithm>
#include <utility>

#include "protocol/ib/rc_queue_pair.h"
#include "protocol/ib/uc_queue_pair.h"
#include "protocol/ib/ud_queue_pair.h"

namespace rdmawire::hostile {
namespace {

template <class Machine>
class IbPaired final : public Paired<Machine, IbQueuePair> {
 public:
  using Paired<Machine, IbQueuePair>::Paired;
  ib::QueuePairMachine& port_machine() override { return this->machine; }
  bool modify(verbs::QpState to, const verbs::QpAttributes& attributes, verbs::AttributeSet given) override {
    return this->machine.modify(to, attributes, given).has_value();
  }
};

ib::PortConfig port_config(const RunOptions& options, std::uint8_t number) {
  ib::PortConfig out;
  out.mac = MacAddress{{2, 0, 0, 0, 0, number}};
  out.lid = {number};
  out.max_queue_pairs = max_connections;
  out.mtu = options.path_mtu;
  if (number == 2) out.quirks = options.quirks;
  Gid gid;
  if (options.carrier == Carrier::rocev2) {
    gid.octets = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, number};
  } else {
    gid.octets = {0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number};
  }
  const bool native = options.carrier == Carrier::ib;
  const auto carrier = native                               ? ib::Carrier::native
                       : options.carrier == Carrier::rocev1 ? ib::Carrier::rocev1
                                                            : ib::Carrier::rocev2;
  if (!native || options.global) out.gids = {{gid, carrier, std::nullopt}};
  return out;
}

link::LinkConfig link_config(std::uint64_t seed, const RunOptions& options) {
  link::LinkConfig out;
  out.capacity = options.capacity;
  out.max_packet_len = static_cast<std::uint32_t>(ib::max_frame_len(options.path_mtu.octets()));
  out.seed = seed ^ 0x5DEECE66D;
  out.link_type = options.carrier == Carrier::ib ? LinkType::infiniband : LinkType::ethernet;
  return out;
}

}  // namespace

IbNetwork::IbNetwork(std::uint64_t seed, const RunOptions& options)
    : options_(options),
      link_(link_config(seed, options)),
      ports_{ib::Port(port_config(options, 1)), ib::Port(port_config(options, 2))},
      buffer_(ib::max_frame_len(ib::mtu4096.octets())) {
  link_.set_all(options.impairments);
  link_.force(options.fates);
}

QueuePair& IbNetwork::add(std::size_t end, const verbs::QpConfig& config, const verbs::QpResources& resources) {
  std::unique_ptr<IbQueuePair> made;
  switch (config.service) {
    case verbs::Service::uc:
      made = std::make_unique<IbPaired<ib::UcQueuePair>>(config, resources);
      break;
    case verbs::Service::ud:
      made = std::make_unique<IbPaired<ib::UdQueuePair>>(config, resources, options_.path_mtu);
      break;
    default: {
      ib::RcConfig rc;
      rc.max_responder_resources = std::max<std::uint8_t>(options_.depth, 1);
      rc.ack_interval = options_.ack_interval;
      rc.max_outstanding_packets = options_.window;
      rc.flow_control = options_.flow_control;
      if (end == 1) rc.quirks = options_.quirks;
      made = std::make_unique<IbPaired<ib::RcQueuePair>>(config, resources, rc);
      break;
    }
  }
  (void)ports_[end].attach(made->port_machine());
  pairs_[end].push_back(std::move(made));
  return *pairs_[end].back();
}

verbs::AddressVector IbNetwork::path_to(std::size_t end) const {
  const ib::PortConfig& to = ports_[end].config();
  verbs::AddressVector out;
  out.destination_mac = to.mac;
  out.destination_lid = to.lid;
  if (!to.gids.empty()) {
    out.global = true;
    out.destination_gid = to.gids[0].gid;
  }
  return out;
}

bool IbNetwork::connect(std::size_t number_of_pair, std::size_t end) {
  IbQueuePair& own = *pairs_[end][number_of_pair];
  const IbQueuePair& peer = *pairs_[1 - end][number_of_pair];
  const Qpn number = own.verbs().config().number;
  const Qpn peer_number = peer.verbs().config().number;
  verbs::QpAttributes a;
  a.access = verbs::rights::remote;
  a.path_mtu = options_.path_mtu;
  a.path = path_to(1 - end);
  a.destination_qp = peer_number;
  // Sequence numbers wrap in every run.
  a.rq_psn = Psn{0xFFFFE0} + peer_number.value;
  a.sq_psn = Psn{0xFFFFE0} + number.value;
  a.max_rd_atomic = a.max_dest_rd_atomic = options_.depth;
  a.min_rnr_timer = {1};
  a.timeout = {8};
  a.retry_count = options_.retry_count;
  a.rnr_retry = options_.rnr_retry;
  a.q_key = {0x11110000 + static_cast<std::uint32_t>(number_of_pair)};
  using namespace verbs::attribute;
  verbs::AttributeSet init = p_key_index | port | access;
  verbs::AttributeSet rtr = path | path_mtu | destination_qp | rq_psn;
  verbs::AttributeSet rts = sq_psn;
  switch (own.verbs().config().service) {
    case verbs::Service::uc:
      break;
    case verbs::Service::ud:
      init = p_key_index | port | verbs::attribute::q_key;
      rtr = none;
      break;
    default:
      rtr = rtr | max_dest_rd_atomic | min_rnr_timer;
      rts = rts | timeout | retry_count | rnr_retry | max_rd_atomic;
      break;
  }
  return own.modify(verbs::QpState::init, a, init) && own.modify(verbs::QpState::rtr, a, rtr) &&
         own.modify(verbs::QpState::rts, a, rts);
}

bool IbNetwork::connect() {
  for (std::size_t i = 0; i < pairs_[0].size(); ++i) {
    if (!connect(i, 0) || !connect(i, 1)) return false;
  }
  return true;
}

void IbNetwork::advance(Time now) {
  for (ib::Port& port : ports_) port.on_deadline(now);
  for (bool any = true; any;) {
    any = false;
    while (const auto arrived = link_.receive(now)) {
      ports_[arrived->to.value].on_frame(arrived->octets, now);
      any = true;
    }
    any = send(0, now) || any;
    any = send(1, now) || any;
  }
}

// As much as the link takes without losing packets for lack of room.
bool IbNetwork::send(std::size_t end, Time now) {
  bool any = false;
  const auto number = static_cast<std::uint16_t>(end);
  // Duplicates take room as well.
  while (link_.total().num_in_flight() * 2 + 2 < options_.capacity) {
    const std::size_t size = ports_[end].poll_transmit(buffer_, now);
    if (size == 0) break;
    link_.send({number}, {static_cast<std::uint16_t>(1 - number)}, Bytes(buffer_).first(size), now);
    any = true;
  }
  return any;
}

std::optional<Time> IbNetwork::next_event() const {
  std::optional<Time> first = link_.next_arrival();
  for (const ib::Port& port : ports_) keep_sooner(first, port.next_deadline());
  return first;
}

// IBTA vol. 1, 11.4.1.2, and A17.4.5.1: a GRH, or an IPv6 header, or an IPv4 header in the last 20 octets.
std::string IbNetwork::check_grh_area(std::size_t end, Bytes area, const verbs::Completion& done) const {
  const ib::PortConfig& own = ports_[end].config();
  if (done.has_grh != !own.gids.empty()) return "GRH flag of a datagram is wrong";
  if (!done.has_grh) return {};
  const Gid& from = ports_[1 - end].config().gids[0].gid;
  const Gid& to = own.gids[0].gid;
  const auto same = [&](std::size_t at, const Gid& gid, std::size_t skipped) {
    return std::ranges::equal(area.subspan(at, gid.octets.size() - skipped), std::span(gid.octets).subspan(skipped));
  };
  // Between the addresses and the payload's end: what the length of the network header counts. Traffic class, flow
  // label and hop limit can have been damaged, and no CRC would tell.
  const bool v1 = options_.carrier != Carrier::rocev2 && options_.carrier != Carrier::rocev2_ipv6;
  const std::uint32_t payload_len = done.byte_len - 40;
  const std::uint32_t bth_to_icrc = 12 + 8 + (done.has_immediate ? 4U : 0U) + (payload_len + 3) / 4 * 4 + 4;
  const std::uint32_t length = bth_to_icrc + (v1 ? 0U : 8U);
  if (options_.carrier == Carrier::rocev2) {
    const bool good = area[20] == 0x45 && load_be<2>(area.data() + 22) == length + 20 && area[29] == 17 &&
                      same(32, from, 12) && same(36, to, 12);
    return good ? "" : "wrong IPv4 header in front of a datagram";
  }
  const bool good = area[0] >> 4 == 6 && load_be<2>(area.data() + 4) == length && area[6] == (v1 ? 0x1B : 17) &&
                    same(8, from, 0) && same(24, to, 0);
  return good ? "" : "wrong GRH in front of a datagram";
}

}  // namespace rdmawire::hostile
