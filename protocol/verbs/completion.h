// Completions and the queue that they are polled from: IBTA vol. 1, 11.4.2.1; statuses: CQE rows of the register.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "codec/base/names.h"
#include "protocol/ring.h"
#include "protocol/verbs/types.h"

namespace rdmawire::verbs {

// In the numbers that libibverbs gives them.
enum class CompletionStatus : std::uint8_t {
  success = 0,
  local_length_error = 1,         // longer than the receive buffer, or a response of the wrong length
  local_qp_operation_error = 2,   // the work request contradicts itself or the queue pair
  local_eec_operation_error = 3,  // reliable datagram
  local_protection_error = 4,     // a scatter/gather entry names memory that it must not
  work_flushed = 5,               // the queue pair went to ERR before its turn
  window_bind_error = 6,
  bad_response = 7,             // the peer answered with an opcode that does not fit
  local_access_error = 8,       // the peer wrote, and the memory was not there
  remote_invalid_request = 9,   // NAK 1
  remote_access_error = 10,     // NAK 2
  remote_operation_error = 11,  // NAK 3
  retries_exceeded = 12,        // timeouts, sequence NAKs and implied NAKs without progress
  rnr_retries_exceeded = 13,
  local_rdd_violation = 14,        // reliable datagram
  remote_invalid_rd_request = 15,  // NAK 4
  remote_aborted = 16,             // reliable datagram
  invalid_eecn = 17,               // reliable datagram
  invalid_eec_state = 18,          // reliable datagram
  fatal = 19,
  response_timeout = 20,
  general_error = 21,
  tag_matching_error = 22,
  count_,
};

inline constexpr std::array completion_status_names{
    Name{CompletionStatus::success, "SUCCESS"},
    Name{CompletionStatus::local_length_error, "LOC_LEN_ERR"},
    Name{CompletionStatus::local_qp_operation_error, "LOC_QP_OP_ERR"},
    Name{CompletionStatus::local_eec_operation_error, "LOC_EEC_OP_ERR"},
    Name{CompletionStatus::local_protection_error, "LOC_PROT_ERR"},
    Name{CompletionStatus::work_flushed, "WR_FLUSH_ERR"},
    Name{CompletionStatus::window_bind_error, "MW_BIND_ERR"},
    Name{CompletionStatus::bad_response, "BAD_RESP_ERR"},
    Name{CompletionStatus::local_access_error, "LOC_ACCESS_ERR"},
    Name{CompletionStatus::remote_invalid_request, "REM_INV_REQ_ERR"},
    Name{CompletionStatus::remote_access_error, "REM_ACCESS_ERR"},
    Name{CompletionStatus::remote_operation_error, "REM_OP_ERR"},
    Name{CompletionStatus::retries_exceeded, "RETRY_EXC_ERR"},
    Name{CompletionStatus::rnr_retries_exceeded, "RNR_RETRY_EXC_ERR"},
    Name{CompletionStatus::local_rdd_violation, "LOC_RDD_VIOL_ERR"},
    Name{CompletionStatus::remote_invalid_rd_request, "REM_INV_RD_REQ_ERR"},
    Name{CompletionStatus::remote_aborted, "REM_ABORT_ERR"},
    Name{CompletionStatus::invalid_eecn, "INV_EECN_ERR"},
    Name{CompletionStatus::invalid_eec_state, "INV_EEC_STATE_ERR"},
    Name{CompletionStatus::fatal, "FATAL_ERR"},
    Name{CompletionStatus::response_timeout, "RESP_TIMEOUT_ERR"},
    Name{CompletionStatus::general_error, "GENERAL_ERR"},
    Name{CompletionStatus::tag_matching_error, "TM_ERR"},
};
static_assert(completion_status_names.size() == static_cast<std::size_t>(CompletionStatus::count_));

constexpr std::string_view name_of(CompletionStatus status) { return find_name(completion_status_names, status); }

// What completed.
enum class CompletionOpcode : std::uint8_t {
  send,
  rdma_write,
  rdma_read,
  compare_swap,
  fetch_add,
  flush,
  atomic_write,
  immediate_data,
  bind_window,
  fast_register,
  local_invalidate,
  receive,
  receive_rdma_with_immediate,
  receive_immediate_data,
  count_,
};

inline constexpr std::array completion_opcode_names{
    Name{CompletionOpcode::send, "SEND"},
    Name{CompletionOpcode::rdma_write, "RDMA_WRITE"},
    Name{CompletionOpcode::rdma_read, "RDMA_READ"},
    Name{CompletionOpcode::compare_swap, "COMP_SWAP"},
    Name{CompletionOpcode::fetch_add, "FETCH_ADD"},
    Name{CompletionOpcode::flush, "FLUSH"},
    Name{CompletionOpcode::atomic_write, "ATOMIC_WRITE"},
    Name{CompletionOpcode::immediate_data, "IMMEDIATE_DATA"},
    Name{CompletionOpcode::bind_window, "BIND_MW"},
    Name{CompletionOpcode::fast_register, "REG_MR"},
    Name{CompletionOpcode::local_invalidate, "LOCAL_INV"},
    Name{CompletionOpcode::receive, "RECV"},
    Name{CompletionOpcode::receive_rdma_with_immediate, "RECV_RDMA_WITH_IMM"},
    Name{CompletionOpcode::receive_immediate_data, "RECV_IMMEDIATE_DATA"},
};
static_assert(completion_opcode_names.size() == static_cast<std::size_t>(CompletionOpcode::count_));

constexpr std::string_view name_of(CompletionOpcode opcode) { return find_name(completion_opcode_names, opcode); }

// In an error only id, status, qp and opcode say something.
struct Completion {
  WorkId id;
  CompletionStatus status = CompletionStatus::success;
  CompletionOpcode opcode{};
  bool has_immediate = false;
  bool has_invalidated = false;
  bool has_grh = false;                          // UD: the first 40 octets of the buffer hold the GRH or IP header
  bool solicited = false;                        // of a receive: the sender asked for an event
  std::array<std::uint8_t, 4> immediate{};       // as it came: four octets, no number
  std::array<std::uint8_t, 8> immediate_data{};  // of receive_immediate_data
  MemoryKey invalidated;
  std::uint32_t byte_len = 0;  // octets received, read or returned; of UD the 40 included
  Qpn qp;                      // of this end
  Qpn source_qp;               // UD: of the sender

