#include "cli/dump.h"

#include <fmt/format.h>
#include <pcap/dlt.h>
#include <pcap/pcap.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/dump_options.h"
#include "cli/exit_code.h"
#include "codec/net/net.h"
#include "pcap/reader.h"

namespace rdmawire::cli {
namespace {

constexpr std::string_view footer =
    R"(One line a packet: number, seconds since the first, source > destination, destination
queue pair, PSN, octets of payload, operation and what tells most about it.

--from and --to take a frame number (120), seconds since the file's first frame
(1.5s), seconds since 1970 (@1700000000.25) or UTC (2026-11-29T14:56:32.5).

Examples:
  rdmawire dump trace.pcap
  rdmawire dump -V -c 1 --opcode 'RC_RDMA_WRITE*' trace.pcapng.zst
  rdmawire dump --qp 0x11 --psn 0xfffff0-15 --from 0.5s --to 0.6s trace.pcap
  rdmawire dump -T fields -E header=y -e frame.number -e infiniband.bth.psn trace.pcap
  tcpdump -i eth0 -w - udp port 4791 | rdmawire dump --ndjson - | jq .

Exit code: 0, or 2 for wrong usage or a file that can't be read to its end.)";

void complain(std::string_view text) { fmt::print(stderr, "rdmawire: {}\n", text); }

// What the frames without RDMA are, for a user who wonders where the RDMA is.
class OtherTraffic {
 public:
  void add(const Frame& frame) { ++counts_[name(frame)]; }

