// All headers of the InfiniBand transport, and the table that finds one by its layer.
#pragma once

#include <array>
#include <tuple>

#include "codec/ib/aeth.h"
#include "codec/ib/atomicacketh.h"
#include "codec/ib/atomiceth.h"
#include "codec/ib/bth.h"
#include "codec/ib/cnp.h"
#include "codec/ib/deth.h"
#include "codec/ib/feth.h"
#include "codec/ib/flow_control.h"
#include "codec/ib/grh.h"
#include "codec/ib/ieth.h"
#include "codec/ib/immdt.h"
#include "codec/ib/lrh.h"
#include "codec/ib/opcode.h"
#include "codec/ib/rdeth.h"
#include "codec/ib/reth.h"
#include "codec/ib/rwh.h"
#include "codec/ib/trailer.h"
#include "codec/ib/xrceth.h"

namespace rdmawire::ib {

using Headers = std::tuple<Lrh, Grh, Rwh, Bth, Rdeth, Xrceth, Deth, Feth, Reth, AtomicEth, Aeth, AtomicAckEth, ImmDt,
                           Ieth, CnpReserved, Icrc, Vcrc, FlowControl>;

namespace detail {

// Each of Headers at its layer's place; null for other layers.
inline constexpr auto header_infos = []<class... T>(std::type_identity<std::tuple<T...>>) {
  std::array<const HeaderInfo*, static_cast<std::size_t>(Layer::count_)> infos{};
  ((infos[static_cast<std::size_t>(header_info<T>.layer)] = &header_info<T>), ...);
  return infos;
}(std::type_identity<Headers>{});

}  // namespace detail

// The header that the layer has; nullptr for a layer that is not one of Headers.
constexpr const HeaderInfo* header_of(Layer layer) { return detail::header_infos[static_cast<std::size_t>(layer)]; }

// Octets from the BTH's first to the payload's first.
constexpr std::size_t transport_size(const OpcodeInfo& row) {
  std::size_t size = header_size<Bth>;
  for (std::size_t i = 0; i < row.num_headers; ++i) size += header_of(row.headers[i])->size;
  return size;
}

}  // namespace rdmawire::ib