  friend constexpr bool operator==(const Completion&, const Completion&) = default;
};

// A part of a completion queue; the default is none: what comes is put where there is room.
struct CompletionShare {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t index = none;
  constexpr bool is_there() const { return index != none; }
};

// Has room for as many completions as given at construction. What comes when it is full is lost, and the queue
// with it: it is in error from then on, takes no more, and overflowed() says so (IBTA vol. 1, 11.6.3.1: the machine
// raises an asynchronous event). What it holds can still be polled.
//
// Where queue pairs share one and do not trust each other's peers, it can be divided: a queue pair that is given a
// share (QpResources) takes no more work than can complete in it, so that a queue all of whose users have shares does
// not overflow, and none of them takes another's room (RFC 5042, 6.4.3.2).
//= RDMAP-5040-8.1.2-04
class CompletionQueue {
 public:
  explicit CompletionQueue(std::size_t capacity) : ring_(capacity) {}

  // Sets so many entries apart, for as long as the queue lives. no_room: others have them. It allocates.
  VerbsResult<CompletionShare> divide(std::uint32_t num_entries);
  // False if the share is used up: by requests that are not complete, and by completions that were not polled.
  bool has_room(CompletionShare share) const {
    return !share.is_there() || parts_[share.index].num_used != parts_[share.index].num_entries;
  }
  // One more request will complete in the share; only if it has room.
  void promise(CompletionShare share) {
    if (share.is_there()) ++parts_[share.index].num_used;
  }
  // So many requests will not complete, or not be told of.
  void forgo(CompletionShare share, std::size_t num_requests = 1);

  std::size_t size() const { return ring_.size(); }
  std::size_t capacity() const { return ring_.capacity(); }
  bool overflowed() const { return overflowed_; }

  // False if it was lost. share: in which a request was promised that completes with it.
  bool push(const Completion& completion, CompletionShare share = {});

  // Takes the oldest ones, as many as there are and fit; returns their number.
  std::size_t poll(std::span<Completion> out);

  // Ask for one event, at the next completion, or at the next that is solicited or an error (IBTA vol. 1, 11.4.2.2).
  // Asking for any overrides solicited only.
  enum class Notify : std::uint8_t { none, solicited, any };
  void request_notification(Notify notify);
  // True once for each event.
  bool take_notification();

 private:
  struct Entry {
    Completion completion;
    CompletionShare share;
  };
  struct Part {
    std::uint32_t num_entries = 0;
    std::uint32_t num_used = 0;
  };

  Ring<Entry> ring_;
  std::vector<Part> parts_;
  std::size_t num_divided_ = 0;  // entries of all parts
  Notify armed_ = Notify::none;
  bool notified_ = false;
  bool overflowed_ = false;
};

}  // namespace rdmawire::verbs
