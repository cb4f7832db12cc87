#include "protocol/verbs/memory.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <set>
#include <vector>

namespace rdmawire::verbs {

inline std::ostream& operator<<(std::ostream& out, AccessVerdict verdict) { return out << name_of(verdict); }
inline std::ostream& operator<<(std::ostream& out, VerbsError error) { return out << name_of(error); }

namespace {

constexpr Access everything = rights::local_write | rights::remote | rights::bind_window;
constexpr Qpn qp{0x11}, other_qp{0x12};

struct Fixture {
  MemoryTable table{{4, 8}};
  Pd pd = table.allocate_pd().value();
  Pd other_pd = table.allocate_pd().value();
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(0x1000);

  MemoryKey region(Access access = everything, std::uint64_t address = 0x10000) {
    return table.register_region(pd, memory, address, access).value();
  }
  AccessVerdict remote(MemoryKey key, std::uint64_t address, std::uint64_t length, Access needed) const {
    return table.find_remote(key, pd, qp, address, length, needed).verdict;
  }
};

template <class T>
VerbsError error_of(const VerbsResult<T>& result) {
  BOOST_REQUIRE(!result.has_value());
  return result.error();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(memory)

BOOST_FIXTURE_TEST_CASE(key_is_an_index_and_eight_bits_that_change_when_the_index_is_given_again, Fixture) {
  const MemoryKey first = region();
  BOOST_TEST(first.value == 0x100U);
  BOOST_TEST(table.deregister(first).has_value());
  const MemoryKey second = region();
  BOOST_TEST(second.value == 0x101U);
  BOOST_TEST(remote(first, 0x10000, 1, rights::remote_read) == AccessVerdict::unknown_key);
  BOOST_TEST(remote(second, 0x10000, 1, rights::remote_read) == AccessVerdict::ok);
}

//= MEM-01 test
//= MEM-02 test
//= MEM-03 test
//= MEM-04 test
BOOST_FIXTURE_TEST_CASE(remote_access_is_refused_with_the_first_reason_in_order, Fixture) {
  const MemoryKey key = region(rights::local_write | rights::remote_write);
  BOOST_TEST(table.find_remote(key, pd, qp, 0x10000, 0x1000, rights::remote_write).memory == memory.data());
  BOOST_TEST(table.find_remote(key, pd, qp, 0x10FFF, 1, rights::remote_write).memory == memory.data() + 0xFFF);
  BOOST_TEST(remote({0x200}, 0x10000, 1, rights::remote_write) == AccessVerdict::unknown_key);
  BOOST_TEST(remote({key.value ^ 1U}, 0x10000, 1, rights::remote_write) == AccessVerdict::unknown_key);
  BOOST_TEST(remote({0}, 0x10000, 1, rights::remote_write) == AccessVerdict::unknown_key);
  BOOST_TEST(table.find_remote(key, other_pd, qp, 0, ~0ULL, rights::remote_read).verdict == AccessVerdict::other_pd);
  BOOST_TEST(remote(key, 0, ~0ULL, rights::remote_read) == AccessVerdict::no_right);
  BOOST_TEST(remote(key, ~0ULL, 2, rights::remote_write) == AccessVerdict::address_wraps);
  BOOST_TEST(remote(key, ~0ULL, 1, rights::remote_write) == AccessVerdict::out_of_bounds);
  BOOST_TEST(remote(key, 0xFFFF, 1, rights::remote_write) == AccessVerdict::out_of_bounds);
  BOOST_TEST(remote(key, 0x10001, 0x1000, rights::remote_write) == AccessVerdict::out_of_bounds);
  BOOST_TEST(remote(key, 0x11000, 1, rights::remote_write) == AccessVerdict::out_of_bounds);
}

BOOST_FIXTURE_TEST_CASE(region_may_end_at_the_last_address, Fixture) {
  const MemoryKey key = region(everything, 0ULL - 0x1000);
  BOOST_TEST(remote(key, ~0ULL, 1, rights::remote_write) == AccessVerdict::ok);
  BOOST_TEST(error_of(table.register_region(pd, memory, 0ULL - 0xFFF, everything)) == VerbsError::bad_range);
}

BOOST_FIXTURE_TEST_CASE(zero_based_region_counts_from_its_first_octet, Fixture) {
  const MemoryKey key = region(everything | rights::zero_based, 0x7777);
  BOOST_TEST(table.find_remote(key, pd, qp, 0x10, 4, rights::remote_read).memory == memory.data() + 0x10);
  BOOST_TEST(table.find_local(key, pd, 0xFFF, 1, rights::local_write).memory == memory.data() + 0xFFF);
  BOOST_TEST(remote(key, 0x7777, 1, rights::remote_read) == AccessVerdict::out_of_bounds);
}

//= ATM-06 test
BOOST_FIXTURE_TEST_CASE(remote_write_and_atomic_ask_for_local_write, Fixture) {
  for (const Access access : {rights::remote_write, rights::remote_atomic}) {
    BOOST_TEST(error_of(table.register_region(pd, memory, 0, access)) == VerbsError::bad_access);
  }
  BOOST_TEST(table.register_region(pd, memory, 0, rights::remote_read).has_value());
}

BOOST_FIXTURE_TEST_CASE(capacity_is_what_construction_gave, Fixture) {
  std::vector<MemoryKey> keys;
  for (int i = 0; i < 8; ++i) keys.push_back(region());
  BOOST_TEST(error_of(table.register_region(pd, memory, 0, everything)) == VerbsError::no_room);
  BOOST_TEST(error_of(table.allocate_window(pd, KeyKind::window1)) == VerbsError::no_room);
  BOOST_TEST(error_of(table.free_pd(pd)) == VerbsError::in_use);
  for (const MemoryKey key : keys) BOOST_TEST(table.deregister(key).has_value());
  BOOST_TEST(table.free_pd(pd).has_value());
  BOOST_TEST(error_of(table.register_region(pd, memory, 0, everything)) == VerbsError::unknown_handle);
  BOOST_TEST((table.allocate_pd().value() == pd));
  BOOST_TEST(table.allocate_pd().has_value());
  BOOST_TEST(table.allocate_pd().has_value());
  BOOST_TEST(error_of(table.allocate_pd()) == VerbsError::no_room);
}

BOOST_FIXTURE_TEST_CASE(local_access_needs_the_pd_and_for_stores_local_write, Fixture) {
  const MemoryKey key = region({});
  BOOST_TEST(table.find_local(key, pd, 0x10000, 0x1000, rights::local_read).memory == memory.data());
  BOOST_TEST(table.find_local(key, pd, 0x10000, 1, rights::local_write).verdict == AccessVerdict::no_right);
  BOOST_TEST(table.find_local(key, other_pd, 0x10000, 1, rights::local_read).verdict == AccessVerdict::other_pd);
}

//= MEM-11 test
BOOST_FIXTURE_TEST_CASE(type_2_window_works_while_bound_and_on_its_queue_pair, Fixture) {
  const MemoryKey under = region();
  const MemoryKey given = table.allocate_window(pd, KeyKind::window2).value();
  const MemoryKey key = MemoryKey::of(given.index(), 0x5A);
  BOOST_TEST(remote(given, 0x10000, 1, rights::remote_read) == AccessVerdict::invalid_key);
  const MemoryTable::Bind bind{under, 0x10100, 0x100, rights::remote_read};
  BOOST_TEST(table.bind_window2(key, pd, qp, bind).has_value());
  BOOST_TEST(error_of(table.bind_window2(key, pd, qp, bind)) == VerbsError::bad_window);
  BOOST_TEST(table.find_remote(key, pd, qp, 0x10100, 0x100, rights::remote_read).memory == memory.data() + 0x100);
  BOOST_TEST(remote(given, 0x10100, 1, rights::remote_read) == AccessVerdict::unknown_key);
  BOOST_TEST(remote(key, 0x100FF, 1, rights::remote_read) == AccessVerdict::out_of_bounds);
  BOOST_TEST(remote(key, 0x10100, 1, rights::remote_write) == AccessVerdict::no_right);
  BOOST_TEST(table.find_remote(key, pd, other_qp, 0x10100, 1, rights::remote_read).verdict == AccessVerdict::other_qp);
  BOOST_TEST(table.find_local(key, pd, 0x10100, 1, rights::local_read).verdict == AccessVerdict::no_right);
  BOOST_TEST(error_of(table.deregister(under)) == VerbsError::in_use);
  BOOST_TEST(table.invalidate_local(key, pd, other_qp) == AccessVerdict::other_qp);
  BOOST_TEST(table.invalidate_local(key, pd, qp) == AccessVerdict::ok);
  BOOST_TEST(table.invalidate_local(key, pd, qp) == AccessVerdict::invalid_key);
  BOOST_TEST(remote(key, 0x10100, 1, rights::remote_read) == AccessVerdict::invalid_key);
  BOOST_TEST(table.deregister(under).has_value());
}

BOOST_FIXTURE_TEST_CASE(zero_based_type_2_window_counts_from_its_first_octet, Fixture) {
  const MemoryKey key = table.allocate_window(pd, KeyKind::window2).value();
  const Access access = rights::remote_read | rights::zero_based;
  BOOST_TEST(table.bind_window2(key, pd, qp, {region(), 0x10100, 0x100, access}).has_value());
  BOOST_TEST(table.find_remote(key, pd, qp, 4, 0xFC, rights::remote_read).memory == memory.data() + 0x104);
  BOOST_TEST(remote(key, 4, 0xFD, rights::remote_read) == AccessVerdict::out_of_bounds);
}

BOOST_FIXTURE_TEST_CASE(type_1_window_gets_a_new_key_with_every_bind_and_works_on_every_queue_pair, Fixture) {
  const MemoryKey under = region();
  const MemoryKey first = table.allocate_window(pd, KeyKind::window1).value();
  const MemoryKey second = table.bind_window1(first, pd, {under, 0x10000, 0x10, rights::remote_write}).value();
  BOOST_TEST(second.index() == first.index());
  BOOST_TEST(second.key() == first.key() + 1);
  BOOST_TEST(table.find_remote(second, pd, other_qp, 0x10000, 0x10, rights::remote_write).verdict == AccessVerdict::ok);
  const MemoryKey third = table.bind_window1(second, pd, {under, 0x10020, 0x10, rights::remote_write}).value();
  BOOST_TEST(remote(second, 0x10000, 1, rights::remote_write) == AccessVerdict::unknown_key);
  BOOST_TEST(remote(third, 0x10020, 0x10, rights::remote_write) == AccessVerdict::ok);
  BOOST_TEST(table.find(under)->num_windows == 1U);
  const MemoryKey unbound = table.bind_window1(third, pd, {}).value();
  BOOST_TEST(remote(unbound, 0x10020, 1, rights::remote_write) == AccessVerdict::invalid_key);
  BOOST_TEST(table.find(under)->num_windows == 0U);
  BOOST_TEST(table.invalidate_local(unbound, pd, qp) == AccessVerdict::invalid_key);
}

BOOST_FIXTURE_TEST_CASE(window_gives_no_more_than_the_region_has, Fixture) {
  const MemoryKey window = table.allocate_window(pd, KeyKind::window2).value();
  const MemoryKey readable = region(rights::bind_window);
  const MemoryKey plain = region(rights::local_write);
  const auto bind = [&](const MemoryTable::Bind& what) { return error_of(table.bind_window2(window, pd, qp, what)); };
  BOOST_TEST(bind({readable, 0x10000, 1, rights::remote_write}) == VerbsError::bad_access);
  BOOST_TEST(bind({readable, 0x10000, 1, rights::remote_atomic}) == VerbsError::bad_access);
  BOOST_TEST(bind({readable, 0x10000, 1, rights::local_write}) == VerbsError::bad_access);
  BOOST_TEST(bind({plain, 0x10000, 1, rights::remote_read}) == VerbsError::bad_access);
  BOOST_TEST(bind({readable, 0x10001, 0x1000, rights::remote_read}) == VerbsError::bad_range);
  BOOST_TEST(bind({readable, 0x10000, 0, rights::remote_read}) == VerbsError::bad_range);
  BOOST_TEST(bind({{0x999}, 0x10000, 1, rights::remote_read}) == VerbsError::unknown_handle);
  BOOST_TEST(table.find(readable)->num_windows == 0U);
}

//= SND-06 test
BOOST_FIXTURE_TEST_CASE(peer_may_invalidate_fast_regions_and_type_2_windows_that_it_could_reach, Fixture) {
  const MemoryKey plain = region();
  BOOST_TEST(table.invalidate_remote(plain, pd, qp) == AccessVerdict::no_right);
  const MemoryKey given = table.allocate_region(pd, 0x100).value();
  BOOST_TEST(table.invalidate_remote(given, pd, qp) == AccessVerdict::invalid_key);
  const MemoryKey key = MemoryKey::of(given.index(), 7);
  const auto part = MutableBytes(memory).first(0x100);
  BOOST_TEST(error_of(table.fast_register(key, pd, memory, 0, everything)) == VerbsError::bad_range);
  BOOST_TEST(table.fast_register(key, pd, part, 0x500, rights::local_write).has_value());
  BOOST_TEST(error_of(table.fast_register(key, pd, part, 0x500, everything)) == VerbsError::bad_state);
  BOOST_TEST(table.invalidate_remote(key, pd, qp) == AccessVerdict::no_right);
  BOOST_TEST(table.invalidate_local(key, pd, qp) == AccessVerdict::ok);
  BOOST_TEST(table.fast_register(key, pd, part, 0x500, everything).has_value());
  BOOST_TEST(remote(key, 0x500, 0x100, rights::remote_read) == AccessVerdict::ok);
  BOOST_TEST(table.invalidate_remote(key, other_pd, qp) == AccessVerdict::other_pd);
  BOOST_TEST(table.invalidate_remote(key, pd, qp) == AccessVerdict::ok);
  BOOST_TEST(remote(key, 0x500, 0x100, rights::remote_read) == AccessVerdict::invalid_key);
}

BOOST_FIXTURE_TEST_CASE(fast_region_is_not_invalidated_under_a_window, Fixture) {
  const MemoryKey key = table.allocate_region(pd, 0x100).value();
  BOOST_TEST(table.fast_register(key, pd, MutableBytes(memory).first(0x100), 0, everything).has_value());
  const MemoryKey window = table.allocate_window(pd, KeyKind::window2).value();
  BOOST_TEST(table.bind_window2(window, pd, qp, {key, 0, 0x10, rights::remote_read}).has_value());
  BOOST_TEST(table.invalidate_local(key, pd, qp) == AccessVerdict::no_right);
  BOOST_TEST(table.free_window(window).has_value());
  BOOST_TEST(table.invalidate_local(key, pd, qp) == AccessVerdict::ok);
}

//= RDMAP-5040-8.1.1-07, RDMAP-5040-8.1.1-08, SEC-5042-6.1.1-05 test
BOOST_AUTO_TEST_CASE(keys_by_a_secret_are_hard_to_guess) {
  constexpr std::uint32_t num_keys = 1000;
  MemoryConfig config{1, num_keys};
  config.key_secret = {0x0706050403020100, 0x0F0E0D0C0B0A0908};
  MemoryTable table(config);
  MemoryTable same(config);
  std::vector<std::uint8_t> memory(16);
  const std::array<Pd, 2> pds{table.allocate_pd().value(), same.allocate_pd().value()};
  const auto make = [&](MemoryTable& in, Pd pd) { return in.register_region(pd, memory, 0, everything).value(); };

  std::set<std::uint32_t> values;
  std::set<std::uint32_t> strides;
  std::array<unsigned, 16> sixteenths{};
  std::vector<MemoryKey> keys;
  std::uint32_t before = 0;
  std::uint32_t before_that = 0;
  for (unsigned i = 0; i < 10000; ++i) {
    const MemoryKey key = make(table, pds[0]);
    BOOST_TEST_REQUIRE((make(same, pds[1]) == key));
    values.insert(key.value);
    strides.insert(key.value - before);
    // The index is not given again soon.
    BOOST_TEST_REQUIRE((key.value >> 8 != before && key.value >> 8 != before_that));
    before_that = before;
    before = key.value >> 8;
    ++sixteenths[key.value >> 28];
    keys.push_back(key);
    BOOST_TEST_REQUIRE(table.find_remote(key, pds[0], qp, 0, 16, rights::remote_read).verdict == AccessVerdict::ok);
    BOOST_TEST_REQUIRE(table.find({key.value ^ 0x80000000}) == nullptr);
    if (keys.size() < 2) continue;
    const MemoryKey oldest = keys[keys.size() - 2];
    BOOST_TEST_REQUIRE(table.deregister(oldest).has_value());
    BOOST_TEST_REQUIRE(same.deregister(oldest).has_value());
    BOOST_TEST_REQUIRE(table.find(oldest) == nullptr);
  }
  BOOST_TEST(values.size() > 9950U);
  BOOST_TEST(strides.size() > 9950U);
  for (const unsigned count : sixteenths) BOOST_TEST((count > 500 && count < 750));
}

BOOST_AUTO_TEST_CASE(key_source_is_siphash) {
  KeySource source({0x0706050403020100, 0x0F0E0D0C0B0A0908});
  // By an implementation in Python that has its authors' vector of eight octets right; of 0 and 1, as octets in the
  // order of increasing weight.
  BOOST_TEST(source.next() == 0x39D3851CA07681A7U);
  BOOST_TEST(source.next() == 0x2B91B2B085E6D1F6U);
}

BOOST_AUTO_TEST_CASE(windows_and_fast_regions_keep_their_index_under_a_secret) {
  MemoryConfig config{1, 100};
  config.key_secret = {1, 2};
  MemoryTable table(config);
  const Pd pd = table.allocate_pd().value();
  std::vector<std::uint8_t> memory(64);
  const MemoryKey region = table.register_region(pd, memory, 0x1000, everything).value();
  const MemoryKey fast = table.allocate_region(pd, 64).value();
  const MemoryKey again = MemoryKey::of(fast.index(), static_cast<std::uint8_t>(fast.key() + 1));
  BOOST_TEST(table.fast_register(again, pd, memory, 0x2000, everything).has_value());
  BOOST_TEST(table.find(again) != nullptr);
  const MemoryKey beside = MemoryKey::of(fast.index() ^ 0x800000, fast.key());
  BOOST_TEST(error_of(table.fast_register(beside, pd, memory, 0x2000, everything)) == VerbsError::unknown_handle);
  const MemoryKey window = table.allocate_window(pd, KeyKind::window2).value();
  const MemoryTable::Bind bind{region, 0x1000, 16, rights::remote_read};
  BOOST_TEST(error_of(table.bind_window2(beside, pd, qp, bind)) == VerbsError::unknown_handle);
  BOOST_TEST(table.bind_window2(window, pd, qp, bind).has_value());
  BOOST_TEST(table.find(region)->num_windows == 1U);
  BOOST_TEST(table.invalidate_local(window, pd, qp) == AccessVerdict::ok);
  BOOST_TEST(table.find(region)->num_windows == 0U);
  const MemoryKey first = table.allocate_window(pd, KeyKind::window1).value();
  const MemoryKey second = table.bind_window1(first, pd, bind).value();
  BOOST_TEST(second.index() == first.index());
  BOOST_TEST((second.key() != first.key()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::verbs
