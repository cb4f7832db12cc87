// Queue pairs and keys whose numbers the specification gives: IBTA vol. 1, 3.9 and 10.2.5.
#pragma once

#include "codec/base/types.h"

namespace rdmawire::ib {

inline constexpr Qpn smi_qp{0};               // subnet management; not on RoCE
inline constexpr Qpn gsi_qp{1};               // general services, of which the connection manager is one
inline constexpr Qpn multicast_qp{0xFFFFFF};  // as the destination: all that joined the group
inline constexpr QKey gsi_q_key{0x80010000};  // of gsi_qp at every port

}  // namespace rdmawire::ib
