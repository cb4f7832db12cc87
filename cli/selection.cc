#include "cli/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/suggest.h"
#include "cli/time_text.h"
#include "codec/ib/gid.h"
#include "codec/ib/headers.h"
#include "codec/iwarp/rdmap.h"
#include "codec/net/net.h"
#include "pcap/wire/ip_address.h"

namespace rdmawire::cli {
namespace {

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

// Shell patterns of * and ?, in upper case.
bool glob_matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;  // the last * seen, and how far it reaches
  std::size_t reach = 0;
  while (n < name.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == upper(name[n])) && pattern[p] != '*') {
      ++p;
      ++n;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      reach = n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++reach;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::optional<std::uint64_t> read_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// address: 4, 6 or 16 octets of a header.
bool address_matches(const AddressPattern& wanted, AddressPattern::Kind kind, Bytes address) {
  if (wanted.kind != kind) return false;
  const std::array<std::uint8_t, 16>& octets = wanted.octets;
  if (address.size() == 4) {
    Ipv4Address four;
    std::ranges::copy(address, four.octets.begin());
    return octets == ib::gid_of(four).octets;
  }
  return std::equal(address.begin(), address.end(), octets.begin());
}

enum class End : std::uint8_t { source, destination };

bool header_matches(const AddressPattern& wanted, const Frame& frame, const LayerRef& ref, End end) {
  const Bytes octets = frame.octets(ref);
  const auto test = [&]<Header T>(std::type_identity<T>, AddressPattern::Kind kind, auto source, auto destination) {
    const T header = decode<T>(octets.first<header_size<T>>());
    return address_matches(wanted, kind, end == End::source ? (header.*source).octets : (header.*destination).octets);
  };
  using Kind = AddressPattern::Kind;
  switch (ref.layer) {
    case Layer::ethernet:
      return test(std::type_identity<net::Ethernet>{}, Kind::mac, &net::Ethernet::source, &net::Ethernet::destination);
    case Layer::ipv4:
      return test(std::type_identity<net::Ipv4>{}, Kind::ip, &net::Ipv4::source, &net::Ipv4::destination);
    case Layer::ipv6:
      return test(std::type_identity<net::Ipv6>{}, Kind::ip, &net::Ipv6::source, &net::Ipv6::destination);
    case Layer::grh:
      return test(std::type_identity<ib::Grh>{}, Kind::ip, &ib::Grh::sgid, &ib::Grh::dgid);
    case Layer::lrh: {
      const auto lrh = decode<ib::Lrh>(octets.first<header_size<ib::Lrh>>());
      return wanted.kind == Kind::lid && wanted.lid == (end == End::source ? lrh.slid : lrh.dlid).value;
    }
    default:
      return false;
  }
}

bool any_address_matches(const std::vector<AddressPattern>& wanted, const Frame& frame, End end) {
  for (const AddressPattern& pattern : wanted) {
    for (const LayerRef& ref : frame.layers()) {
      if (header_matches(pattern, frame, ref, end)) return true;
    }
  }
  return false;
}

}  // namespace

Parsed<std::uint64_t> parse_number(std::string_view text, std::uint64_t max, std::string_view what) {
  const auto value = read_number(text);
  if (!value) return tl::unexpected(fmt::format("'{}' is not {} (decimal, or hexadecimal with 0x)", text, what));
  if (*value > max) return tl::unexpected(fmt::format("{} is too large for {}: at most {}", text, what, max));
  return *value;
}

Parsed<Bound> parse_bound(std::string_view text) {
  Bound bound;
  if (const auto time = parse_utc(text)) {
    bound.kind = Bound::Kind::absolute;
    bound.time = *time;
    return bound;
  }
  if (text.starts_with('@')) {
    if (const auto time = parse_seconds(text.substr(1))) {
      bound.kind = Bound::Kind::absolute;
      bound.time = *time;
      return bound;
    }
  } else if (text.ends_with('s')) {
    if (const auto time = parse_seconds(text.substr(0, text.size() - 1))) {
      bound.kind = Bound::Kind::relative;
      bound.time = *time;
      return bound;
    }
  } else if (const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bound.frame);
             !text.empty() && error == std::errc{} && end == text.data() + text.size()) {
    return bound;
  }
  return tl::unexpected(
      fmt::format("'{}' is neither a frame number (120), nor seconds since the first frame (1.5s), nor seconds since "
                  "1970 (@1700000000.25), nor a time in UTC (2026-11-29T14:56:32.5)",
                  text));
}

Parsed<PsnRange> parse_psn_range(std::string_view text) {
  constexpr std::uint64_t max = Psn::modulus - 1;
  const std::size_t dash = text.find('-');
  const auto first = parse_number(text.substr(0, dash), max, "a PSN");
  if (!first) return tl::unexpected(first.error());
  const auto last = dash == std::string_view::npos ? first : parse_number(text.substr(dash + 1), max, "a PSN");
  if (!last) return tl::unexpected(last.error());
  return PsnRange{{static_cast<std::uint32_t>(*first)}, {static_cast<std::uint32_t>(*last)}};
}

