// "Did you mean": the known names nearest to one that is unknown.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rdmawire::cli {

// " (did you mean A, B or C?)" with at most three of the names, or nothing if none is near. Case does not matter.
std::string did_you_mean(std::string_view unknown, std::span<const std::string_view> names);

}  // namespace rdmawire::cli
