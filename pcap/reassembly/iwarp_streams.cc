#include "pcap/reassembly/iwarp_streams.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>

#include "pcap/reassembly/conversations.h"
#include "pcap/reassembly/mpa_conversation.h"

namespace rdmawire::reassembly {

namespace {

// Of each direction, the lower end's first; none where nothing was seen.
using FirstSequences = std::array<std::optional<std::uint32_t>, 2>;

FirstSequences first_sequences(const MpaConversation& conversation) {
  FirstSequences out;
  for (const bool upper : {false, true}) {
    const TcpStream& tcp = conversation.tcp(upper);
    if (tcp.started()) out[upper ? 1 : 0] = tcp.first_sequence();
  }
  return out;
}

// A TCP connection. What is over or not iWARP keeps only what tells it from a new one with the same ports.
struct Connection {
  std::unique_ptr<MpaConversation> conversation;  // nullptr: over
  bool is_iwarp = false;                          // was, when it was over
  bool waits = false;                             // it is in the list of those that wait
  std::uint64_t serial = 0;                       // tells it from others in the same place
  FirstSequences first_sequences;                 // when it was over
};

// Sequence numbers of a connection that has just begun, with data in its SYN at most.
bool is_near(std::uint32_t sequence, std::uint32_t first) { return sequence - first <= 0xFFFF; }

}  // namespace

struct IwarpStreams::State {
  using Table = Conversations<Connection>;

  // One that waits until that frame.
  struct Waiting {
    std::uint64_t due;
    Table::Index index;
    std::uint64_t serial;
  };

