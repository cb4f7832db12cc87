// The data of a MAD whose attribute has no layout here: IBTA vol. 1, 13.4.2, 14.2.1, 15.2.1, 16.1, 16.5.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "codec/base/layout.h"

namespace rdmawire::mad {

// Of a class without a header of its own.
struct MadData {
  std::array<std::uint8_t, 232> data{};
};

constexpr auto layout(std::type_identity<MadData>) {
  return Layout(Layer::mad_data,  //
                field<&MadData::data, 1856>("infiniband.mad.data", "MAD data"));
}
static_assert(header_size<MadData> == 232);

// Of both subnet management classes.
struct SmpData {
  std::array<std::uint8_t, 64> data{};
};

constexpr auto layout(std::type_identity<SmpData>) {
  return Layout(Layer::smp_data,  //
                field<&SmpData::data, 512>("infiniband.smplid.smpdata", "SMP data"));
}
static_assert(header_size<SmpData> == 64);

// Of Subnet Administration; also the second and later segments of an RMPP transfer, where a record may begin anywhere.
struct SaData {
  std::array<std::uint8_t, 200> data{};
};

constexpr auto layout(std::type_identity<SaData>) {
  return Layout(Layer::sa_data,  //
                field<&SaData::data, 1600>("infiniband.sa.subnetadmindata", "Subnet administration data"));
}
static_assert(header_size<SaData> == 200);

// Of Performance Management.
struct PerfData {
  std::array<std::uint8_t, 192> data{};
};

constexpr auto layout(std::type_identity<PerfData>) {
  return Layout(Layer::perf_data,  //
                field<&PerfData::data, 1536>("rdma.perf.data", "Performance management data"));
}
static_assert(header_size<PerfData> == 192);

// Of the vendor classes 0x30 to 0x4F.
struct VendorData {
  std::array<std::uint8_t, 216> data{};
};

constexpr auto layout(std::type_identity<VendorData>) {
  return Layout(Layer::vendor_data,  //
                field<&VendorData::data, 1728>("rdma.vendor.data", "Vendor data"));
}
static_assert(header_size<VendorData> == 216);

}  // namespace rdmawire::mad
