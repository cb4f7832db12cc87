// The connection manager in the place of Linux: it gets what one side of a capture got, its consumer does what that
// side's did, and every message must be the captured one. What is free (IDs, QPN, PSN, transaction IDs, private data)
// is taken from the capture; all else has to come out by itself.
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "codec/frame.h"
#include "codec/ib/headers.h"
#include "codec/ib/well_known.h"
#include "codec/mad/dispatch.h"
#include "pcap/reader.h"
#include "protocol/cm/manager.h"
#include "protocol/cm/messages.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::cm;

// A MAD to QP 1, or the first octets of a connection's packet.
struct Captured {
  Time time{};
  std::uint8_t from = 0;  // last octet of its IPv4 address
  bool is_mad = false;
  MadOctets mad{};
  Qpn destination;
  Psn psn;
};

std::vector<Captured> read(const std::string& name) {
  std::vector<Captured> out;
  auto reader = pcap::Reader::open("testdata/captures/" + name);
  BOOST_REQUIRE(reader.has_value());
  for (;;) {
    const auto packet = reader->next();
    BOOST_REQUIRE(packet.has_value());
    if (*packet == nullptr) break;
    const Frame frame = parse_frame((*packet)->link, (*packet)->data, (*packet)->original_length);
    if (frame.family != Family::rocev2 || frame.opcode == nullptr) continue;
    Captured c;
    c.time = std::chrono::seconds((*packet)->time.seconds) + std::chrono::nanoseconds((*packet)->time.nanoseconds);
    for (const auto& layer : frame.layers()) {
      if (layer.layer == Layer::ipv4) c.from = (*packet)->data[layer.offset + 15];
      if (layer.layer == Layer::bth) {
        const auto bth = decode<ib::Bth>((*packet)->data.subspan(layer.offset).first<header_size<ib::Bth>>());
        c.destination = bth.dest_qp;
        c.psn = bth.psn;
      }
    }
    c.is_mad = c.destination == ib::gsi_qp;
    if (c.is_mad) {
      const Bytes payload = (*packet)->data.subspan((*packet)->data.size() - 4 - mad::mad_size).first(mad::mad_size);
      std::ranges::copy(payload, c.mad.begin());
    }
    out.push_back(c);
  }
  return out;
}

// The keys of the fields in which two MADs differ: "infiniband.cm.rep.localqkey ...".
std::string differences(const MadOctets& a, const MadOctets& b) {
  std::string out;
  for (const mad::MadLayer& layer : mad::mad_layers(a)) {
    for (const FieldInfo& field : layer.header->fields) {
      const Bytes left = Bytes(a).subspan(layer.offset, layer.header->size);
      const Bytes right = Bytes(b).subspan(layer.offset, layer.header->size);
      const bool same = field.is_number() && field.bits <= 64
                            ? number(field, left) == number(field, right)
                            : std::ranges::equal(octets(field, left), octets(field, right));
      if (!same) out += std::string(field.key) + ' ';
    }
  }
  return out;
}

template <class T>
T message(const MadOctets& octets) {
  return decode<T>(Bytes(octets).last<mad::cm_message_size>());
}

// One side of a capture, played by a manager.
class Side {
 public:
  Side(const std::string& name, std::uint8_t own) : name_(name), own_(own), captured_(read(name)), cm_(config()) {
    // Somebody listened where the answer was not that nobody does.
    for (const Captured& c : captured_) {
      if (!c.is_mad || c.from == own_) continue;
      if (attribute_of(c.mad) == mad::CmAttribute::req && !refused_by_own(transaction_of(c.mad))) {
        (void)cm_.listen(message<mad::CmReq>(c.mad).service_id);  // refused if it listens there already
      }
      if (attribute_of(c.mad) == mad::CmAttribute::sidr_req) {
        (void)cm_.listen(message<mad::CmSidrReq>(c.mad).service_id);
      }
    }
  }

