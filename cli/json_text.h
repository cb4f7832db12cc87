// Text as a JSON string (RFC 8259).
#pragma once

#include <string_view>

#include "cli/output.h"

namespace rdmawire::cli {

// With the quotes around it. What is not valid UTF-8 (in the name of a file) becomes U+FFFD.
void append_json_string(Output& out, std::string_view text);

}  // namespace rdmawire::cli
