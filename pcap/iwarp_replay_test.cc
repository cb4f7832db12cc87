// RDMAP streams in the place of Linux siw. One side of each captured conversation is played by this library's stream:
// it has the regions that the capture shows it to have had, its consumer posts what that side's did, and it gets what
// that side got. Every segment that it sends must be the captured one, every octet that came must be where the capture
// says, and every message must complete.
//
// A region is what the side has told the other of it (the MPA Reply of rdmaprobe; the SENDs of rping), else what the
// tagged segments show of it. STags are the memory table's to choose, so those of the own side are exchanged.
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <deque>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "codec/iwarp/headers.h"
#include "codec/iwarp/negotiation.h"
#include "codec/iwarp/pdu.h"
#include "pcap/reader.h"
#include "pcap/reassembly/test_sink.h"
#include "protocol/iwarp/mpa_config.h"
#include "protocol/iwarp/rdmap_stream.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::iwarp;
using Octets = std::vector<std::uint8_t>;

struct Segment {
  bool from_initiator = false;
  Octets octets;

  Pdu pdu() const { return parse_ulpdu(octets, static_cast<std::uint32_t>(octets.size())); }
};

struct Conversation {
  StartupTerms request;
  StartupTerms reply;
  Octets reply_data;  // private data of the Reply
  std::vector<Segment> segments;

  Negotiated terms() const { return negotiate(request, reply); }
};

std::vector<Conversation> read(const std::string& capture) {
  reassembly::test::TestStreams streams;
  auto reader = pcap::Reader::open("testdata/captures/" + capture);
  BOOST_REQUIRE_MESSAGE(reader.has_value(), capture);
  for (std::uint64_t number = 1;; ++number) {
    const auto packet = reader->next();
    BOOST_REQUIRE(packet.has_value());
    if (*packet == nullptr) break;
    streams.add(parse_frame((*packet)->link, (*packet)->data, (*packet)->original_length), number);
  }
  streams.finish();
  std::map<std::uint32_t, Conversation> all;
  for (const auto& seen : streams.sink.pdus) {
    Conversation& one = all[seen.conversation];
    const Bytes octets(seen.octets);
    if (seen.kind == PduKind::fpdu) {
      const Bytes ulpdu = octets.subspan(fpdu_header_size, seen.ulpdu_len);
      one.segments.push_back({seen.from_initiator, {ulpdu.begin(), ulpdu.end()}});
      continue;
    }
    StartupTerms& terms = seen.kind == PduKind::mpa_request ? one.request : one.reply;
    terms.frame = decode<MpaStartup>(octets.first<startup_header_size>());
    Bytes data = octets.subspan(startup_header_size);
    if (terms.frame.is_enhanced()) {
      terms.enhanced = decode<MpaEnhanced>(data.first<header_size<MpaEnhanced>>());
      data = data.subspan(header_size<MpaEnhanced>);
    }
    if (seen.kind == PduKind::mpa_reply) one.reply_data.assign(data.begin(), data.end());
  }
  std::vector<Conversation> out;
  for (auto& [number, one] : all) {
    if (!one.segments.empty()) out.push_back(std::move(one));
  }
  return out;
}

// What else a side was that the capture does not show: how it was started (testdata/captures names what each shows).
struct Host {
  std::uint32_t receive_len = 65536;
  bool receives = true;  // are posted
  verbs::Access access = verbs::rights::local_write | verbs::rights::remote_write | verbs::rights::remote_read;
};

struct Played {
  std::uint32_t num_sent = 0;      // segments
  std::uint32_t num_work = 0;      // send requests that completed
  std::uint32_t num_received = 0;  // receives that completed
  std::uint64_t written_len = 0;   // octets placed by the peer's Writes
  std::uint64_t read_len = 0;      // octets placed by the answers to own Reads
  std::uint32_t num_flushed = 0;   // send requests that did not succeed
  StreamState state{};

  std::string text() const {
    std::ostringstream out;
    out << num_sent << " segments, " << num_work << " done, " << num_received << " received, " << written_len
        << " written, " << read_len << " read";
    if (num_flushed != 0) out << ", " << num_flushed << " failed";
    if (state != StreamState::running) out << ", " << iwarp::name_of(state);
    return out.str();
  }
};

