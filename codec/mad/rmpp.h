// Reliable Multi-Packet Transaction Protocol header: IBTA vol. 1, 13.6.2. What the last two words mean depends on the
// type; a MAD of a class that may use RMPP but does not has twelve zero octets here.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/base/names.h"

namespace rdmawire::mad {

// Three bits: 13.6.2.1.
struct RmppFlags {
  std::uint8_t value{};
  friend constexpr bool operator==(RmppFlags, RmppFlags) = default;
  constexpr bool last() const { return (value & 4U) != 0; }
  constexpr bool first() const { return (value & 2U) != 0; }
  constexpr bool active() const { return (value & 1U) != 0; }
};

// 13.6.2.1.
enum class RmppType : std::uint8_t {
  none = 0,
  data = 1,
  ack = 2,
  stop = 3,
  abort = 4,
};

inline constexpr std::array rmpp_type_names{
    Name{RmppType::none, "not an RMPP packet"},
    Name{RmppType::data, "DATA"},
    Name{RmppType::ack, "ACK"},
    Name{RmppType::stop, "STOP"},
    Name{RmppType::abort, "ABORT"},
};

constexpr std::string_view name_of(RmppType value) { return find_name(rmpp_type_names, value); }

// 13.6.2.1. 1 stands in a STOP, the others in an ABORT; 128 and above are the class's.
enum class RmppStatus : std::uint8_t {
  normal = 0,
  resources_exhausted = 1,
  total_time_too_long = 118,
  inconsistent_last = 119,
  inconsistent_first = 120,
  bad_type = 121,
  new_window_last_too_small = 122,
  segment_number_too_big = 123,
  illegal_status = 124,
  unsupported_version = 125,
  too_many_retries = 126,
  unspecified = 127,
};

inline constexpr std::array rmpp_status_names{
    Name{RmppStatus::normal, "Normal"},
    Name{RmppStatus::resources_exhausted, "Resources exhausted"},
    Name{RmppStatus::total_time_too_long, "Total time too long"},
    Name{RmppStatus::inconsistent_last, "Inconsistent last flag and payload length"},
    Name{RmppStatus::inconsistent_first, "Inconsistent first flag and segment number"},
    Name{RmppStatus::bad_type, "Bad RMPP type"},
    Name{RmppStatus::new_window_last_too_small, "New window last too small"},
    Name{RmppStatus::segment_number_too_big, "Segment number too big"},
    Name{RmppStatus::illegal_status, "Illegal status"},
    Name{RmppStatus::unsupported_version, "Unsupported version"},
    Name{RmppStatus::too_many_retries, "Too many retries"},
    Name{RmppStatus::unspecified, "Unspecified"},
};

constexpr std::string_view name_of(RmppStatus value) { return find_name(rmpp_status_names, value); }

// Any type; the last two words not interpreted.
struct Rmpp {
  std::uint8_t version{};  // 1; 0 without RMPP
  RmppType type{};
  std::uint8_t response_time{};  // 4.096 us * 2^n; 31: none given
  RmppFlags flags{};
  RmppStatus status{};
  std::uint32_t data1{};
  std::uint32_t data2{};
};

constexpr auto layout(std::type_identity<Rmpp>) {
  return Layout(Layer::rmpp,  //
                field<&Rmpp::version, 8>("infiniband.rmpp.rmppversion", "RMPP version").as(Display::hex),
                field<&Rmpp::type, 8>("infiniband.rmpp.rmpptype", "RMPP type").as(Display::hex),
                field<&Rmpp::response_time, 5>("infiniband.rmpp.rresptime", "Response time").as(Display::hex),
                field<&Rmpp::flags, 3>("infiniband.rmpp.rmppflags", "RMPP flags").as(Display::hex),
                part("rdma.rmpp.last", "Last segment", 0, 1), part("rdma.rmpp.first", "First segment", 1, 1),
                part("rdma.rmpp.active", "RMPP is used", 2, 1),
                field<&Rmpp::status, 8>("infiniband.rmpp.rmppstatus", "RMPP status").as(Display::hex),
                field<&Rmpp::data1, 32>("infiniband.rmpp.data1", "RMPP data 1").as(Display::hex),
                field<&Rmpp::data2, 32>("infiniband.rmpp.data2", "RMPP data 2").as(Display::hex));
}
static_assert(header_size<Rmpp> == 12);

// RmppType::data: 13.6.2.2.
struct RmppData {
  std::uint8_t version{};  // 1; 0 without RMPP
  RmppType type{};
  std::uint8_t response_time{};  // 4.096 us * 2^n; 31: none given
  RmppFlags flags{};
  RmppStatus status{};
  std::uint32_t segment_number{};  // from 1
  std::uint32_t
      payload_length{};  // octets with the class header: first segment: of the transfer or 0; last: of this one
};

constexpr auto layout(std::type_identity<RmppData>) {
  return Layout(
      Layer::rmpp_data,  //
      field<&RmppData::version, 8>("infiniband.rmpp.rmppversion", "RMPP version").as(Display::hex),
      field<&RmppData::type, 8>("infiniband.rmpp.rmpptype", "RMPP type").as(Display::hex),
      field<&RmppData::response_time, 5>("infiniband.rmpp.rresptime", "Response time").as(Display::hex),
      field<&RmppData::flags, 3>("infiniband.rmpp.rmppflags", "RMPP flags").as(Display::hex),
      part("rdma.rmpp.last", "Last segment", 0, 1), part("rdma.rmpp.first", "First segment", 1, 1),
      part("rdma.rmpp.active", "RMPP is used", 2, 1),
      field<&RmppData::status, 8>("infiniband.rmpp.rmppstatus", "RMPP status").as(Display::hex),
      field<&RmppData::segment_number, 32>("infiniband.rmpp.segmentnumber", "Segment number").as(Display::hex),
      field<&RmppData::payload_length, 32>("infiniband.rmpp.payloadlength", "Payload length").as(Display::hex));
}
static_assert(header_size<RmppData> == 12);

// RmppType::ack: 13.6.2.3.
struct RmppAck {
  std::uint8_t version{};  // 1; 0 without RMPP
  RmppType type{};
  std::uint8_t response_time{};  // 4.096 us * 2^n; 31: none given
  RmppFlags flags{};
  RmppStatus status{};
  std::uint32_t segment_number{};   // of the last segment received in order
  std::uint32_t new_window_last{};  // the last segment that may be sent
};

constexpr auto layout(std::type_identity<RmppAck>) {
  return Layout(
      Layer::rmpp_ack,  //
      field<&RmppAck::version, 8>("infiniband.rmpp.rmppversion", "RMPP version").as(Display::hex),
      field<&RmppAck::type, 8>("infiniband.rmpp.rmpptype", "RMPP type").as(Display::hex),
      field<&RmppAck::response_time, 5>("infiniband.rmpp.rresptime", "Response time").as(Display::hex),
      field<&RmppAck::flags, 3>("infiniband.rmpp.rmppflags", "RMPP flags").as(Display::hex),
      part("rdma.rmpp.last", "Last segment", 0, 1), part("rdma.rmpp.first", "First segment", 1, 1),
      part("rdma.rmpp.active", "RMPP is used", 2, 1),
      field<&RmppAck::status, 8>("infiniband.rmpp.rmppstatus", "RMPP status").as(Display::hex),
      field<&RmppAck::segment_number, 32>("infiniband.rmpp.segmentnumber", "Segment number").as(Display::hex),
      field<&RmppAck::new_window_last, 32>("infiniband.rmpp.newwindowlast", "New window last").as(Display::hex));
}
static_assert(header_size<RmppAck> == 12);

}  // namespace rdmawire::mad
