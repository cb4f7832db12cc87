// What the recorders of queue pairs have in common.
#pragma once

#include "protocol/vectors/recording.h"
#include "protocol/vectors/verbs_fields.h"

namespace rdmawire::vectors {

// How the queue pair and what it shares are made.
inline void record_queue_pair(Recording& recording, const verbs::QpConfig& qp, const verbs::QpResources& resources) {
  recording.setup("num_completions", resources.send_cq.capacity());
  if (resources.srq != nullptr) {
    recording.setup("srq", {{"pd", to_json(resources.srq->pd())}, {"sizes", to_json(resources.srq->sizes())}});
  }
  recording.setup("qp", to_json(qp));
}

}  // namespace rdmawire::vectors
