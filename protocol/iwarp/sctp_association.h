// What a host with an SCTP stack of its own needs to know to carry DDP on an association: RFC 5043, 5.1, 7 to 9, 11.1.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "codec/base/layout.h"
#include "codec/iwarp/sctp.h"
#include "codec/net/sctp.h"

namespace rdmawire::iwarp {

// What the ULP decides of an endpoint before it has associations.
//= SCTP-5043-7.1-01, SCTP-5043-11.1-06
struct SctpEndpointPolicy {
  // The Adaptation Layer Indication of its INIT and INIT ACK; nothing: without that parameter, and so without DDP.
  std::optional<std::uint32_t> indication = AdaptationIndication::ddp;
  // Associations with peers that indicate something else, or nothing, are refused; otherwise they go without DDP.
  bool refuse_others = true;
};

enum class SctpAssociationUse : std::uint8_t {
  ddp,          // sessions may be opened on all its streams, and nothing else goes over it
  without_ddp,  // no session, no payload protocol identifier of DDP's
  refuse,       // ABORT
};

// What becomes of an association when the peer's INIT or INIT ACK is there. peer: the indication in it, if there was
// one.
//= SCTP-5043-11.1-02, SCTP-5043-11.1-03, SCTP-5043-11.1-04, SCTP-5043-11.1-05, SCTP-5043-7.1-03, SCTP-5043-7.1-04
constexpr SctpAssociationUse use_of_association(const SctpEndpointPolicy& policy, std::optional<std::uint32_t> peer) {
  if (policy.indication == peer) {
    return peer == AdaptationIndication::ddp ? SctpAssociationUse::ddp : SctpAssociationUse::without_ddp;
  }
  return policy.refuse_others ? SctpAssociationUse::refuse : SctpAssociationUse::without_ddp;
}

// The parameter for INIT or INIT ACK, as octets.
//= SCTP-5043-11.1-01
constexpr std::array<std::uint8_t, header_size<AdaptationIndication>> adaptation_parameter(std::uint32_t indication) {
  std::array<std::uint8_t, header_size<AdaptationIndication>> out{};
  encode(AdaptationIndication{.indication = indication}, out);
  return out;
}

// An INIT with as many streams out as in, as each DDP stream is a pair of them. The parameters follow it; params_len:
// their octets.
//= SCTP-5043-8-01, SCTP-5043-4-01
constexpr net::SctpInit ddp_init(std::uint16_t num_streams, std::uint16_t params_len) {
  net::SctpInit out;
  out.length = static_cast<std::uint16_t>(header_size<net::SctpInit> + params_len);
  out.num_outbound_streams = num_streams;
  out.num_inbound_streams = num_streams;
  return out;
}

// Octets of user data that an implementation carries in one chunk whatever the path, if need be by SCTP's
// fragmentation: a DDP segment of 516 octets, and the DDP-SSN before it.
inline constexpr std::uint32_t min_ddp_chunk_len = 516 + header_size<DdpSctp>;

// Octets of user data of the largest chunk that a path takes without IP fragmentation: MTU without headers and without
// what control chunks take that travel along (a SACK with four gaps), a whole number of words. ip_header_len: 20 or 40,
// with options and extension headers.
//= SCTP-5043-9-01, SCTP-5043-9-02, SCTP-5043-9-03
constexpr std::uint32_t max_ddp_chunk_len(std::uint32_t path_mtu, std::uint32_t ip_header_len) {
  constexpr std::uint32_t sack_len = 16 + 4 * 4;
  const std::uint32_t around = ip_header_len + header_size<net::Sctp> + sack_len + header_size<net::SctpData>;
  const std::uint32_t left = path_mtu > around ? (path_mtu - around) / 4 * 4 : 0;
  return std::max(left, min_ddp_chunk_len);
}

// Of one association, as its ends agreed.
struct SctpAssociation {
  SctpAssociationUse use = SctpAssociationUse::ddp;
  std::uint32_t max_chunk_len = 1420;  // octets of user data that are sent in one chunk: max_ddp_chunk_len
};

// The requests that wait for the ULP's answer, over all associations of an endpoint.
//= SCTP-5043-5.2.3-07, SCTP-5043-6.4-02
class SctpListener {
 public:
  explicit SctpListener(std::uint32_t max_pending) : max_pending_(max_pending) {}

  std::uint32_t num_pending() const { return num_pending_; }
  // False: there are enough.
  bool take() {
    if (num_pending_ >= max_pending_) return false;
    ++num_pending_;
    return true;
  }
  void give_back() { --num_pending_; }

 private:
  std::uint32_t max_pending_;
  std::uint32_t num_pending_ = 0;
};

}  // namespace rdmawire::iwarp
