#include "protocol/verbs/queue_pair.h"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "protocol/verbs/transitions_page.h"

namespace rdmawire::verbs {

inline std::ostream& operator<<(std::ostream& out, QpState state) { return out << name_of(state); }
inline std::ostream& operator<<(std::ostream& out, VerbsError error) { return out << name_of(error); }
inline std::ostream& operator<<(std::ostream& out, CompletionStatus status) { return out << name_of(status); }
inline std::ostream& operator<<(std::ostream& out, EventKind kind) { return out << name_of(kind); }

namespace {

using namespace attribute;

constexpr AttributeSet to_init = p_key_index | port | access;
constexpr AttributeSet to_rtr = path | path_mtu | destination_qp | rq_psn | max_dest_rd_atomic | min_rnr_timer;
constexpr AttributeSet to_rts = sq_psn | timeout | retry_count | rnr_retry | max_rd_atomic;

struct Fixture {
  MemoryTable memory{{}};
  Pd pd = memory.allocate_pd().value();
  CompletionQueue send_cq{16}, receive_cq{16};
  EventQueue events{8};
  SharedReceiveQueue srq{pd, {4, 2, 0}, events};
  QpConfig config{{0x11}, Service::rc, pd, {4, 2, 16}, {4, 2, 0}, false};
  QueuePair qp{config, {memory, send_cq, receive_cq, events, nullptr}};

