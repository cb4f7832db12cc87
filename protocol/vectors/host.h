// A host that plays vectors: memory and the queues of its queue pairs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/vectors/work.h"
#include "protocol/verbs/queue_pair.h"

namespace rdmawire::vectors {

// What a call answers, as `gives` has it.
template <class Result>
void tell_result(Json& gives, const Result& result) {
  if (!result) gives["refused"] = std::string(name_of(result.error()));
}

class Host {
 public:
  explicit Host(const Json& setup);

  // Does the step, if it is one of memory or shared receives, and says in gives what it answers; false if it is not.
  bool apply(const Json& step, Json& gives);
  Json completions();
  Json events();
  MutableBytes octets() { return octets_; }
  verbs::QpResources resources() { return {memory_, send_cq_, receive_cq_, events_, srq_ ? &*srq_ : nullptr}; }

 private:
  bool apply_to_key(std::string_view verb, const Json& step, Json& gives);

  std::vector<std::uint8_t> octets_;
  verbs::MemoryTable memory_;
  verbs::CompletionQueue send_cq_;
  verbs::CompletionQueue receive_cq_;
  verbs::EventQueue events_{64};
  std::optional<verbs::SharedReceiveQueue> srq_;
};

// A step of a queue pair: modify, post_send, post_receive. False if it is another. modified: what has modify.
template <class Machine, class Modified>
bool apply_to_queue_pair(Machine& qp, Modified& modified, MutableBytes memory, const Json& step, Json& gives) {
  const auto verb = step.at("do").get<std::string>();
  if (verb == "modify") {
    const auto attributes = member_or<GivenAttributes>(step, "attributes");
    tell_result(gives, modified.modify(from_json<verbs::QpState>(step.at("to")), attributes.values, attributes.given));
  } else if (verb == "post_send") {
    OwnedSendWork work;
    read_work(step.at("work"), memory, work);
    tell_result(gives, qp.post_send(work.work));
  } else if (verb == "post_receive") {
    OwnedRecvWork work;
    read_work(step.at("work"), work);
    tell_result(gives, qp.post_receive(work.work));
  } else {
    return false;
  }
  return true;
}

}  // namespace rdmawire::vectors
