#include "cli/other_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "codec/net/net.h"

namespace rdmawire::cli {
namespace {

// Of the innermost header, or of what it says comes next.
std::string_view name_of(const Frame& frame) {
  if (frame.layers().empty()) return "unreadable";
  const Layer innermost = frame.layers().back().layer;
  std::string_view next;
  if (innermost == Layer::ethernet) next = net::name_of(frame.get<net::Ethernet>()->type);
  if (innermost == Layer::ipv4) next = net::name_of(frame.get<net::Ipv4>()->protocol);
  if (innermost == Layer::ipv6) next = net::name_of(frame.get<net::Ipv6>()->next_header);
  return next.empty() ? info(innermost).name : next;
}

}  // namespace

void OtherTraffic::add(const Frame& frame) { ++counts_[name_of(frame)]; }

std::string OtherTraffic::text() const {
  std::vector<std::pair<std::uint64_t, std::string_view>> sorted;
  sorted.reserve(counts_.size());
  for (const auto& [kind, count] : counts_) sorted.emplace_back(count, kind);
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  constexpr std::size_t most = 5;
  std::string out;
  for (std::size_t i = 0; i < sorted.size() && i < most; ++i) {
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", sorted[i].first, sorted[i].second);
  }
  return sorted.size() > most ? out + ", ..." : out;
}

}  // namespace rdmawire::cli
