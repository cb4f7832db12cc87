// FLUSH Extended Transport Header: IBTA vol. 1, A19.
#pragma once

#include "codec/base/layout.h"
#include "codec/base/names.h"

namespace rdmawire::ib {

// Which memory a FLUSH is about.
enum class FlushSelectivity : std::uint8_t { range = 0, whole_region = 1 };

inline constexpr std::array flush_selectivity_names{
    Name{FlushSelectivity::range, "memory region range"},
    Name{FlushSelectivity::whole_region, "whole memory region"},
};

constexpr std::string_view name_of(FlushSelectivity value) { return find_name(flush_selectivity_names, value); }

//= MPE-02
struct Feth {
  std::uint32_t reserved26{};
  FlushSelectivity selectivity{};
  std::uint8_t placement{};  // PLT, bits: 0 global visibility, 1 persistence, 2 and 3 reserved
};

constexpr auto layout(std::type_identity<Feth>) {
  return Layout(Layer::feth,  //
                field<&Feth::reserved26, 26>("rdma.feth.reserved26", "Reserved (26 bits)").reserved(),
                field<&Feth::selectivity, 2>("infiniband.feth.sel", "Selectivity level"),
                field<&Feth::placement, 4>("infiniband.feth.plt", "Placement type"),
                part("rdma.feth.persistence", "Persistence", 2, 1),
                part("rdma.feth.global_visibility", "Global visibility", 3, 1));
}
static_assert(header_size<Feth> == 4);

}  // namespace rdmawire::ib