constexpr std::size_t stag_at = 2;                                   // of a tagged segment, and of an invalidation
constexpr std::size_t sink_at = header_size<DdpUntagged>;            // of a Read Request
constexpr std::size_t source_at = header_size<DdpUntagged> + 16;     // likewise
constexpr std::size_t quoted_at = header_size<DdpUntagged> + 4 + 2;  // of a Terminate, with its length

std::uint32_t stag_in(const Octets& octets, std::size_t at) {
  return static_cast<std::uint32_t>(load_be<4>(octets.data() + at));
}

class Side {
 public:
  Side(const Conversation& conversation, Role role, const Host& host)
      : conversation_(conversation),
        role_(role),
        host_(host),
        inbox_(std::size_t{host.receive_len} * num_receives),
        stream_({{1}, verbs::Service::iwarp, pd_, {64, 1, 0}, {num_receives, 1, 0}, true},
                {memory_, send_cq_, receive_cq_, events_, nullptr}, config()) {
    learn_regions();
    verbs::QpAttributes attributes;
    attributes.access = host.access - verbs::rights::local_write;
    BOOST_REQUIRE(stream_.verbs().modify(verbs::QpState::init, attributes, verbs::attribute::access));
    for (std::uint32_t i = 0; i < num_receives && host.receives; ++i) post_receive(i);
    const Negotiated terms = conversation.terms();
    const ReadDepths depths = role == Role::initiator ? terms.initiator : terms.responder;
    ready_ = role == Role::initiator && terms.peer_to_peer;
    // siw lets no Read in that was not negotiated.
    stream_.start(depths.ird.value_or(0), depths.ord.value_or(max_depth),
                  ready_ ? ready_to_receive(terms) : ReadyToReceive::none);
  }

  Played play() {
    for (const Segment& segment : conversation_.segments) {
      if (!is_own(segment)) {
        waiting_.push_back(&segment);
      } else {
        send(segment);
      }
    }
    while (!waiting_.empty()) take_next();
    BOOST_TEST(stream_.next_len(1442) == 0U);
    poll_sends();
    out_.state = stream_.state();
    return out_;
  }

 private:
  static constexpr std::uint32_t num_receives = 16;
  static constexpr std::uint16_t max_depth = 128;

  struct Region {
    std::uint64_t begin = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t end = 0;
    bool told = false;
    Octets octets;
    verbs::MemoryKey key;

    void cover(std::uint64_t from, std::uint64_t len) {
      begin = std::min(begin, from);
      end = std::max(end, from + len);
    }
    std::uint8_t* at(std::uint64_t address) { return octets.data() + (address - begin); }
  };

  // As siw is: protocol/iwarp/quirks.inc.
  static RdmapConfig config() {
    RdmapConfig out;
    out.max_ird = out.max_ord = max_depth;
    for (const Quirk quirk :
         {Quirk::strict_message_offset, Quirk::strict_tagged_offset, Quirk::long_message_has_no_buffer,
          Quirk::terminate_bits_reversed, Quirk::terminate_version_without_headers, Quirk::terminate_counts_payload,
          Quirk::terminate_read_as_progress, Quirk::no_extensions, Quirk::ird_overflow_is_catastrophic}) {
      out.quirks.add(quirk);
    }
    return out;
  }

  bool is_own(const Segment& segment) const { return segment.from_initiator == (role_ == Role::initiator); }

  // --- Regions ---

  void tell(Bytes text) {
    const std::uint64_t address = load_be<8>(text.data());
    const auto stag = static_cast<std::uint32_t>(load_be<4>(text.data() + 8));
    if (stag == 0) return;
    Region& region = regions_[stag];
    region.told = true;
    region.cover(address, load_be<4>(text.data() + 12));
  }

