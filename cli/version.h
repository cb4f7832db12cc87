#pragma once

#include <string_view>

namespace rdmawire::cli {

// The same as in MODULE.bazel, which a test compares.
inline constexpr std::string_view version = "0.1.0";

}  // namespace rdmawire::cli
