// Management datagram, common header: IBTA vol. 1, 13.4.3; management classes and methods: 13.4.4, 13.4.5.
// A MAD is always 256 octets; what follows the header depends on the class (dispatch.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "codec/base/layout.h"
#include "codec/base/names.h"

namespace rdmawire::mad {

// Octets of every MAD.
inline constexpr std::size_t mad_size = 256;

// Matches a response to its request, with the addresses: 13.4.6.4.
using TransactionId = Identifier<struct TransactionIdTag, std::uint64_t>;

// 13.4.4. The ranges 0x09 to 0x0F and 0x30 to 0x4F are the vendors'.
enum class ManagementClass : std::uint8_t {
  subnet_lid = 0x01,
  subnet_admin = 0x03,
  performance = 0x04,
  board = 0x05,
  device = 0x06,
  communication = 0x07,
  snmp = 0x08,
  device_admin = 0x10,
  boot = 0x11,
  bis = 0x12,
  congestion = 0x21,
  subnet_directed = 0x81,
};

inline constexpr std::array management_class_names{
    Name{ManagementClass::subnet_lid, "Subn"},  Name{ManagementClass::subnet_admin, "SubnAdm"},
    Name{ManagementClass::performance, "Perf"}, Name{ManagementClass::board, "BM"},
    Name{ManagementClass::device, "DevMgt"},    Name{ManagementClass::communication, "ComMgt"},
    Name{ManagementClass::snmp, "SNMP"},        Name{ManagementClass::device_admin, "DevAdm"},
    Name{ManagementClass::boot, "BootMgt"},     Name{ManagementClass::bis, "BIS"},
    Name{ManagementClass::congestion, "CC"},    Name{ManagementClass::subnet_directed, "SubnDR"},
};

constexpr std::string_view name_of(ManagementClass value) { return find_name(management_class_names, value); }

// 13.4.5; those from 0x12 to 0x15: Subnet Administration, 15.2.2.
enum class Method : std::uint8_t {
  get = 0x01,
  set = 0x02,
  send = 0x03,
  trap = 0x05,
  report = 0x06,
  trap_repress = 0x07,
  get_table = 0x12,
  get_trace_table = 0x13,
  get_multi = 0x14,
  delete_ = 0x15,
  get_resp = 0x81,
  report_resp = 0x86,
  get_table_resp = 0x92,
  get_multi_resp = 0x94,
  delete_resp = 0x95,
};

inline constexpr std::array method_names{
    Name{Method::get, "Get"},
    Name{Method::set, "Set"},
    Name{Method::send, "Send"},
    Name{Method::trap, "Trap"},
    Name{Method::report, "Report"},
    Name{Method::trap_repress, "TrapRepress"},
    Name{Method::get_table, "GetTable"},
    Name{Method::get_trace_table, "GetTraceTable"},
    Name{Method::get_multi, "GetMulti"},
    Name{Method::delete_, "Delete"},
    Name{Method::get_resp, "GetResp"},
    Name{Method::report_resp, "ReportResp"},
    Name{Method::get_table_resp, "GetTableResp"},
    Name{Method::get_multi_resp, "GetMultiResp"},
    Name{Method::delete_resp, "DeleteResp"},
};

constexpr std::string_view name_of(Method value) { return find_name(method_names, value); }

// Status: 13.4.7. Bits 15 to 8 are the class's, bits 4 to 2 a code for an invalid field.
struct Status {
  std::uint16_t value{};
  friend constexpr auto operator<=>(Status, Status) = default;
  constexpr bool ok() const { return value == 0; }
  constexpr bool busy() const { return (value & 1U) != 0; }
  constexpr bool redirect() const { return (value & 2U) != 0; }
  constexpr std::uint8_t code() const { return static_cast<std::uint8_t>(value >> 2 & 7U); }
  constexpr std::uint8_t class_specific() const { return static_cast<std::uint8_t>(value >> 8); }
};

inline constexpr std::array status_code_names{
    Name{std::uint64_t{0}, "no invalid field"},
    Name{std::uint64_t{1}, "unsupported base or class version"},
    Name{std::uint64_t{2}, "unsupported method"},
    Name{std::uint64_t{3}, "unsupported method and attribute combination"},
    Name{std::uint64_t{7}, "invalid value in attribute or attribute modifier"},
};

constexpr std::string_view status_code_name(std::uint64_t code) { return find_name(status_code_names, code); }

struct Mad {
  std::uint8_t base_version{};  // 1
  ManagementClass management_class{};
  std::uint8_t class_version{};  // 1 for SMPs and PerfMgt, 2 for SA and CM
  Method method{};               // bit 7 marks a response
  Status status{};               // 0 in a request; of a directed route SMP see SmpDrStatus
  std::uint16_t class_specific{};
  TransactionId transaction_id{};
  std::uint16_t attribute_id{};  // meaning depends on the class: SmpAttribute, SaAttribute, ...
  std::uint16_t reserved18{};
  std::uint32_t attribute_modifier{};

  constexpr bool is_response() const { return (static_cast<unsigned>(method) & 0x80U) != 0; }
};

constexpr auto layout(std::type_identity<Mad>) {
  return Layout(
      Layer::mad,  //
      field<&Mad::base_version, 8>("infiniband.mad.baseversion", "Base version").as(Display::hex),
      field<&Mad::management_class, 8>("infiniband.mad.mgmtclass", "Management class").as(Display::hex),
      field<&Mad::class_version, 8>("infiniband.mad.classversion", "Class version").as(Display::hex),
      field<&Mad::method, 8>("infiniband.mad.method", "Method").as(Display::hex),
      field<&Mad::status, 16>("infiniband.mad.status", "Status").as(Display::hex),
      part("rdma.mad.status.busy", "Busy", 15, 1), part("rdma.mad.status.redirect", "Redirection required", 14, 1),
      part("rdma.mad.status.code", "Invalid field code", 11, 3).named(status_code_name),
      part("rdma.mad.status.class_specific", "Class-specific status", 0, 8).as(Display::hex),
      field<&Mad::class_specific, 16>("infiniband.mad.classspecific", "Class specific").as(Display::hex),
      field<&Mad::transaction_id, 64>("infiniband.mad.transactionid", "Transaction ID").as(Display::hex),
      field<&Mad::attribute_id, 16>("infiniband.mad.attributeid", "Attribute ID").as(Display::hex),
      field<&Mad::reserved18, 16>("rdma.mad.reserved18", "Reserved (2 octets)").reserved(),
      field<&Mad::attribute_modifier, 32>("infiniband.mad.attributemodifier", "Attribute modifier").as(Display::hex));
}
static_assert(header_size<Mad> == 24);

}  // namespace rdmawire::mad
