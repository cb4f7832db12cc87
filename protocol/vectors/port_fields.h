// How a port is made, as JSON.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/ib/port.h"
#include "protocol/vectors/rc_fields.h"

namespace rdmawire::ib {

constexpr std::string_view name_of(Carrier carrier) {
  constexpr std::array<std::string_view, 3> names{"infiniband", "rocev1", "rocev2"};
  const auto index = static_cast<std::size_t>(carrier);
  return index < names.size() ? names[index] : std::string_view();
}
constexpr std::string_view name_of(CnpPacing pacing) {
  constexpr std::array<std::string_view, 3> names{"queue_pair", "destination", "port"};
  const auto index = static_cast<std::size_t>(pacing);
  return index < names.size() ? names[index] : std::string_view();
}

constexpr auto members(std::type_identity<GidEntry>) {
  using vectors::member;
  return std::tuple{member("gid", &GidEntry::gid), member("carrier", &GidEntry::carrier),
                    member("vlan", &GidEntry::vlan)};
}

constexpr auto members(std::type_identity<PortConfig>) {
  using vectors::member;
  return std::tuple{member("mac", &PortConfig::mac),
                    member("lid", &PortConfig::lid),
                    member("gids", &PortConfig::gids),
                    member("p_keys", &PortConfig::p_keys),
                    member("mtu", &PortConfig::mtu),
                    member("max_queue_pairs", &PortConfig::max_queue_pairs),
                    member("send_cnp", &PortConfig::send_cnp),
                    member("cnp_interval", &PortConfig::cnp_interval),
                    member("cnp_pacing", &PortConfig::cnp_pacing),
                    member("cnp_traffic_class", &PortConfig::cnp_traffic_class),
                    member("rate_bits_per_second", &PortConfig::rate_bits_per_second),
                    member("rate_recovery", &PortConfig::rate_recovery)};
}

}  // namespace rdmawire::ib

namespace rdmawire::vectors {

// By the numbers of the queue pairs; null if there are none.
inline Json states_of(const std::vector<const verbs::QueuePair*>& queue_pairs) {
  Json out;
  for (const verbs::QueuePair* one : queue_pairs) {
    out[std::to_string(one->config().number.value)] = to_json(one->state());
  }
  return out;
}

using DropCounts = std::array<std::uint64_t, static_cast<std::size_t>(ib::DropCause::count_)>;

inline DropCounts drop_counts(const ib::Port& port) {
  DropCounts out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = port.num_dropped(static_cast<ib::DropCause>(i));
  return out;
}

// Why the port has dropped something since: names, of each cause once; null: it has not.
inline Json dropped_since(const ib::Port& port, const DropCounts& before) {
  const DropCounts now = drop_counts(port);
  Json out;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] != before[i]) out.push_back(std::string(name_of(static_cast<ib::DropCause>(i))));
  }
  return out;
}

}  // namespace rdmawire::vectors