  // The number of own messages that came out.
  int play() {
    int num_sent = 0;
    for (const Captured& c : captured_) {
      now_ = std::max(now_, c.time);
      if (c.from != own_) {
        receive(c);
      } else if (c.is_mad) {
        act(c.mad);
        TxMad sent;
        BOOST_TEST_CONTEXT(name_ << ", " << mad::name_of(attribute_of(c.mad)) << " number " << num_sent) {
          BOOST_REQUIRE(cm_.poll_transmit(sent, now_));
          BOOST_TEST(differences(sent.octets, c.mad) == "");
          BOOST_CHECK_EQUAL_COLLECTIONS(sent.octets.begin(), sent.octets.end(), c.mad.begin(), c.mad.end());
        }
        ++num_sent;
      }
      while (const auto event = cm_.poll_event()) take(*event);
    }
    TxMad more;
    BOOST_TEST(!cm_.poll_transmit(more, now_));
    return num_sent;
  }
  State state(std::uint32_t local_id) { return cm_.state(by_local_[local_id]); }
  verbs::QpAttributes attributes(std::uint32_t local_id) { return cm_.attributes(by_local_[local_id]); }

 private:
  bool refused_by_own(mad::TransactionId transaction) const {
    return std::ranges::any_of(captured_, [&](const Captured& c) {
      return c.is_mad && c.from == own_ && transaction_of(c.mad) == transaction &&
             attribute_of(c.mad) == mad::CmAttribute::rej &&
             message<mad::CmRej>(c.mad).reason == mad::RejReason::invalid_service_id;
    });
  }

