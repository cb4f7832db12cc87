// Memory regions and windows: who may reach which octets by which key. IBTA vol. 1, 10.6; C9-*: MEM rows of the
// register.
#pragma once

#include <cstdint>
#include <vector>

#include "codec/base/bytes.h"
#include "protocol/verbs/key_source.h"
#include "protocol/verbs/types.h"

namespace rdmawire::verbs {

// The outcome of a check; the machines turn it into a NAK, a Terminate or a completion status.
enum class AccessVerdict : std::uint8_t {
  ok,
  unknown_key,    // no region or window has that index, or its 8-bit key differs
  invalid_key,    // it exists, but was invalidated, or the window is not bound
  other_pd,       // it belongs to another protection domain
  other_qp,       // a type 2 window that is bound to another queue pair
  no_right,       // it does not allow this operation
  address_wraps,  // address + length passes 2^64
  out_of_bounds,  // not all of it lies inside
  count_,
};

inline constexpr std::array access_verdict_names{
    Name{AccessVerdict::ok, "ok"},
    Name{AccessVerdict::unknown_key, "unknown key"},
    Name{AccessVerdict::invalid_key, "key not valid"},
    Name{AccessVerdict::other_pd, "key of another protection domain"},
    Name{AccessVerdict::other_qp, "window of another queue pair"},
    Name{AccessVerdict::no_right, "access right missing"},
    Name{AccessVerdict::address_wraps, "address wraps"},
    Name{AccessVerdict::out_of_bounds, "out of bounds"},
};

constexpr std::string_view name_of(AccessVerdict verdict) { return find_name(access_verdict_names, verdict); }

enum class KeyKind : std::uint8_t {
  none,
  region,       // registered as a whole: never invalidated by a work request
  fast_region,  // allocated, then registered and invalidated by work requests (fast register)
  window1,      // type 1: bound by a verb, to all queue pairs of its protection domain
  window2,      // type 2B: bound by a work request to one queue pair; its consumer gives the 8-bit key
};

struct MemoryConfig {
  std::uint32_t num_pds = 16;
  // Regions and windows together; less than 2^24.
  std::uint32_t num_keys = 1024;
  // Makes keys that a peer cannot guess: they lie anywhere in the 32 bits. iWARP asks for it (RFC 5040, 8.1.1). Without
  // it indices are 1 .. num_keys, in order, and given again at once, as tests like it.
  KeySecret key_secret{};
};

// What is known of a key.
struct KeyInfo {
  KeyKind kind = KeyKind::none;
  bool valid = false;  // may be used now
  MemoryKey key;
  Pd pd;
  Access access;
  std::uint64_t address = 0;       // of its first octet, as a work request names it; 0 if zero-based
  std::uint64_t length = 0;        // octets
  Qpn qp;                          // of a bound window2
  std::uint32_t region_index = 0;  // of a bound window: the region under it
  std::uint32_t num_windows = 0;   // of a region: bound to it now
};

// The octets found, or why not.
struct AccessResult {
  AccessVerdict verdict = AccessVerdict::ok;
  std::uint8_t* memory = nullptr;  // of the first octet; nullptr for a length of 0
  constexpr explicit operator bool() const { return verdict == AccessVerdict::ok; }
};

namespace detail {

// Does address + length pass 2^64?
constexpr bool wraps(std::uint64_t address, std::uint64_t length) {
  return length != 0 && address > ~std::uint64_t{0} - (length - 1);
}

}  // namespace detail

// Memory stays the caller's: it must outlive the region. Not thread safe.
class MemoryTable {
 public:
  explicit MemoryTable(const MemoryConfig& config);

  // no_room.
  VerbsResult<Pd> allocate_pd();
  // in_use while a key belongs to it.
  VerbsResult<void> free_pd(Pd pd);
  bool has_pd(Pd pd) const;

  // Registers memory, which then has that address in work requests (ignored if access has zero_based). Remote write and
  // atomic access, and windows, ask for local write (IBTA vol. 1, 11.2.8.2): bad_access. bad_range if it would wrap.
  //= DDP-5041-8.2-03, DDP-5041-8.3-01, DDP-5041-8.3.1-04, RDMAP-5040-3.2-05, RDMAP-5040-8.1.1-04, SEC-5042-3-02
  //= SEC-5042-6.1.1-02
  VerbsResult<MemoryKey> register_region(Pd pd, MutableBytes memory, std::uint64_t address, Access access);
  // A key for later fast registrations of at most max_len octets; not valid yet.
  VerbsResult<MemoryKey> allocate_region(Pd pd, std::uint64_t max_len);
  // in_use while windows are bound to it.
  VerbsResult<void> deregister(MemoryKey key);

  // What a fast-register work request does: the 8-bit key of `key` becomes the region's. bad_state if it is valid.
  VerbsResult<void> fast_register(MemoryKey key, Pd pd, MutableBytes memory, std::uint64_t address, Access access);

  VerbsResult<MemoryKey> allocate_window(Pd pd, KeyKind type);
  VerbsResult<void> free_window(MemoryKey key);

  struct Bind {
    MemoryKey region;           // L_Key of the region under it
    std::uint64_t address = 0;  // in the region's addresses
    std::uint64_t length = 0;   // 0 unbinds a type 1 window
    Access access;              // remote rights, and zero_based
  };
  // Type 1: binds anew; gives the new key, whose 8 bits the table has changed (IBTA vol. 1, 10.6.7.2.1).
  VerbsResult<MemoryKey> bind_window1(MemoryKey window, Pd pd, const Bind& bind);
  // Type 2: the consumer has chosen the 8 bits in `window`. Only while it is not bound.
  VerbsResult<void> bind_window2(MemoryKey window, Pd pd, Qpn qp, const Bind& bind);