  void learn_regions() {
    bool refuses = false;
    if (role_ == Role::responder && conversation_.reply_data.size() == 16) tell(conversation_.reply_data);
    for (const Segment& segment : conversation_.segments) {
      const Pdu pdu = segment.pdu();
      if (!is_own(segment)) continue;
      if (pdu.opcode->operation == Operation::send && pdu.payload().size() == 16) tell(pdu.payload());
      refuses = refuses || pdu.opcode->operation == Operation::terminate;
      if (const auto read = pdu.get<ReadRequest>(); read && read->read_len != 0) {
        regions_[read->sink_stag.value].cover(read->sink_offset.value, read->read_len);
      }
    }
    for (const Segment& segment : conversation_.segments) {
      const Pdu pdu = segment.pdu();
      if (is_own(segment) || refuses) continue;
      const auto learn = [&](Stag stag, TaggedOffset offset, std::uint32_t len) {
        if (len != 0 && !regions_[stag.value].told) regions_[stag.value].cover(offset.value, len);
      };
      if (const auto read = pdu.get<ReadRequest>()) learn(read->source_stag, read->source_offset, read->read_len);
      if (const auto ddp = pdu.get<DdpTagged>(); ddp && pdu.opcode->operation == Operation::write) {
        learn(ddp->stag, ddp->tagged_offset, static_cast<std::uint32_t>(pdu.payload().size()));
      }
    }
    for (auto& [stag, region] : regions_) {
      if (region.end == 0) continue;
      region.octets.resize(static_cast<std::size_t>(region.end - region.begin));
      region.key = memory_.allocate_region(pd_, region.octets.size()).value();
      BOOST_REQUIRE(memory_.fast_register(region.key, pd_, region.octets, region.begin, host_.access).has_value());
    }
    outbox_key_ = memory_.register_region(pd_, outbox_, 0, verbs::rights::local_read).value();
    inbox_key_ = memory_.register_region(pd_, inbox_, 0, verbs::rights::local_write).value();
  }

  Region* region(std::uint32_t stag) {
    const auto found = regions_.find(stag);
    return found == regions_.end() || found->second.octets.empty() ? nullptr : &found->second;
  }

  // With the STags of this side.
  Octets exchanged(const Segment& segment) {
    Octets out = segment.octets;
    const Pdu pdu = segment.pdu();
    const auto exchange = [&](std::size_t at) {
      if (at + 4 > out.size()) return;
      if (const Region* known = region(stag_in(out, at))) store_be<4>(out.data() + at, known->key.value);
    };
    const bool own = is_own(segment);
    if (!own && (pdu.opcode->tagged() || pdu.opcode->invalidates)) exchange(stag_at);
    if (pdu.opcode->opcode == Opcode::RDMA_READ_REQUEST) exchange(own ? sink_at : source_at);
    if (own && pdu.opcode->operation == Operation::terminate && out.size() > quoted_at) {
      exchange(quoted_at + ((out[quoted_at] & 0x80U) != 0 ? stag_at : source_at));
    }
    return out;
  }

  // --- Sending ---

  // The whole message that begins with this segment.
  Octets message_from(const Segment& first) const {
    Octets out;
    for (const Segment* at = &first;; ++at) {
      if (!is_own(*at)) continue;
      const Pdu pdu = at->pdu();
      out.insert(out.end(), pdu.payload().begin(), pdu.payload().end());
      if (pdu.opcode->tagged() ? pdu.get<DdpTagged>()->last : pdu.get<DdpUntagged>()->last) return out;
    }
  }

  void post(const Segment& first, const Pdu& pdu) {
    verbs::SendWork work;
    verbs::Sge sge;
    if (const auto read = pdu.get<ReadRequest>()) {
      const Region* sink = region(read->sink_stag.value);
      sge = {read->sink_offset.value, read->read_len,
             sink == nullptr ? verbs::MemoryKey{read->sink_stag.value} : sink->key};
      work.opcode = verbs::WorkOpcode::rdma_read;
      work.remote_address = read->source_offset.value;
      work.r_key = {read->source_stag.value};
    } else {
      const Octets message = message_from(first);
      BOOST_REQUIRE(message.size() <= outbox_.size());
      std::ranges::copy(message, outbox_.begin());
      sge = {0, static_cast<std::uint32_t>(message.size()), outbox_key_};
      work.opcode = pdu.opcode->tagged()      ? verbs::WorkOpcode::rdma_write
                    : pdu.opcode->invalidates ? verbs::WorkOpcode::send_with_invalidate
                                              : verbs::WorkOpcode::send;
      work.solicited = pdu.opcode->solicited_event;
      if (pdu.opcode->tagged()) {
        work.remote_address = pdu.get<DdpTagged>()->tagged_offset.value;
        work.r_key = {pdu.get<DdpTagged>()->stag.value};
      } else if (pdu.opcode->invalidates) {
        work.invalidate = {stag_in(first.octets, stag_at)};
      }
    }
    work.sges = {&sge, 1};
    BOOST_REQUIRE(stream_.post_send(work).has_value());
  }

