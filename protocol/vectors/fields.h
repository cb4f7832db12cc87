// The structures of the machines' interfaces as JSON, each by one list of its members, which writes and reads them. A
// member that has its default value is left out.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "codec/base/layout.h"
#include "protocol/vectors/json.h"

namespace rdmawire::vectors {

template <class T, class M>
struct Member {
  const char* name;
  M T::* at;
};

template <class T, class M>
constexpr Member<T, M> member(const char* name, M T::* at) {
  return {name, at};
}

// members(std::type_identity<T>) is a tuple of Member.
template <class T>
concept Described = requires { members(std::type_identity<T>{}); };

template <class T>
concept Wrapped = requires(T v) { v.value; } && !Described<T>;
template <class T>
concept Named = std::is_enum_v<T> && requires(T v) { name_of(v); };
template <class T>
concept Addressed = requires(T v) { v.octets; } && !Described<T>;

namespace detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_octets = false;
template <std::size_t N>
inline constexpr bool is_octets<std::array<std::uint8_t, N>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

// Values that an enumeration can have.
template <class T>
constexpr unsigned num_values() {
  if constexpr (requires { T::count_; }) {
    return static_cast<unsigned>(T::count_);
  } else {
    return 256;
  }
}

template <std::size_t N>
void copy_octets(const Json& json, std::array<std::uint8_t, N>& out) {
  const auto octets = unpack(json.get<std::string>());
  if (octets.size() != N) throw std::invalid_argument("wrong number of octets: " + json.dump());
  std::copy(octets.begin(), octets.end(), out.begin());
}

}  // namespace detail

template <class T>
Json to_json(const T& value) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::int64_t>) {
    return value;
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (sizeof(T) == 8) return hex_number(value);
    return static_cast<std::uint64_t>(value);
  } else if constexpr (std::is_same_v<T, std::chrono::nanoseconds>) {
    return value.count();
  } else if constexpr (Named<T>) {
    return std::string(name_of(value));
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<std::uint64_t>(value);
  } else if constexpr (detail::is_octets<T>) {
    return pack(value);
  } else if constexpr (detail::is_optional<T>) {
    return value ? to_json(*value) : Json();
  } else if constexpr (detail::is_vector<T>) {
    Json out = Json::array();
    for (const auto& one : value) out.push_back(to_json(one));
    return out;
  } else if constexpr (Described<T>) {
    Json out = Json::object();
    const T defaults{};
    std::apply(
        [&](const auto&... each) {
          const auto put = [&](const auto& one) {
            Json json = to_json(value.*one.at);
            if (json != to_json(defaults.*one.at)) out[one.name] = std::move(json);
          };
          (put(each), ...);
        },
        members(std::type_identity<T>{}));
    return out;
  } else if constexpr (Header<T>) {
    std::array<std::uint8_t, header_size<T>> octets;
    encode(value, octets);
    return pack(octets);
  } else if constexpr (Addressed<T>) {
    return pack(value.octets);
  } else {
    static_assert(Wrapped<T>);
    return to_json(value.value);
  }
}

template <class T>
void read_json(const Json& json, T& out) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::int64_t>) {
    out = json.get<T>();
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (sizeof(T) == 8) {
      out = from_hex_number(json.get<std::string>());
    } else {
      out = static_cast<T>(json.get<std::uint64_t>());
    }
  } else if constexpr (std::is_same_v<T, std::chrono::nanoseconds>) {
    out = std::chrono::nanoseconds(json.get<std::int64_t>());
  } else if constexpr (Named<T>) {
    const auto name = json.get<std::string>();
    for (unsigned i = 0; i < detail::num_values<T>(); ++i) {
      if (name_of(static_cast<T>(i)) == name) {
        out = static_cast<T>(i);
        return;
      }
    }
    throw std::invalid_argument("no such name: " + name);
  } else if constexpr (std::is_enum_v<T>) {
    out = static_cast<T>(json.get<std::uint64_t>());
  } else if constexpr (detail::is_octets<T>) {
    detail::copy_octets(json, out);
  } else if constexpr (detail::is_optional<T>) {
    out.reset();
    if (!json.is_null()) read_json(json, out.emplace());
  } else if constexpr (detail::is_vector<T>) {
    out.clear();
    for (const Json& one : json) read_json(one, out.emplace_back());
  } else if constexpr (Described<T>) {
    out = T{};
    std::size_t num_read = 0;
    std::apply(
        [&](const auto&... each) {
          const auto take = [&](const auto& one) {
            const auto found = json.find(one.name);
            if (found == json.end()) return;
            ++num_read;
            read_json(*found, out.*one.at);
          };
          (take(each), ...);
        },
        members(std::type_identity<T>{}));
    if (num_read != json.size()) throw std::invalid_argument("unknown member in " + json.dump());
  } else if constexpr (Header<T>) {
    std::array<std::uint8_t, header_size<T>> octets;
    detail::copy_octets(json, octets);
    out = decode<T>(octets);
  } else if constexpr (Addressed<T>) {
    detail::copy_octets(json, out.octets);
  } else {
    static_assert(Wrapped<T>);
    read_json(json, out.value);
  }
}

template <class T>
T from_json(const Json& json) {
  T out{};
  read_json(json, out);
  return out;
}

// Of a member that may be missing: its default.
template <class T>
T member_or(const Json& json, const char* name, T otherwise = {}) {
  const auto found = json.find(name);
  return found == json.end() ? otherwise : from_json<T>(*found);
}

}  // namespace rdmawire::vectors