  // "96 TCP, 9 ARP", the most frequent first.
  std::string text() const {
    std::vector<std::pair<std::uint64_t, std::string_view>> sorted;
    sorted.reserve(counts_.size());
    for (const auto& [kind, count] : counts_) sorted.emplace_back(count, kind);
    std::ranges::sort(sorted, [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    constexpr std::size_t most = 5;
    std::string out;
    for (std::size_t i = 0; i < sorted.size() && i < most; ++i) {
      out += fmt::format("{}{} {}", i == 0 ? "" : ", ", sorted[i].first, sorted[i].second);
    }
    return sorted.size() > most ? out + ", ..." : out;
  }

 private:
  // Of the innermost header, or of what it says comes next.
  static std::string_view name(const Frame& frame) {
    if (frame.layers().empty()) return "unreadable";
    const Layer innermost = frame.layers().back().layer;
    std::string_view next;
    if (innermost == Layer::ethernet) next = name_of(frame.get<net::Ethernet>()->type);
    if (innermost == Layer::ipv4) next = name_of(frame.get<net::Ipv4>()->protocol);
    if (innermost == Layer::ipv6) next = name_of(frame.get<net::Ipv6>()->next_header);
    return next.empty() ? info(innermost).name : next;
  }

  std::map<std::string_view, std::uint64_t> counts_;
};

// Input that may make us wait: what is known should then be on the screen.
bool may_wait(const std::string& file) {
  struct stat status{};
  const int result = file == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(file.c_str(), &status);
  return result == 0 && !S_ISREG(status.st_mode);
}

// One run over the files.
class Dumper {
 public:
  Dumper(Output& out, Writer& writer, Selection selection, ParseOptions parse_options, std::uint64_t count)
      : out_(out), writer_(writer), selection_(std::move(selection)), parse_options_(parse_options), left_(count) {
    parse_options_.verify_crcs = writer.needs_crcs();
  }

  // False if a file could not be read to its end or has an unknown link type.
  bool run(const std::vector<std::string>& files, bool to_terminal) {
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

 private:
  bool done() const { return left_ == 0 || !out_.open(); }

  void fail(std::string_view file, std::string_view text) {
    // In the order in which they came about, when both go to one terminal.
    out_.flush();
    complain(fmt::format("{}: {}", file, text));
    good_ = false;
  }

  void dump_file(const std::string& file) {
    state_ = {};
    state_.file = file == "-" ? "standard input" : file;
    auto reader = pcap::Reader::open(file);
    if (!reader) return fail(state_.file, pcap::to_string(reader.error()));
    writer_.begin_file(state_.file);
    while (!done()) {
      const auto packets = reader->next_batch();
      if (!packets) {
        return fail(state_.file, pcap::to_string(packets.error()));
      }
      if (packets->empty()) break;
      for (const pcap::Packet& packet : *packets) {
        if (selection_.ends_before(packet)) return note_no_rdma();
        dump_packet(packet);
        if (done()) return;
      }
      if (flush_batches_) out_.flush();
    }
    note_no_rdma();
  }

  void dump_packet(const pcap::Packet& packet) {
    if (state_.num_frames++ == 0) state_.first = packet.time;
    if (name_of(packet.link).empty() && !std::exchange(state_.told_link_type, true)) tell_link_type(packet);
    if (!selection_.may_match(packet, state_.first)) return;
    ++state_.num_parsed;
    const Frame frame = parse_frame(packet.link, packet.data, packet.original_length, parse_options_);
    if (frame.family != Family::none) {
      state_.any_rdma = true;
    } else if (!state_.any_rdma) {
      state_.other.add(frame);
    }
    if (!selection_.matches(frame)) return;
    writer_.write({packet, frame, state_.file, state_.first, state_.previous});
    state_.previous = packet.time;
    --left_;
  }

  void tell_link_type(const pcap::Packet& packet) {
    const auto number = static_cast<int>(packet.link);
    const char* name = pcap_datalink_val_to_name(number);
    fail(state_.file, fmt::format("frame {}: link type {} ({}) is not supported; its frames are not decoded",
                                  packet.number, number, name == nullptr ? "unknown" : name));
  }

  // Tells why nothing was shown although all went well.
  void note_no_rdma() const {
    if (state_.any_rdma || selection_.all_frames || state_.told_link_type) return;
    if (state_.num_parsed == 0) {
      if (state_.num_frames == 0) complain(fmt::format("{}: note: no frames in this file", state_.file));
      return;
    }
    std::string ports;
    for (const std::uint16_t port : parse_options_.rocev2_ports) {
      if (port != 0) ports += fmt::format("{}{}", ports.empty() ? "" : ", ", port);
    }
    complain(
        fmt::format("{}: note: no RDMA among {} frames ({}); RoCEv2 is looked for on UDP port {}, --udp-port adds "
                    "others; --all shows every frame",
                    state_.file, state_.num_parsed, state_.other.text(), ports));
  }

  // Of the file being read.
  struct State {
    std::string file;
    pcap::Timestamp first;
    std::optional<pcap::Timestamp> previous;
    std::uint64_t num_frames = 0;
    std::uint64_t num_parsed = 0;
    bool any_rdma = false;
    bool told_link_type = false;
    OtherTraffic other;
  };

  Output& out_;
  Writer& writer_;
  Selection selection_;
  ParseOptions parse_options_;
  std::uint64_t left_;  // records still to be shown
  bool flush_batches_ = false;
  bool good_ = true;
  State state_;
};

std::string_view type_name(const Catalog::Key& key) {
  switch (key.display) {
    case Display::dec:
    case Display::hex:
      return "number";
    case Display::flag:
      return "flag";
    case Display::octets:
      return "octets";
    case Display::mac:
      return "MAC address";
    case Display::ipv4:
      return "IPv4 address";
    case Display::ipv6:
      return "IPv6 address";
  }
  return {};
}

// Name, type and label, separated by tabs, in the order of the layers.
void list_fields(Output& out) {
  const auto line = [&](std::string_view name, std::string_view type, std::string_view label) {
    out.append(fmt::format("{}\t{}\t{}\n", name, type, label));
    out.end_record();
  };
  for (const PropertyInfo& row : property_table) {
    const std::string_view type = row.kind == PropertyKind::number ? "number" : "text";
    line(row.name, type, row.label);
    if (!row.tshark_name.empty()) line(row.tshark_name, type, row.label);
  }
  for (const Catalog::Key& key : Catalog::instance().keys()) line(key.name, type_name(key), key.label);
}

}  // namespace

struct Dump::Arguments : DumpArguments {};

Dump::Dump(CLI::App& command)
    : subcommand_(command.add_subcommand("dump", "Show the RDMA packets of captures")),
      arguments_(std::make_unique<Arguments>()) {
  Arguments& a = *arguments_;
  CLI::App& s = *subcommand_;
  s.footer(std::string(footer));
  s.add_option("FILE", a.files, "pcap or pcapng, plain or compressed with gzip, zstd or lz4; - for standard input");

  constexpr const char* output = "Output (one line a packet unless another is chosen)";
  s.add_flag("-V", a.tree, "All fields as a tree, with their offsets")->group(output);
  s.add_flag("--hex", a.hex, "With -V: payloads whole, not only their first 64 octets")->group(output);
  s.add_flag("--json", a.json, "One JSON array of flat objects")->group(output);
  s.add_flag("--ndjson", a.ndjson, "One flat JSON object a line")->group(output);
  s.add_option("-T", a.format, "'fields': the values of the fields named with -e")->type_name("fields")->group(output);
  s.add_option("-e", a.fields, "A field to show, by Wireshark's name or rdma.*; repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->group(output);
  s.add_option("-E", a.field_options,
               "header=y|n, separator=/t|/s|C, occurrence=f|l|a, aggregator=C, quote=d|s|n; as in tshark")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group(output);
  s.add_option("--time", a.time,
               "In lines: relative (to the first frame), absolute (UTC) or delta (to the line before)")
      ->type_name("FORM")
      ->group(output);
  s.add_flag("--list-fields", a.list_fields, "Show the names that -e takes, and what they mean")->group(output);

  constexpr const char* selection = "Selection";
  const auto repeatable = [&](const char* name, std::vector<std::string>& words, const char* type, const char* text) {
    s.add_option(name, words, text)->type_name(type)->allow_extra_args(false)->group(selection);
  };
  s.add_option("-c", a.count, "Stop after showing that many")->type_name("N")->group(selection);
  s.add_option("--from", a.from, "From this frame or time on")->type_name("WHEN")->group(selection);
  s.add_option("--to", a.to, "Up to this frame or time, inclusive")->type_name("WHEN")->group(selection);
  repeatable("--qp", a.queue_pairs, "N", "Destination queue pair, or source in a datagram; repeatable");
  repeatable("--psn", a.psns, "N or A-B", "Packet sequence number or range, which may wrap; repeatable");
  repeatable("--opcode", a.opcodes, "NAME", "Operation by name (* and ? as in a shell) or number; repeatable");
  repeatable("--src", a.sources, "ADDRESS", "Source IP address, GID, MAC address or LID; repeatable");
  repeatable("--dst", a.destinations, "ADDRESS", "Destination, likewise");
  repeatable("--udp-port", a.udp_ports, "N", "Another UDP port that carries RoCEv2, besides 4791; repeatable");
  s.add_flag("--all", a.all, "Frames without RDMA, too")->group(selection);
}

Dump::~Dump() = default;

int Dump::run() {
  const DumpArguments& arguments = *arguments_;
  Output out(STDOUT_FILENO);
  bool good = true;
  if (arguments.list_fields) {
    list_fields(out);
  } else {
    const bool to_terminal = ::isatty(STDOUT_FILENO) == 1;
    auto writer = make_writer(arguments, out, to_terminal);
    auto selection = make_selection(arguments);
    const auto parse_options = make_parse_options(arguments);
    const auto count = make_count(arguments);
    std::string problem;
    if (!writer) problem = writer.error();
    if (!selection) problem = selection.error();
    if (!parse_options) problem = parse_options.error();
    if (!count) problem = count.error();
    if (arguments.files.empty()) problem = "no FILE given (- for standard input)";
    if (!problem.empty()) {
      complain(problem + "\nTry 'rdmawire dump --help'.");
      return ExitCode::bad_input;
    }
    good = Dumper(out, **writer, *std::move(selection), *parse_options, *count).run(arguments.files, to_terminal);
  }
  out.flush();
  if (!out.open() && out.error() != EPIPE) {
    complain(fmt::format("standard output: {}", std::strerror(out.error())));
    return ExitCode::bad_input;
  }
  return good ? ExitCode::clean : ExitCode::bad_input;
}

}  // namespace rdmawire::cli