  State(const StreamOptions& options, PduSink& sink)
      : context{.options = options,
                .sink = sink,
                .limits = {.max_len = options.max_held_len, .max_total_len = options.max_total_held_len}},
        table(std::min<std::size_t>(options.max_conversations, 0x8000'0000)) {}

  bool is_told(const ConversationKey& key) const {
    for (const std::uint16_t port : context.options.iwarp_ports) {
      if (port != 0 && (key.ends[0].port == port || key.ends[1].port == port)) return true;
    }
    return false;
  }

  bool add(const Frame& frame, std::uint64_t number);
  Table::Index connection_of(const TcpFrame& segment);
  bool is_another(const Connection& connection, const TcpFrame& segment) const;
  void begin(Table::Index index, const TcpFrame& segment);
  void close_if_over(Connection& connection);
  void note_waiting(Table::Index index, std::uint64_t number);
  void pass_over(std::uint64_t number);
  void limit_held();
  void finish();

  StreamContext context;
  StreamCounts counts;
  Table table;
  std::deque<Waiting> waiting;  // by frame
};

bool IwarpStreams::State::add(const Frame& frame, std::uint64_t number) {
  pass_over(number);
  const std::optional<TcpFrame> found = tcp_of(frame);
  if (!found) {
    if (frame.error && is_tcp_fragment(frame)) ++counts.num_fragments;
    return false;
  }
  ++counts.num_segments;
  const net::Tcp& tcp = found->tcp;
  const Table::Index index = connection_of(*found);
  Connection& connection = table[index];
  if (!connection.conversation) return connection.is_iwarp;
  MpaConversation& conversation = *connection.conversation;
  if (tcp.rst) {
    conversation.reset();
  } else {
    Segment segment;
    segment.frame = number;
    segment.sequence = tcp.sequence;
    segment.octets = frame.payload();
    segment.wire_len = frame.payload_len;
    segment.syn = tcp.syn;
    segment.fin = tcp.fin;
    conversation.add(found->from_upper, segment, tcp.ack ? std::optional(tcp.acknowledgment) : std::nullopt);
  }
  if (!connection.waits && conversation.waits()) note_waiting(index, number);
  const bool is_iwarp = conversation.is_iwarp();
  close_if_over(connection);
  if (context.limits.total_len > context.limits.max_total_len) limit_held();
  return is_iwarp;
}

// The connection of the segment; if there is none, or that one is another, a new one.
IwarpStreams::State::Table::Index IwarpStreams::State::connection_of(const TcpFrame& segment) {
  Table::Index index = table.find(segment.key);
  if (index != Table::none) {
    if (segment.tcp.syn && is_another(table[index], segment)) {
      if (table[index].conversation) table[index].conversation->finish();
      begin(index, segment);
    }
    return index;
  }
  if (table.full()) {
    const Table::Index oldest = table.oldest();
    if (table[oldest].conversation) table[oldest].conversation->finish();
    table.erase(oldest);
    ++counts.num_forgotten;
  }
  index = table.insert(segment.key);
  begin(index, segment);
  return index;
}

// A SYN begins another connection with the same ports, unless it is one that was seen before, or belongs to what was.
bool IwarpStreams::State::is_another(const Connection& connection, const TcpFrame& segment) const {
  const std::size_t from = segment.from_upper ? 1 : 0;
  const FirstSequences first =
      connection.conversation ? first_sequences(*connection.conversation) : connection.first_sequences;
  if (first[from]) return *first[from] != segment.tcp.sequence + 1;
  return first[1 - from] && !(segment.tcp.ack && is_near(segment.tcp.acknowledgment, *first[1 - from]));
}

void IwarpStreams::State::begin(Table::Index index, const TcpFrame& segment) {
  Connection& connection = table[index];
  // Until more is known the initiator is who opens the connection; without its SYN, who is seen first.
  const bool answers = segment.tcp.syn && segment.tcp.ack;
  connection = {};
  connection.serial = ++counts.num_conversations;
  connection.conversation =
      std::make_unique<MpaConversation>(context, static_cast<std::uint32_t>(counts.num_conversations - 1),
                                        is_told(segment.key), segment.from_upper != answers);
}

void IwarpStreams::State::close_if_over(Connection& connection) {
  if (!connection.conversation->over()) return;
  connection.is_iwarp = connection.conversation->is_iwarp();
  connection.first_sequences = first_sequences(*connection.conversation);
  connection.conversation.reset();
}

void IwarpStreams::State::note_waiting(Table::Index index, std::uint64_t number) {
  Connection& connection = table[index];
  connection.waits = true;
  connection.conversation->note_waiting();
  waiting.push_back({number + reorder_frames, index, connection.serial});
}

void IwarpStreams::State::pass_over(std::uint64_t number) {
  while (!waiting.empty() && waiting.front().due <= number) {
    const Waiting due = waiting.front();
    waiting.pop_front();
    Connection& connection = table[due.index];
    if (connection.serial != due.serial || !connection.conversation) continue;
    connection.waits = false;
    connection.conversation->pass_over();
    if (connection.conversation->waits()) note_waiting(due.index, number);
    close_if_over(connection);
  }
}

// Those silent for longest give up first what they wait for. A quarter is freed, so that this is not done each time.
void IwarpStreams::State::limit_held() {
  for (Table::Index index = table.oldest(); index != Table::none; index = table.newer(index)) {
    if (context.limits.total_len <= context.limits.max_total_len / 4 * 3) return;
    Connection& connection = table[index];
    if (!connection.conversation) continue;
    connection.conversation->give_up_held();
    close_if_over(connection);
  }
}

void IwarpStreams::State::finish() {
  for (Table::Index index = table.oldest(); index != Table::none; index = table.oldest()) {
    if (table[index].conversation) table[index].conversation->finish();
    table.erase(index);
  }
  waiting.clear();
}

IwarpStreams::IwarpStreams(const StreamOptions& options, PduSink& sink)
    : state_(std::make_unique<State>(options, sink)) {}

IwarpStreams::~IwarpStreams() = default;

bool IwarpStreams::add(const Frame& frame, std::uint64_t number) { return state_->add(frame, number); }

void IwarpStreams::finish() { state_->finish(); }

StreamCounts IwarpStreams::counts() const {
  StreamCounts out = state_->counts;
  out.retransmitted_len = state_->context.tcp_counts.retransmitted_len;
  out.conflicting_len = state_->context.tcp_counts.conflicting_len;
  out.missing_len = state_->context.tcp_counts.missing_len;
  return out;
}

}  // namespace rdmawire::reassembly