  // By the owner's work request: fast regions and type 2 windows.
  AccessVerdict invalidate_local(MemoryKey key, Pd pd, Qpn qp);
  // By the peer's SEND with invalidate: the same, and only what the peer could reach.
  AccessVerdict invalidate_remote(MemoryKey key, Pd pd, Qpn qp);
  // May it be so invalidated? Changes nothing.
  AccessVerdict can_invalidate(MemoryKey key, Pd pd, Qpn qp) const;

  // Octets for a local scatter/gather entry. needed: local_write to store into them.
  AccessResult find_local(MemoryKey l_key, Pd pd, std::uint64_t address, std::uint64_t length, Access needed) const;
  // Octets for the peer's operation, checked in the order of AccessVerdict. A length of 0 is allowed with any key and
  // address (C9-88): don't call for it.
  AccessResult find_remote(MemoryKey r_key, Pd pd, Qpn qp, std::uint64_t address, std::uint64_t length,
                           Access needed) const;

  // nullptr if there is none with that index.
  const KeyInfo* find(MemoryKey key) const;

  // Changes with every change of a key: while it stays, what was found would be found again.
  std::uint64_t generation() const { return generation_; }

 private:
  struct Slot : KeyInfo {
    std::uint8_t* memory = nullptr;
    std::uint64_t max_len = 0;  // of a fast region
    std::uint8_t next_key = 0;  // the 8 bits of the key that the slot gives next, if they count up
    std::uint32_t next_free = 0;
  };
  static constexpr std::uint32_t none = 0;

  // The slot that a key of that index would have; nullptr if there is none.
  Slot* slot_at(MemoryKey key) {
    const std::uint32_t number = key.index() & index_mask_;
    return number == none || number >= slots_.size() || slots_[number].key.index() != key.index() ? nullptr
                                                                                                  : &slots_[number];
  }
  Slot* slot(MemoryKey key);
  const Slot* slot(MemoryKey key) const;
  VerbsResult<Slot*> take_slot(Pd pd, KeyKind kind);
  void release(Slot& slot);
  void append_free(std::uint32_t number);
  // The next 8 bits of the slot's key: others than those that it has.
  std::uint8_t next_key(Slot& slot);
  void unbind(Slot& window);
  VerbsResult<void> check_bind(const Slot& window, Pd pd, const Bind& bind) const;
  void set_binding(Slot& window, const Bind& bind);
  static AccessResult inside(const Slot& slot, std::uint64_t address, std::uint64_t length);

  std::vector<Slot> slots_;   // slot 0 is never given out, so that key 0 is no key
  std::uint32_t index_mask_;  // bits of an index that are the slot's number; the others make it hard to guess
  KeySource key_source_;
  std::uint32_t first_free_ = none;  // the oldest
  std::uint32_t last_free_ = none;
  std::uint64_t generation_ = 0;
  std::vector<bool> pds_;
  std::vector<std::uint32_t> pd_users_;
};

// Each packet asks.
inline const MemoryTable::Slot* MemoryTable::slot(MemoryKey key) const {
  const std::uint32_t number = key.index() & index_mask_;
  if (number == none || number >= slots_.size()) return nullptr;
  const Slot& found = slots_[number];
  return found.kind != KeyKind::none && found.key == key ? &found : nullptr;
}

inline AccessResult MemoryTable::inside(const Slot& found, std::uint64_t address, std::uint64_t length) {
  if (detail::wraps(address, length)) return {AccessVerdict::address_wraps, nullptr};
  const std::uint64_t from = address - found.address;
  if (address < found.address || from > found.length || length > found.length - from) {
    return {AccessVerdict::out_of_bounds, nullptr};
  }
  return {AccessVerdict::ok, length == 0 ? nullptr : found.memory + from};
}

inline AccessResult MemoryTable::find_local(MemoryKey l_key, Pd pd, std::uint64_t address, std::uint64_t length,
                                            Access needed) const {
  const Slot* found = slot(l_key);
  if (found == nullptr) return {AccessVerdict::unknown_key, nullptr};
  if (!found->valid) return {AccessVerdict::invalid_key, nullptr};
  if (found->pd != pd) return {AccessVerdict::other_pd, nullptr};
  // A window has no L_Key.
  if (found->kind != KeyKind::region && found->kind != KeyKind::fast_region) return {AccessVerdict::no_right, nullptr};
  if (!found->access.has(needed)) return {AccessVerdict::no_right, nullptr};
  return inside(*found, address, length);
}

//= DDP-5041-8.2-04, DDP-5041-8.3.1-01, DDP-5041-8.3.1-02, RDMAP-5040-8.1.1-01, RDMAP-5040-8.1.1-02
//= RDMAP-5040-8.1.1-03, RDMAP-5040-8.1.1-05, SEC-5042-2.2.4-01, SEC-5042-2.2.5-01, SEC-5042-6.1.1-03
//= SEC-5042-6.1.1-04
inline AccessResult MemoryTable::find_remote(MemoryKey r_key, Pd pd, Qpn qp, std::uint64_t address,
                                             std::uint64_t length, Access needed) const {
  const Slot* found = slot(r_key);
  if (found == nullptr) return {AccessVerdict::unknown_key, nullptr};
  if (!found->valid) return {AccessVerdict::invalid_key, nullptr};
  if (found->pd != pd) return {AccessVerdict::other_pd, nullptr};
  if (found->kind == KeyKind::window2 && found->qp != qp) return {AccessVerdict::other_qp, nullptr};
  if (!found->access.has(needed)) return {AccessVerdict::no_right, nullptr};
  return inside(*found, address, length);
}

}  // namespace rdmawire::verbs
