#include "cli/peer.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "cli/exit_code.h"
#include "cli/peer/parse_options.h"
#include "cli/peer/run.h"

namespace rdmawire::cli {
namespace {

constexpr std::string_view footer_head = "Services:\n";

constexpr std::string_view footer_tail =
    R"(
Wires:
  packet:eth0           an interface of this machine, with an own MAC and IP address (root)
  tap:tap0              a TAP device, made if it is not there (root)
  dgram:LOCAL,REMOTE    UDP datagrams, a frame each: QEMU's -netdev dgram,local.type=inet
  fd:N                  an inherited datagram socket, a frame each: QEMU's local.type=fd
  ip:ADDRESS            RoCEv2 by an IP address that this machine has itself (root)
  udp:ADDRESS           the same by a UDP socket: no rights are needed
  sim                   RoCEv2 with the other end in this process, on a simulated link and a clock
                        of its own: all follows from --seed, the recording octet by octet
  tcp                   iWARP by the TCP of this machine
On the first four the peer is a host of its own: --address says who it is, and it answers ARP,
neighbour solicitations and pings for that address. On tcp --record makes up the headers, TCP's
included; a loss of --impair is a wait of 200 ms there, and dup and reorder are refused.

Ctrl-C disconnects in order and gives the summary; once more, and it ends at once.

Examples:
  rdmawire peer rping --listen --wire packet:eth0 --address 192.0.2.9/24
  rdmawire peer rping --connect 192.0.2.1 --wire packet:eth0 --address 192.0.2.9/24 --count 1000
  rdmawire peer rping --listen 7174 --wire tcp
  rdmawire peer responder --listen --wire tcp --region-size 64MiB
  rdmawire peer perf --connect 192.0.2.7 --wire tcp --op write --size 64KiB --count 10000 --verify
  rdmawire peer rping --connect 192.0.2.1 --wire packet:eth0 --address 192.0.2.9/24 \
      --impair loss=1%,dup=0.5%,reorder=3 --seed 7 --record lossy.pcapng
  rdmawire peer responder --listen --wire packet:eth0 --address 192.0.2.9/24 --quirk never-nak-gaps
  rdmawire peer perf --connect 10.0.0.1 --wire sim --impair loss=5% --seed 3 --record lossy.pcapng

Exit code: 0; 1 if a connection or an operation failed; 2 for wrong usage, or a wire that cannot be had.)";

std::string footer() {
  std::string out(footer_head);
  for (const peer::ServiceInfo& one : peer::services()) {
    out += fmt::format("  {:<10} {}{}{}\n", one.name, one.server != nullptr ? "[--listen] " : "",
                       one.client != nullptr ? "[--connect] " : "", one.text);
  }
  return out + std::string(footer_tail);
}

}  // namespace

struct Peer::Arguments : peer::PeerArguments {
  peer::RunOptions run;
  bool list_quirks = false;
};

