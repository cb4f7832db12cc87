// Two managers over a network that loses, repeats and reorders; whatever their consumers do, both end connected or both
// don't, and everything comes to an end.
#include <functional>
#include <map>

#include "protocol/cm/host_test.h"
#include "protocol/link/link.h"

namespace rdmawire::cm {
namespace {

using namespace test;
using link::Ppm;

constexpr link::Endpoint a_end{0}, b_end{1};
constexpr std::size_t max_steps = 20'000;

class Run {
 public:
  explicit Run(std::uint64_t seed)
      : dice_(seed * 77 + 5), link_(link_config(seed)), a_(Config{}), b_(listening(dice_)) {
    link::Impairments impairments;
    impairments.loss = Ppm::percent(static_cast<std::uint32_t>(dice_.below(21)));
    impairments.duplicate = Ppm::percent(static_cast<std::uint32_t>(dice_.below(21)));
    impairments.reorder = Ppm::percent(static_cast<std::uint32_t>(dice_.below(31)));
    impairments.reorder_bound = 1 + static_cast<std::uint32_t>(dice_.below(4));
    // Longer than TIMEWAIT, now and then: what comes late then finds nobody.
    impairments.reorder_hold = dice_.below(8) == 0 ? Duration(5s) : Duration(50ms);
    impairments.delay = 1ms;
    impairments.jitter = 3ms;
    link_.set_all(impairments);
    rejects_ = dice_.below(5) == 0;
    num_connections_ = 1 + dice_.below(3);
  }

  void go() {
    for (std::uint64_t i = 0; i < num_connections_; ++i) {
      ConnectParams params = connect_params();
      params.qpn.value += static_cast<std::uint32_t>(i);
      params.max_cm_retries = 15;
      params.path.packet_life_time = {14};
      params.remote_cm_response_timeout = params.local_cm_response_timeout = {16};
      later(Duration(dice_.below(2) * 20ms),
            [this, params] { BOOST_REQUIRE(a_.cm.connect(params, now_).has_value()); });
    }
    std::size_t steps = 0;
    for (; steps < max_steps; ++steps) {
      events(a_.cm, true);
      events(b_.cm, false);
      send(a_.cm, a_end, b_end);
      send(b_.cm, b_end, a_end);
      std::optional<Time> next = link_.next_arrival();
      const auto earlier = [&](std::optional<Time> other) {
        if (other && (!next || *other < *next)) next = other;
      };
      earlier(a_.cm.next_deadline());
      earlier(b_.cm.next_deadline());
      if (!plans_.empty()) earlier(plans_.begin()->first);
      if (!next) break;
      now_ = std::max(now_, *next);
      if (const auto delivery = link_.receive(now_)) {
        deliver(*delivery);
        continue;
      }
      if (!plans_.empty() && plans_.begin()->first <= now_) {
        const auto plan = plans_.begin()->second;
        plans_.erase(plans_.begin());
        plan();
        continue;
      }
      a_.cm.on_deadline(now_);
      b_.cm.on_deadline(now_);
    }
    BOOST_TEST(steps < max_steps);
    BOOST_TEST(a_.cm.num_connections() == 0U);
    BOOST_TEST(b_.cm.num_connections() == 0U);
    BOOST_TEST(num_connected_a_ == num_connected_b_);
    BOOST_TEST(num_connected_a_ == (rejects_ ? 0U : num_connections_));
  }

 private:
  static link::LinkConfig link_config(std::uint64_t seed) {
    link::LinkConfig out;
    out.seed = seed;
    return out;
  }
  static Config listening(link::SplitMix64& dice) {
    Config out;
    out.alternate_paths = dice.below(2) == 0;
    return out;
  }

  void later(Duration delay, std::function<void()> plan) { plans_.emplace(now_ + delay, std::move(plan)); }
  Duration soon() { return Duration(dice_.below(3) == 0 ? 0 : dice_.below(400'000'000)); }

