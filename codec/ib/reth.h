// RDMA Extended Transport Header: IBTA vol. 1, 9.3.3.
#pragma once

#include "codec/base/layout.h"

namespace rdmawire::ib {

struct Reth {
  VirtualAddress virtual_address{};
  RKey r_key{};
  std::uint32_t dma_len{};  // octets of the whole message, 0 .. 2^31
};

constexpr auto layout(std::type_identity<Reth>) {
  return Layout(Layer::reth,  //
                field<&Reth::virtual_address, 64>("infiniband.reth.va", "Virtual address"),
                field<&Reth::r_key, 32>("infiniband.reth.r_key", "Remote key"),
                field<&Reth::dma_len, 32>("infiniband.reth.dmalen", "DMA length"));
}
static_assert(header_size<Reth> == 16);

}  // namespace rdmawire::ib