Peer::Peer(CLI::App& command)
    : Subcommand(command, "peer", "Be an RDMA endpoint: RoCEv2 on a wire, iWARP on TCP"),
      arguments_(std::make_unique<Arguments>()) {
  Arguments& a = *arguments_;
  CLI::App& s = app();
  s.footer(footer());
  s.add_option("SERVICE", a.service, "What to do: rping, responder, perf, perftest (below)");
  const auto text = [&s](const char* name, std::string& value, const char* type, const char* help, const char* group) {
    return s.add_option(name, value, help)->type_name(type)->group(group);
  };
  const auto number = [&s](const char* name, unsigned& value, unsigned least, unsigned most, const char* help,
                           const char* group) {
    return s.add_option(name, value, help)
        ->type_name("N")
        ->check(CLI::Range(least, most).description(""))
        ->capture_default_str()
        ->group(group);
  };
  const auto texts = [&s](const char* name, std::vector<std::string>& values, const char* type, const char* help,
                          const char* group) {
    s.add_option(name, values, help)->type_name(type)->allow_extra_args(false)->group(group);
  };

  constexpr const char* roles = "Who with whom";
  text("--listen", a.listen, "[ADDRESS:]PORT", "Be the server (7174, as rping; 18515, as perftest)", roles)
      ->expected(0, 1);
  text("--connect", a.connect, "ADDRESS[:PORT]", "Be the client of that server", roles);
  text("--wire", a.wire, "WIRE", "What it goes over (below)", roles);
  number("--connections", a.connections, 0, 1'000'000, "Server: end after so many connections; 0: on Ctrl-C", roles);
  number("--max-connections", a.max_connections, 1, 1024, "Server: at a time; more are rejected", roles);
  number("--time-limit", a.time_limit, 0, 1'000'000, "Seconds until it ends as by Ctrl-C; 0: none", roles);
  number("--connect-timeout", a.connect_timeout, 1, 3600, "Seconds until the peer has to be found", roles);

  constexpr const char* work = "Work";
  text("--size", a.size, "OCTETS", "Of a message or of rping's data (64; perftest: 64KiB)", work);
  text("--count", a.count, "N", "Turns of rping (10), operations of perf (1000); 0: until Ctrl-C", work);
  text("--op", a.operation, "OP", "perf: send, send-invalidate, write, read, fetch-add or cmp-swap (write)", work);
  s.add_flag("--verify", a.verify, "perf: other data in each round, what was written read back; checksums")
      ->group(work);
  number("--depth", a.depth, 1, 4096, "Send requests at a time, and receives", work);
  number("--regions", a.regions, 1, 60, "responder: regions of memory", work);
  text("--region-size", a.region_size, "OCTETS",
       "responder: of each region; perftest: of its memory; perf: of a round (1MiB)", work);

  constexpr const char* both = "Connection";
  number("--initiator-depth", a.initiator_depth, 1, 255, "Own reads and atomics at a time (ORD)", both);
  number("--responder-resources", a.responder_resources, 1, 255, "The peer's (IRD)", both);
  texts("--quirk", a.quirks, "NAME", "Depart from the specification so; repeatable", both);
  s.add_flag("--list-quirks", a.list_quirks, "Show the names that --quirk takes, and what they do")->group(both);
  text("--seed", a.seed, "N", "Of all that is chosen by chance: QPN, PSN, keys, data, impairments", both);

  constexpr const char* network = "Network";
  text("--record", a.record, "FILE", "pcapng of all frames; a comment on those lost or altered on purpose", network);
  text("--impair", a.impair, "SPEC", "loss=1%,dup=0.5%,reorder=3,corrupt=0.1%,delay=2ms,jitter=1ms, both ways",
       network);

  constexpr const char* roce = "RoCEv2";
  texts("--address", a.addresses, "IP[/LENGTH]", "This peer's address (/24, /64); repeatable", roce);
  texts("--gateway", a.gateways, "IP", "For addresses in none of these networks; repeatable", roce);
  text("--mac", a.mac, "MAC", "This peer's MAC address (made from the first IP address)", roce);
  number("--mtu", a.mtu, 256, 4096, "Path MTU: 256, 512, 1024, 2048, 4096; client", roce);
  text("--pkey", a.p_key, "N", "Partition key (0xffff)", roce);
  s.add_option("--dscp", a.dscp, "DSCP of the connection's packets")
      ->type_name("N")
      ->check(CLI::Range(0, 63).description(""))
      ->group(roce);
  text("--ecn", a.ecn, "CODE", "ECN field of the connection's packets: none, ect0, ect1, ce", roce);
  number("--hop-limit", a.hop_limit, 1, 255, "TTL or hop limit", roce);
  number("--udp-source-port", a.udp_source_port, 0, 65535, "0: by queue pair, from 49152 up", roce);
  number("--ack-timeout", a.ack_timeout, 1, 31, "Local ACK timeout, 4.096 us * 2^N", roce);
  number("--retry", a.retry_count, 0, 7, "Retries without progress", roce);
  number("--rnr-retry", a.rnr_retry, 0, 7, "Retries after RNR NAKs; 7: for ever", roce);
  number("--rnr-timer", a.rnr_timer, 0, 31, "Minimum RNR NAK timer, as a code", roce);
  number("--window", a.window, 1, 1U << 22, "Packets sent and not acknowledged", roce);
  number("--keep-alive", a.keep_alive, 0, 86400,
         "Seconds of silence after which the peer has to acknowledge a WRITE of nothing; 0: it never has to", roce);

  constexpr const char* iwarp = "iWARP";
  text("--crc", a.crc, "on|off", "Ask for CRCs (on)", iwarp);
  text("--markers", a.markers, "on|off", "Ask for Markers in what comes (off)", iwarp);
  number("--mpa-revision", a.revision, 1, 2, "1: RFC 5044 alone; 2: RFC 6581", iwarp);
  texts("--rtr", a.rtr, "KIND", "Ready-to-receive types: send, write, read; none: no peer-to-peer; repeatable", iwarp);

  constexpr const char* output = "Output";
  s.add_flag("--json", a.run.json, "The summary as one JSON object; other lines on standard error")->group(output);
  s.add_flag("--quiet", a.run.quiet, "Nothing but the summary")->group(output);
}

Peer::~Peer() = default;

int Peer::run() {
  const Arguments& a = *arguments_;
  if (a.list_quirks) {
    fmt::print("{}", peer::list_quirks());
    return ExitCode::clean;
  }
  const auto fail = [](std::string_view why) {
    fmt::print(stderr, "rdmawire: {}\nTry 'rdmawire peer --help'.\n", why);
    return ExitCode::bad_input;
  };
  if (a.service.empty()) return fail("SERVICE is missing: rping, responder or perf");
  const bool listens = app().count("--listen") != 0;
  const bool connects = app().count("--connect") != 0;
  if (listens == connects) return fail("choose one of --listen and --connect");
  if (a.wire.empty()) return fail("--wire is missing");
  const auto options = peer::read_arguments(a);
  if (!options) return fail(options.error());
  return run_peer(*options, a.run);
}

}  // namespace rdmawire::cli
