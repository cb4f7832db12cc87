// The parts of a host that queue pairs share, recording: see recording.h. They hide what they record; machines see the
// parts themselves.
#pragma once

#include <optional>

#include "protocol/vectors/recording.h"
#include "protocol/verbs/queue_pair.h"

namespace rdmawire::vectors {

class RecordedMemory : public verbs::MemoryTable {
 public:
  RecordedMemory(Recording& recording, const verbs::MemoryConfig& config);

  verbs::VerbsResult<verbs::Pd> allocate_pd();
  verbs::VerbsResult<verbs::MemoryKey> register_region(verbs::Pd pd, MutableBytes memory, std::uint64_t address,
                                                       verbs::Access access);
  verbs::VerbsResult<verbs::MemoryKey> allocate_region(verbs::Pd pd, std::uint64_t max_len);
  verbs::VerbsResult<void> deregister(verbs::MemoryKey key);
  verbs::VerbsResult<void> fast_register(verbs::MemoryKey key, verbs::Pd pd, MutableBytes memory, std::uint64_t address,
                                         verbs::Access access);
  verbs::VerbsResult<verbs::MemoryKey> allocate_window(verbs::Pd pd, verbs::KeyKind type);
  verbs::VerbsResult<void> free_window(verbs::MemoryKey key);
  verbs::VerbsResult<verbs::MemoryKey> bind_window1(verbs::MemoryKey window, verbs::Pd pd, const Bind& bind);
  verbs::VerbsResult<void> bind_window2(verbs::MemoryKey window, verbs::Pd pd, Qpn qp, const Bind& bind);
  verbs::AccessVerdict invalidate_local(verbs::MemoryKey key, verbs::Pd pd, Qpn qp);

 private:
  Recording& recording_;
};

class RecordedCompletions : public verbs::CompletionQueue {
 public:
  RecordedCompletions(Recording& recording, std::size_t capacity)
      : verbs::CompletionQueue(capacity), recording_(recording) {}
  std::size_t poll(std::span<verbs::Completion> out);

 private:
  Recording& recording_;
};

class RecordedEvents : public verbs::EventQueue {
 public:
  RecordedEvents(Recording& recording, std::size_t capacity) : verbs::EventQueue(capacity), recording_(recording) {}
  std::optional<verbs::Event> poll();

 private:
  Recording& recording_;
};

class RecordedSharedReceives : public verbs::SharedReceiveQueue {
 public:
  RecordedSharedReceives(Recording& recording, verbs::Pd pd, const verbs::QueueSizes& sizes, verbs::EventQueue& events);
  verbs::VerbsResult<void> post(const verbs::RecvWork& work);
  verbs::VerbsResult<void> set_limit(std::uint32_t limit);

 private:
  Recording& recording_;
};

// The verbs of a queue pair that a machine owns.
class RecordedQueuePair {
 public:
  RecordedQueuePair(Recording& recording, verbs::QueuePair& qp) : recording_(recording), qp_(qp) {}
  operator const verbs::QueuePair&() const { return qp_; }

  verbs::VerbsResult<void> modify(verbs::QpState to, const verbs::QpAttributes& attributes = {},
                                  verbs::AttributeSet given = verbs::attribute::none);
  verbs::QpState state() const { return qp_.state(); }
  const verbs::QpAttributes& attributes() const { return qp_.attributes(); }
  std::size_t num_receives() const { return qp_.num_receives(); }
  bool has_srq() const { return qp_.has_srq(); }

 private:
  Recording& recording_;
  verbs::QueuePair& qp_;
};

// Steps of a queue pair, for the machines' own recorders. qp: which one, of a machine that has several.
Json step_of(const char* verb, std::optional<Qpn> qp = std::nullopt);
void record_modify(Recording& recording, verbs::QpState to, const verbs::QpAttributes& attributes,
                   verbs::AttributeSet given, std::optional<Qpn> qp = std::nullopt);
void record_post(Recording& recording, const verbs::SendWork& work, std::optional<Qpn> qp = std::nullopt);
void record_post(Recording& recording, const verbs::RecvWork& work, std::optional<Qpn> qp = std::nullopt);
void record_refusal(Recording& recording, std::string_view why);
// Whether the call was refused; gives the result on.
template <class Result>
Result record_result(Recording& recording, const Result& result) {
  if (!result) record_refusal(recording, name_of(result.error()));
  recording.done();
  return result;
}
// The octets that the machine was asked for; without any there was nothing more.
void record_poll(Recording& recording, Bytes octets, Time now);

}  // namespace rdmawire::vectors
