// RDMA Read Request header: RFC 5040, 4.4.
#pragma once

#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::iwarp {

//= RDMAP-5040-4.4-01
struct ReadRequest {
  Stag sink_stag{};
  TaggedOffset sink_offset{};  // SinkTO
  std::uint32_t read_len{};    // RDMARDSZ, octets
  Stag source_stag{};
  TaggedOffset source_offset{};  // SrcTO
};

constexpr auto layout(std::type_identity<ReadRequest>) {
  return Layout(Layer::read_request,  //
                field<&ReadRequest::sink_stag, 32>("iwarp_rdma.sinkstag", "Data sink STag"),
                field<&ReadRequest::sink_offset, 64>("iwarp_rdma.sinkto", "Data sink tagged offset"),
                field<&ReadRequest::read_len, 32>("iwarp_rdma.rdmardsz", "RDMA read message size"),
                field<&ReadRequest::source_stag, 32>("iwarp_rdma.srcstag", "Data source STag"),
                field<&ReadRequest::source_offset, 64>("iwarp_rdma.srcto", "Data source tagged offset"));
}
static_assert(header_size<ReadRequest> == 28);

}  // namespace rdmawire::iwarp