  void send(Manager& cm, link::Endpoint from, link::Endpoint to) {
    TxMad mad;
    while (cm.poll_transmit(mad, now_)) link_.send(from, to, mad.octets, now_);
  }
  // A packet of the connection, as an endpoint's queue pair sends it.
  void send_data(const Event& event) {
    std::array<std::uint8_t, 4> octets;
    store_be<4>(octets.data(), event.attributes.destination_qp.value);
    link_.send(a_end, b_end, octets, now_);
  }
  void deliver(const link::Delivery& delivery) {
    if (delivery.octets.size() != mad::mad_size) {
      // Only queue pairs that wait for RTU care.
      const auto found = waiting_b_.find(static_cast<std::uint32_t>(load_be<4>(delivery.octets.data())));
      if (found != waiting_b_.end()) (void)b_.cm.note_communication(found->second, now_);
      return;
    }
    Host& host = delivery.to == a_end ? static_cast<Host&>(a_) : b_;
    host.cm.on_mad(delivery.octets, host.reply, now_);
  }

  void events(Manager& cm, bool active) {
    while (const auto event = cm.poll_event()) on_event(cm, active, *event);
  }
  void on_event(Manager& cm, bool active, const Event& event) {
    const ConnectionId id = event.connection;
    switch (event.kind) {
      case EventKind::connect_request:
        if (dice_.below(4) == 0) (void)cm.delay(id, {18}, {}, now_);
        later(soon(), [this, &cm, id] {
          if (rejects_) {
            (void)cm.reject(id, {}, now_);
            return;
          }
          AcceptParams params = Passive::accept_params();
          params.qpn.value = ++qpns_b_;
          if (cm.accept(id, params, now_)) waiting_b_[params.qpn.value] = id;
        });
        break;
      case EventKind::replied:
        if (dice_.below(4) == 0) (void)cm.delay(id, {18}, {}, now_);
        later(soon(), [this, &cm, event] {
          if (!cm.establish(event.connection, {}, now_)) return;
          ++num_connected_a_;
          if (dice_.below(2) == 0) send_data(event);
          if (dice_.below(2) == 0) {
            later(soon(),
                  [this, &cm, event] { (void)cm.load_path(event.connection, connect_params().path, {}, now_); });
          }
          if (dice_.below(2) == 0) leave(cm, event.connection);
        });
        break;
      case EventKind::established:
        ++num_connected_b_;
        connected_b_[id.value] = true;
        leave(cm, id);
        break;
      case EventKind::disconnect_request:
        // In REP_SENT: RTU is lost, and the connection was one all the same.
        if (!active && !connected_b_[id.value]) ++num_connected_b_;
        later(soon(), [this, &cm, id] { (void)cm.disconnect(id, {}, now_); });
        break;
      case EventKind::path_request:
        if (dice_.below(2) == 0) (void)cm.delay(id, {17}, {}, now_);
        later(soon(), [this, &cm, id] { (void)cm.answer_path(id, {}, now_); });
        break;
      default:
        break;
    }
  }
  void leave(Manager& cm, ConnectionId id) {
    later(soon(), [this, &cm, id] { (void)cm.disconnect(id, {}, now_); });
  }

  link::SplitMix64 dice_;
  link::Link link_;
  Active a_;
  Passive b_;
  Time now_{};
  std::multimap<Time, std::function<void()>> plans_;
  std::map<std::uint32_t, ConnectionId> waiting_b_;  // by own QPN
  std::map<std::uint32_t, bool> connected_b_;
  std::uint32_t qpns_b_ = 0x21;
  bool rejects_ = false;
  std::uint64_t num_connections_ = 1;
  std::uint64_t num_connected_a_ = 0;
  std::uint64_t num_connected_b_ = 0;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(cm_hostile)

BOOST_AUTO_TEST_CASE(both_sides_agree_and_every_run_ends) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) { Run(seed).go(); }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace rdmawire::cm
