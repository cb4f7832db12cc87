#include "protocol/verbs/queue_pair.h"

namespace rdmawire::verbs {
namespace {

constexpr std::uint8_t max_count = 7;  // of 3-bit retry counts

bool values_fit(const QpAttributes& a, AttributeSet given) {
  using namespace attribute;
  const auto fits = [&](AttributeSet which, bool good) { return !given.has(which) || good; };
  return fits(path_mtu, a.path_mtu.valid()) && fits(destination_qp, a.destination_qp.value < Psn::modulus) &&
         fits(rq_psn, a.rq_psn.value < Psn::modulus) && fits(sq_psn, a.sq_psn.value < Psn::modulus) &&
         fits(min_rnr_timer, a.min_rnr_timer.value < 32) && fits(timeout, a.timeout.value < 32) &&
         fits(retry_count, a.retry_count <= max_count) && fits(rnr_retry, a.rnr_retry <= max_count) &&
         fits(access, !(a.access - rights::remote).any());
}

void take(QpAttributes& own, const QpAttributes& from, AttributeSet given) {
  using namespace attribute;
  const auto copy = [&]<class T>(AttributeSet which, T QpAttributes::* member) {
    if (given.has(which)) own.*member = from.*member;
  };
  copy(p_key_index, &QpAttributes::p_key_index);
  copy(port, &QpAttributes::port);
  copy(access, &QpAttributes::access);
  copy(q_key, &QpAttributes::q_key);
  copy(path, &QpAttributes::path);
  copy(path_mtu, &QpAttributes::path_mtu);
  copy(destination_qp, &QpAttributes::destination_qp);
  copy(rq_psn, &QpAttributes::rq_psn);
  copy(max_dest_rd_atomic, &QpAttributes::max_dest_rd_atomic);
  copy(min_rnr_timer, &QpAttributes::min_rnr_timer);
  copy(sq_psn, &QpAttributes::sq_psn);
  copy(timeout, &QpAttributes::timeout);
  copy(retry_count, &QpAttributes::retry_count);
  copy(rnr_retry, &QpAttributes::rnr_retry);
  copy(max_rd_atomic, &QpAttributes::max_rd_atomic);
  copy(alternate_path, &QpAttributes::alternate_path);
  copy(migration, &QpAttributes::migration);
  copy(drained_event, &QpAttributes::drained_event);
}

}  // namespace

QueuePair::QueuePair(const QpConfig& config, const QpResources& resources)
    : config_(config),
      resources_(resources),
      send_(config.send),
      receive_(resources.srq == nullptr ? config.receive : QueueSizes{0, 0, 0}),
      current_sges_(resources.srq == nullptr ? config.receive.max_sges : resources.srq->sizes().max_sges) {}

VerbsResult<void> QueuePair::modify(QpState to, const QpAttributes& attributes, AttributeSet given) {
  //= QPS-14
  if (to == QpState::err || to == QpState::reset) {
    if (!given.empty()) return refuse(VerbsError::bad_attribute);
    if (to == QpState::err) {
      fail();
    } else {
      reset();
    }
    return {};
  }
  const QpTransition* row = find_transition(config_.service, state_, to);
  if (row == nullptr) return refuse(VerbsError::bad_state);
  if (!given.has(row->required) || !(given - row->required - row->optional).empty()) {
    return refuse(VerbsError::bad_attribute);
  }
  if (!values_fit(attributes, given)) return refuse(VerbsError::bad_attribute);
  take(attributes_, attributes, given);
  if (to == QpState::sqd && state_ != QpState::sqd) {
    drained_noted_ = false;
    if (!given.has(attribute::drained_event)) attributes_.drained_event = true;
  }
  state_ = to;
  ++generation_;
  return {};
}

void QueuePair::reset() {
  resources_.send_cq.forgo(resources_.send_share, send_.size());
  resources_.receive_cq.forgo(resources_.receive_share, receive_.size() + (receiving_ || kept_ ? 1 : 0));
  send_.clear();
  receive_.clear();
  receiving_ = kept_ = false;
  communication_noted_ = drained_noted_ = false;
  attributes_ = {};
  state_ = QpState::reset;
  ++generation_;
}

VerbsResult<void> QueuePair::post_send(const SendWork& work) {
  //= QPS-15
  if (!info(state_).may_post_send) return refuse(VerbsError::bad_state);
  if (!info(work.opcode).offered_by.has(config_.service)) return refuse(VerbsError::bad_opcode);
  if (message_len(work) > max_message_len(config_.service)) return refuse(VerbsError::bad_range);
  if (work.inline_data && !info(work.opcode).reads_local) return refuse(VerbsError::bad_opcode);
  //= SEC-5042-6.4.3.2-01
  if (!resources_.send_cq.has_room(resources_.send_share)) return refuse(VerbsError::queue_full);
  const auto posted = send_.post(work);
  if (!posted) return posted;
  resources_.send_cq.promise(resources_.send_share);
  //= FLU-03
  if (state_ == QpState::err) flush_sends();
  return {};
}

VerbsResult<void> QueuePair::post_receive(const RecvWork& work) {
  if (resources_.srq != nullptr || !info(state_).may_post_receive) return refuse(VerbsError::bad_state);
  if (!resources_.receive_cq.has_room(resources_.receive_share)) return refuse(VerbsError::queue_full);
  const auto posted = receive_.post(work);
  if (!posted) return posted;
  resources_.receive_cq.promise(resources_.receive_share);
  if (state_ == QpState::err) flush_receives();
  return {};
}

bool QueuePair::take_receive() {
  if (kept_) {
    kept_ = false;
    receiving_ = true;
    return true;
  }
  if (resources_.srq != nullptr) {
    if (!can_take_receive()) return false;
    receiving_ = resources_.srq->take(current_, current_sges_.data());
    resources_.receive_cq.promise(resources_.receive_share);
    return receiving_;
  }
  if (receive_.empty()) return false;
  current_ = receive_.front();
  std::copy(current_.sges.begin(), current_.sges.end(), current_sges_.begin());
  current_.sges = {current_sges_.data(), current_.sges.size()};
  receive_.pop();
  receiving_ = true;
  return true;
}

void QueuePair::push(CompletionQueue& queue, const Completion& completion, CompletionShare share) {
  if (queue.overflowed()) return;
  if (queue.push(completion, share)) return;
  raise(EventKind::cq_overflow);
  fail();
}

void QueuePair::complete_send(CompletionStatus status, std::uint32_t byte_len) {
  const SendWork& work = send_.front();
  Completion completion;
  completion.id = work.id;
  completion.status = status;
  completion.opcode = info(work.opcode).completion;
  completion.qp = config_.number;
  completion.byte_len = byte_len;
  //= FLU-02
  const bool told = work.signaled || config_.signal_all || status != CompletionStatus::success;
  send_.pop();
  if (told) {
    push(resources_.send_cq, completion, resources_.send_share);
  } else {
    resources_.send_cq.forgo(resources_.send_share);
  }
}

void QueuePair::complete_receive(Completion completion) {
  completion.id = current_.id;
  completion.qp = config_.number;
  receiving_ = false;
  push(resources_.receive_cq, completion, resources_.receive_share);
}

void QueuePair::abandon_receive() {
  if (resources_.srq == nullptr) {
    keep_receive();
    return;
  }
  Completion completion;
  completion.opcode = CompletionOpcode::receive;
  completion.status = CompletionStatus::local_length_error;
  complete_receive(completion);
}

void QueuePair::flush_sends() {
  //= CQE-05
  while (!send_.empty()) complete_send(CompletionStatus::work_flushed);
}

void QueuePair::flush_receives() {
  const auto flush_current = [this] {
    Completion completion;
    completion.status = CompletionStatus::work_flushed;
    completion.opcode = CompletionOpcode::receive;
    complete_receive(completion);
  };
  if (receiving_) flush_current();
  while (kept_ || !receive_.empty()) {
    take_receive();
    flush_current();
  }
}

void QueuePair::fail() {
  //= FLU-01
  const bool was_err = state_ == QpState::err;
  state_ = QpState::err;
  ++generation_;
  flush_sends();
  if (resources_.srq == nullptr) {
    flush_receives();
    return;
  }
  //= FLU-04
  if (receiving_ || kept_) flush_receives();
  if (!was_err) raise(EventKind::last_wqe_reached);
}

void QueuePair::stop_sending() {
  state_ = QpState::sqe;
  ++generation_;
  flush_sends();
}

void QueuePair::migrate() {
  attributes_.path = attributes_.alternate_path;
  attributes_.migration = MigrationState::migrated;
  ++generation_;
  raise(EventKind::path_migrated);
}

void QueuePair::note_communication() {
  //= QPS-16
  if (state_ != QpState::rtr || communication_noted_) return;
  communication_noted_ = true;
  raise(EventKind::communication_established);
}

void QueuePair::note_drained() {
  if (state_ != QpState::sqd || drained_noted_) return;
  drained_noted_ = true;
  if (attributes_.drained_event) raise(EventKind::send_queue_drained);
}

}  // namespace rdmawire::verbs
