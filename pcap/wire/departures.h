// What a peer of RoCEv2 does that a reader of the specification does not expect, and that does no harm: told from the
// frames of connections as they pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codec/base/bytes.h"
#include "codec/base/types.h"

namespace rdmawire::wire {

class Departures {
 public:
  void on_sent(Bytes frame);
  void on_received(Bytes frame);

  // One line for people each; empty if there was nothing.
  std::vector<std::string> lines() const;

 private:
  std::uint64_t num_m_bits_clear_ = 0;
  std::uint64_t num_acks_ = 0;
  std::uint64_t num_without_credits_ = 0;  // of these
  std::uint64_t num_rnr_naks_for_longest_ = 0;
  std::uint64_t num_naks_behind_rnr_nak_ = 0;
  std::uint64_t num_replays_from_middle_ = 0;
  bool rnr_nak_ = false;  // was the last answer to rnr_qp_
  std::uint32_t rnr_qp_ = 0;
  Psn rnr_psn_;
  bool asked_ = false;  // for a READ, from asked_psn_ on
  Psn asked_psn_;
};

}  // namespace rdmawire::wire
