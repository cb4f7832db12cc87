// The vocabulary of verbs: handles, keys and rights. IBTA vol. 1, 10 and 11; RDMA Protocol Verbs (RFC 5040's API side).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tl/expected.hpp>

#include "codec/base/names.h"
#include "codec/base/types.h"

namespace rdmawire::verbs {

// A protection domain: what may be used together.
using Pd = Identifier<struct PdTag, std::uint32_t>;
// The consumer's own number of a work request, given back in its completion.
using WorkId = Identifier<struct WorkIdTag, std::uint64_t>;

// The key of a memory region or window: a 24-bit index, which the device gives, and 8 bits, which the consumer may
// change. As an L_Key it stands for local use, as an R_Key (InfiniBand) or STag (iWARP) for the peer's.
struct MemoryKey {
  std::uint32_t value{};
  friend constexpr auto operator<=>(MemoryKey, MemoryKey) = default;
  static constexpr MemoryKey of(std::uint32_t index, std::uint8_t key) { return {index << 8 | key}; }
  constexpr std::uint32_t index() const { return value >> 8; }
  constexpr std::uint8_t key() const { return static_cast<std::uint8_t>(value); }
};

// What a memory region, a window or a queue pair allows. A set.
struct Access {
  std::uint16_t bits = 0;

  constexpr bool has(Access all) const { return (bits & all.bits) == all.bits; }
  constexpr bool any() const { return bits != 0; }
  friend constexpr Access operator|(Access a, Access b) { return {static_cast<std::uint16_t>(a.bits | b.bits)}; }
  friend constexpr Access operator&(Access a, Access b) { return {static_cast<std::uint16_t>(a.bits & b.bits)}; }
  friend constexpr Access operator-(Access a, Access b) { return {static_cast<std::uint16_t>(a.bits & ~b.bits)}; }
  friend constexpr bool operator==(Access, Access) = default;
};

namespace rights {
inline constexpr Access local_read{0};  // every region has it
inline constexpr Access local_write{1U << 0};
inline constexpr Access remote_write{1U << 1};
inline constexpr Access remote_read{1U << 2};
inline constexpr Access remote_atomic{1U << 3};
inline constexpr Access bind_window{1U << 4};
// Addresses count from the region's or window's first octet (IBTA vol. 1, 10.6.2.6).
inline constexpr Access zero_based{1U << 5};
inline constexpr Access flush_visible{1U << 6};     // FLUSH to global visibility (A19)
inline constexpr Access flush_persistent{1U << 7};  // FLUSH to persistence (A19)
inline constexpr Access remote = remote_write | remote_read | remote_atomic | flush_visible | flush_persistent;
}  // namespace rights

// Why a verb was refused. Nothing has changed then.
enum class VerbsError : std::uint8_t {
  no_room,          // a capacity given at construction is used up: free something, or construct with more
  unknown_handle,   // no such protection domain, key, queue: the caller's mistake
  in_use,           // something still refers to it: take that away first
  bad_access,       // rights that don't go together, or more than the region under a window has
  bad_range,        // a length or address outside of what it is for
  bad_state,        // not in this state of the queue pair
  bad_attribute,    // a required attribute is missing, one is not allowed here, or its value is impossible
  bad_opcode,       // the queue pair's service does not have that operation
  too_many_sges,    // more pieces than the queue was made for
  too_much_inline,  // more octets than the queue was made for
  queue_full,       // complete something first
  bad_window,       // not a window of the type that this needs, or bound (or not bound) already
};

inline constexpr std::array verbs_error_names{
    Name{VerbsError::no_room, "no room"},
    Name{VerbsError::unknown_handle, "unknown handle"},
    Name{VerbsError::in_use, "in use"},
    Name{VerbsError::bad_access, "rights not allowed"},
    Name{VerbsError::bad_range, "address or length out of range"},
    Name{VerbsError::bad_state, "not in this state"},
    Name{VerbsError::bad_attribute, "attribute missing, not allowed or impossible"},
    Name{VerbsError::bad_opcode, "operation not offered by this service"},
    Name{VerbsError::too_many_sges, "too many scatter/gather entries"},
    Name{VerbsError::too_much_inline, "too many inline octets"},
    Name{VerbsError::queue_full, "queue full"},
    Name{VerbsError::bad_window, "wrong kind or state of window"},
};

constexpr std::string_view name_of(VerbsError error) { return find_name(verbs_error_names, error); }

template <class T>
using VerbsResult = tl::expected<T, VerbsError>;
constexpr tl::unexpected<VerbsError> refuse(VerbsError error) { return tl::unexpected<VerbsError>(error); }

}  // namespace rdmawire::verbs
