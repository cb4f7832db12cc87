// What every PDU of iWARP must hold.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <vector>

#include "codec/iwarp/headers.h"
#include "codec/iwarp/pdu.h"
#include "fuzz/check_fields.h"

namespace rdmawire::fuzz {

// Writes the header again over the complement of its octets, and compares.
template <Header T>
void check_rewritten(Bytes octets) {
  std::array<std::uint8_t, header_size<T>> out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(~octets[i]);
  const auto written = try_encode(decode<T>(octets.first<header_size<T>>()), out);
  require(written.has_value() && *written == out.size());
  require(std::memcmp(out.data(), octets.data(), out.size()) == 0);
}

inline void check_header(const HeaderInfo& header, Bytes octets) {
  check_fields(header, octets);
  bool known = false;
  [&]<class... T>(std::type_identity<std::tuple<T...>>) {
    ((&header == &header_info<T> ? (known = true, check_rewritten<T>(octets)) : void()), ...);
  }(std::type_identity<iwarp::Headers>{});
  require(known);
}

// len: octets of the PDU on the wire, without pad and CRC.
inline void check_pdu(const iwarp::Pdu& pdu, std::uint32_t len) {
  require(pdu.layers().size() <= iwarp::Pdu::max_layers);
  for (const LayerRef& ref : pdu.layers()) {
    require(ref.layer == ref.header->layer && ref.size == ref.header->size);
    require(std::size_t{ref.offset} + ref.size <= pdu.captured.size() && ref.offset + ref.size <= len);
    check_header(*ref.header, pdu.octets(ref));
  }
  // From the last header on, all is payload.
  require(pdu.ulpdu_offset + pdu.payload_offset + pdu.payload_len == len ||
          (pdu.payload_len == 0 && pdu.ulpdu_offset + pdu.payload_offset >= len));
  require(pdu.payload().size() <= pdu.payload_len);
  require((pdu.opcode == nullptr) || pdu.find(Layer::rdmap) != nullptr);
  if (pdu.error) require(!to_string(pdu.error).view().empty());
}

// What is there is what is judged, and each violation has an answer or none for a reason.
inline void check_judgement(const iwarp::Pdu& pdu, const iwarp::Fpdu* fpdu = nullptr) {
  const Error violation = first_violation(pdu, fpdu);
  require(!pdu.error || violation);
  if (violation) require(!to_string(violation).view().empty());
  const iwarp::TerminateInfo* answer = answer_to(pdu, violation);
  require(answer == nullptr || violation);
  const Error reserved = first_reserved_set(pdu);
  if (reserved) require(reserved.code == ErrorCode::reserved_not_zero && reserved.offset < pdu.captured.size());
}

}  // namespace rdmawire::fuzz
