#include "protocol/verbs/memory.h"

#include <bit>
#include <utility>

namespace rdmawire::verbs {
namespace {

// IBTA vol. 1, 11.2.8.2: who writes from outside must be allowed to from inside.
bool is_allowed_for_region(Access allowed) {
  if (allowed.has(rights::local_write)) return true;
  return !allowed.has(rights::remote_write) && !allowed.has(rights::remote_atomic);
}

}  // namespace

MemoryTable::MemoryTable(const MemoryConfig& config)
    : slots_(std::size_t{config.num_keys} + 1),
      index_mask_(std::bit_ceil(config.num_keys + 1) - 1),
      key_source_(config.key_secret),
      pds_(config.num_pds),
      pd_users_(config.num_pds) {
  std::vector<std::uint32_t> numbers(config.num_keys);
  for (std::uint32_t i = 0; i < config.num_keys; ++i) numbers[i] = i + 1;
  for (std::uint32_t i = config.num_keys; i > 1 && !key_source_.counts_up(); --i) {
    std::swap(numbers[i - 1], numbers[static_cast<std::size_t>(key_source_.next() % i)]);
  }
  for (const std::uint32_t number : numbers) append_free(number);
}

void MemoryTable::append_free(std::uint32_t number) {
  slots_[number].next_free = none;
  (first_free_ == none ? first_free_ : slots_[last_free_].next_free) = number;
  last_free_ = number;
}

std::uint8_t MemoryTable::next_key(Slot& given) {
  if (key_source_.counts_up()) return given.next_key++;
  const auto key = static_cast<std::uint8_t>(key_source_.next());
  return key != given.key.key() ? key : static_cast<std::uint8_t>(key + 1);
}

VerbsResult<Pd> MemoryTable::allocate_pd() {
  for (std::uint32_t i = 0; i < pds_.size(); ++i) {
    if (pds_[i]) continue;
    pds_[i] = true;
    return Pd{i};
  }
  return refuse(VerbsError::no_room);
}

bool MemoryTable::has_pd(Pd pd) const { return pd.value < pds_.size() && pds_[pd.value]; }

VerbsResult<void> MemoryTable::free_pd(Pd pd) {
  if (!has_pd(pd)) return refuse(VerbsError::unknown_handle);
  if (pd_users_[pd.value] != 0) return refuse(VerbsError::in_use);
  pds_[pd.value] = false;
  return {};
}

MemoryTable::Slot* MemoryTable::slot(MemoryKey key) {
  return const_cast<Slot*>(static_cast<const MemoryTable*>(this)->slot(key));
}

const KeyInfo* MemoryTable::find(MemoryKey key) const { return slot(key); }

VerbsResult<MemoryTable::Slot*> MemoryTable::take_slot(Pd pd, KeyKind kind) {
  if (!has_pd(pd)) return refuse(VerbsError::unknown_handle);
  if (first_free_ == none) return refuse(VerbsError::no_room);
  const std::uint32_t number = first_free_;
  Slot& taken = slots_[number];
  ++generation_;
  first_free_ = taken.next_free;
  //= RDMAP-5040-8.1.1-07, RDMAP-5040-8.1.1-08
  const std::uint8_t key = next_key(taken);
  const std::uint8_t counted = taken.next_key;
  constexpr std::uint32_t all_indices = 0xFFFFFF;
  const std::uint32_t rest =
      key_source_.counts_up() ? 0 : static_cast<std::uint32_t>(key_source_.next()) & all_indices & ~index_mask_;
  taken = {};
  taken.next_key = counted;
  taken.kind = kind;
  taken.pd = pd;
  taken.key = MemoryKey::of(rest | number, key);
  ++pd_users_[pd.value];
  return &taken;
}

void MemoryTable::release(Slot& released) {
  ++generation_;
  --pd_users_[released.pd.value];
  const std::uint32_t number = released.key.index() & index_mask_;
  released.kind = KeyKind::none;
  released.valid = false;
  //= SEC-5042-6.1.1-05
  if (!key_source_.counts_up()) return append_free(number);
  released.next_free = first_free_;
  if (first_free_ == none) last_free_ = number;
  first_free_ = number;
}

VerbsResult<MemoryKey> MemoryTable::register_region(Pd pd, MutableBytes memory, std::uint64_t address, Access allowed) {
  if (!is_allowed_for_region(allowed)) return refuse(VerbsError::bad_access);
  if (allowed.has(rights::zero_based)) address = 0;
  if (detail::wraps(address, memory.size())) return refuse(VerbsError::bad_range);
  const auto taken = take_slot(pd, KeyKind::region);
  if (!taken) return refuse(taken.error());
  Slot& region = **taken;
  region.valid = true;
  region.access = allowed;
  region.address = address;
  region.length = memory.size();
  region.memory = memory.data();
  return region.key;
}

VerbsResult<MemoryKey> MemoryTable::allocate_region(Pd pd, std::uint64_t max_len) {
  const auto taken = take_slot(pd, KeyKind::fast_region);
  if (!taken) return refuse(taken.error());
  (*taken)->max_len = max_len;
  return (*taken)->key;
}

VerbsResult<void> MemoryTable::deregister(MemoryKey key) {
  Slot* region = slot(key);
  if (region == nullptr || (region->kind != KeyKind::region && region->kind != KeyKind::fast_region)) {
    return refuse(VerbsError::unknown_handle);
  }
  if (region->num_windows != 0) return refuse(VerbsError::in_use);
  release(*region);
  return {};
}

VerbsResult<void> MemoryTable::fast_register(MemoryKey key, Pd pd, MutableBytes memory, std::uint64_t address,
                                             Access allowed) {
  Slot* const found = slot_at(key);
  if (found == nullptr) return refuse(VerbsError::unknown_handle);
  Slot& region = *found;
  if (region.kind != KeyKind::fast_region || region.pd != pd) return refuse(VerbsError::unknown_handle);
  if (region.valid) return refuse(VerbsError::bad_state);
  if (!is_allowed_for_region(allowed)) return refuse(VerbsError::bad_access);
  if (allowed.has(rights::zero_based)) address = 0;
  if (memory.size() > region.max_len || detail::wraps(address, memory.size())) return refuse(VerbsError::bad_range);
  ++generation_;
  region.key = key;
  region.valid = true;
  region.access = allowed;
  region.address = address;
  region.length = memory.size();
  region.memory = memory.data();
  return {};
}

VerbsResult<MemoryKey> MemoryTable::allocate_window(Pd pd, KeyKind type) {
  if (type != KeyKind::window1 && type != KeyKind::window2) return refuse(VerbsError::bad_window);
  const auto taken = take_slot(pd, type);
  if (!taken) return refuse(taken.error());
  return (*taken)->key;
}

VerbsResult<void> MemoryTable::free_window(MemoryKey key) {
  Slot* window = slot(key);
  if (window == nullptr || (window->kind != KeyKind::window1 && window->kind != KeyKind::window2)) {
    return refuse(VerbsError::unknown_handle);
  }
  unbind(*window);
  release(*window);
  return {};
}

void MemoryTable::unbind(Slot& window) {
  if (!window.valid) return;
  ++generation_;
  window.valid = false;
  --slots_[window.region_index & index_mask_].num_windows;
}

VerbsResult<void> MemoryTable::check_bind(const Slot& window, Pd pd, const Bind& bind) const {
  const Slot* region = slot(bind.region);
  if (region == nullptr || !region->valid) return refuse(VerbsError::unknown_handle);
  if (region->kind != KeyKind::region && region->kind != KeyKind::fast_region) return refuse(VerbsError::bad_window);
  if (window.pd != pd || region->pd != pd) return refuse(VerbsError::unknown_handle);
  if (!region->access.has(rights::bind_window)) return refuse(VerbsError::bad_access);
  if (((bind.access - rights::remote) - rights::zero_based).any()) return refuse(VerbsError::bad_access);
  // A window gives the peer no more than the consumer has itself (IBTA vol. 1, 10.6.7.2).
  const bool writes = bind.access.has(rights::remote_write) || bind.access.has(rights::remote_atomic);
  if (writes && !region->access.has(rights::local_write)) return refuse(VerbsError::bad_access);
  // Windows on a zero-based region, or zero-based windows of type 1, do not exist (IBTA vol. 1, 10.6.7.2.2).
  if (region->access.has(rights::zero_based)) return refuse(VerbsError::bad_access);
  if (bind.access.has(rights::zero_based) && window.kind == KeyKind::window1) return refuse(VerbsError::bad_access);
  if (!inside(*region, bind.address, bind.length)) return refuse(VerbsError::bad_range);
  return {};
}

void MemoryTable::set_binding(Slot& window, const Bind& bind) {
  Slot& region = *slot_at(bind.region);
  ++generation_;
  ++region.num_windows;
  window.valid = true;
  window.region_index = bind.region.index();
  window.access = bind.access;
  window.address = bind.access.has(rights::zero_based) ? 0 : bind.address;
  window.length = bind.length;
  window.memory = region.memory + (bind.address - region.address);
}

VerbsResult<MemoryKey> MemoryTable::bind_window1(MemoryKey key, Pd pd, const Bind& bind) {
  Slot* window = slot(key);
  if (window == nullptr || window->pd != pd) return refuse(VerbsError::unknown_handle);
  if (window->kind != KeyKind::window1) return refuse(VerbsError::bad_window);
  if (bind.length != 0) {
    if (const auto checked = check_bind(*window, pd, bind); !checked) return refuse(checked.error());
  }
  unbind(*window);
  ++generation_;
  window->key = MemoryKey::of(key.index(), next_key(*window));
  if (bind.length != 0) set_binding(*window, bind);
  return window->key;
}

VerbsResult<void> MemoryTable::bind_window2(MemoryKey key, Pd pd, Qpn qp, const Bind& bind) {
  Slot* const found = slot_at(key);
  if (found == nullptr) return refuse(VerbsError::unknown_handle);
  Slot& window = *found;
  if (window.kind != KeyKind::window2 || window.pd != pd) return refuse(VerbsError::bad_window);
  if (window.valid) return refuse(VerbsError::bad_window);
  if (bind.length == 0) return refuse(VerbsError::bad_range);
  if (const auto checked = check_bind(window, pd, bind); !checked) return refuse(checked.error());
  window.key = key;
  window.qp = qp;
  set_binding(window, bind);
  return {};
}

//= RDMAP-5040-8.1.1-06, SEC-5042-6.4.5-01
AccessVerdict MemoryTable::can_invalidate(MemoryKey key, Pd pd, Qpn qp) const {
  const Slot* found = slot(key);
  if (found == nullptr) return AccessVerdict::unknown_key;
  if (!found->valid) return AccessVerdict::invalid_key;
  if (found->pd != pd) return AccessVerdict::other_pd;
  if (found->kind != KeyKind::fast_region && found->kind != KeyKind::window2) return AccessVerdict::no_right;
  if (found->kind == KeyKind::window2 && found->qp != qp) return AccessVerdict::other_qp;
  // Windows would be left hanging over it.
  if (found->num_windows != 0) return AccessVerdict::no_right;
  return AccessVerdict::ok;
}

AccessVerdict MemoryTable::invalidate_local(MemoryKey key, Pd pd, Qpn qp) {
  const AccessVerdict verdict = can_invalidate(key, pd, qp);
  if (verdict != AccessVerdict::ok) return verdict;
  Slot& found = *slot(key);
  if (found.kind == KeyKind::window2) {
    unbind(found);
  } else {
    ++generation_;
    found.valid = false;
  }
  return verdict;
}

AccessVerdict MemoryTable::invalidate_remote(MemoryKey key, Pd pd, Qpn qp) {
  // A region that the peer could not reach is not the peer's to take away (IBTA vol. 1, 10.6.5).
  const Slot* found = slot(key);
  if (found != nullptr && found->valid && found->pd == pd && !(found->access & rights::remote).any()) {
    return AccessVerdict::no_right;
  }
  return invalidate_local(key, pd, qp);
}

}  // namespace rdmawire::verbs
