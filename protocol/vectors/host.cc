#include "protocol/vectors/host.h"

#include <algorithm>

namespace rdmawire::vectors {
namespace {

verbs::MemoryConfig memory_config(const Json& setup) {
  verbs::MemoryConfig out;
  out.num_pds = setup.at("memory").at("num_pds").get<std::uint32_t>();
  out.num_keys = setup.at("memory").at("num_keys").get<std::uint32_t>();
  return out;
}

template <class T>
T of(const Json& step, const char* name) {
  return from_json<T>(step.at(name));
}

template <class T>
void tell(Json& gives, const char* name, const verbs::VerbsResult<T>& result) {
  tell_result(gives, result);
  if (result) gives[name] = to_json(*result);
}

}  // namespace

Host::Host(const Json& setup)
    : octets_(setup.at("num_octets").get<std::size_t>()),
      memory_(memory_config(setup)),
      send_cq_(setup.at("num_completions").get<std::size_t>()),
      receive_cq_(setup.at("num_completions").get<std::size_t>()) {
  const auto srq = setup.find("srq");
  if (srq == setup.end()) return;
  srq_.emplace(from_json<verbs::Pd>(srq->at("pd")), from_json<verbs::QueueSizes>(srq->at("sizes")), events_);
}

bool Host::apply(const Json& step, Json& gives) {
  const auto verb = step.at("do").get<std::string>();
  if (verb == "poll") return true;
  if (verb == "store") {
    const auto octets = unpack(step.at("octets").get<std::string>());
    const MutableBytes to = part_of(octets_, {step.at("at"), octets.size()});
    std::copy(octets.begin(), octets.end(), to.begin());
  } else if (verb == "allocate_pd") {
    tell(gives, "pd", memory_.allocate_pd());
  } else if (verb == "register_region") {
    tell(gives, "key",
         memory_.register_region(of<verbs::Pd>(step, "pd"), part_of(octets_, step.at("memory")),
                                 of<std::uint64_t>(step, "address"), of<verbs::Access>(step, "access")));
  } else if (verb == "allocate_region") {
    tell(gives, "key", memory_.allocate_region(of<verbs::Pd>(step, "pd"), of<std::uint64_t>(step, "max_len")));
  } else if (verb == "allocate_window") {
    tell(gives, "key",
         memory_.allocate_window(of<verbs::Pd>(step, "pd"),
                                 step.at("type") == 1 ? verbs::KeyKind::window1 : verbs::KeyKind::window2));
  } else if (verb == "post_shared_receive") {
    OwnedRecvWork work;
    read_work(step.at("work"), work);
    tell_result(gives, srq_.value().post(work.work));
  } else if (verb == "set_shared_receive_limit") {
    tell_result(gives, srq_.value().set_limit(of<std::uint32_t>(step, "limit")));
  } else {
    return apply_to_key(verb, step, gives);
  }
  return true;
}

bool Host::apply_to_key(std::string_view verb, const Json& step, Json& gives) {
  using Key = verbs::MemoryKey;
  if (verb == "deregister") {
    tell_result(gives, memory_.deregister(of<Key>(step, "key")));
  } else if (verb == "fast_register") {
    tell_result(gives, memory_.fast_register(of<Key>(step, "key"), of<verbs::Pd>(step, "pd"),
                                             part_of(octets_, step.at("memory")), of<std::uint64_t>(step, "address"),
                                             of<verbs::Access>(step, "access")));
  } else if (verb == "free_window") {
    tell_result(gives, memory_.free_window(of<Key>(step, "key")));
  } else if (verb == "bind_window1") {
    tell(gives, "key",
         memory_.bind_window1(of<Key>(step, "window"), of<verbs::Pd>(step, "pd"),
                              of<verbs::MemoryTable::Bind>(step, "bind")));
  } else if (verb == "bind_window2") {
    tell_result(gives, memory_.bind_window2(of<Key>(step, "window"), of<verbs::Pd>(step, "pd"), of<Qpn>(step, "qp"),
                                            of<verbs::MemoryTable::Bind>(step, "bind")));
  } else if (verb == "invalidate_local") {
    const auto verdict = memory_.invalidate_local(of<Key>(step, "key"), of<verbs::Pd>(step, "pd"), of<Qpn>(step, "qp"));
    if (verdict != verbs::AccessVerdict::ok) gives["refused"] = std::string(name_of(verdict));
  } else {
    return false;
  }
  return true;
}

Json Host::completions() {
  Json out = Json::array();
  for (verbs::CompletionQueue* queue : {&send_cq_, &receive_cq_}) {
    verbs::Completion one;
    while (queue->poll({&one, 1}) != 0) out.push_back(to_json(one));
  }
  return out;
}

Json Host::events() {
  Json out = Json::array();
  while (const auto event = events_.poll()) out.push_back(std::string(name_of(event->kind)));
  return out;
}

}  // namespace rdmawire::vectors
