// Two ends of MPA's start-up and what lies between them, driven by the input: roles, settings and quirks; what the ULPs
// say; octets of either end given to the other in pieces, damaged, cut or invented; time. Nothing may crash, octets are
// taken and sent as promised, each end tells of one end at most, and two right ends agree.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "codec/iwarp/mpa.h"
#include "fuzz/check_fields.h"
#include "fuzz/input.h"
#include "protocol/iwarp/mpa_connection.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::iwarp;
using fuzz::require;

MpaConfig make_config(fuzz::Input& in) {
  MpaConfig config;
  const std::uint8_t flags = in.octet();
  config.markers = (flags & 1U) != 0;
  config.crc = (flags & 2U) == 0;
  config.enhanced = (flags & 4U) == 0;
  config.peer_to_peer = (flags & 8U) == 0;
  config.rtr_send = (flags & 16U) != 0;
  config.rtr_write = (flags & 32U) == 0;
  config.rtr_read = (flags & 64U) == 0;
  if ((flags & 128U) == 0) return config;
  const std::uint8_t more = in.octet();
  config.confirm_reply = (more & 1U) != 0;
  if ((more & 2U) != 0) config.revision = in.octet() % 4U;
  if ((more & 4U) != 0) config.ird = in.word();
  if ((more & 8U) != 0) config.ord = in.word();
  if ((more & 16U) != 0) config.max_ird = in.word();
  if ((more & 32U) != 0) config.max_private_data_len = in.word();
  if ((more & 64U) != 0) {
    config.quirks.add(static_cast<Quirk>(in.octet() % static_cast<unsigned>(Quirk::count_)));
  }
  return config;
}

// One end, and what is on its way to it.
class End {
 public:
  explicit End(const MpaConfig& config) : mpa_(config) {}

  void ask(fuzz::Input& in, Time now) {
    const MpaState before = mpa_.state();
    std::array<std::uint8_t, 514> words;
    words.fill(0x61);
    const std::size_t len = in.octet() % 4U == 0 ? in.word() % 515U : 0U;
    const Bytes data = Bytes(words).first(len);
    MpaAnswer answer;
    answer.private_data = data;
    bool done = false;
    switch (in.octet() % 6U) {
      case 0:
        done = mpa_.start_initiator(data, now).has_value();
        break;
      case 1:
        done = mpa_.start_responder(now).has_value();
        break;
      case 2:
      case 3: {
        const std::uint8_t depths = in.octet();
        if ((depths & 1U) != 0) answer.ird = in.word();
        if ((depths & 2U) != 0) answer.ord = in.word();
        done = ((depths & 4U) != 0 ? mpa_.reject(answer) : mpa_.accept(answer)).has_value();
        break;
      }
      case 4:
        done = mpa_.confirm_reply().has_value();
        break;
      default:
        done = mpa_.refuse_reply().has_value();
        break;
    }
    // What is refused changes nothing.
    require(done || mpa_.state() == before);
  }

  void happen(fuzz::Input& in) {
    switch (in.octet() % 4U) {
      case 0:
        mpa_.on_first_fpdu_sent();
        break;
      case 1:
        mpa_.on_peer_closed();
        break;
      case 2:
        mpa_.on_connection_lost();
        break;
      default:
        mpa_.on_local_error();
        break;
    }
  }

  // Up to len of what it has to send goes to the peer.
  void send_to(End& peer, std::size_t len) {
    std::array<std::uint8_t, 600> out;
    const bool any = mpa_.has_octets();
    const std::size_t sent = mpa_.poll_octets(MutableBytes(out).first(std::min(len, out.size())));
    require(sent <= len && (sent != 0) == (any && len != 0));
    num_sent_ += sent;
    require(num_sent_ <= max_startup_len + 3);
    peer.coming_.insert(peer.coming_.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(sent));
  }

  void give(Bytes octets, Time now) {
    const MpaState before = mpa_.state();
    const std::size_t taken = mpa_.on_octets(octets, now);
    require(taken <= octets.size());
    if (before != MpaState::request_sent && before != MpaState::request_awaited) require(taken == 0);
    num_taken_ += taken;
    require(num_taken_ <= max_startup_len);
  }
  // The first of those on their way arrive.
  void receive(std::size_t len, Time now) {
    const std::vector<std::uint8_t> piece(coming_.begin(),
                                          coming_.begin() + static_cast<std::ptrdiff_t>(std::min(len, coming_.size())));
    coming_.erase(coming_.begin(), coming_.begin() + static_cast<std::ptrdiff_t>(piece.size()));
    give(piece, now);
  }
  void damage(std::size_t at, std::uint8_t with) {
    if (!coming_.empty()) coming_[at % coming_.size()] ^= with;
  }
  void cut() { coming_.clear(); }

