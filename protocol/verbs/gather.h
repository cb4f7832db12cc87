// Scatter/gather lists: the pieces of local memory that a stretch of a message lies in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "codec/base/bytes.h"
#include "protocol/verbs/queue_pair.h"

namespace rdmawire::verbs {

// Calls visit(memory, size) for each piece of the octets [offset, offset + size) of the list. False if a piece names
// memory that it must not; those before it were visited.
template <class Visit>
bool for_each_piece(const QueuePair& qp, std::span<const Sge> sges, std::uint64_t offset, std::uint64_t size,
                    Access needed, Visit&& visit) {
  for (const Sge& sge : sges) {
    if (size == 0) return true;
    if (offset >= sge.length) {
      offset -= sge.length;
      continue;
    }
    const auto part = std::min<std::uint64_t>(sge.length - offset, size);
    const auto place = qp.memory().find_local(sge.l_key, qp.config().pd, sge.address + offset, part, needed);
    if (!place) return false;
    visit(place.memory, static_cast<std::size_t>(part));
    size -= part;
    offset = 0;
  }
  return true;
}

// Copies octets into the list, offset octets behind its beginning; what does not fit is left out.
inline bool scatter(const QueuePair& qp, std::span<const Sge> sges, std::uint64_t offset, Bytes octets) {
  const std::uint8_t* from = octets.data();
  return for_each_piece(qp, sges, offset, octets.size(), rights::local_write,
                        [&](std::uint8_t* memory, std::size_t size) {
                          std::memcpy(memory, from, size);
                          from += size;
                        });
}

// The pieces of the octets [offset, offset + size) of the request's message, into pieces, which has room for as many as
// the queue allows a request; returns how many they are. Nothing if one names memory that it must not.
inline std::optional<std::size_t> gather(const QueuePair& qp, const SendWork& work, std::uint64_t offset,
                                         std::uint32_t size, std::span<Bytes> pieces) {
  if (work.inline_data) {
    pieces[0] = work.data.subspan(static_cast<std::size_t>(offset), size);
    return size == 0 ? 0 : 1;
  }
  std::size_t count = 0;
  const bool good = for_each_piece(qp, work.sges, offset, size, rights::local_read,
                                   [&](std::uint8_t* memory, std::size_t part) { pieces[count++] = {memory, part}; });
  if (!good) return std::nullopt;
  return count;
}

}  // namespace rdmawire::verbs