  static void to(QueuePair& which, QpState state) {
    BOOST_REQUIRE(which.modify(QpState::init, {}, to_init).has_value());
    if (state == QpState::init) return;
    BOOST_REQUIRE(which.modify(QpState::rtr, {}, to_rtr).has_value());
    if (state == QpState::rtr) return;
    BOOST_REQUIRE(which.modify(QpState::rts, {}, to_rts).has_value());
    if (state == QpState::rts) return;
    BOOST_REQUIRE(which.modify(state).has_value());
  }
  void to(QpState state) { to(qp, state); }
  static std::vector<Completion> polled(CompletionQueue& cq) {
    std::vector<Completion> out(cq.capacity());
    out.resize(cq.poll(out));
    return out;
  }
  // "1 SUCCESS 2 WR_FLUSH_ERR"
  static std::string texts(CompletionQueue& cq) {
    std::string out;
    for (const Completion& completion : polled(cq)) {
      out += (out.empty() ? "" : " ") + std::to_string(completion.id.value) + ' ' +
             std::string(name_of(completion.status));
    }
    return out;
  }
  static SendWork send(std::uint64_t id, bool signaled = true) {
    SendWork work;
    work.id = {id};
    work.signaled = signaled;
    return work;
  }
};

template <class T>
VerbsError error_of(const VerbsResult<T>& result) {
  BOOST_REQUIRE(!result.has_value());
  return result.error();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(queue_pair)

//= QPS-10 test
//= QPS-11 test
//= QPS-12 test
//= QPS-13 test
BOOST_AUTO_TEST_CASE(page_of_transitions_is_that_of_the_tables) {
  std::ifstream file("docs/queue_pair_states.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  BOOST_TEST(page == transitions_page());
}

//= QPS-10 test
BOOST_FIXTURE_TEST_CASE(transition_without_a_required_attribute_changes_nothing, Fixture) {
  for (const AttributeSet missing : {p_key_index, port, access}) {
    BOOST_TEST(error_of(qp.modify(QpState::init, {}, to_init - missing)) == VerbsError::bad_attribute);
    BOOST_TEST(qp.state() == QpState::reset);
  }
  BOOST_TEST(error_of(qp.modify(QpState::init, {}, to_init | rq_psn)) == VerbsError::bad_attribute);
  BOOST_TEST(error_of(qp.modify(QpState::rtr, {}, to_rtr)) == VerbsError::bad_state);
  QpAttributes wrong;
  wrong.access = verbs::rights::local_write;
  BOOST_TEST(error_of(qp.modify(QpState::init, wrong, to_init)) == VerbsError::bad_attribute);
  BOOST_TEST(qp.state() == QpState::reset);
}

BOOST_FIXTURE_TEST_CASE(impossible_values_are_refused, Fixture) {
  to(QpState::init);
  const auto refused = [&](auto QpAttributes::* member, auto value) {
    QpAttributes attributes;
    attributes.*member = value;
    BOOST_TEST(error_of(qp.modify(QpState::rtr, attributes, to_rtr)) == VerbsError::bad_attribute);
  };
  refused(&QpAttributes::path_mtu, ib::PathMtu{0});
  refused(&QpAttributes::path_mtu, ib::PathMtu{6});
  refused(&QpAttributes::rq_psn, Psn{1U << 24});
  refused(&QpAttributes::destination_qp, Qpn{1U << 24});
  refused(&QpAttributes::min_rnr_timer, ib::RnrTimer{32});
  BOOST_TEST(qp.state() == QpState::init);
}

//= QPS-14 test
BOOST_FIXTURE_TEST_CASE(reset_and_err_are_reached_from_everywhere_and_err_leads_to_reset_only, Fixture) {
  for (const QpState from : {QpState::reset, QpState::init, QpState::rtr, QpState::rts, QpState::sqd}) {
    for (const QpState target : {QpState::err, QpState::reset}) {
      QueuePair one(config, {memory, send_cq, receive_cq, events, nullptr});
      if (from != QpState::reset) to(one, from);
      BOOST_TEST(one.modify(target).has_value());
      BOOST_TEST(one.state() == target);
      if (target != QpState::err) continue;
      for (const QpState next : {QpState::init, QpState::rtr, QpState::rts, QpState::sqd}) {
        BOOST_TEST(error_of(one.modify(next)) == VerbsError::bad_state);
      }
      BOOST_TEST(one.modify(QpState::reset).has_value());
    }
  }
}

//= QPS-01 test
//= QPS-02 test
//= QPS-15 test
BOOST_FIXTURE_TEST_CASE(posting_is_allowed_by_state, Fixture) {
  BOOST_TEST(error_of(qp.post_receive({})) == VerbsError::bad_state);
  BOOST_TEST(error_of(qp.post_send(send(1))) == VerbsError::bad_state);
  to(QpState::rtr);
  BOOST_TEST(error_of(qp.post_send(send(1))) == VerbsError::bad_state);
  BOOST_TEST(qp.post_receive({}).has_value());
  BOOST_TEST(qp.modify(QpState::rts, {}, to_rts).has_value());
  BOOST_TEST(qp.post_send(send(1)).has_value());
}

BOOST_FIXTURE_TEST_CASE(posting_is_refused_beyond_the_capacities, Fixture) {
  to(QpState::rts);
  const std::vector<Sge> sges(3);
  SendWork work = send(1);
  work.sges = sges;
  BOOST_TEST(error_of(qp.post_send(work)) == VerbsError::too_many_sges);
  const std::vector<std::uint8_t> data(17);
  work.sges = {};
  work.inline_data = true;
  work.data = data;
  BOOST_TEST(error_of(qp.post_send(work)) == VerbsError::too_much_inline);
  work.data = Bytes(data).first(16);
  BOOST_TEST(qp.post_send(work).has_value());
  const std::vector<Sge> long_sges{{0, 1U << 30, {}}, {0, (1U << 30) + 1, {}}};
  work.inline_data = false;
  work.sges = long_sges;
  BOOST_TEST(error_of(qp.post_send(work)) == VerbsError::bad_range);
  for (int i = 0; i < 3; ++i) BOOST_TEST(qp.post_send(send(2)).has_value());
  BOOST_TEST(error_of(qp.post_send(send(3))) == VerbsError::queue_full);
}

BOOST_FIXTURE_TEST_CASE(inline_octets_and_pieces_are_copied_when_posted, Fixture) {
  to(QpState::rts);
  std::vector<std::uint8_t> data{1, 2, 3};
  SendWork work = send(1);
  work.inline_data = true;
  work.data = data;
  BOOST_TEST(qp.post_send(work).has_value());
  data.assign(3, 9);
  BOOST_TEST((std::vector<std::uint8_t>(qp.send_queue().front().data.begin(), qp.send_queue().front().data.end()) ==
              std::vector<std::uint8_t>{1, 2, 3}));
  std::vector<Sge> sges{{0x1000, 7, {0x100}}, {0x2000, 9, {0x200}}};
  work = send(2);
  work.sges = sges;
  BOOST_TEST(qp.post_send(work).has_value());
  sges.assign(2, {});
  BOOST_TEST(total_len(qp.send_queue()[1].sges) == 16U);
  BOOST_TEST(qp.send_queue()[1].sges[1].l_key.value == 0x200U);
}

//= FLU-01 test
//= FLU-02 test
//= FLU-03 test
BOOST_FIXTURE_TEST_CASE(err_flushes_all_in_order_after_the_request_that_failed_even_if_unsignaled, Fixture) {
  to(QpState::rts);
  for (std::uint64_t id = 1; id <= 3; ++id) BOOST_TEST(qp.post_send(send(id, false)).has_value());
  for (std::uint64_t id = 11; id <= 13; ++id) BOOST_TEST(qp.post_receive({{id}, {}}).has_value());
  qp.complete_send(CompletionStatus::success);
  BOOST_TEST(qp.take_receive());
  qp.complete_send(CompletionStatus::remote_access_error);
  qp.fail();
  BOOST_TEST(texts(send_cq) == "2 REM_ACCESS_ERR 3 WR_FLUSH_ERR");
  BOOST_TEST(texts(receive_cq) == "11 WR_FLUSH_ERR 12 WR_FLUSH_ERR 13 WR_FLUSH_ERR");
  BOOST_TEST(qp.post_send(send(4, false)).has_value());
  BOOST_TEST(qp.post_receive({{14}, {}}).has_value());
  BOOST_TEST(texts(send_cq) == "4 WR_FLUSH_ERR");
  BOOST_TEST(texts(receive_cq) == "14 WR_FLUSH_ERR");
}

BOOST_FIXTURE_TEST_CASE(reset_drops_work_without_completions, Fixture) {
  to(QpState::rts);
  BOOST_TEST(qp.post_send(send(1)).has_value());
  BOOST_TEST(qp.post_receive({{11}, {}}).has_value());
  BOOST_TEST(qp.modify(QpState::reset).has_value());
  BOOST_TEST(texts(send_cq) == "");
  BOOST_TEST(texts(receive_cq) == "");
  BOOST_TEST(qp.send_queue().empty());
}

//= FLU-04 test
BOOST_FIXTURE_TEST_CASE(srq_keeps_its_requests_and_gives_an_event_at_its_limit, Fixture) {
  QueuePair shared(config, {memory, send_cq, receive_cq, events, &srq});
  to(shared, QpState::rts);
  for (std::uint64_t id = 1; id <= 4; ++id) BOOST_TEST(srq.post({{id}, {}}).has_value());
  BOOST_TEST(error_of(srq.post({})) == VerbsError::queue_full);
  BOOST_TEST(error_of(shared.post_receive({})) == VerbsError::bad_state);
  BOOST_TEST(error_of(srq.set_limit(5)) == VerbsError::bad_range);
  BOOST_TEST(srq.set_limit(3).has_value());
  BOOST_TEST(shared.take_receive());
  BOOST_TEST(!events.poll().has_value());
  shared.complete_receive({});
  BOOST_TEST(shared.take_receive());
  BOOST_TEST((events.poll() == Event{EventKind::srq_limit_reached, {}}));
  shared.fail();
  BOOST_TEST(texts(receive_cq) == "1 SUCCESS 2 WR_FLUSH_ERR");
  BOOST_TEST(srq.size() == 2U);
  BOOST_TEST((events.poll() == Event{EventKind::last_wqe_reached, {0x11}}));
  BOOST_TEST(!events.poll().has_value());
}

BOOST_FIXTURE_TEST_CASE(receive_that_was_put_back_is_taken_again, Fixture) {
  to(QpState::rtr);
  const std::vector<Sge> sges{{0x1000, 7, {0x100}}};
  BOOST_TEST(qp.post_receive({{1}, sges}).has_value());
  BOOST_TEST(qp.post_receive({{2}, {}}).has_value());
  BOOST_TEST(qp.take_receive());
  qp.keep_receive();
  BOOST_TEST(!qp.has_receive());
  BOOST_TEST(qp.take_receive());
  BOOST_TEST(qp.receive().id.value == 1U);
  BOOST_TEST(qp.receive().sges[0].length == 7U);
  qp.complete_receive({});
  BOOST_TEST(qp.take_receive());
  BOOST_TEST(qp.receive().id.value == 2U);
  qp.complete_receive({});
  BOOST_TEST(!qp.take_receive());
}

//= QPS-06 test
BOOST_FIXTURE_TEST_CASE(stopped_send_queue_flushes_sends_only, Fixture) {
  to(QpState::rts);
  BOOST_TEST(qp.post_send(send(1)).has_value());
  BOOST_TEST(qp.post_send(send(2)).has_value());
  BOOST_TEST(qp.post_receive({{11}, {}}).has_value());
  qp.complete_send(CompletionStatus::local_protection_error);
  qp.stop_sending();
  BOOST_TEST(qp.state() == QpState::sqe);
  BOOST_TEST(texts(send_cq) == "1 LOC_PROT_ERR 2 WR_FLUSH_ERR");
  BOOST_TEST(qp.num_receives() == 1U);
}

//= QPS-16 test
BOOST_FIXTURE_TEST_CASE(events_of_establishing_and_draining_come_once, Fixture) {
  to(QpState::rtr);
  qp.note_communication();
  qp.note_communication();
  BOOST_TEST((events.poll() == Event{EventKind::communication_established, {0x11}}));
  BOOST_TEST(!events.poll().has_value());
  BOOST_TEST(qp.modify(QpState::rts, {}, to_rts).has_value());
  qp.note_communication();
  qp.note_drained();
  BOOST_TEST(!events.poll().has_value());
  BOOST_TEST(qp.modify(QpState::sqd).has_value());
  qp.note_drained();
  qp.note_drained();
  BOOST_TEST((events.poll() == Event{EventKind::send_queue_drained, {0x11}}));
  BOOST_TEST(!events.poll().has_value());
}

BOOST_FIXTURE_TEST_CASE(overflow_of_a_completion_queue_fails_the_queue_pair, Fixture) {
  CompletionQueue small(1);
  QueuePair one(config, {memory, small, receive_cq, events, nullptr});
  to(one, QpState::rts);
  BOOST_TEST(one.post_receive({{11}, {}}).has_value());
  for (std::uint64_t id = 1; id <= 3; ++id) BOOST_TEST(one.post_send(send(id)).has_value());
  one.complete_send(CompletionStatus::success);
  one.complete_send(CompletionStatus::success);
  BOOST_TEST(one.state() == QpState::err);
  BOOST_TEST((events.poll() == Event{EventKind::cq_overflow, {0x11}}));
  BOOST_TEST(!events.poll().has_value());
  BOOST_TEST(texts(small) == "1 SUCCESS");
  BOOST_TEST(texts(receive_cq) == "11 WR_FLUSH_ERR");
}

// Entries that are promised, and those that nobody has polled, are a queue pair's own; a success that nobody is told of
// takes none.
//= SEC-5042-6.4.3.2-01 test
BOOST_FIXTURE_TEST_CASE(share_of_a_completion_queue_is_never_exceeded, Fixture) {
  CompletionQueue shared(5);
  const CompletionShare first = shared.divide(2).value();
  const CompletionShare second = shared.divide(3).value();
  BOOST_TEST(shared.divide(1).error() == VerbsError::no_room);
  QueuePair one(config, {memory, shared, receive_cq, events, nullptr, first});
  QueuePair other(config, {memory, shared, shared, events, nullptr, {}, second});
  to(one, QpState::rts);
  to(other, QpState::rts);
  BOOST_TEST(one.post_send(send(1)).has_value());
  BOOST_TEST(one.post_send(send(2, false)).has_value());
  BOOST_TEST(one.post_send(send(3)).error() == VerbsError::queue_full);
  one.complete_send(CompletionStatus::success);
  BOOST_TEST(one.post_send(send(3)).error() == VerbsError::queue_full);
  one.complete_send(CompletionStatus::success);
  BOOST_TEST(one.post_send(send(3)).has_value());
  BOOST_TEST(one.post_send(send(4)).error() == VerbsError::queue_full);
  for (std::uint64_t id = 11; id <= 13; ++id) BOOST_TEST(other.post_receive({{id}, {}}).has_value());
  BOOST_TEST(other.post_receive({{14}, {}}).error() == VerbsError::queue_full);
  one.fail();
  other.fail();
  BOOST_TEST(texts(shared) == "1 SUCCESS 3 WR_FLUSH_ERR 11 WR_FLUSH_ERR 12 WR_FLUSH_ERR 13 WR_FLUSH_ERR");
  BOOST_TEST(!shared.overflowed());
  BOOST_TEST(!events.poll().has_value());
  // What was polled is free again, and what a reset forgets too.
  BOOST_REQUIRE(one.modify(QpState::reset).has_value());
  to(one, QpState::rts);
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST(one.post_send(send(5)).has_value());
    BOOST_TEST(one.post_send(send(6)).has_value());
    BOOST_TEST(one.post_send(send(7)).error() == VerbsError::queue_full);
    BOOST_REQUIRE(one.modify(QpState::reset).has_value());
    to(one, QpState::rts);
  }
}

// Who has no room for the completion takes nothing of the SRQ, and leaves it to the others.
//= SEC-5042-6.4.3.2-01 test
BOOST_FIXTURE_TEST_CASE(share_bounds_what_is_taken_of_a_shared_receive_queue, Fixture) {
  CompletionQueue shared(2);
  const CompletionShare first = shared.divide(1).value();
  const CompletionShare second = shared.divide(1).value();
  QueuePair one(config, {memory, send_cq, shared, events, &srq, {}, first});
  QueuePair other(config, {memory, send_cq, shared, events, &srq, {}, second});
  to(one, QpState::rts);
  to(other, QpState::rts);
  for (std::uint64_t id = 1; id <= 4; ++id) BOOST_TEST(srq.post({{id}, {}}).has_value());
  BOOST_TEST(one.take_receive());
  one.complete_receive({});
  BOOST_TEST(!one.can_take_receive());
  BOOST_TEST(!one.take_receive());
  BOOST_TEST(srq.size() == 3U);
  BOOST_TEST(other.take_receive());
  other.complete_receive({});
  BOOST_TEST(texts(shared) == "1 SUCCESS 2 SUCCESS");
  BOOST_TEST(one.take_receive());
  one.complete_receive({});
  BOOST_TEST(texts(shared) == "3 SUCCESS");
  BOOST_TEST(!shared.overflowed());
}

BOOST_AUTO_TEST_CASE(completion_queue_notifies_once_and_as_asked) {
  CompletionQueue cq(8);
  Completion plain, solicited, failed;
  solicited.solicited = true;
  failed.status = CompletionStatus::work_flushed;
  cq.request_notification(CompletionQueue::Notify::solicited);
  cq.push(plain);
  BOOST_TEST(!cq.take_notification());
  cq.push(solicited);
  BOOST_TEST(cq.take_notification());
  BOOST_TEST(!cq.take_notification());
  cq.push(solicited);
  BOOST_TEST(!cq.take_notification());
  cq.request_notification(CompletionQueue::Notify::solicited);
  cq.push(failed);
  BOOST_TEST(cq.take_notification());
  cq.request_notification(CompletionQueue::Notify::any);
  cq.request_notification(CompletionQueue::Notify::solicited);
  cq.push(plain);
  BOOST_TEST(cq.take_notification());
}

//= CQE-00 test
//= CQE-22 test
BOOST_AUTO_TEST_CASE(statuses_have_the_numbers_and_names_of_libibverbs) {
  std::string all;
  for (unsigned i = 0; i < static_cast<unsigned>(CompletionStatus::count_); ++i) {
    all += std::to_string(i) + ' ' + std::string(name_of(static_cast<CompletionStatus>(i))) + ' ';
  }
  BOOST_TEST(all ==
             "0 SUCCESS 1 LOC_LEN_ERR 2 LOC_QP_OP_ERR 3 LOC_EEC_OP_ERR 4 LOC_PROT_ERR 5 WR_FLUSH_ERR 6 MW_BIND_ERR "
             "7 BAD_RESP_ERR 8 LOC_ACCESS_ERR 9 REM_INV_REQ_ERR 10 REM_ACCESS_ERR 11 REM_OP_ERR 12 RETRY_EXC_ERR "
             "13 RNR_RETRY_EXC_ERR 14 LOC_RDD_VIOL_ERR 15 REM_INV_RD_REQ_ERR 16 REM_ABORT_ERR 17 INV_EECN_ERR "
             "18 INV_EEC_STATE_ERR 19 FATAL_ERR 20 RESP_TIMEOUT_ERR 21 GENERAL_ERR 22 TM_ERR ");
}

BOOST_AUTO_TEST_CASE(events_that_do_not_fit_are_counted) {
  EventQueue events(1);
  events.push({EventKind::path_migrated, {1}});
  events.push({EventKind::qp_fatal, {2}});
  BOOST_TEST((events.poll() == Event{EventKind::path_migrated, {1}}));
  BOOST_TEST(!events.poll().has_value());
  BOOST_TEST(events.num_lost() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::verbs
