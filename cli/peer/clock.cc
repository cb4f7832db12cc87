#include "cli/peer/clock.h"

#include <algorithm>

#include "pcap/wire/tcp_stream.h"

namespace rdmawire::cli::peer {

Time SystemClock::now() const { return wire::monotonic_now(); }

void SystemClock::wait(Endpoint& endpoint, Time until) {
  descriptors_.clear();
  endpoint.add_descriptors(descriptors_);
  if (const auto due = endpoint.next_deadline()) until = std::min(until, *due);
  const auto left = std::max(until - now(), Duration{});
  const timespec timeout{static_cast<time_t>(left.count() / 1'000'000'000),
                         static_cast<long>(left.count() % 1'000'000'000)};
  if (ppoll(descriptors_.data(), descriptors_.size(), &timeout, nullptr) > 0) endpoint.on_ready(descriptors_);
}

}  // namespace rdmawire::cli::peer
