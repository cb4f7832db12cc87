// Which records are shown.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "cli/record.h"
#include "codec/base/types.h"
#include "codec/iwarp/opcode.h"

namespace rdmawire::cli {

// What is wrong with a value on the command line, in words for the user.
template <class T>
using Parsed = tl::expected<T, std::string>;

// One end of --from/--to: a frame number, a time since the file's first frame, or a time of day.
struct Bound {
  enum class Kind : std::uint8_t { frame, relative, absolute };
  Kind kind = Kind::frame;
  std::uint64_t frame = 0;
  pcap::Timestamp time;
};
// "120", "1.5s", "@1700000000.25", "2026-11-29T14:56:32.5Z" (see parse_utc).
Parsed<Bound> parse_bound(std::string_view text);

// Packet sequence numbers first to last; the range may wrap.
struct PsnRange {
  Psn first;
  Psn last;
  bool contains(Psn psn) const { return first.forward_to(psn) <= first.forward_to(last); }
};
// "N" or "A-B", each decimal or 0x hexadecimal.
Parsed<PsnRange> parse_psn_range(std::string_view text);

// A decimal or 0x hexadecimal number of at most max. what: "a PSN", for the message.
Parsed<std::uint64_t> parse_number(std::string_view text, std::uint64_t max, std::string_view what);

// Operations of all protocols.
struct Operations {
  std::bitset<256> ib;                               // by the operation code of the BTH
  std::bitset<iwarp::num_opcodes> rdmap;             // by that of RDMAP
  std::bitset<iwarp::pdu_kind_names.size()> others;  // PDUs without an RDMAP message, by their kind

  bool any() const { return ib.any() || has_iwarp(); }
  bool has_iwarp() const { return rdmap.any() || others.any(); }
  Operations& operator|=(const Operations& more) {
    ib |= more.ib;
    rdmap |= more.rdmap;
    others |= more.others;
    return *this;
  }
};
// What a name (any case, with * and ? as in a shell) or a number stands for. A number is an operation code of the BTH
// and of RDMAP alike, and may be a reserved one.
Parsed<Operations> parse_operations(std::string_view text);

// An address of any layer.
struct AddressPattern {
  enum class Kind : std::uint8_t { mac, ip, lid };
  Kind kind = Kind::ip;
  std::array<std::uint8_t, 16>
      octets{};  // of an IP address or GID; IPv4 as ::ffff:a.b.c.d. A MAC address has the first six
  std::uint16_t lid = 0;
};
// "10.0.0.1", "fe80::1", "02:00:00:00:00:01", "17" or "0x11" for a LID.
Parsed<AddressPattern> parse_address(std::string_view text);

struct Selection {
  bool all_frames = false;  // also those without RDMA
  std::optional<Bound> from;
  std::optional<Bound> to;
  // Empty lists select everything; the entries of one are alternatives, and all lists must agree.
  std::vector<Qpn> queue_pairs;  // these two: InfiniBand and RoCE alone
  std::vector<PsnRange> psns;
  std::vector<std::uint32_t> streams;  // numbers of TCP conversations
  std::optional<Operations> operations;
  std::vector<AddressPattern> sources;
  std::vector<AddressPattern> destinations;

  // False for packets that need not even be parsed.
  bool may_match(const pcap::Packet& packet, pcap::Timestamp first) const;
  // True if no packet from this one on can match.
  bool ends_before(const pcap::Packet& packet) const {
    return to && to->kind == Bound::Kind::frame && packet.number > to->frame;
  }
  bool matches(const Record& record) const;
  // False if nothing of iWARP can match: what TCP carries is then of no interest.
  bool may_select_iwarp() const {
    return queue_pairs.empty() && psns.empty() && (!operations || operations->has_iwarp());
  }
  bool may_select_stream(std::uint32_t conversation) const {
    return may_select_iwarp() && (streams.empty() || std::ranges::find(streams, conversation) != streams.end());
  }

 private:
  bool matches_frame(const Frame& frame) const;
  bool matches_pdu(const Record& record) const;
};

}  // namespace rdmawire::cli
