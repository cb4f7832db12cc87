// What a peer of RoCEv2 does that a reader of the specification does not expect, and that does no harm: told from the
// frames of connections as they pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "codec/base/bytes.h"
#include "codec/base/types.h"
#include "codec/ib/aeth.h"
#include "codec/ib/bth.h"
#include "protocol/ib/quirks.h"
#include "protocol/time.h"

namespace rdmawire::wire {

struct Departure {
  std::optional<ib::Quirk> quirk;
  std::string_view allowed;  // without a quirk: one line for people; the specification has nothing against it
  std::uint64_t count = 0;   // of packets
};

class Departures {
 public:
  void on_sent(Bytes frame, Time now);
  void on_received(Bytes frame, Time now);

  // Those that were seen.
  std::vector<Departure> seen() const;

 private:
  // A READ that was sent, until its answer begins as it must.
  struct Asked {
    Psn psn;
    bool continued = false;  // the answer has begun with what belongs to its middle
  };
  // A READ that came, and the responses that went.
  struct Answered {
    Qpn qp;
    Psn psn;
    Psn last;                // of a response
    std::optional<Time> at;  // of that response
  };

  // Of an RNR NAK.
  struct NotReady {
    Qpn qp;
    Psn psn;
    friend bool operator==(const NotReady&, const NotReady&) = default;
  };
  // The last ACK.
  struct Acknowledged {
    Qpn qp;
    Psn psn;
    Msn msn;
  };

  void on_read(const ib::Bth& bth, Time now);
  void on_answer(const ib::Bth& bth, const ib::Aeth& aeth);
  bool counts_message(const ib::Bth& bth, Msn msn) const;

  std::uint64_t num_m_bits_clear_ = 0;
  std::uint64_t num_acks_ = 0;
  std::uint64_t num_without_credits_ = 0;  // of these
  std::uint64_t num_rnr_naks_for_longest_ = 0;
  std::uint64_t num_naks_behind_rnr_nak_ = 0;
  std::uint64_t num_replays_as_before_ = 0;
  std::uint64_t num_late_rereads_ = 0;
  std::uint64_t num_bad_invalidates_ = 0;
  std::optional<NotReady> not_ready_;  // if that was the last answer
  std::optional<Psn> invalidating_;    // of a SEND with invalidate, until it is acknowledged
  std::optional<Acknowledged> acknowledged_;
  std::optional<Asked> asked_;
  std::optional<Answered> answered_;
};

}  // namespace rdmawire::wire
