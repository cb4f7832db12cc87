// The page docs/rc_states.md: what requester and responder of a reliable connection do with each event in each state,
// found out by driving them.
#pragma once

#include <string>

namespace rdmawire::ib {

std::string rc_states_page();

}  // namespace rdmawire::ib
