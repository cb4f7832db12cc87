// Work requests as JSON.
#pragma once

#include <vector>

#include "protocol/vectors/verbs_fields.h"

namespace rdmawire::vectors {

// With what it refers to.
struct OwnedSendWork {
  verbs::SendWork work;
  std::vector<verbs::Sge> sges;
  std::vector<std::uint8_t> data;
};
struct OwnedRecvWork {
  verbs::RecvWork work;
  std::vector<verbs::Sge> sges;
};

// place: of register_memory in the host's, as [offset, length].
Json work_json(const verbs::SendWork& work, const Json& place);
Json work_json(const verbs::RecvWork& work);
// memory: the host's.
void read_work(const Json& json, MutableBytes memory, OwnedSendWork& out);
void read_work(const Json& json, OwnedRecvWork& out);

// The octets there in the host's memory; std::out_of_range if there are none.
MutableBytes part_of(MutableBytes memory, const Json& place);

}  // namespace rdmawire::vectors
