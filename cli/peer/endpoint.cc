#include "cli/peer/endpoint.h"

#include <fmt/format.h>

namespace rdmawire::cli::peer {

void Endpoint::announce(const Session& session) const {
  log(fmt::format("connected with {}: {}", session.peer(), session.parameters().line()));
}

void Endpoint::finish(Session& session, Time now) {
  session.end(now);
  ++num_finished_;
  const bool good = session.fault().empty();
  if (!good) ++num_failed_;
  if (finished_.size() < max_kept) finished_.push_back(session.report());
  if (good) {
    log(fmt::format("{}: {}", session.peer(), session.end_text().empty() ? "ended" : session.end_text()));
  } else {
    log(fmt::format("{}: FAILED: {}{}", session.peer(), session.fault(),
                    session.end_text().empty() ? "" : " (" + session.end_text() + ")"));
  }
}

}  // namespace rdmawire::cli::peer
