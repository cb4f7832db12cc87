#include "protocol/vectors/recorded_verbs.h"

#include "protocol/vectors/work.h"

namespace rdmawire::vectors {
namespace {

// A step that is this verb, with a member of each name.
template <class... Values>
Json step(const char* verb, std::pair<const char*, Values>... values) {
  Json out{{"do", verb}};
  ((out[values.first] = Json(std::move(values.second))), ...);
  return out;
}
template <class T>
std::pair<const char*, Json> with(const char* name, const T& value) {
  return {name, to_json(value)};
}

template <class T>
verbs::VerbsResult<T> told(Recording& recording, const verbs::VerbsResult<T>& result, const char* name) {
  if (recording.on() && result) recording.gives(name, to_json(*result));
  return record_result(recording, result);
}

}  // namespace

Json step_of(const char* verb, std::optional<Qpn> qp) {
  Json out{{"do", verb}};
  if (qp) out["qp"] = to_json(*qp);
  return out;
}

void record_refusal(Recording& recording, std::string_view why) {
  if (recording.on()) recording.gives("refused", std::string(why));
}

void record_poll(Recording& recording, Bytes octets, Time now) {
  if (!recording.on()) return;
  if (octets.empty()) {
    recording.out_end();
  } else {
    recording.out(pack(octets), now);
  }
  recording.done();
}

RecordedMemory::RecordedMemory(Recording& recording, const verbs::MemoryConfig& config)
    : verbs::MemoryTable(config), recording_(recording) {
  if (recording.on()) recording.setup("memory", {{"num_pds", config.num_pds}, {"num_keys", config.num_keys}});
}

verbs::VerbsResult<verbs::Pd> RecordedMemory::allocate_pd() {
  if (recording_.on()) recording_.input(step("allocate_pd"));
  return told(recording_, MemoryTable::allocate_pd(), "pd");
}

verbs::VerbsResult<verbs::MemoryKey> RecordedMemory::register_region(verbs::Pd pd, MutableBytes memory,
                                                                     std::uint64_t address, verbs::Access access) {
  if (recording_.on()) {
    recording_.input(step("register_region", with("pd", pd), std::pair{"memory", recording_.place_of(memory)},
                          with("address", address), with("access", access)));
  }
  return told(recording_, MemoryTable::register_region(pd, memory, address, access), "key");
}

verbs::VerbsResult<verbs::MemoryKey> RecordedMemory::allocate_region(verbs::Pd pd, std::uint64_t max_len) {
  if (recording_.on()) recording_.input(step("allocate_region", with("pd", pd), with("max_len", max_len)));
  return told(recording_, MemoryTable::allocate_region(pd, max_len), "key");
}

verbs::VerbsResult<void> RecordedMemory::deregister(verbs::MemoryKey key) {
  if (recording_.on()) recording_.input(step("deregister", with("key", key)));
  return record_result(recording_, MemoryTable::deregister(key));
}

verbs::VerbsResult<void> RecordedMemory::fast_register(verbs::MemoryKey key, verbs::Pd pd, MutableBytes memory,
                                                       std::uint64_t address, verbs::Access access) {
  if (recording_.on()) {
    recording_.input(step("fast_register", with("key", key), with("pd", pd),
                          std::pair{"memory", recording_.place_of(memory)}, with("address", address),
                          with("access", access)));
  }
  return record_result(recording_, MemoryTable::fast_register(key, pd, memory, address, access));
}

verbs::VerbsResult<verbs::MemoryKey> RecordedMemory::allocate_window(verbs::Pd pd, verbs::KeyKind type) {
  if (recording_.on()) {
    recording_.input(
        step("allocate_window", with("pd", pd), std::pair{"type", type == verbs::KeyKind::window1 ? 1 : 2}));
  }
  return told(recording_, MemoryTable::allocate_window(pd, type), "key");
}

verbs::VerbsResult<void> RecordedMemory::free_window(verbs::MemoryKey key) {
  if (recording_.on()) recording_.input(step("free_window", with("key", key)));
  return record_result(recording_, MemoryTable::free_window(key));
}

verbs::VerbsResult<verbs::MemoryKey> RecordedMemory::bind_window1(verbs::MemoryKey window, verbs::Pd pd,
                                                                  const Bind& bind) {
  if (recording_.on()) {
    recording_.input(step("bind_window1", with("window", window), with("pd", pd), with("bind", bind)));
  }
  return told(recording_, MemoryTable::bind_window1(window, pd, bind), "key");
}

verbs::VerbsResult<void> RecordedMemory::bind_window2(verbs::MemoryKey window, verbs::Pd pd, Qpn qp, const Bind& bind) {
  if (recording_.on()) {
    recording_.input(step("bind_window2", with("window", window), with("pd", pd), with("qp", qp), with("bind", bind)));
  }
  return record_result(recording_, MemoryTable::bind_window2(window, pd, qp, bind));
}

verbs::AccessVerdict RecordedMemory::invalidate_local(verbs::MemoryKey key, verbs::Pd pd, Qpn qp) {
  if (recording_.on()) recording_.input(step("invalidate_local", with("key", key), with("pd", pd), with("qp", qp)));
  const verbs::AccessVerdict verdict = MemoryTable::invalidate_local(key, pd, qp);
  if (recording_.on() && verdict != verbs::AccessVerdict::ok)
    recording_.gives("refused", std::string(name_of(verdict)));
  recording_.done();
  return verdict;
}

std::size_t RecordedCompletions::poll(std::span<verbs::Completion> out) {
  const std::size_t num = CompletionQueue::poll(out);
  if (recording_.on()) {
    recording_.told("completions", {});
    for (const verbs::Completion& one : out.first(num)) recording_.told("completions", to_json(one));
  }
  return num;
}

std::optional<verbs::Event> RecordedEvents::poll() {
  const auto event = EventQueue::poll();
  if (recording_.on()) recording_.told("events", event ? Json(std::string(name_of(event->kind))) : Json());
  return event;
}

RecordedSharedReceives::RecordedSharedReceives(Recording& recording, verbs::Pd pd, const verbs::QueueSizes& sizes,
                                               verbs::EventQueue& events)
    : verbs::SharedReceiveQueue(pd, sizes, events), recording_(recording) {}

verbs::VerbsResult<void> RecordedSharedReceives::post(const verbs::RecvWork& work) {
  if (recording_.on()) recording_.input({{"do", "post_shared_receive"}, {"work", work_json(work)}});
  return record_result(recording_, SharedReceiveQueue::post(work));
}

verbs::VerbsResult<void> RecordedSharedReceives::set_limit(std::uint32_t limit) {
  if (recording_.on()) recording_.input({{"do", "set_shared_receive_limit"}, {"limit", limit}});
  return record_result(recording_, SharedReceiveQueue::set_limit(limit));
}

verbs::VerbsResult<void> RecordedQueuePair::modify(verbs::QpState to, const verbs::QpAttributes& attributes,
                                                   verbs::AttributeSet given) {
  record_modify(recording_, to, attributes, given);
  return record_result(recording_, qp_.modify(to, attributes, given));
}

void record_modify(Recording& recording, verbs::QpState to, const verbs::QpAttributes& attributes,
                   verbs::AttributeSet given, std::optional<Qpn> qp) {
  if (!recording.on()) return;
  Json step = step_of("modify", qp);
  step["to"] = to_json(to);
  if (!given.empty()) step["attributes"] = to_json(attributes, given);
  recording.input(std::move(step));
}

void record_post(Recording& recording, const verbs::SendWork& work, std::optional<Qpn> qp) {
  if (!recording.on()) return;
  const Json place = work.register_memory.empty() ? Json() : recording.place_of(work.register_memory);
  Json step = step_of("post_send", qp);
  step["work"] = work_json(work, place);
  recording.input(std::move(step));
}

void record_post(Recording& recording, const verbs::RecvWork& work, std::optional<Qpn> qp) {
  if (!recording.on()) return;
  Json step = step_of("post_receive", qp);
  step["work"] = work_json(work);
  recording.input(std::move(step));
}

}  // namespace rdmawire::vectors
