#include "cli/suggest.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace rdmawire::cli {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Characters to insert, drop or replace, or neighbours to swap, to turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

// What stands after the last dot.
std::string_view tail(std::string_view name) { return name.substr(name.rfind('.') + 1); }

}  // namespace

std::string did_you_mean(std::string_view unknown, std::span<const std::string_view> names) {
  const std::string wanted = lower(unknown);
  const std::size_t limit = std::max<std::size_t>(2, wanted.size() / 4);
  std::vector<std::tuple<std::size_t, std::size_t, std::string_view>> near;  // score, place in names, name
  for (const std::string_view name : names) {
    const std::string known = lower(name);
    std::size_t score = edit_distance(wanted, known);
    // The right last word under a wrong or missing prefix, or a word of several.
    if (!tail(wanted).empty() && tail(known) == tail(wanted)) score = std::min<std::size_t>(score, 1);
    if (wanted.size() >= 3 && known.find(wanted) != std::string::npos) score = std::min<std::size_t>(score, 2);
    if (score <= limit) near.emplace_back(score, near.size(), name);
  }
  std::ranges::sort(near);
  if (near.empty()) return {};
  const std::size_t good = std::get<0>(near.front()) + 1;  // what is much further off than the best is no help
  while (std::get<0>(near.back()) > good) near.pop_back();
  if (near.size() > 3) near.resize(3);
  std::string out = " (did you mean ";
  for (std::size_t i = 0; i < near.size(); ++i) {
    if (i != 0) out += i + 1 == near.size() ? " or " : ", ";
    out += std::get<2>(near[i]);
  }
  return out + "?)";
}

}  // namespace rdmawire::cli
