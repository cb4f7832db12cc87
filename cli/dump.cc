#include "cli/dump.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/dump_options.h"
#include "cli/dumper.h"
#include "cli/exit_code.h"

namespace rdmawire::cli {
namespace {

constexpr std::string_view footer =
    R"(One line a packet: number, seconds since the first, source > destination, destination
queue pair, PSN, octets of payload, operation and what tells most about it. For iWARP
one line a PDU, at the frame in which it ended: in place of queue pair and PSN the number
of the TCP conversation (#0) and the PDU's offset in its direction (+20); over SCTP the
stream (s3) and TSN.

--from and --to take a frame number (120), seconds since the file's first frame
(1.5s), seconds since 1970 (@1700000000.25) or UTC (2026-11-29T14:56:32.5).

Examples:
  rdmawire dump trace.pcap
  rdmawire dump -V -c 1 --opcode 'RC_RDMA_WRITE*' trace.pcapng.zst
  rdmawire dump --qp 0x11 --psn 0xfffff0-15 --from 0.5s --to 0.6s trace.pcap
  rdmawire dump -T fields -E header=y -e frame.number -e infiniband.bth.psn trace.pcap
  rdmawire dump --stream 0 --opcode 'SEND*' --opcode TERMINATE trace.pcap
  rdmawire dump --decode-as tcp.port==20049 --json trace.pcap
  tcpdump -i eth0 -w - udp port 4791 | rdmawire dump --ndjson - | jq .

Exit code: 0, or 2 for wrong usage or a file that can't be read to its end.)";

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

std::string_view type_name(PropertyKind kind) {
  switch (kind) {
    case PropertyKind::number:
      return "number";
    case PropertyKind::text:
      return "text";
    case PropertyKind::numbers:
      return "numbers";
    case PropertyKind::texts:
      return "texts";
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
    const std::string_view type = type_name(row.kind);
    line(row.name, type, row.label);
    if (!row.tshark_name.empty()) line(row.tshark_name, type, row.label);
  }
  for (const Catalog::Key& key : Catalog::instance().keys()) line(key.name, type_name(key), key.label);
}

}  // namespace

struct Dump::Arguments : DumpArguments {};

Dump::Dump(CLI::App& command)
    : Subcommand(command, "dump", "Show the RDMA packets of captures"), arguments_(std::make_unique<Arguments>()) {
  Arguments& a = *arguments_;
  CLI::App& s = app();
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
  repeatable("--stream", a.streams, "N", "TCP conversation of iWARP, by its number (#N in lines); repeatable");
  repeatable("--opcode", a.opcodes, "NAME", "Operation by name (* and ? as in a shell) or number; repeatable");
  repeatable("--src", a.sources, "ADDRESS", "Source IP address, GID, MAC address or LID; repeatable");
  repeatable("--dst", a.destinations, "ADDRESS", "Destination, likewise");
  repeatable("--udp-port", a.udp_ports, "N", "Another UDP port that carries RoCEv2, besides 4791; repeatable");
  repeatable("--decode-as", a.decode_as, "tcp.port==N", "A TCP port that carries iWARP, even if no start-up is seen");
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
    const auto stream_options = make_stream_options(arguments);
    const auto count = make_count(arguments);
    std::string problem;
    if (!writer) problem = writer.error();
    if (!selection) problem = selection.error();
    if (!parse_options) problem = parse_options.error();
    if (!stream_options) problem = stream_options.error();
    if (!count) problem = count.error();
    if (arguments.files.empty()) problem = "no FILE given (- for standard input)";
    if (!problem.empty()) {
      complain(problem + "\nTry 'rdmawire dump --help'.");
      return ExitCode::bad_input;
    }
    Dumper dumper(out, **writer, *std::move(selection), *parse_options, *stream_options, *count);
    good = dumper.run(arguments.files, to_terminal);
  }
  out.flush();
  if (!out.open() && out.error() != EPIPE) {
    complain(fmt::format("standard output: {}", std::strerror(out.error())));
    return ExitCode::bad_input;
  }
  return good ? ExitCode::clean : ExitCode::bad_input;
}

}  // namespace rdmawire::cli
