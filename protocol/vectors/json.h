// Values of state vectors as JSON: conformance/vectors/SCHEMA.md says what they look like.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/bytes.h"

namespace rdmawire::vectors {

using Json = nlohmann::ordered_json;

// Octets as text: hex digits; a run of 16 and more of one octet as "00*252", and of octets that count up by one as
// "01+256", with spaces around. It says a 64 KiB pattern in a line, and any language reads it with a few of its own.
std::string pack(Bytes octets);
// Throws std::invalid_argument for a text that is none.
std::vector<std::uint8_t> unpack(std::string_view text);

// "0x..." for numbers that JSON's readers may not keep whole.
std::string hex_number(std::uint64_t value);
std::uint64_t from_hex_number(std::string_view text);

}  // namespace rdmawire::vectors
