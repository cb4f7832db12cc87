// The text of a record's properties and fields, the same in every output.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cli/catalog.h"
#include "cli/output.h"
#include "cli/record.h"
#include "cli/time_text.h"
#include "codec/summary.h"

namespace rdmawire::cli {

// A field's value as format_value writes it, in a buffer of its own.
class ValueText {
 public:
  ValueText(const FieldInfo& field, Bytes header) : size_(format_value(field, header, text_)) {}
  std::string_view view() const { return {text_.data(), size_}; }

 private:
  // The longest field of octets is the private data of a MAD: 232 octets.
  std::array<char, 512> text_;
  std::size_t size_;
};

// Octets in hex digits: as many as the longest private data, which are longer than any pad.
class HexText {
 public:
  explicit HexText(Bytes octets) {
    constexpr std::string_view digits = "0123456789abcdef";
    for (const std::uint8_t octet : octets.first(std::min(octets.size(), text_.size() / 2))) {
      text_[size_++] = digits[octet >> 4];
      text_[size_++] = digits[octet & 15U];
    }
  }
  std::string_view view() const { return {text_.data(), size_}; }

 private:
  std::array<char, 1024> text_;  // PD_Length is at most 512 (RFC 5044, 7.1.1)
  std::size_t size_ = 0;
};

// Appends what fill(Text&) puts together: at most max_summary characters.
template <class Fill>
void append_text(Output& out, Fill&& fill) {
  static_assert(max_summary <= Output::max_room);
  Text text({out.room(max_summary), max_summary});
  fill(text);
  out.commit(text.size());
}

inline void append_value(Output& out, const FieldInfo& field, Bytes header) {
  const std::size_t most = max_text(field);
  if (most > Output::max_room) return;  // no header is as large as that
  out.commit(format_value(field, header, {out.room(most), most}));
}

inline void append_number(Output& out, std::uint64_t number) {
  constexpr std::size_t most = 20;
  char* begin = out.room(most);
  out.commit(static_cast<std::size_t>(std::to_chars(begin, begin + most, number).ptr - begin));
}

// Calls emit(std::string_view) for each value that the property has: none, one, or several of a kind `texts`.
template <class Emit>
void for_each_value(Property property, const Record& record, Emit&& emit) {
  const Frame& frame = record.frame;
  const auto number = [&](std::uint64_t value) {
    std::array<char, 20> text;
    const char* end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    emit(std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
  };
  // A CRC as its field is shown.
  const auto computed = [&](const HeaderInfo& header, const CrcCheck& check) {
    if (check.status != CrcStatus::good && check.status != CrcStatus::bad) return;
    std::array<std::uint8_t, 4> octets{};
    store_be<4>(octets.data(), check.computed);
    emit(ValueText(header.fields.front(), octets).view());
  };
  const reassembly::StreamPdu* stream = record.stream;
  const iwarp::Fpdu* fpdu = record.fpdu();
  switch (property) {
    case Property::frame:
      return number(record.packet.number);
    case Property::time:
      return emit(seconds_text(record.packet.time).view());
    case Property::time_relative:
      return emit(seconds_text(difference(record.packet.time, record.first)).view());
    case Property::time_delta:
      return emit(seconds_text(difference(record.packet.time, record.previous.value_or(record.packet.time))).view());
    case Property::len:
      return number(record.packet.original_length);
    case Property::caplen:
      return number(record.packet.data.size());
    case Property::file:
      return emit(record.file);
    case Property::oddities:
      for (std::size_t i = 0; i < static_cast<std::size_t>(pcap::Oddity::count_); ++i) {
        const auto oddity = static_cast<pcap::Oddity>(i);
        if (record.packet.oddities.has(oddity)) emit(text_of(oddity));
      }
      return;
    case Property::family:
      if (record.is_rdma()) emit(name_of(record.family()));
      return;
    case Property::layers:
      for (const LayerRef& ref : frame.layers()) {
        if (!ref.continued) emit(info(ref.layer).name);
      }
      if (record.pdu == nullptr) return;
      if (record.chunk != nullptr) emit(info(record.chunk->layer).name);
      for (const LayerRef& ref : record.pdu->layers()) {
        if (!ref.continued) emit(info(ref.layer).name);
      }
      return;
    case Property::opcode:
      if (const std::string_view name = operation(record); !name.empty()) emit(name);
      return;
    case Property::payload_len:
      if (const auto size = payload_len(record)) number(*size);
      return;
    case Property::icrc_status:
      if (frame.family != Family::none) emit(name_of(frame.icrc.status));
      return;
    case Property::vcrc_status:
      if (frame.family != Family::none) emit(name_of(frame.vcrc.status));
      return;
    case Property::icrc_computed:
      return computed(header_info<ib::Icrc>, frame.icrc);
    case Property::stream:
      if (stream != nullptr) number(stream->conversation);
      return;
    case Property::sender:
      if (stream != nullptr) emit(sender_of(stream->recognition, stream->from_initiator));
      return;
    case Property::recognition:
      if (stream != nullptr) emit(name_of(stream->recognition));
      return;
    case Property::first_frame:
      if (stream != nullptr) number(stream->first_frame);
      return;
    case Property::stream_offset:
      if (stream != nullptr) number(stream->stream_offset);
      return;
    case Property::missing_len:
      if (stream != nullptr && stream->lost_before) number(stream->lost_before.missing_len);
      return;
    case Property::skipped_len:
      if (stream != nullptr && stream->lost_before) number(stream->lost_before.skipped_len);
      return;
    case Property::fpdus_lost:
      if (stream != nullptr && stream->lost_before) number(stream->lost_before.num_fpdus);
      return;
    case Property::mpa_crc_status:
      if (fpdu != nullptr) emit(name_of(fpdu->crc.status));
      return;
    case Property::mpa_crc_computed:
      if (fpdu != nullptr) computed(header_info<iwarp::MpaCrc>, fpdu->crc);
      return;
    case Property::markers:
      if (fpdu == nullptr) return;
      for (std::uint32_t i = 0; i < fpdu->num_markers; ++i)
        number(fpdu->stream_offset + iwarp::marker_offset(*fpdu, i));
      return;
    case Property::private_data:
      if (record.pdu != nullptr) {
        if (const Bytes data = private_data(*record.pdu); !data.empty()) emit(HexText(data).view());
      }
      return;
    case Property::pad:
      if (fpdu != nullptr && fpdu->is_whole()) {
        const iwarp::PadOctets pad(*fpdu);
        if (!pad.view().empty()) emit(HexText(pad.view()).view());
      }
      return;
    case Property::error:
      if (record.error()) emit(to_string(record.error()).view());
      return;
    case Property::count_:
      return;
  }
}

}  // namespace rdmawire::cli
