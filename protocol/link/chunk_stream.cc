#include "protocol/link/chunk_stream.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "codec/base/bytes.h"
#include "protocol/link/impairments.h"
#include "protocol/link/transmitter.h"

namespace rdmawire::link {

namespace {

// Before the user data in a packet of the links: kind, unordered, stream, payload protocol identifier, context, number.
constexpr std::size_t head_len = 20;

}  // namespace

ChunkStream::ChunkStream(const ChunkStreamConfig& config)
    : config_(config),
      // A SHUTDOWN and an ABORT beside the chunks, of each side.
      data_({.capacity = 2 * config.capacity + 4,
             .max_packet_len = config.max_chunk_len + static_cast<std::uint32_t>(head_len),
             .seed = config.seed}),
      acks_({.capacity = 2 * config.capacity, .max_packet_len = static_cast<std::uint32_t>(head_len)}),
      packet_(config.max_chunk_len + head_len) {}

void ChunkStream::reset(std::uint64_t seed) {
  data_.reset(seed);
  acks_.reset(seed);
  directions_ = {};
  gone_ = {};
  now_ = {};
}

void ChunkStream::set(Side from, const ChunkImpairments& impairments) {
  Impairments own;
  own.delay = impairments.delay;
  own.jitter = impairments.jitter;
  own.reorder = impairments.reorder;
  own.reorder_bound = impairments.reorder_bound;
  own.reorder_hold = impairments.reorder_hold;
  own.corrupt = impairments.corrupt;
  own.protected_len = static_cast<std::uint32_t>(head_len);
  data_.set(endpoint(from), endpoint(other(from)), own);
  Impairments back;
  back.delay = later(std::max(own.delay, Time{}), std::max(impairments.ack_delay, Time{}));
  acks_.set(endpoint(other(from)), endpoint(from), back);
}

void ChunkStream::set_both(const ChunkImpairments& impairments) {
  set(Side::a, impairments);
  set(Side::b, impairments);
}

std::size_t ChunkStream::room(Side from) const {
  const Direction& d = directions_[index(from)];
  if (d.closed || gone_[index(from)]) return 0;
  return static_cast<std::size_t>(config_.capacity - d.num_unacknowledged);
}

ChunkOutcome ChunkStream::send(Side from, const SentChunk& chunk, Time now) {
  now_ = std::max(now_, now);
  Direction& d = directions_[index(from)];
  if (d.closed || gone_[index(from)]) return ChunkOutcome::closed;
  if (chunk.stream >= config_.num_streams) return ChunkOutcome::no_stream;
  if (chunk.octets.size() > config_.max_chunk_len) return ChunkOutcome::too_long;
  if (d.num_unacknowledged == config_.capacity) return ChunkOutcome::no_room;

  std::uint8_t* p = packet_.data();
  store_be<1>(p, static_cast<std::uint8_t>(ChunkNews::Kind::chunk));
  store_be<1>(p + 1, chunk.unordered ? 1U : 0U);
  store_be<2>(p + 2, chunk.stream);
  store_be<4>(p + 4, static_cast<std::uint32_t>(chunk.protocol));
  store_be<4>(p + 8, chunk.context);
  store_be<8>(p + 12, d.num_sent);
  std::copy_n(chunk.octets.data(), chunk.octets.size(), p + head_len);

  Fate fate = Fate::chance();
  while (!d.fates.empty() && d.fates.front().number < d.num_sent) d.fates = d.fates.subspan(1);
  if (!d.fates.empty() && d.fates.front().number == d.num_sent) {
    fate = d.fates.front().fate;
    if (fate.kind == Fate::Kind::corrupt && !chunk.octets.empty()) {
      fate.value = static_cast<std::uint32_t>(head_len * 8 + fate.value % (chunk.octets.size() * 8));
    } else if (fate.kind != Fate::Kind::hold) {
      fate = Fate::pass();
    }
  }
  // One that is never held back keeps its place among those like it.
  if (!chunk.unordered && fate.kind != Fate::Kind::corrupt) fate = Fate::pass();
  data_.force(std::span(&fate, 1));
  data_.send(endpoint(from), endpoint(other(from)), Bytes(packet_).first(head_len + chunk.octets.size()), now_);
  ++d.num_sent;
  ++d.num_unacknowledged;
  return ChunkOutcome::accepted;
}

void ChunkStream::send_control(Side from, ChunkNews::Kind kind, Time at) {
  std::array<std::uint8_t, head_len> head{};
  head[0] = static_cast<std::uint8_t>(kind);
  const Fate fate = Fate::pass();
  data_.force(std::span(&fate, 1));
  data_.send(endpoint(from), endpoint(other(from)), head, at);
}

void ChunkStream::send_shutdown_if_due(Side from, Time at) {
  Direction& d = directions_[index(from)];
  if (!d.closing || d.shutdown_sent || d.num_unacknowledged != 0) return;
  d.shutdown_sent = true;
  send_control(from, ChunkNews::Kind::shutdown, at);
}

void ChunkStream::shutdown(Side from, Time now) {
  now_ = std::max(now_, now);
  Direction& d = directions_[index(from)];
  if (gone_[index(from)] || d.closing) return;
  d.closing = d.closed = true;
  send_shutdown_if_due(from, now_);
}

void ChunkStream::abort(Side from, Time now) {
  now_ = std::max(now_, now);
  if (gone_[index(from)]) return;
  gone_[index(from)] = true;
  send_control(from, ChunkNews::Kind::aborted, now_);
}

std::optional<Time> ChunkStream::next_arrival() const {
  const std::optional<Time> data = data_.next_arrival();
  const std::optional<Time> acks = acks_.next_arrival();
  if (!data || !acks) return data ? data : acks;
  return std::min(*data, *acks);
}

std::optional<ChunkNews> ChunkStream::read(const Delivery& delivery, bool is_ack) {
  const std::uint8_t* p = delivery.octets.data();
  ChunkNews news;
  news.to = side_of(delivery.to);
  news.kind = is_ack ? ChunkNews::Kind::acknowledged : static_cast<ChunkNews::Kind>(p[0]);
  if (gone_[index(news.to)]) return std::nullopt;
  news.unordered = p[1] != 0;
  news.stream = static_cast<std::uint16_t>(load_be<2>(p + 2));
  news.protocol = static_cast<net::SctpPayloadProtocol>(load_be<4>(p + 4));
  news.context = static_cast<std::uint32_t>(load_be<4>(p + 8));
  news.number = load_be<8>(p + 12);
  switch (news.kind) {
    case ChunkNews::Kind::chunk:
      news.octets = delivery.octets.subspan(head_len);
      news.num_overtaking = delivery.num_overtaking;
      news.corrupted = delivery.num_flipped_bits != 0;
      acks_.send(delivery.to, delivery.from, delivery.octets.first(head_len), delivery.arrived_at);
      break;
    case ChunkNews::Kind::acknowledged:
      --directions_[index(news.to)].num_unacknowledged;
      send_shutdown_if_due(news.to, delivery.arrived_at);
      break;
    case ChunkNews::Kind::shutdown:
      directions_[index(news.to)].closed = true;
      break;
    case ChunkNews::Kind::aborted:
      gone_[index(news.to)] = true;
      break;
  }
  return news;
}

std::optional<ChunkNews> ChunkStream::receive(Time now) {
  now_ = std::max(now_, now);
  for (;;) {
    const std::optional<Time> data = data_.next_arrival();
    const std::optional<Time> acks = acks_.next_arrival();
    if (!data && !acks) return std::nullopt;
    const bool ack_first = acks && (!data || *acks < *data);
    const Time at = ack_first ? *acks : *data;
    if (at > now_) return std::nullopt;
    // What follows from it happens then, and not when the caller asks.
    if (const auto news = read(*(ack_first ? acks_ : data_).receive(at), ack_first)) return news;
  }
}

}  // namespace rdmawire::link