  Config config() const {
    Config out;
    for (const Captured& c : captured_) {
      if (!c.is_mad || c.from != own_) continue;
      if (attribute_of(c.mad) == mad::CmAttribute::req) out.ca_guid = message<mad::CmReq>(c.mad).local_ca_guid;
      if (attribute_of(c.mad) == mad::CmAttribute::rep) out.ca_guid = message<mad::CmRep>(c.mad).local_ca_guid;
      if (attribute_of(c.mad) == mad::CmAttribute::rej) out.first_comm_id = message<mad::CmRej>(c.mad).local_id;
    }
    out.gids = out.ip_addresses = {{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 77, 0, own_}}};
    return out;
  }

  void receive(const Captured& c) {
    if (c.is_mad) {
      cm_.on_mad(c.mad, path_, now_);
      return;
    }
    // The first packet of a connection that waits for RTU.
    const auto found = by_qpn_.find(c.destination.value);
    if (found != by_qpn_.end()) (void)cm_.note_communication(found->second, now_);
  }

  void take(const Event& event) {
    if (event.kind == EventKind::connect_request) {
      by_peer_[event.as<mad::CmReq>().local_id.value] = event.connection;
    }
    if (event.kind == EventKind::resolve_request) {
      by_peer_[event.as<mad::CmSidrReq>().request_id.value] = event.connection;
    }
  }

  // The consumer's call, or the time, that makes this message.
  void act(const MadOctets& octets) {
    const mad::TransactionId transaction = transaction_of(octets);
    const bool again = std::ranges::find(done_, octets) != done_.end();
    done_.push_back(octets);
    if (again) {
      const auto deadline = cm_.next_deadline();
      BOOST_REQUIRE(deadline.has_value());
      now_ = std::max(now_, *deadline);
      cm_.on_deadline(now_);
      return;
    }
    switch (attribute_of(octets)) {
      case mad::CmAttribute::req:
        return connect(message<mad::CmReq>(octets), transaction);
      case mad::CmAttribute::rep:
        return accept(message<mad::CmRep>(octets));
      case mad::CmAttribute::rtu: {
        const auto rtu = message<mad::CmRtu>(octets);
        BOOST_REQUIRE(cm_.establish(by_local_[rtu.local_id.value], rtu.private_data, now_).has_value());
        return;
      }
      case mad::CmAttribute::rej: {
        const auto rej = message<mad::CmRej>(octets);
        if (rej.reason != mad::RejReason::consumer_reject) return;  // the manager's own
        BOOST_REQUIRE(
            cm_.reject(by_peer_[rej.remote_id.value],
                       {rej.reason, Bytes(rej.additional_info).first(rej.reject_info_length), rej.private_data}, now_)
                .has_value());
        return;
      }
      case mad::CmAttribute::dreq: {
        const auto dreq = message<mad::CmDreq>(octets);
        BOOST_REQUIRE(cm_.disconnect(by_local_[dreq.local_id.value], dreq.private_data, now_, transaction).has_value());
        return;
      }
      case mad::CmAttribute::drep: {
        const auto drep = message<mad::CmDrep>(octets);
        BOOST_REQUIRE(cm_.disconnect(by_local_[drep.local_id.value], drep.private_data, now_).has_value());
        return;
      }
      case mad::CmAttribute::sidr_req: {
        const auto sidr = message<mad::CmSidrReq>(octets);
        ResolveParams params;
        params.service = sidr.service_id;
        params.p_key = sidr.p_key;
        params.ip = decode<mad::IpCm6>(Bytes(sidr.private_data).first<ip_cm_size>());
        params.private_data = Bytes(sidr.private_data).subspan(ip_cm_size);
        params.request_id = sidr.request_id;
        params.transaction = transaction;
        BOOST_REQUIRE(cm_.resolve(params, now_).has_value());
        return;
      }
      case mad::CmAttribute::sidr_rep: {
        const auto sidr = message<mad::CmSidrRep>(octets);
        const ResolveAnswer answer{sidr.status, sidr.qpn, sidr.q_key, {}, sidr.private_data};
        BOOST_REQUIRE(cm_.answer_resolve(by_peer_[sidr.request_id.value], answer, now_).has_value());
        return;
      }
      default:
        BOOST_FAIL("a message that no capture had when this was written");
    }
  }

  void connect(const mad::CmReq& req, mad::TransactionId transaction) {
    ConnectParams params;
    params.service = req.service_id;
    params.transport = req.transport_service;
    params.path.to.destination_lid = req.primary_remote_lid;
    params.path.to.destination_gid = req.primary_remote_gid;
    params.path.to.flow_label = req.primary_flow_label;
    params.path.to.traffic_class = req.primary_traffic_class;
    params.path.to.hop_limit = req.primary_hop_limit;
    params.path.to.service_level = req.primary_sl;
    params.path.local_gid = req.primary_local_gid;
    params.path.local_lid = req.primary_local_lid;
    params.path.rate = req.primary_packet_rate;
    params.path.subnet_local = req.primary_subnet_local;
    params.p_key = req.p_key;
    params.path_mtu = {req.path_mtu};
    params.qpn = req.local_qpn;
    params.starting_psn = req.starting_psn;
    params.responder_resources = req.responder_resources;
    params.initiator_depth = req.initiator_depth;
    params.retry_count = req.retry_count;
    params.rnr_retry_count = req.rnr_retry_count;
    params.srq = req.srq;
    params.end_to_end_flow_control = req.end_to_end_flow_control;
    params.max_cm_retries = req.max_cm_retries;
    params.ip = decode<mad::IpCm6>(Bytes(req.private_data).first<ip_cm_size>());
    params.private_data = Bytes(req.private_data).subspan(ip_cm_size);
    params.local_id = req.local_id;
    params.transaction = transaction;
    const auto id = cm_.connect(params, now_);
    BOOST_REQUIRE(id.has_value());
    by_local_[req.local_id.value] = *id;
  }

  void accept(const mad::CmRep& rep) {
    AcceptParams params;
    params.qpn = rep.local_qpn;
    params.q_key = rep.local_q_key;
    params.starting_psn = rep.starting_psn;
    params.responder_resources = rep.responder_resources;
    params.initiator_depth = rep.initiator_depth;
    params.rnr_retry_count = rep.rnr_retry_count;
    params.srq = rep.srq;
    params.end_to_end_flow_control = rep.end_to_end_flow_control;
    params.private_data = rep.private_data;
    params.local_id = rep.local_id;
    const ConnectionId id = by_peer_[rep.remote_id.value];
    BOOST_REQUIRE(cm_.accept(id, params, now_).has_value());
    by_local_[rep.local_id.value] = by_qpn_[rep.local_qpn.value] = id;
  }

  std::string name_;
  std::uint8_t own_;
  std::vector<Captured> captured_;
  Manager cm_;
  verbs::AddressVector path_;
  Time now_{};
  std::vector<MadOctets> done_;
  std::map<std::uint32_t, ConnectionId> by_peer_, by_local_, by_qpn_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(cm_replay)

