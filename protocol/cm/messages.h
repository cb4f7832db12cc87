// Writing messages into MADs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/base/layout.h"
#include "codec/mad/headers.h"
#include "protocol/cm/connection.h"

namespace rdmawire::cm {

inline constexpr std::uint8_t base_version = 1;
inline constexpr std::uint8_t class_version = 2;

// Octets of REQ, of SIDR_REQ and of additional information.
inline constexpr std::size_t ip_cm_size = header_size<mad::IpCm6>;
inline constexpr std::size_t max_info_len = 72;

//= CM-01
template <class Message>
void write(MadOctets& out, mad::CmAttribute attribute, mad::TransactionId transaction, const Message& message) {
  static_assert(header_size<Message> == mad::cm_message_size);
  mad::Mad header;
  header.base_version = base_version;
  header.management_class = mad::ManagementClass::communication;
  header.class_version = class_version;
  header.method = mad::Method::send;
  header.transaction_id = transaction;
  header.attribute_id = static_cast<std::uint16_t>(attribute);
  const std::span<std::uint8_t, mad::mad_size> octets(out);
  encode(header, octets.first<header_size<mad::Mad>>());
  encode(message, octets.subspan<header_size<mad::Mad>, mad::cm_message_size>());
}

inline mad::TransactionId transaction_of(const MadOctets& octets) {
  return peek<&mad::Mad::transaction_id>(Bytes(octets).first<header_size<mad::Mad>>());
}

inline void set_transaction(MadOctets& octets, mad::TransactionId transaction) {
  const std::span<std::uint8_t, header_size<mad::Mad>> header(octets.data(), header_size<mad::Mad>);
  mad::Mad value = decode<mad::Mad>(Bytes(octets).first<header_size<mad::Mad>>());
  value.transaction_id = transaction;
  encode(value, header);
}

inline mad::CmAttribute attribute_of(const MadOctets& octets) {
  return static_cast<mad::CmAttribute>(peek<&mad::Mad::attribute_id>(Bytes(octets).first<header_size<mad::Mad>>()));
}

//= CM-21
// Data at the front of the field, zeros in the rest. from.size() is at most N.
template <std::size_t N>
void fill(std::array<std::uint8_t, N>& field, Bytes from, std::size_t offset = 0) {
  std::copy(from.begin(), from.end(), field.begin() + static_cast<std::ptrdiff_t>(offset));
}

}  // namespace rdmawire::cm
