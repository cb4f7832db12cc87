// The states of a queue pair and the transitions between them, as data: IBTA vol. 1, 10.3.1 and table 91.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "codec/base/names.h"
#include "codec/ib/encodings.h"
#include "protocol/verbs/address_vector.h"
#include "protocol/verbs/types.h"
#include "protocol/verbs/work.h"

namespace rdmawire::verbs {

enum class QpState : std::uint8_t { reset, init, rtr, rts, sqd, sqe, err, count_ };

inline constexpr std::array qp_state_names{
    Name{QpState::reset, "RESET"}, Name{QpState::init, "INIT"}, Name{QpState::rtr, "RTR"}, Name{QpState::rts, "RTS"},
    Name{QpState::sqd, "SQD"},     Name{QpState::sqe, "SQE"},   Name{QpState::err, "ERR"},
};
static_assert(qp_state_names.size() == static_cast<std::size_t>(QpState::count_));

constexpr std::string_view name_of(QpState state) { return find_name(qp_state_names, state); }

// What a queue pair may do in a state (QPS-01 .. QPS-07).
struct QpStateInfo {
  QpState state;
  bool may_post_receive;
  bool may_post_send;
  bool receives;     // packets are taken and answered
  bool starts_work;  // new send work is started
  bool answers;      // started work goes on: retries, responses
};

inline constexpr std::array qp_state_table{
    QpStateInfo{QpState::reset, false, false, false, false, false},  //= QPS-01
    QpStateInfo{QpState::init, true, false, false, false, false},    //= QPS-02
    QpStateInfo{QpState::rtr, true, false, true, false, true},       //= QPS-03
    QpStateInfo{QpState::rts, true, true, true, true, true},         //= QPS-04
    QpStateInfo{QpState::sqd, true, true, true, false, true},        //= QPS-05
    QpStateInfo{QpState::sqe, true, true, true, false, false},       //= QPS-06
    QpStateInfo{QpState::err, true, true, false, false, false},      //= QPS-07
};

constexpr const QpStateInfo& info(QpState state) { return qp_state_table[static_cast<std::size_t>(state)]; }

// Migration state of the path: IBTA vol. 1, 17.2.8.
enum class MigrationState : std::uint8_t { migrated, rearm, armed };

// What modify takes. A member counts if its attribute is in the set given with it.
struct QpAttributes {
  std::uint16_t p_key_index = 0;
  std::uint8_t port = 1;
  Access access;  // operations that the peer may ask for: remote write, read, atomic, flush
  QKey q_key;
  AddressVector path;
  ib::PathMtu path_mtu{ib::mtu1024};
  Qpn destination_qp;
  Psn rq_psn;                            // of the first request that is expected
  std::uint16_t max_dest_rd_atomic = 0;  // IRD: reads and atomics of the peer's that can be held at once
  ib::RnrTimer min_rnr_timer;
  Psn sq_psn;  // of the first request that is sent
  ib::AckTimeout timeout;
  std::uint8_t retry_count = 0;     // 0 .. 7
  std::uint8_t rnr_retry = 0;       // 0 .. 6, 7 for ever
  std::uint16_t max_rd_atomic = 0;  // ORD: own reads and atomics outstanding at once
  AddressVector alternate_path;
  MigrationState migration = MigrationState::migrated;
  bool drained_event = true;  // SQD: tell when drained
};

// A set of them.
struct AttributeSet {
  std::uint32_t bits = 0;
  constexpr bool has(AttributeSet all) const { return (bits & all.bits) == all.bits; }
  constexpr bool empty() const { return bits == 0; }
  friend constexpr AttributeSet operator|(AttributeSet a, AttributeSet b) { return {a.bits | b.bits}; }
  friend constexpr AttributeSet operator-(AttributeSet a, AttributeSet b) { return {a.bits & ~b.bits}; }
  friend constexpr bool operator==(AttributeSet, AttributeSet) = default;
};

namespace attribute {
inline constexpr AttributeSet none{};
inline constexpr AttributeSet p_key_index{1U << 0};
inline constexpr AttributeSet port{1U << 1};
inline constexpr AttributeSet access{1U << 2};
inline constexpr AttributeSet q_key{1U << 3};
inline constexpr AttributeSet path{1U << 4};
inline constexpr AttributeSet path_mtu{1U << 5};
inline constexpr AttributeSet destination_qp{1U << 6};
inline constexpr AttributeSet rq_psn{1U << 7};
inline constexpr AttributeSet max_dest_rd_atomic{1U << 8};
inline constexpr AttributeSet min_rnr_timer{1U << 9};
inline constexpr AttributeSet sq_psn{1U << 10};
inline constexpr AttributeSet timeout{1U << 11};
inline constexpr AttributeSet retry_count{1U << 12};
inline constexpr AttributeSet rnr_retry{1U << 13};
inline constexpr AttributeSet max_rd_atomic{1U << 14};
inline constexpr AttributeSet alternate_path{1U << 15};
inline constexpr AttributeSet migration{1U << 16};
inline constexpr AttributeSet drained_event{1U << 17};
}  // namespace attribute

// A transition that the consumer may ask for. Transitions to ERR and RESET are allowed from every state and take no
// attributes: they have no rows.
struct QpTransition {
  QpState from;
  QpState to;
  Services services;
  AttributeSet required;
  AttributeSet optional;
  std::string_view requirement;  // of the register
};

inline constexpr std::array qp_transitions = [] {
  using enum QpState;
  using enum Service;
  using namespace attribute;
  constexpr auto path_rules = alternate_path | access | p_key_index;
  constexpr auto live = access | alternate_path | migration;
  return std::array{
      //= QPS-10
      QpTransition{reset, init, services(rc, uc), p_key_index | port | access, none, "QPS-10"},
      QpTransition{reset, init, services(ud), p_key_index | port | q_key, none, "QPS-10"},
      QpTransition{reset, init, services(iwarp), access, none, "RDMAP-5040-6.1-02"},
      QpTransition{init, init, services(iwarp), none, access, "RDMAP-5040-6.1-02"},
      QpTransition{init, init, services(rc, uc), none, p_key_index | port | access, "QPS-10"},
      QpTransition{init, init, services(ud), none, p_key_index | port | q_key, "QPS-10"},
      //= QPS-11
      QpTransition{init, rtr, services(rc),
                   path | path_mtu | destination_qp | rq_psn | max_dest_rd_atomic | min_rnr_timer, path_rules,
                   "QPS-11"},
      QpTransition{init, rtr, services(uc), path | path_mtu | destination_qp | rq_psn, path_rules, "QPS-11"},
      QpTransition{init, rtr, services(ud), none, p_key_index | q_key, "QPS-11"},
      //= QPS-12
      QpTransition{rtr, rts, services(rc), sq_psn | timeout | retry_count | rnr_retry | max_rd_atomic,
                   live | min_rnr_timer, "QPS-12"},
      QpTransition{rtr, rts, services(uc), sq_psn, live, "QPS-12"},
      QpTransition{rtr, rts, services(ud), sq_psn, q_key, "QPS-12"},
      // MPA or the SCTP session has come to its end, and says how many reads and atomics each side allows.
      QpTransition{init, rts, services(iwarp), max_rd_atomic | max_dest_rd_atomic, access, "RDMAP-5040-6.1-02"},
      QpTransition{rts, rts, services(iwarp), none, access, "RDMAP-5040-6.1-02"},
      //= QPS-13
      QpTransition{rts, rts, services(rc), none, live | min_rnr_timer, "QPS-13"},
      QpTransition{rts, rts, services(uc), none, live, "QPS-13"},
      QpTransition{rts, rts, services(ud), none, q_key, "QPS-13"},
      QpTransition{rts, sqd, services(rc, uc, ud), none, drained_event, "QPS-13"},
      QpTransition{sqd, rts, services(rc), none, live | min_rnr_timer, "QPS-13"},
      QpTransition{sqd, rts, services(uc), none, live, "QPS-13"},
      QpTransition{sqd, rts, services(ud), none, q_key, "QPS-13"},
      QpTransition{sqd, sqd, services(rc), none,
                   live | min_rnr_timer | p_key_index | port | path | timeout | retry_count | rnr_retry |
                       max_rd_atomic | max_dest_rd_atomic,
                   "QPS-13"},
      QpTransition{sqd, sqd, services(uc), none, live | p_key_index | path, "QPS-13"},
      QpTransition{sqd, sqd, services(ud), none, p_key_index | q_key, "QPS-13"},
      QpTransition{sqe, rts, services(uc), none, access, "QPS-13"},
      QpTransition{sqe, rts, services(ud), none, q_key, "QPS-13"},
  };
}();

// nullptr if there is none.
constexpr const QpTransition* find_transition(Service service, QpState from, QpState to) {
  for (const QpTransition& row : qp_transitions) {
    if (row.from == from && row.to == to && row.services.has(service)) return &row;
  }
  return nullptr;
}

}  // namespace rdmawire::verbs
