#include "pcap/reassembly/mpa_conversation.h"

#include <algorithm>
#include <array>
#include <utility>

#include "codec/iwarp/negotiation.h"
#include "codec/iwarp/pdu.h"

namespace rdmawire::reassembly {

using iwarp::MpaStartup;
using iwarp::StartupKind;

namespace {

// What a direction may hold while it waits for the other end's start-up frame: FPDUs sent before it are few.
constexpr std::size_t max_waiting_len = std::size_t{64} << 10;

bool is_request(const MpaStartup& frame) { return frame.key == iwarp::mpa_request_key; }

}  // namespace

MpaConversation::MpaConversation(StreamContext& context, std::uint32_t number, bool told, bool initiator_upper)
    : context_(context),
      number_(number),
      told_(told),
      initiator_upper_(initiator_upper),
      directions_{Direction(*this, context), Direction(*this, context)} {
  if (told) recognition_ = Recognition::told;
}

void MpaConversation::add(bool upper, const Segment& segment, std::optional<std::uint32_t> acknowledgment) {
  Direction& direction = directions_[upper ? 1 : 0];
  Direction& other = directions_[upper ? 0 : 1];
  if (acknowledgment) {
    if (segment.syn) other.tcp.start(*acknowledgment);
    if (other.state != State::over) other.tcp.acknowledge(*acknowledgment);
  }
  if (direction.state != State::over) direction.tcp.add(segment, direction);
  settle();
  direction.kept.settle(segment.frame, context_.sink);
}

// What the directions' own calls leave to do.
void MpaConversation::settle() {
  for (bool again = true; again;) {
    again = false;
    for (Direction& direction : directions_) {
      if (direction.state == State::waiting && (direction.may_go_on() || direction.tcp.held_len() > max_waiting_len)) {
        direction.go_on();
        again = true;
      }
      if (direction.state != State::over && direction.tcp.ended()) {
        direction.finish();
        again = true;
      }
    }
  }
  for (Direction& direction : directions_) {
    if (direction.state == State::over && !direction.clean) direction.clean_up();
  }
}

bool MpaConversation::waits() const {
  if (reset_at_) return true;
  for (const Direction& direction : directions_) {
    if (direction.state == State::over) continue;
    if (direction.tcp.paused() || direction.tcp.acknowledged_hole()) return true;
  }
  return false;
}

void MpaConversation::note_waiting() {
  for (Direction& direction : directions_) {
    direction.noted_acknowledged = direction.tcp.acknowledged_offset();
    direction.noted_paused = direction.tcp.paused();
  }
  noted_reset_ = reset_at_.has_value();
}

void MpaConversation::pass_over() {
  for (Direction& direction : directions_) {
    if (direction.state == State::waiting && direction.noted_paused) direction.go_on();
    if (direction.state != State::over) direction.tcp.give_up_acknowledged(direction.noted_acknowledged, direction);
  }
  settle();
  if (!noted_reset_ || !reset_at_) return;
  const bool went_on = progress() != *reset_at_;
  reset_at_.reset();
  if (!went_on) finish();
}

void MpaConversation::give_up_held() {
  for (Direction& direction : directions_) {
    if (direction.state == State::waiting) direction.go_on();
    if (direction.state != State::over) direction.tcp.give_up_all(direction);
  }
  settle();
}

void MpaConversation::finish() {
  // A start-up frame may be among what is held; the other direction is better off with it.
  for (Direction& direction : directions_) {
    if (direction.state != State::over) direction.tcp.give_up_all(direction);
  }
  settle();
  for (Direction& direction : directions_) {
    if (direction.state != State::over) direction.finish();
  }
  settle();
}

std::size_t MpaConversation::Direction::take(Bytes octets, std::uint64_t frame) {
  if (state == State::waiting) return 0;
  if (state == State::over) return octets.size();
  std::size_t taken = 0;
  if (state == State::startup) {
    if (frames.append(offset, frame)) kept.refer(frame);
    taken = take_startup(octets);
  }
  if (state == State::over) return octets.size();
  if (state == State::framed && taken < octets.size()) {
    if (frames.append(offset, frame)) kept.refer(frame);
    const Bytes rest = octets.subspan(taken);
    offset += rest.size();
    if (!conversation.recognition_) searched_len += rest.size();
    deframer->feed(rest);
    deframe();
    return octets.size();
  }
  return taken;
}

// The octets of the start-up frame; returns how many that were.
std::size_t MpaConversation::Direction::take_startup(Bytes octets) {
  std::size_t taken = 0;
  const auto pass = [&](std::size_t len) {
    taken += len;
    offset += len;
  };
  while (state == State::startup && taken < octets.size()) {
    const Bytes rest = octets.subspan(taken);
    if (startup_rest != 0) {
      const auto part = static_cast<std::uint32_t>(std::min<std::size_t>(startup_rest, rest.size()));
      startup_rest -= part;
      pass(part);
      if (startup_rest == 0) startup_passed();
      continue;
    }
    // It is read as it lies there if it is whole, else put together in first_octets.
    const std::size_t before = first_octets.size();
    const std::size_t wanted = iwarp::look_at_startup(first_octets).wanted;
    Bytes first = rest;
    if (before != 0) {
      const std::size_t more = std::min(wanted - before, rest.size());
      first_octets.insert(first_octets.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(more));
      first = first_octets;
    }
    const iwarp::StartupPrefix prefix = iwarp::look_at_startup(first);
    if (prefix.kind == StartupKind::none) {
      first_octets.resize(before);
      // Whatever the other end said, nothing speaks MPA like this; but a search is asked for, or called for.
      if (tcp.start_known() && !conversation.told_) {
        conversation.end();
      } else {
        no_startup();
      }
    } else if (prefix.is_whole() || prefix.error) {
      // Of one of which nothing can come, only the header is understood.
      const std::uint32_t len = prefix.error ? iwarp::startup_header_size : prefix.full_len;
      pass(len - before);
      startup_found(first.first(len), len);
      if (prefix.error) conversation.end();
    } else {
      if (before == 0) first_octets.assign(rest.begin(), rest.end());
      pass(first.size() - before);
    }
  }
  return taken;
}

// A start-up frame, or what was captured of it.
void MpaConversation::Direction::startup_found(Bytes frame, std::uint32_t wire_len) {
  startup = decode<MpaStartup>(frame.first<iwarp::startup_header_size>());
  const bool request = is_request(*startup);
  conversation.recognise(Recognition::startup);
  conversation.initiator_upper_ = request == is_upper();
  give(iwarp::parse_startup(frame), nullptr, frame, offset - frame.size(), wire_len, {});
  startup_rest = wire_len - static_cast<std::uint32_t>(frame.size());
  first_octets.clear();
  const bool twice = other().startup && is_request(*other().startup) == request;
  if (twice || (!request && startup->rejected)) {
    conversation.end();
  } else if (startup_rest == 0) {
    startup_passed();
  }
}

void MpaConversation::Direction::startup_passed() {
  forget_before(offset);
  state = State::waiting;
  if (may_go_on()) begin_framing(offset, true);
}

// The other end's start-up frame is there, or can't be found any more.
bool MpaConversation::Direction::may_go_on() const {
  return other().startup || other().state == State::framed || other().state == State::over;
}

// There is none, or it was lost.
void MpaConversation::Direction::no_startup() {
  begin_framing(offset - first_octets.size(), false);
  if (first_octets.empty()) return;
  deframer->feed(first_octets);
  deframe();
  first_octets.clear();
}

// What the start-up frames that were seen say of this direction: what holds whatever stood in one that was not seen.
StreamParams MpaConversation::Direction::params() const {
  const auto agreed = [&](bool unseen) {
    MpaStartup frame;
    frame.markers = unseen;
    frame.crc = unseen;
    const MpaStartup own = startup.value_or(frame);
    const MpaStartup peers = other().startup.value_or(frame);
    return from_initiator() ? iwarp::negotiate({own, {}}, {peers, {}}) : iwarp::negotiate({peers, {}}, {own, {}});
  };
  const auto setting = [](bool one, bool two) {
    return one != two ? Setting::unknown : (one ? Setting::on : Setting::off);
  };
  const iwarp::Negotiated least = agreed(false);
  const iwarp::Negotiated most = agreed(true);
  StreamParams out;
  out.markers = from_initiator() ? setting(least.markers_from_initiator, most.markers_from_initiator)
                                 : setting(least.markers_from_responder, most.markers_from_responder);
  out.crc = setting(least.crc, most.crc);
  out.check_crc = context.options.verify_crcs;
  return out;
}

// at: the offset of the octet that is fed next.
void MpaConversation::Direction::begin_framing(std::uint64_t at, bool synced) {
  StreamParams known = params();
  if (synced) known.seq_start = at;
  buffer = context.buffers.take();
  deframer.emplace(MutableBytes(buffer.get(), Deframer::min_buffer), known, at, synced);
  state = State::framed;
}

void MpaConversation::Direction::skip(std::uint64_t len) {
  if (state == State::startup && startup_rest == 0) {
    const iwarp::StartupPrefix prefix = iwarp::look_at_startup(first_octets);
    // Cut inside its private data: all that matters is there.
    if (prefix.full_len != 0) {
      startup_found(first_octets, prefix.full_len);
    } else {
      no_startup();
    }
  }
  if (state == State::startup) {
    const auto part = static_cast<std::uint32_t>(std::min<std::uint64_t>(len, startup_rest));
    startup_rest -= part;
    offset += part;
    len -= part;
    if (startup_rest == 0) startup_passed();
  }
  if (len == 0 || state == State::over) return;
  if (state == State::waiting) begin_framing(offset, true);
  offset += len;
  deframer->skip(len);
  deframe();
}

void MpaConversation::Direction::deframe() {
  std::array<std::uint8_t, iwarp::max_pdu_head> scratch;
  while (const auto found = deframer->next()) {
    conversation.recognise(Recognition::mid_stream);
    const iwarp::Fpdu& fpdu = found->fpdu;
    give(iwarp::parse_fpdu(fpdu, scratch), &fpdu, fpdu.octets, fpdu.stream_offset, fpdu.wire_len, found->lost_before);
  }
  forget_before(deframer->offset());
  if (!conversation.recognition_ && searched_len > IwarpStreams::search_len) conversation.end();
}

void MpaConversation::Direction::give(const iwarp::Pdu& pdu, const iwarp::Fpdu* fpdu, Bytes octets, std::uint64_t at,
                                      std::uint32_t wire_len, const Loss& lost_before) {
  context.sink.pdu({.pdu = pdu,
                    .fpdu = fpdu,
                    .octets = octets,
                    .stream_offset = at,
                    .wire_len = wire_len,
                    .first_frame = frames.frame_of(at),
                    .last_frame = frames.frame_of(at + wire_len - 1),
                    .conversation = conversation.number_,
                    .from_initiator = from_initiator(),
                    .recognition = *conversation.recognition_,
                    .lost_before = lost_before});
}

void MpaConversation::Direction::forget_before(std::uint64_t end) {
  frames.forget_before(end, offset, [this](std::uint64_t frame) { kept.drop(frame, context.sink); });
}

// Does not wait any longer.
void MpaConversation::Direction::go_on() {
  begin_framing(offset, true);
  tcp.resume(*this);
}

void MpaConversation::Direction::finish() {
  if (state == State::waiting) go_on();
  if (state != State::over) tcp.give_up_all(*this);
  Loss lost;
  if (state == State::framed) {
    deframer->finish();
    deframe();
    lost = deframer->lost();
  } else if (state == State::startup) {
    lost.skipped_len = first_octets.size();
  }
  if (lost && conversation.recognition_) context.sink.lost(conversation.number_, from_initiator(), lost);
  state = State::over;
}

void MpaConversation::Direction::clean_up() {
  clean = true;
  tcp.discard(*this);
  forget_before(offset);
  first_octets.clear();
  deframer.reset();
  context.buffers.give_back(std::move(buffer));
}

}  // namespace rdmawire::reassembly
