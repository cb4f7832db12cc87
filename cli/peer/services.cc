#include <array>

#include "cli/peer/service.h"

namespace rdmawire::cli::peer {
namespace {

constexpr std::array table{
    ServiceInfo{"rping", "the exchange of librdmacm's rping: SEND, READ and WRITE of --size octets, --count times",
                make_rping_server, make_rping_client, "rping"},
    ServiceInfo{"responder",
                "exposes --regions of memory, whose addresses and keys go with the answer to a request; takes all that "
                "a peer does with them",
                make_responder, nullptr, "perf"},
    ServiceInfo{"perf",
                "--op of --size octets, --count times and --depth at a time, on the memory of a responder (or of any "
                "peer that answers with address, key and length)",
                nullptr, make_perf, "responder"},
    ServiceInfo{"perftest",
                "the other side of ib_send_bw, ib_write_bw, ib_read_bw, ib_atomic_bw with -R: SENDs of --size at most, "
                "memory of --region-size",
                make_perftest_server,
                nullptr,
                {},
                64 << 10,
                18515},
};

}  // namespace

std::span<const ServiceInfo> services() { return table; }

const ServiceInfo* find_service(std::string_view name) {
  for (const ServiceInfo& one : table) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

}  // namespace rdmawire::cli::peer
