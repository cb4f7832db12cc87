// Runs a peer until its work is done, it fails, or somebody interrupts it.
#pragma once

#include "cli/peer/options.h"

namespace rdmawire::cli::peer {

struct RunOptions {
  bool json = false;   // the summary as one JSON object; lines for people go to standard error
  bool quiet = false;  // only the summary
};

// The exit code (exit_code.h): findings if a connection failed, bad_input if the wire cannot be had.
int run_peer(const PeerOptions& options, const RunOptions& run);

}  // namespace rdmawire::cli::peer