//= CM-01 test
//= CM-07 test
//= CM-08 test
//= CM-14 test
BOOST_AUTO_TEST_CASE(rping) {
  Side active("rxe-rping.pcap", 1);
  BOOST_TEST(active.play() == 3);
  BOOST_TEST((active.state(0x14D81840) == State::timewait));
  Side passive("rxe-rping.pcap", 2);
  BOOST_TEST(passive.play() == 2);
  BOOST_TEST((passive.state(0x41A9A3F2) == State::timewait));
}

//= PSN-04 test
BOOST_AUTO_TEST_CASE(a_side_sends_from_the_psn_on_that_the_other_side_named) {
  Side active("rxe-rping.pcap", 1);
  active.play();
  Side passive("rxe-rping.pcap", 2);
  passive.play();
  const std::vector<Captured> captured = read("rxe-rping.pcap");
  const auto first = [&](std::uint8_t from) {
    return std::ranges::find_if(captured, [&](const Captured& c) { return !c.is_mad && c.from == from; })->psn;
  };
  // The active side sends first; the other's first packet acknowledges that.
  BOOST_TEST(first(1).value == 0xBB08D1U);
  BOOST_TEST(active.attributes(0x14D81840).sq_psn.value == 0xBB08D1U);
  BOOST_TEST(active.attributes(0x14D81840).rq_psn.value == 0x758F1CU);
  BOOST_TEST(passive.attributes(0x41A9A3F2).rq_psn.value == 0xBB08D1U);
  BOOST_TEST(passive.attributes(0x41A9A3F2).sq_psn.value == 0x758F1CU);
}

//= CM-02 test
BOOST_AUTO_TEST_CASE(req_lost) {
  BOOST_TEST(Side("rxe-cm-req-lost.pcap", 1).play() == 4);
  BOOST_TEST(Side("rxe-cm-req-lost.delivered.pcap", 2).play() == 2);
}

//= CM-24 test
BOOST_AUTO_TEST_CASE(rtu_lost) {
  BOOST_TEST(Side("rxe-cm-rtu-lost.pcap", 1).play() == 3);
  BOOST_TEST(Side("rxe-cm-rtu-lost.delivered.pcap", 2).play() == 2);
}

//= CM-18 test
BOOST_AUTO_TEST_CASE(rejected_by_the_consumer) {
  BOOST_TEST(Side("rxe-cm-reject.pcap", 1).play() == 1);
  BOOST_TEST(Side("rxe-cm-reject.pcap", 2).play() == 1);
}

//= CM-04 test
BOOST_AUTO_TEST_CASE(no_listener) {
  BOOST_TEST(Side("rxe-cm-no-listener.pcap", 1).play() == 1);
  BOOST_TEST(Side("rxe-cm-no-listener.pcap", 2).play() == 1);
}

//= CM-14 test
BOOST_AUTO_TEST_CASE(two_connections_that_the_passive_side_ends) {
  BOOST_TEST(Side("rxe-ucmatose.pcap", 1).play() == 6);
  BOOST_TEST(Side("rxe-ucmatose.pcap", 2).play() == 4);
}

//= CM-22 test
//= IPC-02 test
BOOST_AUTO_TEST_CASE(service_id_resolution) {
  BOOST_TEST(Side("rxe-udaddy.pcap", 1).play() == 1);
  BOOST_TEST(Side("rxe-udaddy.pcap", 2).play() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