Parsed<Operations> parse_operations(std::string_view text) {
  Operations out;
  if (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    const auto number = parse_number(text, 255, "an opcode");
    if (!number) return tl::unexpected(number.error());
    out.ib.set(*number);
    if (*number < out.rdmap.size()) out.rdmap.set(*number);
    return out;
  }
  std::string pattern(text);
  for (char& c : pattern) c = upper(c);
  std::vector<std::string_view> names;
  // Sets the bit if the name is meant.
  const auto consider = [&](std::string_view name, auto& set, std::size_t bit) {
    if (name.empty()) return;
    names.push_back(name);
    if (glob_matches(pattern, name)) set.set(bit);
  };
  for (const ib::OpcodeInfo& row : ib::opcode_table) consider(row.name, out.ib, static_cast<std::size_t>(row.opcode));
  for (const iwarp::OpcodeInfo& row : iwarp::opcode_table) {
    consider(row.name, out.rdmap, static_cast<std::size_t>(row.opcode));
  }
  for (std::size_t kind = 0; kind < iwarp::pdu_kind_names.size(); ++kind)
    consider(iwarp::pdu_kind_names[kind], out.others, kind);
  if (!out.any()) return tl::unexpected(fmt::format("no opcode is called '{}'{}", text, did_you_mean(text, names)));
  return out;
}

Parsed<AddressPattern> parse_address(std::string_view text) {
  AddressPattern out;
  if (const auto mac = wire::parse_mac(text)) {
    out.kind = AddressPattern::Kind::mac;
    std::ranges::copy(mac->octets, out.octets.begin());
    return out;
  }
  if (const auto ip = wire::parse_ip(text)) {
    out.octets = ip->octets;
    return out;
  }
  if (const auto lid = read_number(text); lid && *lid <= 0xFFFF) {
    out.kind = AddressPattern::Kind::lid;
    out.lid = static_cast<std::uint16_t>(*lid);
    return out;
  }
  return tl::unexpected(fmt::format("'{}' is not an address: IPv4, IPv6 or GID, MAC (02:00:00:00:00:01) or LID", text));
}

bool Selection::may_match(const pcap::Packet& packet, pcap::Timestamp first) const {
  const auto before = [&](const Bound& bound) {  // the packet, before the bound
    switch (bound.kind) {
      case Bound::Kind::frame:
        return packet.number < bound.frame;
      case Bound::Kind::relative:
        return difference(packet.time, first) < bound.time;
      case Bound::Kind::absolute:
        return packet.time < bound.time;
    }
    return false;
  };
  const auto after = [&](const Bound& bound) {
    switch (bound.kind) {
      case Bound::Kind::frame:
        return packet.number > bound.frame;
      case Bound::Kind::relative:
        return difference(packet.time, first) > bound.time;
      case Bound::Kind::absolute:
        return packet.time > bound.time;
    }
    return false;
  };
  return !(from && before(*from)) && !(to && after(*to));
}

bool Selection::matches(const Record& record) const {
  if (!all_frames && !record.is_rdma()) return false;
  if (!(record.pdu != nullptr ? matches_pdu(record) : matches_frame(record.frame))) return false;
  if (!sources.empty() && !any_address_matches(sources, record.frame, End::source)) return false;
  return destinations.empty() || any_address_matches(destinations, record.frame, End::destination);
}

bool Selection::matches_frame(const Frame& frame) const {
  if (!streams.empty()) return false;
  if (queue_pairs.empty() && psns.empty() && !operations) return true;
  const auto bth = frame.get<ib::Bth>();
  if (!bth) return false;
  if (operations && !operations->ib.test(static_cast<std::size_t>(bth->opcode))) return false;
  if (!psns.empty() && std::ranges::none_of(psns, [&](const PsnRange& r) { return r.contains(bth->psn); })) {
    return false;
  }
  if (queue_pairs.empty()) return true;
  const auto wanted = [&](Qpn qp) { return std::ranges::find(queue_pairs, qp) != queue_pairs.end(); };
  const auto deth = frame.get<ib::Deth>();
  return wanted(bth->dest_qp) || (deth && wanted(deth->source_qp));
}

bool Selection::matches_pdu(const Record& record) const {
  if (!queue_pairs.empty() || !psns.empty()) return false;
  if (!streams.empty() && (record.stream == nullptr || !may_select_stream(record.stream->conversation))) return false;
  if (!operations) return true;
  if (const auto control = record.pdu->get<iwarp::RdmapControl>()) {
    return operations->rdmap.test(static_cast<std::size_t>(control->opcode));
  }
  return operations->others.test(static_cast<std::size_t>(record.pdu->kind));
}

}  // namespace rdmawire::cli
