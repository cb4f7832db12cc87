// What verbs take and give, as JSON.
#pragma once

#include <tuple>
#include <vector>

#include "protocol/vectors/fields.h"
#include "protocol/verbs/queue_pair.h"

namespace rdmawire::verbs {

constexpr auto members(std::type_identity<AddressVector>) {
  using vectors::member;
  return std::tuple{member("destination_lid", &AddressVector::destination_lid),
                    member("service_level", &AddressVector::service_level),
                    member("source_path_bits", &AddressVector::source_path_bits),
                    member("global", &AddressVector::global),
                    member("destination_gid", &AddressVector::destination_gid),
                    member("source_gid_index", &AddressVector::source_gid_index),
                    member("flow_label", &AddressVector::flow_label),
                    member("hop_limit", &AddressVector::hop_limit),
                    member("traffic_class", &AddressVector::traffic_class),
                    member("destination_mac", &AddressVector::destination_mac),
                    member("udp_source_port", &AddressVector::udp_source_port)};
}

constexpr auto members(std::type_identity<Sge>) {
  using vectors::member;
  return std::tuple{member("address", &Sge::address), member("length", &Sge::length), member("l_key", &Sge::l_key)};
}

constexpr auto members(std::type_identity<QueueSizes>) {
  using vectors::member;
  return std::tuple{member("depth", &QueueSizes::depth), member("max_sges", &QueueSizes::max_sges),
                    member("max_inline", &QueueSizes::max_inline)};
}

constexpr auto members(std::type_identity<QpConfig>) {
  using vectors::member;
  return std::tuple{member("number", &QpConfig::number), member("pd", &QpConfig::pd), member("send", &QpConfig::send),
                    member("receive", &QpConfig::receive), member("signal_all", &QpConfig::signal_all)};
}

constexpr auto members(std::type_identity<MemoryTable::Bind>) {
  using vectors::member;
  using Bind = MemoryTable::Bind;
  return std::tuple{member("region", &Bind::region), member("address", &Bind::address), member("length", &Bind::length),
                    member("access", &Bind::access)};
}

// The rest of a work request is a list or refers to memory: vectors::to_json(SendWork, ...).
constexpr auto members(std::type_identity<SendWork>) {
  using vectors::member;
  return std::tuple{
      member("id", &SendWork::id),
      member("opcode", &SendWork::opcode),
      member("signaled", &SendWork::signaled),
      member("fence", &SendWork::fence),
      member("solicited", &SendWork::solicited),
      member("inline", &SendWork::inline_data),
      member("remote_address", &SendWork::remote_address),
      member("r_key", &SendWork::r_key),
      member("immediate", &SendWork::immediate),
      member("immediate_data", &SendWork::immediate_data),
      member("invalidate", &SendWork::invalidate),
      member("compare", &SendWork::compare),
      member("swap_or_add", &SendWork::swap_or_add),
      member("compare_mask", &SendWork::compare_mask),
      member("swap_mask", &SendWork::swap_mask),
      member("add_mask", &SendWork::add_mask),
      member("flush_len", &SendWork::flush_len),
      member("flush_placement", &SendWork::flush_placement),
      member("flush_region", &SendWork::flush_region),
      member("window", &SendWork::window),
      member("bind", &SendWork::bind),
      member("register_address", &SendWork::register_address),
      member("register_access", &SendWork::register_access),
      member("destination", &SendWork::destination),
      member("destination_qp", &SendWork::destination_qp),
      member("q_key", &SendWork::q_key),
  };
}

}  // namespace rdmawire::verbs

