// Packet vectors against the codec: SCHEMA.md.
#pragma once

#include <string>

#include "protocol/vectors/json.h"

namespace rdmawire::conformance {

// What the codec does otherwise than the vector says, in a line; empty: nothing. std::exception for what is no vector.
std::string check_packet(const vectors::Json& vector);

}  // namespace rdmawire::conformance
