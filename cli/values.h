// The text of a record's properties and fields, the same in every output.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cli/catalog.h"
#include "cli/output.h"
#include "cli/record.h"
#include "cli/time_text.h"

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
      if (record.is_rdma()) emit(name_of(frame.family));
      return;
    case Property::layers:
      for (const LayerRef& ref : frame.layers()) {
        if (!ref.continued) emit(info(ref.layer).name);
      }
      return;
    case Property::opcode:
      if (frame.opcode != nullptr) emit(frame.opcode->name);
      return;
    case Property::payload_len:
      if (const auto size = payload_len(frame)) number(*size);
      return;
    case Property::icrc_status:
      if (record.is_rdma()) emit(name_of(frame.icrc.status));
      return;
    case Property::vcrc_status:
      if (record.is_rdma()) emit(name_of(frame.vcrc.status));
      return;
    case Property::icrc_computed:
      if (frame.icrc.status == CrcStatus::good || frame.icrc.status == CrcStatus::bad) {
        // As its field is shown.
        std::array<std::uint8_t, 4> octets{};
        store_be<4>(octets.data(), frame.icrc.computed);
        emit(ValueText(header_info<ib::Icrc>.fields.front(), octets).view());
      }
      return;
    case Property::error:
      if (frame.error) emit(to_string(frame.error).view());
      return;
    case Property::count_:
      return;
  }
}

}  // namespace rdmawire::cli