namespace rdmawire::vectors {

template <>
inline Json to_json(const verbs::WorkId& value) {
  return value.value;
}
template <>
inline void read_json(const Json& json, verbs::WorkId& out) {
  out.value = json.get<std::uint64_t>();
}

struct NamedRight {
  verbs::Access right;
  const char* name;
};
inline constexpr std::array named_rights{
    NamedRight{verbs::rights::local_write, "local_write"},
    NamedRight{verbs::rights::remote_write, "remote_write"},
    NamedRight{verbs::rights::remote_read, "remote_read"},
    NamedRight{verbs::rights::remote_atomic, "remote_atomic"},
    NamedRight{verbs::rights::bind_window, "bind_window"},
    NamedRight{verbs::rights::zero_based, "zero_based"},
    NamedRight{verbs::rights::flush_visible, "flush_visible"},
    NamedRight{verbs::rights::flush_persistent, "flush_persistent"},
};

template <>
inline Json to_json(const verbs::Access& value) {
  Json out = Json::array();
  for (const NamedRight& row : named_rights) {
    if (value.has(row.right)) out.push_back(row.name);
  }
  return out;
}
template <>
inline void read_json(const Json& json, verbs::Access& out) {
  out = {};
  for (const Json& name : json) {
    for (const NamedRight& row : named_rights) {
      if (name == row.name) out = out | row.right;
    }
  }
}

// The attributes that modify is given.
inline constexpr auto named_attributes = [] {
  using verbs::QpAttributes;
  namespace a = verbs::attribute;
  return std::tuple{
      std::pair{a::p_key_index, member("p_key_index", &QpAttributes::p_key_index)},
      std::pair{a::port, member("port", &QpAttributes::port)},
      std::pair{a::access, member("access", &QpAttributes::access)},
      std::pair{a::q_key, member("q_key", &QpAttributes::q_key)},
      std::pair{a::path, member("path", &QpAttributes::path)},
      std::pair{a::path_mtu, member("path_mtu", &QpAttributes::path_mtu)},
      std::pair{a::destination_qp, member("destination_qp", &QpAttributes::destination_qp)},
      std::pair{a::rq_psn, member("rq_psn", &QpAttributes::rq_psn)},
      std::pair{a::max_dest_rd_atomic, member("max_dest_rd_atomic", &QpAttributes::max_dest_rd_atomic)},
      std::pair{a::min_rnr_timer, member("min_rnr_timer", &QpAttributes::min_rnr_timer)},
      std::pair{a::sq_psn, member("sq_psn", &QpAttributes::sq_psn)},
      std::pair{a::timeout, member("timeout", &QpAttributes::timeout)},
      std::pair{a::retry_count, member("retry_count", &QpAttributes::retry_count)},
      std::pair{a::rnr_retry, member("rnr_retry", &QpAttributes::rnr_retry)},
      std::pair{a::max_rd_atomic, member("max_rd_atomic", &QpAttributes::max_rd_atomic)},
      std::pair{a::alternate_path, member("alternate_path", &QpAttributes::alternate_path)},
      std::pair{a::migration, member("migration", &QpAttributes::migration)},
      std::pair{a::drained_event, member("drained_event", &QpAttributes::drained_event)},
  };
}();

struct GivenAttributes {
  verbs::QpAttributes values;
  verbs::AttributeSet given;
};

inline Json to_json(const verbs::QpAttributes& values, verbs::AttributeSet given) {
  Json out = Json::object();
  std::apply(
      [&](const auto&... row) {
        ((given.has(row.first) ? void(out[row.second.name] = to_json(values.*row.second.at)) : void()), ...);
      },
      named_attributes);
  return out;
}
template <>
inline void read_json(const Json& json, GivenAttributes& out) {
  out = {};
  const auto take = [&](const auto& row) {
    const auto found = json.find(row.second.name);
    if (found == json.end()) return;
    out.given = out.given | row.first;
    read_json(*found, out.values.*row.second.at);
  };
  std::apply([&](const auto&... row) { (take(row), ...); }, named_attributes);
}

// In an error it says no more than what completed.
template <>
inline Json to_json(const verbs::Completion& value) {
  Json out;
  out["id"] = to_json(value.id);
  out["opcode"] = to_json(value.opcode);
  out["status"] = to_json(value.status);
  if (value.status != verbs::CompletionStatus::success) return out;
  if (value.byte_len != 0) out["byte_len"] = value.byte_len;
  if (value.solicited) out["solicited"] = true;
  if (value.has_immediate) out["immediate"] = pack(value.immediate);
  if (value.opcode == verbs::CompletionOpcode::receive_immediate_data) {
    out["immediate_data"] = pack(value.immediate_data);
  }
  if (value.has_invalidated) out["invalidated"] = to_json(value.invalidated);
  if (value.source_qp.value != 0) out["source_qp"] = to_json(value.source_qp);
  if (value.has_grh) out["grh"] = true;
  return out;
}

}  // namespace rdmawire::vectors
