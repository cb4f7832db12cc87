// Atomic Request and Response headers: RFC 7306, 5.2. (Its section 4 gives the response 32 octets in prose; figure 6
// and appendix A have 12.)
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/base/names.h"

namespace rdmawire::iwarp {

// AOpCode; 1 is reserved, and so are 3 to 15.
//= RDMAP-7306-10-01
enum class AtomicOpcode : std::uint8_t { fetch_add = 0, cmp_swap = 2 };

inline constexpr std::array atomic_opcode_names{
    Name{AtomicOpcode::fetch_add, "FetchAdd"},
    Name{AtomicOpcode::cmp_swap, "CmpSwap"},
};

constexpr std::string_view name_of(AtomicOpcode value) { return find_name(atomic_opcode_names, value); }

// The request, whatever it asks for. What its data are called depends on that: FetchAdd and CmpSwap.
//= RDMAP-7306-4-01, RDMAP-7306-5.2.1-01
struct AtomicRequest {
  std::uint32_t reserved28{};
  AtomicOpcode opcode{};
  std::uint32_t request_id{};  // comes back in the response
  Stag remote_stag{};
  TaggedOffset remote_offset{};  // the address that it stands for is a multiple of 8
  std::uint64_t add_or_swap_data{};
  std::uint64_t add_or_swap_mask{};  // of an add: a bit for the top bit of each field that is added to on its own
  std::uint64_t compare_data{};      // FetchAdd: sent as 0 and ignored
  std::uint64_t compare_mask{};      // FetchAdd: sent as ones and ignored
};

namespace detail {

struct AtomicKeys {
  std::string_view data, data_label, mask, mask_label;
};

// The one declaration of the three: they differ in what add_or_swap is called.
consteval auto atomic_layout(const AtomicKeys& keys) {
  using T = AtomicRequest;
  return Layout(
      Layer::atomic_request,  //
      field<&T::reserved28, 28>("iwarp_rdma.atomic.reserved", "Reserved").reserved(),
      field<&T::opcode, 4>("iwarp_rdma.atomic.opcode", "Atomic operation code"),
      field<&T::request_id, 32>("iwarp_rdma.atomic.request_identifier", "Request identifier"),
      field<&T::remote_stag, 32>("iwarp_rdma.atomic.remote_stag", "Remote STag").as(Display::dec),
      field<&T::remote_offset, 64>("iwarp_rdma.atomic.remote_tagged_offset", "Remote tagged offset").as(Display::dec),
      field<&T::add_or_swap_data, 64>(keys.data, keys.data_label),
      field<&T::add_or_swap_mask, 64>(keys.mask, keys.mask_label).as(Display::hex),
      field<&T::compare_data, 64>("iwarp_rdma.atomic.compare_data", "Compare data"),
      field<&T::compare_mask, 64>("iwarp_rdma.atomic.compare_mask", "Compare mask").as(Display::hex));
}

}  // namespace detail

constexpr auto layout(std::type_identity<AtomicRequest>) {
  return detail::atomic_layout({"rdma.atomic_request.data", "Add or swap data",  //
                                "rdma.atomic_request.mask", "Add or swap mask"});
}
static_assert(header_size<AtomicRequest> == 52);

struct FetchAdd : AtomicRequest {};

constexpr auto layout(std::type_identity<FetchAdd>) {
  return detail::atomic_layout({"iwarp_rdma.atomic.add_data", "Add data",  //
                                "iwarp_rdma.atomic.add_mask", "Add mask"});
}

struct CmpSwap : AtomicRequest {};

constexpr auto layout(std::type_identity<CmpSwap>) {
  return detail::atomic_layout({"iwarp_rdma.atomic.swap_data", "Swap data",  //
                                "iwarp_rdma.atomic.swap_mask", "Swap mask"});
}

// What the request's header is read as; AtomicRequest for a reserved AOpCode.
constexpr const HeaderInfo& atomic_header(AtomicOpcode opcode) {
  if (opcode == AtomicOpcode::fetch_add) return header_info<FetchAdd>;
  if (opcode == AtomicOpcode::cmp_swap) return header_info<CmpSwap>;
  return header_info<AtomicRequest>;
}

//= RDMAP-7306-4-01, RDMAP-7306-5.2.2-01
struct AtomicResponse {
  std::uint32_t request_id{};     // that of the request
  std::uint64_t original_data{};  // what the memory held before
};

constexpr auto layout(std::type_identity<AtomicResponse>) {
  return Layout(Layer::atomic_response,
                field<&AtomicResponse::request_id, 32>("iwarp_rdma.atomic.original_request_identifier",
                                                       "Original request identifier"),
                field<&AtomicResponse::original_data, 64>("iwarp_rdma.atomic.original_remote_data_value",
                                                          "Original remote data value"));
}
static_assert(header_size<AtomicResponse> == 12);

}  // namespace rdmawire::iwarp
