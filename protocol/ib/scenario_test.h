// Scenarios of InfiniBand's machines: protocol/scenario_test.h.
#pragma once

#include <string>
#include <vector>

#include "protocol/ib/quirks.h"
#include "protocol/scenario_test.h"

namespace rdmawire::ib::test {

using rdmawire::test::Joined;
using Script = rdmawire::test::BasicScript<Quirk>;
using Scenario = rdmawire::test::BasicScenario<Quirk>;
inline std::vector<Scenario>& scenarios() { return rdmawire::test::scenarios_of<Quirk>(); }
inline std::string hex(const std::uint8_t* octets, std::size_t size) { return rdmawire::test::hex_of(octets, size); }

}  // namespace rdmawire::ib::test
