// What a port is told: addresses, partitions, limits.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "codec/base/types.h"
#include "codec/ib/encodings.h"
#include "protocol/ib/quirks.h"
#include "protocol/time.h"

namespace rdmawire::ib {

// What packets look like that go from, and come to, an entry of the GID table (V2-18).
enum class Carrier : std::uint8_t { native, rocev1, rocev2 };

struct GidEntry {
  Gid gid;  // RoCEv2 over IPv4: ::ffff:a.b.c.d
  Carrier carrier = Carrier::rocev2;
  std::optional<std::uint16_t> vlan;  // RoCE: VLAN ID
};

// Who is told less often of congestion (CN-07).
enum class CnpPacing : std::uint8_t { queue_pair, destination, port };

struct PortConfig {
  MacAddress mac;  // RoCE
  Lid lid;         // native
  std::vector<GidEntry> gids;
  std::vector<PKey> p_keys{PKey{0xFFFF}};
  PathMtu mtu = mtu4096;  // the largest datagram (UD-02)
  std::size_t max_queue_pairs = 64;

  // A CE mark (FECN) is answered by a CNP (CN-01), at most one in that time for each of what pacing says.
  bool send_cnp = true;
  Duration cnp_interval = std::chrono::microseconds(50);
  CnpPacing cnp_pacing = CnpPacing::queue_pair;
  std::uint8_t cnp_traffic_class = 48 << 2 | 2;  // DSCP 48, ECT(0): CN-09
  // A CNP halves the rate of its queue pair, from this one; each recovery time without another doubles it (CN-04,
  // CN-05). 0: CNPs change nothing.
  std::uint64_t rate_bits_per_second = 100'000'000'000;
  Duration rate_recovery = std::chrono::microseconds(300);

  Quirks quirks;
};

}  // namespace rdmawire::ib
