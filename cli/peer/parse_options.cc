#include "cli/peer/parse_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>

#include "cli/peer/perf_operations.h"
#include "cli/suggest.h"
#include "codec/net/types.h"

namespace rdmawire::cli::peer {
namespace {

using Fault = std::optional<std::string>;

tl::unexpected<std::string> bad(std::string_view option, std::string_view why) {
  return tl::unexpected(fmt::format("{}: {}", option, why));
}
template <class T>
bool read_number(std::string_view text, T& out, int base = 10) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out, base);
  return !text.empty() && read.ec == std::errc{} && read.ptr == text.data() + text.size();
}
// Decimal, or hexadecimal behind 0x.
template <class T>
bool read_any_base(std::string_view text, T& out) {
  return text.starts_with("0x") ? read_number(text.substr(2), out, 16) : read_number(text, out);
}

// "1%", "0.5%".
std::optional<link::Ppm> read_chance(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  double percent = 0;
  const std::string_view digits = text.substr(0, text.size() - 1);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), percent);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || !(percent >= 0 && percent <= 100)) {
    return std::nullopt;
  }
  return link::Ppm{static_cast<std::uint32_t>(std::lround(percent * 10'000))};
}

// "2ms", "50us", "1s".
std::optional<Duration> read_duration(std::string_view text) {
  for (const auto& [unit, ns] : {std::pair{std::string_view("ns"), 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}) {
    if (!text.ends_with(unit)) continue;
    double number = 0;
    const std::string_view digits = text.substr(0, text.size() - unit.size());
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || !(number >= 0 && number <= 3600))
      continue;
    return Duration(static_cast<std::int64_t>(number * ns));
  }
  return std::nullopt;
}

// "ADDRESS", "ADDRESS:PORT", "[IPV6]:PORT", "PORT" where that may stand alone, or an IPv6 address without brackets.
Fault read_place(std::string_view text, bool port_alone, PeerOptions& out) {
  const auto read_port = [&](std::string_view digits) { return read_number(digits, out.port) && out.port != 0; };
  const std::string wrong = fmt::format("'{}' is not ADDRESS or ADDRESS:PORT", text);
  if (text.empty()) return port_alone ? Fault{} : Fault(wrong);
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return wrong;
    out.host = text.substr(1, end - 1);
    const std::string_view rest = text.substr(end + 1);
    if (rest.empty()) return std::nullopt;
    return rest.starts_with(':') && read_port(rest.substr(1)) ? Fault{} : Fault(wrong);
  }
  if (wire::parse_ip(text)) {
    out.host = text;
    return std::nullopt;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    if (port_alone && read_port(text)) return std::nullopt;
    out.host = text;
    return std::nullopt;
  }
  out.host = text.substr(0, colon);
  return read_port(text.substr(colon + 1)) ? Fault{} : Fault(wrong);
}

// The address of the other end of a simulated link, where nobody says it: 10.0.0.2 for 10.0.0.1, and the other way.
Gid neighbour_of(const Gid& address) {
  Gid out = address;
  out.octets.back() ^= 3U;
  return out;
}

Fault read_network(const PeerArguments& a, PeerOptions& out) {
  for (const std::string& text : a.addresses) {
    const auto prefix = wire::parse_prefix(text);
    if (!prefix) return fmt::format("--address: '{}' is not an IP address, with or without /LENGTH", text);
    out.network.addresses.push_back(*prefix);
  }
  // These wires say it already.
  for (const std::string_view kind : {"ip:", "udp:"}) {
    if (!out.network.addresses.empty() || !out.wire.starts_with(kind)) continue;
    const auto own = wire::parse_ip(std::string_view(out.wire).substr(kind.size()));
    if (own) out.network.addresses.push_back({*own, 0});
  }
  if (out.network.addresses.empty() && out.is_simulated()) {
    auto own = wire::parse_prefix(out.listens ? "10.0.0.2" : out.host);
    own->address = neighbour_of(own->address);
    out.network.addresses.push_back(*own);
  }
  if (out.network.addresses.empty()) return "--address: an IP address for this peer is needed on this wire";
  for (const std::string& text : a.gateways) {
    const auto gateway = wire::parse_ip(text);
    if (!gateway) return fmt::format("--gateway: '{}' is not an IP address", text);
    out.network.gateways.push_back(*gateway);
  }
  out.network.mac = made_up_mac(out.network.addresses.front().address);
  if (!a.mac.empty()) {
    const auto mac = wire::parse_mac(a.mac);
    if (!mac || (mac->octets[0] & 1U) != 0) return fmt::format("--mac: '{}' is not the address of one host", a.mac);
    out.network.mac = *mac;
  }
  return std::nullopt;
}

// What holds where both ends are in this process.
Fault fit_to_simulation(PeerOptions& out) {
  if (!out.is_simulated()) return std::nullopt;
  if (out.service->other_side.empty()) {
    return fmt::format("--wire sim: there is no client of {} here, only in others' programs", out.service->name);
  }
  const auto& own = out.network.addresses.front();
  const Gid other = other_end_of(out);
  if (other == own.address || is_ipv4_mapped(other) != is_ipv4_mapped(own.address) || !own.has(other)) {
    return "--wire sim: both ends must have addresses of one network";
  }
  out.num_connections = 1;
  return std::nullopt;
}

Fault read_roce(const PeerArguments& a, PeerOptions& out) {
  if (!out.listens && !wire::parse_ip(out.host)) {
    return fmt::format("--connect: '{}' is not an IP address (names are for --wire tcp)", out.host);
  }
  if (auto fault = read_network(a, out)) return fault;
  out.path_mtu = {};
  for (std::uint8_t code = 1; code <= 5; ++code) {
    if (ib::PathMtu{code}.octets() == a.mtu) out.path_mtu = {code};
  }
  if (!out.path_mtu.valid()) return "--mtu: 256, 512, 1024, 2048 and 4096 are possible";
  if (!read_any_base(a.p_key, out.p_key.value)) return fmt::format("--pkey: '{}' is no number of 16 bits", a.p_key);
  if ((out.p_key.value & 0x7FFFU) == 0) return "--pkey: a partition other than 0 is needed";
  net::Ecn ecn = net::Ecn::not_capable;
  if (a.ecn == "ect0") ecn = net::Ecn::capable_0;
  if (a.ecn == "ect1") ecn = net::Ecn::capable_1;
  if (a.ecn == "ce") ecn = net::Ecn::congestion_experienced;
  if (!a.ecn.empty() && a.ecn != "none" && ecn == net::Ecn::not_capable) return "--ecn: none, ect0, ect1 or ce";
  if (a.dscp >= 0 || !a.ecn.empty()) {
    out.traffic_class = net::TrafficClass::of(static_cast<std::uint8_t>(std::max(a.dscp, 0)), ecn).value;
  }
  out.hop_limit = static_cast<std::uint8_t>(a.hop_limit);
  if (a.udp_source_port != 0 && out.wire.starts_with("udp:")) {
    return "--udp-source-port: on this wire all packets leave from port 4791";
  }
  if (a.udp_source_port != 0) out.udp_source_port = UdpPort{static_cast<std::uint16_t>(a.udp_source_port)};
  out.ack_timeout = static_cast<std::uint8_t>(a.ack_timeout);
  out.retry_count = static_cast<std::uint8_t>(a.retry_count);
  out.rnr_retry = static_cast<std::uint8_t>(a.rnr_retry);
  out.rnr_timer = static_cast<std::uint8_t>(a.rnr_timer);
  out.window = a.window;
  out.keep_alive = std::chrono::seconds(a.keep_alive);
  return fit_to_simulation(out);
}

Fault read_on_off(std::string_view option, std::string_view text, bool& out) {
  if (text != "on" && text != "off") return fmt::format("{}: on or off", option);
  out = text == "on";
  return std::nullopt;
}

Fault read_iwarp(const PeerArguments& a, PeerOptions& out) {
  if (auto fault = read_on_off("--crc", a.crc, out.mpa.crc)) return fault;
  if (auto fault = read_on_off("--markers", a.markers, out.mpa.markers)) return fault;
  if (a.revision != 1 && a.revision != 2) return "--mpa-revision: 1 or 2";
  out.mpa.revision = static_cast<std::uint8_t>(a.revision);
  out.mpa.enhanced = a.revision == 2;
  if (!a.rtr.empty()) {
    out.mpa.rtr_send = out.mpa.rtr_write = out.mpa.rtr_read = false;
    for (const std::string& kind : a.rtr) {
      if (kind == "send") {
        out.mpa.rtr_send = true;
      } else if (kind == "write") {
        out.mpa.rtr_write = true;
      } else if (kind == "read") {
        out.mpa.rtr_read = true;
      } else if (kind != "none") {
        return fmt::format("--rtr: '{}' is none of send, write, read, none", kind);
      }
    }
    out.mpa.peer_to_peer = out.mpa.rtr_send || out.mpa.rtr_write || out.mpa.rtr_read;
    // A responder has to know one of them all the same: the peer may ask.
    if (!out.mpa.peer_to_peer) out.mpa.rtr_write = true;
  }
  if (!out.mpa.enhanced) out.mpa.peer_to_peer = false;
  out.mpa.ird = out.responder_resources;
  out.mpa.ord = out.initiator_depth;
  out.mpa.quirks = out.iwarp_quirks;
  return std::nullopt;
}

Fault read_impair(const PeerArguments& a, bool tcp, PeerOptions& out) {
  if (a.impair.empty()) return std::nullopt;
  const auto impairments = read_impairments(a.impair);
  if (!impairments) return impairments.error();
  if (!tcp) {
    out.impairments = *impairments;
    return std::nullopt;
  }
  const auto of_stream = on_stream(*impairments);
  if (!of_stream) return of_stream.error();
  out.stream_impairments = *of_stream;
  return std::nullopt;
}

Fault read_quirks(const PeerArguments& a, bool tcp, PeerOptions& out) {
  std::vector<std::string_view> names;
  for (const std::string& name : a.quirks) {
    if (tcp) {
      if (const auto quirk = iwarp::find_quirk(name)) {
        out.iwarp_quirks.add(*quirk);
        out.quirk_names.emplace_back(info(*quirk).name);
        continue;
      }
      for (const auto& row : iwarp::quirk_table) names.push_back(row.name);
    } else {
      if (const auto quirk = ib::find_quirk(name)) {
        out.ib_quirks.add(*quirk);
        out.quirk_names.emplace_back(ib::info(*quirk).name);
        continue;
      }
      for (const auto& row : ib::quirk_table) names.push_back(row.name);
    }
    std::string plain = name;
    std::ranges::replace(plain, '-', '_');
    return fmt::format("--quirk: '{}' is not known on this wire{}; --list-quirks shows all", name,
                       did_you_mean(plain, names));
  }
  return std::nullopt;
}

Fault read_service(const PeerArguments& a, PeerOptions& out) {
  out.service = find_service(a.service);
  if (out.service == nullptr) {
    std::vector<std::string_view> names;
    for (const ServiceInfo& one : services()) names.push_back(one.name);
    return fmt::format("'{}' is no service{}: {} are", a.service, did_you_mean(a.service, names),
                       fmt::join(names, ", "));
  }
  out.listens = a.connect.empty();
  if (out.listens && out.service->server == nullptr) return fmt::format("{} needs --connect", a.service);
  if (!out.listens && out.service->client == nullptr) return fmt::format("{} needs --listen", a.service);
  ServiceOptions& of_service = out.of_service;
  constexpr std::uint64_t max_size = 1 << 30;
  out.port = out.service->port;
  const auto size = a.size.empty() ? tl::expected<std::uint64_t, std::string>(out.service->size) : read_size(a.size);
  if (!size || *size == 0 || *size > max_size) return fmt::format("--size: '{}' is not a number of octets", a.size);
  of_service.size = static_cast<std::uint32_t>(*size);
  const auto region = read_size(a.region_size);
  if (!region || *region == 0 || *region > max_size) {
    return fmt::format("--region-size: '{}' is not a number of octets", a.region_size);
  }
  of_service.region_len = static_cast<std::uint32_t>(*region);
  of_service.num_regions = a.regions;
  // As rping has it: its text has to fit.
  constexpr std::uint32_t min_rping_len = 23;
  if (a.service == "rping" && of_service.size < min_rping_len) return "--size: rping needs 23 octets at least";
  of_service.count = a.service == "perf" ? 1000 : 10;
  if (!a.count.empty() && !read_number(a.count, of_service.count)) return fmt::format("--count: '{}'", a.count);
  if (!find_perf_operation(a.operation)) {
    std::vector<std::string_view> names;
    for (const PerfOperation& one : perf_operations) names.push_back(one.name);
    return fmt::format("--op: '{}' is none of {}", a.operation, fmt::join(names, ", "));
  }
  of_service.operation = a.operation;
  of_service.verify = a.verify;
  of_service.seed = out.seed;
  return std::nullopt;
}

}  // namespace