  void send(const Segment& segment) {
    const Pdu pdu = segment.pdu();
    const bool request = pdu.opcode->direction == Direction::request && pdu.opcode->operation != Operation::terminate;
    if (request && !inside_) {
      if (!ready_) post(segment, pdu);
      ready_ = false;
    }
    const bool last = pdu.opcode->tagged() ? pdu.get<DdpTagged>()->last : pdu.get<DdpUntagged>()->last;
    if (request) inside_ = !last;
    const auto size = static_cast<std::uint32_t>(segment.octets.size());
    // What came is taken when nothing goes without it: when it was, the capture does not tell.
    while (stream_.next_len(size) == 0) {
      BOOST_REQUIRE_MESSAGE(!waiting_.empty(), "segment " << out_.num_sent << " does not go");
      take_next();
    }
    if (pdu.opcode->opcode == Opcode::RDMA_READ_RESPONSE) fill_source(pdu, last);
    TxSegment sent;
    stream_.next_segment(sent, size);
    Octets octets(sent.header.begin(), sent.header.begin() + sent.header_len);
    for (const Bytes piece : sent.payload) octets.insert(octets.end(), piece.begin(), piece.end());
    const Octets expected = exchanged(segment);
    BOOST_TEST_CONTEXT("segment " << out_.num_sent << ", " << pdu.opcode->name) {
      BOOST_TEST_REQUIRE(octets == expected, boost::test_tools::per_element());
    }
    ++out_.num_sent;
    poll_sends();
  }

  // The memory that the peer reads holds what was sent of it.
  void fill_source(const Pdu& pdu, bool last) {
    BOOST_REQUIRE(!reads_.empty());
    const ReadRequest& read = reads_.front();
    if (!pdu.payload().empty()) {
      Region* source = region(read.source_stag.value);
      BOOST_REQUIRE(source != nullptr);
      std::ranges::copy(pdu.payload(), source->at(read.source_offset.value + answered_len_));
    }
    answered_len_ += static_cast<std::uint32_t>(pdu.payload().size());
    if (!last) return;
    reads_.pop_front();
    answered_len_ = 0;
  }

  void poll_sends() {
    verbs::Completion one;
    while (send_cq_.poll({&one, 1}) != 0) {
      ++(one.status == verbs::CompletionStatus::success ? out_.num_work : out_.num_flushed);
    }
  }

  // --- Receiving ---

  void post_receive(std::uint64_t number) {
    const verbs::Sge sge{number * host_.receive_len, host_.receive_len, inbox_key_};
    BOOST_REQUIRE(stream_.post_receive({{number}, {&sge, 1}}).has_value());
  }

  void take_next() {
    const Segment& segment = *waiting_.front();
    waiting_.pop_front();
    const Octets octets = exchanged(segment);
    const Pdu pdu = segment.pdu();
    if (const auto read = pdu.get<ReadRequest>()) reads_.push_back(*read);
    stream_.on_segment(RxSegment(octets));
    if (stream_.state() != StreamState::running) return;
    const Bytes payload = pdu.payload();
    if (const auto ddp = pdu.get<DdpTagged>()) {
      const bool write = pdu.opcode->operation == Operation::write;
      (write ? out_.written_len : out_.read_len) += payload.size();
      if (payload.empty()) return;
      Region* to = region(ddp->stag.value);
      BOOST_REQUIRE(to != nullptr);
      BOOST_TEST_REQUIRE(std::equal(payload.begin(), payload.end(), to->at(ddp->tagged_offset.value)));
    } else if (pdu.opcode->operation == Operation::send) {
      message_.insert(message_.end(), payload.begin(), payload.end());
      if (pdu.get<DdpUntagged>()->last) check_receive(pdu, octets);
    }
  }

