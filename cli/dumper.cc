#include "cli/dumper.h"

#include <fmt/format.h>
#include <pcap/dlt.h>
#include <pcap/pcap.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <utility>

#include "codec/sctp_pdus.h"
#include "codec/summary.h"
#include "pcap/reader.h"

namespace rdmawire::cli {
namespace {

// Input that may make us wait: what is known should then be on the screen.
bool may_wait(const std::string& file) {
  struct stat status{};
  const int result = file == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(file.c_str(), &status);
  return result == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

void complain(std::string_view text) { fmt::print(stderr, "rdmawire: {}\n", text); }

Dumper::Dumper(Output& out, Writer& writer, Selection selection, const ParseOptions& parse_options,
               const reassembly::StreamOptions& stream_options, std::uint64_t count)
    : out_(out),
      writer_(writer),
      selection_(std::move(selection)),
      parse_options_(parse_options),
      stream_options_(stream_options),
      left_(count) {
  const NeededCrcs crcs = writer.needed_crcs();
  parse_options_.verify_crcs = crcs.ib;
  stream_options_.verify_crcs = crcs.mpa;
}

bool Dumper::run(const std::vector<std::string>& files, bool to_terminal) {
  writer_.begin();
  for (const std::string& file : files) {
    if (done()) break;
    flush_batches_ = to_terminal || may_wait(file);
    dump_file(file);
  }
  writer_.end();
  out_.flush();
  return good_;
}

void Dumper::fail(std::string_view file, std::string_view text) {
  // In the order in which they came about, when both go to one terminal.
  out_.flush();
  complain(fmt::format("{}: {}", file, text));
  good_ = false;
}

void Dumper::dump_file(const std::string& file) {
  state_ = {};
  state_.file = file == "-" ? "standard input" : file;
  auto reader = pcap::Reader::open(file);
  if (!reader) return fail(state_.file, pcap::to_string(reader.error()));
  writer_.begin_file(state_.file);
  streams_.emplace(stream_options_, parse_options_, static_cast<StreamRecords::Sink&>(*this));
  while (!done()) {
    const auto packets = reader->next_batch();
    if (!packets) {
      streams_->finish();
      return fail(state_.file, pcap::to_string(packets.error()));
    }
    if (packets->empty()) break;
    for (const pcap::Packet& packet : *packets) {
      // What packets before this one wait for may still come.
      if (selection_.ends_before(packet) && streams_->holds_none()) return end_file();
      dump_packet(packet);
      if (done()) return;
    }
    if (flush_batches_) out_.flush();
  }
  end_file();
}

void Dumper::end_file() {
  streams_->finish();
  if (!out_.open()) return;
  note_losses();
  note_no_rdma();
}

void Dumper::dump_packet(const pcap::Packet& packet) {
  if (state_.num_frames++ == 0) state_.first = packet.time;
  if (name_of(packet.link).empty() && !std::exchange(state_.told_link_type, true)) tell_link_type(packet);
  const bool selected = selection_.may_match(packet, state_.first);
  // What is not shown itself may still be part of a stream.
  if (!selected && !selection_.may_select_iwarp()) return;
  ParseOptions options = parse_options_;
  options.verify_crcs = options.verify_crcs && selected;
  const Frame frame = parse_frame(packet.link, packet.data, packet.original_length, options);
  if (selected) ++state_.num_parsed;
  if (frame.family != Family::none) {
    if (selected) show(record_of(packet, frame));
  } else if (carries_tcp(frame)) {
    if (streams_->add(packet, frame) && selected) state_.any_rdma = true;
  } else if (selected) {
    show_frame(packet, frame);
  }
}

void Dumper::show(const Record& record) {
  if (record.is_rdma()) {
    state_.any_rdma = true;
  } else if (!state_.any_rdma) {
    state_.other.add(record.frame);
  }
  if (done() || !selection_.matches(record)) return;
  writer_.write(record);
  state_.previous = record.packet.time;
  --left_;
}

// The PDUs of a frame that holds them whole, or the frame.
void Dumper::show_frame(const pcap::Packet& packet, const Frame& frame) {
  const std::size_t pdus = for_each_sctp_pdu(frame, [&](const iwarp::Pdu& pdu, const LayerRef& chunk) {
    Record record = record_of(packet, frame);
    record.pdu = &pdu;
    record.chunk = &chunk;
    show(record);
  });
  if (pdus == 0) show(record_of(packet, frame));
}

void Dumper::pdu(const pcap::Packet& packet, const Frame& frame, const reassembly::StreamPdu& pdu) {
  if (!selection_.may_match(packet, state_.first)) return;
  Record record = record_of(packet, frame);
  record.pdu = &pdu.pdu;
  record.stream = &pdu;
  show(record);
}

void Dumper::no_pdu(const pcap::Packet& packet, const Frame& frame) {
  if (selection_.may_match(packet, state_.first)) show(record_of(packet, frame));
}

void Dumper::lost(std::uint32_t conversation, bool from_initiator, const Loss& loss) {
  if (!selection_.may_select_stream(conversation)) return;
  constexpr std::size_t most = 5;
  if (state_.num_losses++ >= most) return;
  std::string text = fmt::format("stream {}, from the {}: no PDU found any more, ", conversation,
                                 from_initiator ? "initiator" : "responder");
  std::array<char, max_summary> buffer;
  Text in_words(buffer);
  append_loss(in_words, loss);
  text += in_words.view();
  state_.losses.push_back(std::move(text));
}

void Dumper::tell_link_type(const pcap::Packet& packet) {
  const auto number = static_cast<int>(packet.link);
  const char* name = pcap_datalink_val_to_name(number);
  fail(state_.file, fmt::format("frame {}: link type {} ({}) is not supported; its frames are not decoded",
                                packet.number, number, name == nullptr ? "unknown" : name));
}

void Dumper::note(std::string_view text) {
  out_.flush();
  complain(fmt::format("{}: note: {}", state_.file, text));
}

void Dumper::note_losses() {
  for (const std::string& text : state_.losses) note(text);
  if (const std::uint64_t more = state_.num_losses - state_.losses.size(); more != 0) {
    note(fmt::format("{} more directions of streams were not found again to the end", more));
  }
}

// Tells why nothing was shown although all went well.
void Dumper::note_no_rdma() {
  if (state_.any_rdma || selection_.all_frames || state_.told_link_type) return;
  if (state_.num_parsed == 0) {
    if (state_.num_frames == 0) note("no frames in this file");
    return;
  }
  std::string ports;
  for (const std::uint16_t port : parse_options_.rocev2_ports) {
    if (port != 0) ports += fmt::format("{}{}", ports.empty() ? "" : ", ", port);
  }
  note(
      fmt::format("no RDMA among {} frames ({}); RoCEv2 is looked for on UDP port {}, --udp-port adds others; iWARP in "
                  "TCP is recognised by its MPA start-up or by what its octets show, --decode-as tcp.port==N tells "
                  "where it is; --all shows every frame",
                  state_.num_parsed, state_.other.text(), ports));
}

}  // namespace rdmawire::cli