  void take_events() {
    while (const auto event = mpa_.poll_event()) {
      require(++num_events_ <= 3);
      require(event->kind != MpaEventKind::none && !ended_);
      if (event->kind != MpaEventKind::ended) continue;
      ended_ = true;
      require(mpa_.end() == event->end && !info(event->end).text.empty());
      require(event->after != MpaAfter::terminate || mpa_.state() == MpaState::terminating);
    }
  }

  void check() const {
    const MpaState state = mpa_.state();
    require(mpa_.peer_private_data().size() <= max_private_data_len);
    if (state == MpaState::closed || state == MpaState::idle) require(!mpa_.has_octets());
    const bool waits = state == MpaState::request_sent || state == MpaState::request_awaited;
    if (mpa_.next_deadline()) require(waits);
    for (const auto depth : {mpa_.depths().ird, mpa_.depths().ord}) require(depth.value_or(0) <= 0x3FFF);
  }

  const MpaConnection& mpa() const { return mpa_; }
  MpaConnection& mpa() { return mpa_; }

 private:
  MpaConnection mpa_;
  std::vector<std::uint8_t> coming_;
  std::size_t num_sent_ = 0;
  std::size_t num_taken_ = 0;
  unsigned num_events_ = 0;
  bool ended_ = false;
};

void check_agreement(const MpaConnection& initiator, const MpaConnection& responder) {
  if (initiator.role() != Role::initiator || responder.role() != Role::responder) return;
  const auto operates = [](const MpaConnection& mpa) {
    return mpa.state() == MpaState::first_fpdu_due || mpa.state() == MpaState::full_operation;
  };
  if (!operates(initiator) || !operates(responder)) return;
  const Negotiated& i = initiator.negotiated();
  const Negotiated& r = responder.negotiated();
  require(i.accepted && r.accepted && i.crc == r.crc && i.enhanced == r.enhanced);
  require(i.peer_to_peer == r.peer_to_peer && i.rtr_send == r.rtr_send && i.rtr_write == r.rtr_write &&
          i.rtr_read == r.rtr_read);
  require(i.initiator == r.initiator && i.responder == r.responder);
  require(initiator.revision() == responder.revision());
  require(initiator.sends_markers() == responder.receives_markers());
  require(initiator.receives_markers() == responder.sends_markers());
  if (i.peer_to_peer) require(i.rtr_send || i.rtr_write || i.rtr_read);
  if (i.initiator.ord && i.responder.ird) require(*i.initiator.ord <= *i.responder.ird);
  if (i.responder.ord && i.initiator.ird) require(*i.responder.ord <= *i.initiator.ird);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input in({data, size});
  const MpaConfig config_a = make_config(in);
  const MpaConfig config_b = make_config(in);
  End a(config_a);
  End b(config_b);
  // No quirk, and no octet between the two that was not sent: they must agree.
  bool honest = true;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Quirk::count_); ++i) {
    const auto quirk = static_cast<Quirk>(i);
    if (config_a.quirks.has(quirk) || config_b.quirks.has(quirk)) honest = false;
  }
  Time now{};
  while (!in.empty()) {
    const std::uint8_t choice = in.octet();
    End& one = (choice & 128U) == 0 ? a : b;
    End& other = (choice & 128U) == 0 ? b : a;
    switch (choice % 8U) {
      case 0:
        one.ask(in, now);
        break;
      case 1:
        one.happen(in);
        break;
      case 2:
        one.send_to(other, in.octet());
        break;
      case 3:
        one.send_to(other, 600);
        other.receive(in.octet(), now);
        break;
      case 4:
        one.receive(in.octet(), now);
        break;
      case 5:
        honest = false;
        if (const std::uint8_t how = in.octet(); how == 0) {
          one.cut();
        } else {
          one.damage(in.octet(), how);
        }
        break;
      case 6:
        honest = false;
        one.give(in.take(in.octet()), now);
        break;
      default:
        now += std::chrono::milliseconds(in.word());
        a.mpa().on_deadline(now);
        b.mpa().on_deadline(now);
        break;
    }
    a.check();
    b.check();
    if ((choice & 64U) == 0) {
      a.take_events();
      b.take_events();
    }
  }
  a.take_events();
  b.take_events();
  if (honest) {
    check_agreement(a.mpa(), b.mpa());
    check_agreement(b.mpa(), a.mpa());
  }
  // Left alone, it comes to rest.
  for (End* end : {&a, &b}) {
    if (const auto deadline = end->mpa().next_deadline()) end->mpa().on_deadline(std::max(now, *deadline));
    require(!end->mpa().next_deadline());
    end->take_events();
  }
  return 0;
}