MacAddress made_up_mac(const Gid& address) {
  MacAddress out{{0x02}};
  std::copy(address.octets.end() - 5, address.octets.end(), out.octets.begin() + 1);
  return out;
}

Gid other_end_of(const PeerOptions& options) {
  return options.listens ? neighbour_of(options.network.addresses.front().address) : *wire::parse_ip(options.host);
}

tl::expected<std::uint64_t, std::string> read_size(std::string_view text) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(read.ptr, static_cast<std::size_t>(text.data() + text.size() - read.ptr));
  const unsigned shift = unit.empty() ? 0 : unit == "KiB" ? 10 : unit == "MiB" ? 20 : unit == "GiB" ? 30 : 64;
  if (read.ec != std::errc{} || shift == 64 || value > std::numeric_limits<std::uint64_t>::max() >> shift) {
    return bad("size", fmt::format("'{}' is not a number of octets, with or without KiB, MiB or GiB", text));
  }
  return value << shift;
}

tl::expected<link::Impairments, std::string> read_impairments(std::string_view text) {
  link::Impairments out;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? std::string_view{} : word.substr(equals + 1);
    const auto chance = read_chance(value);
    const auto duration = read_duration(value);
    if (name == "loss" && chance) {
      out.loss = *chance;
    } else if (name == "dup" && chance) {
      out.duplicate = *chance;
    } else if (name == "corrupt" && chance) {
      out.corrupt = *chance;
    } else if (name == "delay" && duration) {
      out.delay = *duration;
    } else if (name == "jitter" && duration) {
      out.jitter = *duration;
    } else if (name == "reorder") {
      const std::size_t colon = value.find(':');
      out.reorder = link::Ppm::percent(5);
      if (colon != std::string_view::npos) {
        const auto given = read_chance(value.substr(0, colon));
        if (!given) return bad("--impair", fmt::format("'{}' is not reorder=N or reorder=P%:N", word));
        out.reorder = *given;
      }
      const std::string_view bound = colon == std::string_view::npos ? value : value.substr(colon + 1);
      if (!read_number(bound, out.reorder_bound) || out.reorder_bound == 0 || out.reorder_bound > 1000) {
        return bad("--impair", fmt::format("'{}' is not reorder=N or reorder=P%:N", word));
      }
    } else {
      return bad("--impair", fmt::format("'{}' is none of loss=P%, dup=P%, reorder=N, corrupt=P%, delay=T, jitter=T "
                                         "(T as 2ms)",
                                         word));
    }
  }
  return out;
}

