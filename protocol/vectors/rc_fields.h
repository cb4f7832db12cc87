// How the machine of a reliable connection is made, as JSON.
#pragma once

#include "protocol/ib/machine.h"
#include "protocol/vectors/verbs_fields.h"

namespace rdmawire::ib {

constexpr auto members(std::type_identity<RcConfig>) {
  using vectors::member;
  return std::tuple{member("max_responder_resources", &RcConfig::max_responder_resources),
                    member("ack_interval", &RcConfig::ack_interval),
                    member("max_outstanding_packets", &RcConfig::max_outstanding_packets),
                    member("flow_control", &RcConfig::flow_control)};
}

}  // namespace rdmawire::ib
