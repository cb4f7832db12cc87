// All headers of iWARP, and the table that finds one by its layer.
#pragma once

#include <array>
#include <tuple>

#include "codec/iwarp/atomic.h"
#include "codec/iwarp/ddp.h"
#include "codec/iwarp/fpdu.h"
#include "codec/iwarp/immediate.h"
#include "codec/iwarp/mpa.h"
#include "codec/iwarp/rdmap.h"
#include "codec/iwarp/read_request.h"
#include "codec/iwarp/sctp.h"
#include "codec/iwarp/terminate.h"

namespace rdmawire::iwarp {

using Headers =
    std::tuple<MpaRequest, MpaReply, MpaEnhanced, Marker, FpduHeader, MpaCrc, DdpTagged, DdpUntagged, RdmapControl,
               InvalidateStag, RdmapReserved, ReadRequest, AtomicRequest, FetchAdd, CmpSwap, AtomicResponse,
               ImmediateData, Terminate, SiwTerminate, TerminatedLength, AdaptationIndication, DdpSctp, DdpSctpControl>;

namespace detail {

// The first of Headers for each layer, at the layer's place; null for other layers.
inline constexpr auto header_infos = []<class... T>(std::type_identity<std::tuple<T...>>) {
  std::array<const HeaderInfo*, static_cast<std::size_t>(Layer::count_)> infos{};
  const auto add = [&](const HeaderInfo& header) {
    const HeaderInfo*& place = infos[static_cast<std::size_t>(header.layer)];
    if (place == nullptr) place = &header;
  };
  (add(header_info<T>), ...);
  return infos;
}(std::type_identity<Headers>{});

}  // namespace detail

// A header that the layer has: where there are several, they differ in the names of their fields alone, or are parts
// that follow it. nullptr for a layer that is not one of iWARP's.
constexpr const HeaderInfo* header_of(Layer layer) { return detail::header_infos[static_cast<std::size_t>(layer)]; }

// Octets from the DDP header's first to the payload's first; of a Terminate, without what it says that it adds.
constexpr std::size_t segment_header_size(const OpcodeInfo& row) {
  const std::size_t ddp = row.tagged() ? header_size<DdpTagged> : header_size<DdpUntagged>;
  return row.header == Layer::none ? ddp : ddp + header_of(row.header)->size;
}

}  // namespace rdmawire::iwarp