tl::expected<link::StreamImpairments, std::string> on_stream(const link::Impairments& impairments) {
  if (impairments.reorder.value != 0 || impairments.duplicate.value != 0) {
    return bad(
        "--impair",
        "reorder and dup are for packets, and TCP hides what becomes of them: the peer has octets alone, each once "
        "and in order. Below TCP it takes tc netem, or conformance/lab/run --impair");
  }
  link::StreamImpairments out;
  out.delay = impairments.delay;
  out.jitter = impairments.jitter;
  out.corrupt = impairments.corrupt;
  out.late = impairments.loss;
  out.late_by = std::chrono::milliseconds(200);
  return out;
}

tl::expected<PeerOptions, std::string> read_arguments(const PeerArguments& a) {
  PeerOptions out;
  out.wire = a.wire;
  const bool tcp = out.is_tcp();
  out.seed = std::random_device{}() | std::uint64_t{std::random_device{}()} << 32;
  if (!a.seed.empty() && !read_any_base(a.seed, out.seed)) return bad("--seed", fmt::format("'{}'", a.seed));
  if (auto fault = read_service(a, out)) return tl::unexpected(*fault);
  const std::string& place = out.listens ? a.listen : a.connect;
  if (auto fault = read_place(place, out.listens, out)) {
    return bad(out.listens ? "--listen" : "--connect", *fault);
  }
  if (auto fault = read_quirks(a, tcp, out)) return tl::unexpected(*fault);
  out.depth = a.depth;
  out.initiator_depth = static_cast<std::uint8_t>(a.initiator_depth);
  out.responder_resources = static_cast<std::uint8_t>(a.responder_resources);
  out.num_connections = a.connections;
  out.max_sessions = a.max_connections;
  out.time_limit = std::chrono::seconds(a.time_limit);
  out.connect_timeout = std::chrono::seconds(a.connect_timeout);
  out.record = a.record;
  if (auto fault = read_impair(a, tcp, out)) return tl::unexpected(*fault);
  if (auto fault = tcp ? read_iwarp(a, out) : read_roce(a, out)) return tl::unexpected(*fault);
  return out;
}

std::string list_quirks() {
  std::string out;
  const auto add = [&](const auto& row, std::string_view family) {
    std::string name(row.name);
    std::ranges::replace(name, '_', '-');
    out += fmt::format("{}\t{}\t{}\t{}\n", name, family, row.origin, row.text);
  };
  for (const auto& row : ib::quirk_table) add(row, "RoCEv2");
  for (const auto& row : iwarp::quirk_table) {
    if (row.machine != iwarp::QuirkOf::sctp) add(row, "iWARP");
  }
  return out;
}

}  // namespace rdmawire::cli::peer
