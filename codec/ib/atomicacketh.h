// Atomic ACK Extended Transport Header: IBTA vol. 1, 9.5.3.
#pragma once

#include "codec/base/layout.h"

namespace rdmawire::ib {

//= ATM-05
struct AtomicAckEth {
  std::uint64_t original_remote_data{};
};

constexpr auto layout(std::type_identity<AtomicAckEth>) {
  return Layout(
      Layer::atomicacketh,  //
      field<&AtomicAckEth::original_remote_data, 64>("infiniband.atomicacketh.origremdt", "Original remote data"));
}
static_assert(header_size<AtomicAckEth> == 8);

}  // namespace rdmawire::ib
