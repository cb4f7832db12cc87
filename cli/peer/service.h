// What a peer does on a connection. Each service is one file; the table of them is in services.cc.
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/peer/flow.h"
#include "cli/peer/report.h"
#include "codec/base/bytes.h"

namespace rdmawire::cli::peer {

class Session;

// What the command line says to the services; each takes what is its own.
struct ServiceOptions {
  std::uint32_t size = 64;             // octets of a message, or of rping's data
  std::uint64_t count = 0;             // operations; 0: until the end
  std::string operation = "write";     // perf
  bool verify = false;                 // perf: reads back what was written, and compares
  std::uint32_t num_regions = 1;       // responder
  std::uint32_t region_len = 1 << 20;  // octets of each
  std::uint64_t seed = 1;              // of the data
};

class Service {
 public:
  virtual ~Service() = default;

  // Registers memory and posts receives; the connection is not set up yet. Failing is for Session::fail().
  virtual void prepare(Session& session) = 0;
  // What goes with the connection request, or with the answer to one.
  virtual std::vector<std::uint8_t> private_data(const Session&) const { return {}; }
  // What came with the answer, or the request: nothing, or why it cannot be used.
  virtual std::string take_private_data(Bytes) { return {}; }
  // From the connection's establishment to its end.
  virtual Flow run(Session& session) = 0;

  // Adds what it has to say to the connection's report.
  virtual void add_report(Report&) const {}
};

struct ServiceInfo {
  std::string_view name;
  std::string_view text;
  // Makes it for one connection; an empty function: the service has no such side. shared: what the connections of one
  // endpoint have in common, empty at first and the service's own.
  using Make = std::unique_ptr<Service> (*)(const ServiceOptions&, std::any& shared);
  Make server = nullptr;
  Make client = nullptr;
  // Of the services, the one at the other end; empty if that is only in programs of others.
  std::string_view other_side{};
  // What it takes when the command line says nothing.
  std::uint32_t size = 64;  // octets
  std::uint16_t port = 7174;
};

std::span<const ServiceInfo> services();
// nullptr if there is none.
const ServiceInfo* find_service(std::string_view name);

// Each in a file of its name.
std::unique_ptr<Service> make_rping_server(const ServiceOptions& options, std::any& shared);
std::unique_ptr<Service> make_rping_client(const ServiceOptions& options, std::any& shared);
std::unique_ptr<Service> make_responder(const ServiceOptions& options, std::any& shared);
std::unique_ptr<Service> make_perf(const ServiceOptions& options, std::any& shared);
std::unique_ptr<Service> make_perftest_server(const ServiceOptions& options, std::any& shared);

}  // namespace rdmawire::cli::peer
