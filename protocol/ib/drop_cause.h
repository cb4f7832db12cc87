// Why a port drops a frame without a word: HV rows of the register. One row each, in the order of the checks (HV-24).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rdmawire::ib {

enum class DropCause : std::uint8_t {
  not_rdma,
  cut,
  bad_vcrc,
  bad_icrc,
  bad_network,
  bad_ihl,
  fragment,
  raw,
  bad_transport_version,
  unknown_qp,
  qp0_on_roce,
  wrong_service,
  wrong_carrier,
  wrong_address,
  bad_p_key,
  bad_q_key,
  count_,
};

struct DropCauseInfo {
  DropCause cause;
  std::string_view name;
  std::string_view requirement;
};

inline constexpr std::array drop_cause_table{
    DropCauseInfo{DropCause::not_rdma, "not RDMA", ""},
    DropCauseInfo{DropCause::cut, "not whole", "HV-23"},
    DropCauseInfo{DropCause::bad_vcrc, "wrong variant CRC", "HV-01"},
    DropCauseInfo{DropCause::bad_icrc, "wrong invariant CRC", "HV-02"},
    DropCauseInfo{DropCause::bad_network, "wrong link or network header", "HV-03"},
    DropCauseInfo{DropCause::bad_ihl, "IPv4 options", "HV-26"},
    DropCauseInfo{DropCause::fragment, "IP fragment", "HV-27"},
    DropCauseInfo{DropCause::raw, "raw packet", "HV-04"},
    DropCauseInfo{DropCause::bad_transport_version, "unknown transport version", "HV-10"},
    DropCauseInfo{DropCause::unknown_qp, "no such queue pair", "HV-11"},
    DropCauseInfo{DropCause::qp0_on_roce, "queue pair 0 on RoCE", "HV-12"},
    DropCauseInfo{DropCause::wrong_service, "opcode of another service", "HV-13"},
    DropCauseInfo{DropCause::wrong_carrier, "not the format of the queue pair's GID", "V2-18"},
    DropCauseInfo{DropCause::wrong_address, "not from the peer's address", "HV-09"},
    DropCauseInfo{DropCause::bad_p_key, "partition key does not match", "HV-18"},
    DropCauseInfo{DropCause::bad_q_key, "queue key does not match", "HV-20"},
};
static_assert(drop_cause_table.size() == static_cast<std::size_t>(DropCause::count_));

constexpr std::string_view name_of(DropCause cause) { return drop_cause_table[static_cast<std::size_t>(cause)].name; }

}  // namespace rdmawire::ib
