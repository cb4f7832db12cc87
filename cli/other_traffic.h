// What the frames without RDMA are, for a user who wonders where the RDMA is.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "codec/frame.h"

namespace rdmawire::cli {

class OtherTraffic {
 public:
  void add(const Frame& frame);
  // "96 tcp, 9 arp", the most frequent first; at most five.
  std::string text() const;

 private:
  std::map<std::string_view, std::uint64_t> counts_;
};

}  // namespace rdmawire::cli