  void check_receive(const Pdu& pdu, const Octets& octets) {
    verbs::Completion one;
    BOOST_REQUIRE(receive_cq_.poll({&one, 1}) == 1U);
    BOOST_TEST((one.status == verbs::CompletionStatus::success));
    BOOST_TEST(one.byte_len == message_.size());
    BOOST_TEST(one.solicited == pdu.opcode->solicited_event);
    BOOST_TEST(one.has_invalidated == pdu.opcode->invalidates);
    if (one.has_invalidated) BOOST_TEST(one.invalidated.value == stag_in(octets, stag_at));
    const std::uint8_t* const at = inbox_.data() + one.id.value * host_.receive_len;
    BOOST_TEST_REQUIRE(std::equal(message_.begin(), message_.end(), at));
    message_.clear();
    ++out_.num_received;
    post_receive(one.id.value);
  }

  const Conversation& conversation_;
  Role role_;
  Host host_;
  verbs::MemoryTable memory_{{1, 2000}};
  verbs::Pd pd_ = memory_.allocate_pd().value();
  verbs::CompletionQueue send_cq_{128};
  verbs::CompletionQueue receive_cq_{128};
  verbs::EventQueue events_{16};
  std::map<std::uint32_t, Region> regions_;  // by the captured STag
  Octets outbox_ = Octets(1U << 20);
  Octets inbox_;
  verbs::MemoryKey outbox_key_;
  verbs::MemoryKey inbox_key_;
  RdmapStream stream_;

  std::deque<const Segment*> waiting_;  // of the peer
  bool ready_ = false;                  // the ready-to-receive indication goes first
  bool inside_ = false;                 // of an own message
  std::deque<ReadRequest> reads_;       // of the peer, not answered
  std::uint32_t answered_len_ = 0;
  Octets message_;  // of the peer, so far
  Played out_;
};

// What either side does in all conversations of a capture. (pcap/testdata/iwarp_replay.tsv has all of siw's with FPDUs,
// but host-endpoint-siw.pcap, whose other side is none, and those in which the capture has lost segments.)
struct Row {
  std::string capture;
  std::string initiator;
  std::string responder;
};

std::string played(const std::vector<Conversation>& conversations, Role role, const Host& host,
                   std::uint32_t& num_sent) {
  std::string out;
  for (const Conversation& one : conversations) {
    const Played side = Side(one, role, host).play();
    num_sent += side.num_sent;
    out += (out.empty() ? "" : "; ") + side.text();
  }
  return out;
}

Host host_of(const std::string& capture) {
  Host out;
  if (capture.find("send-norecv") != std::string::npos) out.receives = false;
  if (capture.find("send-too-long") != std::string::npos) out.receive_len = 2000;
  if (capture == "siw-term-write-noaccess.pcap") out.access = out.access - verbs::rights::remote_write;
  return out;
}

std::map<std::string, std::uint32_t> counts_of_reference() {
  std::map<std::string, std::uint32_t> out;
  std::ifstream file("testdata/reference/iwarp_counts.tsv");
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::string capture;
    std::uint32_t requests = 0, replies = 0, fpdus = 0;
    cells >> capture >> requests >> replies >> fpdus;
    out[capture] = fpdus;
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(iwarp_replay)

BOOST_AUTO_TEST_CASE(either_side_of_siw_is_played_segment_by_segment) {
  const auto fpdus = counts_of_reference();
  std::ifstream file("pcap/testdata/iwarp_replay.tsv");
  std::string line;
  std::size_t num_rows = 0;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    Row row;
    std::getline(cells, row.capture, '\t');
    std::getline(cells, row.initiator, '\t');
    std::getline(cells, row.responder, '\t');
    BOOST_TEST_CONTEXT(row.capture) {
      const std::vector<Conversation> conversations = read(row.capture);
      std::uint32_t num_sent = 0;
      const Host host = host_of(row.capture);
      BOOST_TEST(played(conversations, Role::initiator, host, num_sent) == row.initiator);
      BOOST_TEST(played(conversations, Role::responder, host, num_sent) == row.responder);
      // Both sides together send all that is there, by another count.
      BOOST_TEST(num_sent == fpdus.at(row.capture));
    }
    ++num_rows;
  }
  BOOST_TEST(num_rows == 61U);
}

BOOST_AUTO_TEST_SUITE_END()
