// Atomic Extended Transport Header: IBTA vol. 1, 9.3.4. Address and key go by the names of the RETH's, as in Wireshark.
#pragma once

#include "codec/base/layout.h"

namespace rdmawire::ib {

//= ATM-05
struct AtomicEth {
  VirtualAddress virtual_address{};
  RKey r_key{};
  std::uint64_t swap_or_add{};
  std::uint64_t compare{};  // 0 for FETCH ADD
};

constexpr auto layout(std::type_identity<AtomicEth>) {
  return Layout(Layer::atomiceth,  //
                field<&AtomicEth::virtual_address, 64>("infiniband.reth.va", "Virtual address"),
                field<&AtomicEth::r_key, 32>("infiniband.reth.r_key", "Remote key"),
                field<&AtomicEth::swap_or_add, 64>("infiniband.atomiceth.swapdt", "Swap (or add) data"),
                field<&AtomicEth::compare, 64>("infiniband.atomiceth.cmpdt", "Compare data"));
}
static_assert(header_size<AtomicEth> == 28);

}  // namespace rdmawire::ib
