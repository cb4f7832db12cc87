// What a hole in a stream cost, in words.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string_view>

#include "codec/stream.h"

namespace rdmawire::cli {

// Appends "2896 octets missing, 40 octets skipped, at least 1 FPDU lost" to a string or an Output.
template <class Out>
void append_loss(Out& out, const Loss& loss) {
  std::string_view separator;
  const auto part = [&](std::string_view before, std::uint64_t number, std::string_view noun, std::string_view after) {
    if (number == 0) return;
    fmt::format_to(std::back_inserter(out), "{}{}{} {}{} {}", separator, before, number, noun, number == 1 ? "" : "s",
                   after);
    separator = ", ";
  };
  part("", loss.missing_len, "octet", "missing");
  part("", loss.skipped_len, "octet", "skipped");
  part("at least ", loss.num_fpdus, "FPDU", "lost");
}

}  // namespace rdmawire::cli
