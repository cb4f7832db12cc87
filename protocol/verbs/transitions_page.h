// docs/queue_pair_states.md, made from the tables: the whole state x state matrix and a diagram.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "protocol/verbs/qp_state.h"

namespace rdmawire::verbs {

namespace detail {

// A string that is written to like a stream.
struct Page {
  std::string text;
  Page& operator<<(std::string_view more) {
    text += more;
    return *this;
  }
};

inline constexpr std::array attribute_names{
    std::pair{attribute::p_key_index, "P_Key index"},
    std::pair{attribute::port, "port"},
    std::pair{attribute::access, "access"},
    std::pair{attribute::q_key, "Q_Key"},
    std::pair{attribute::path, "path"},
    std::pair{attribute::path_mtu, "path MTU"},
    std::pair{attribute::destination_qp, "destination QP"},
    std::pair{attribute::rq_psn, "RQ PSN"},
    std::pair{attribute::max_dest_rd_atomic, "responder resources"},
    std::pair{attribute::min_rnr_timer, "minimum RNR timer"},
    std::pair{attribute::sq_psn, "SQ PSN"},
    std::pair{attribute::timeout, "local ACK timeout"},
    std::pair{attribute::retry_count, "retry count"},
    std::pair{attribute::rnr_retry, "RNR retry count"},
    std::pair{attribute::max_rd_atomic, "initiator depth"},
    std::pair{attribute::alternate_path, "alternate path"},
    std::pair{attribute::migration, "migration state"},
    std::pair{attribute::drained_event, "drained event"},
};

inline std::string names_of(AttributeSet set) {
  std::string out;
  for (const auto& [which, name] : attribute_names) {
    if (set.has(which)) out += (out.empty() ? "" : ", ") + std::string(name);
  }
  return out.empty() ? "-" : out;
}

}  // namespace detail

inline std::string transitions_page() {
  constexpr std::array services{std::pair{Service::rc, "RC"}, std::pair{Service::uc, "UC"},
                                std::pair{Service::ud, "UD"}, std::pair{Service::iwarp, "iWARP"}};
  detail::Page out;
  out << "# States of a queue pair\n\n"
         "Made from `protocol/verbs/qp_state.h` by `bazel run //protocol/verbs:print_transitions_page`; a test "
         "compares.\n\n"
         "```mermaid\nstateDiagram-v2\n    [*] --> RESET\n";
  for (std::size_t from = 0; from < qp_state_table.size(); ++from) {
    for (std::size_t to = 0; to < qp_state_table.size(); ++to) {
      const auto a = static_cast<QpState>(from);
      const auto b = static_cast<QpState>(to);
      std::string who;
      bool all = true;
      for (const auto& [service, name] : services) {
        if (find_transition(service, a, b) != nullptr) {
          who += (who.empty() ? "" : ", ") + std::string(name);
        } else {
          all = false;
        }
      }
      if (who.empty() || a == b) continue;
      out << "    " << name_of(a) << " --> " << name_of(b) << (all ? "" : ": " + who) << "\n";
    }
  }
  out << "    RTS --> SQE: send error, UC, UD\n"
         "```\n\nEvery state leads to ERR and to RESET. ERR leads to RESET only.\n\n"
         "| state | receive may be posted | send may be posted | takes packets | starts work | answers |\n"
         "|---|---|---|---|---|---|\n";
  const auto yes = [](bool is) { return is ? "yes" : "-"; };
  for (const QpStateInfo& row : qp_state_table) {
    out << "| " << name_of(row.state) << " | " << yes(row.may_post_receive) << " | " << yes(row.may_post_send) << " | "
        << yes(row.receives) << " | " << yes(row.starts_work) << " | " << yes(row.answers) << " |\n";
  }
  for (const auto& [service, name] : services) {
    out << "\n## " << name << "\n\n| from | to | required | optional | requirement |\n|---|---|---|---|---|\n";
    for (std::size_t from = 0; from < qp_state_table.size(); ++from) {
      for (std::size_t to = 0; to < qp_state_table.size(); ++to) {
        const QpTransition* row = find_transition(service, static_cast<QpState>(from), static_cast<QpState>(to));
        if (row == nullptr) continue;
        out << "| " << name_of(row->from) << " | " << name_of(row->to) << " | " << detail::names_of(row->required)
            << " | " << detail::names_of(row->optional) << " | " << row->requirement << " |\n";
      }
    }
  }
  return out.text;
}

}  // namespace rdmawire::verbs
