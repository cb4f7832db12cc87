// -V: each record as a tree of its headers. Fields have the octet they begin at in front, with the bit after a point
// where they don't begin at an octet's first (the most significant is 0).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "cli/values.h"
#include "cli/writer.h"

namespace rdmawire::cli {
namespace {

class TreeWriter : public Writer {
 public:
  TreeWriter(Output& out, TreeOptions options) : out_(out), options_(options) {}

  void begin_file(std::string_view name) override {
    if (options_.file_titles) put("{}==> {} <==\n", any_ ? "\n" : "", name);
    any_ = false;
  }

  void write(const Record& record) override {
    const Frame& frame = record.frame;
    if (any_) out_.push_back('\n');
    any_ = true;
    put("Frame {}: {} octets on the wire, {} captured\n", record.packet.number, record.packet.original_length,
        record.packet.data.size());
    put("  Time: {} ({} s since the first frame)\n", utc_text(record.packet.time).view(),
        seconds_text(difference(record.packet.time, record.first)).view());
    for_each_value(Property::oddities, record, [&](std::string_view text) { put("  Odd: {}\n", text); });
    if (record.is_rdma()) {
      put("  RDMA: {}", name_of(frame.family));
      if (frame.opcode != nullptr) put(", {}", frame.opcode->name);
      out_.push_back('\n');
    }
    bool payload_shown = false;
    for_each_header(frame, [&](const LayerRef& ref, Bytes octets) {
      const bool is_crc = ref.layer == Layer::icrc || ref.layer == Layer::vcrc;
      if (is_crc && !std::exchange(payload_shown, true)) write_payload(frame);
      write_header(ref, octets, frame);
    });
    if (!payload_shown) write_payload(frame);
    write_missing_crc(header_info<ib::Icrc>, frame.icrc, frame);
    write_missing_crc(header_info<ib::Vcrc>, frame.vcrc, frame);
    if (frame.error) put("Error: {}\n", to_string(frame.error).view());
    out_.end_record();
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void write_title(std::string_view title, std::size_t offset, std::size_t size) {
    put("{}, offset {}, {} {}", title, offset, size, size == 1 ? "octet" : "octets");
  }

  void write_header(const LayerRef& ref, Bytes octets, const Frame& frame) {
    // A part of the header before it goes without a title, a closer look at its octets has one.
    if (!ref.continued || ref.layer != previous_) {
      write_title(info(ref.layer).title, ref.offset, octets.size());
      out_.push_back('\n');
    }
    previous_ = ref.layer;
    for (const FieldInfo& field : ref.header->fields) write_field(field, ref, octets);
    if (ref.header->size < octets.size()) {
      put("  Options\n");
      hex_dump(octets.subspan(ref.header->size), ref.offset + std::size_t{ref.header->size});
    }
    if (ref.layer == Layer::icrc) write_crc_status(frame.icrc, 8);
    if (ref.layer == Layer::vcrc || ref.layer == Layer::flow_control) write_crc_status(frame.vcrc, 4);
  }

  void write_field(const FieldInfo& field, const LayerRef& ref, Bytes header) {
    if (!is_present(field, header)) return;
    if (field.reserved && is_zero(field, header)) return;
    const std::size_t bit = std::size_t{ref.offset} * 8 + field.bit_offset;
    // Eight characters: "   42   " or "   42.3 ".
    put("{:>5}", bit / 8);
    if (bit % 8 == 0) {
      put("   ");
    } else {
      put(".{} ", bit % 8);
    }
    if (field.part) put("  ");
    put("{}: {}", field.label, ValueText(field, header).view());
    if (field.value_name != nullptr) {
      const std::string_view name = field.value_name(number(field, header));
      if (!name.empty()) put(" ({})", name);
    }
    out_.push_back('\n');
  }

  static bool is_zero(const FieldInfo& field, Bytes header) {
    if (field.is_number()) return number(field, header) == 0;
    const Bytes value = octets(field, header);
    return std::ranges::all_of(value, [](std::uint8_t octet) { return octet == 0; });
  }

  void write_crc_status(const CrcCheck& check, int digits) {
    put("        Status: {}", name_of(check.status));
    if (check.status == CrcStatus::bad) put(", should be 0x{:0{}x}", check.computed, digits);
    out_.push_back('\n');
  }

  // A CRC that the frame has but the capture has not.
  void write_missing_crc(const HeaderInfo& header, const CrcCheck& check, const Frame& frame) {
    if (check.status == CrcStatus::absent) return;
    if (std::size_t{check.offset} + header.size <= frame.captured.size()) return;
    put("{}, offset {}, not captured\n", info(header.layer).title, check.offset);
  }

  // What follows the headers, management included. It is only called payload if all headers before it were read.
  void write_payload(const Frame& frame) {
    std::size_t begin = frame.payload_offset;
    for (const LayerRef& ref : frame.layers()) begin = std::max(begin, std::size_t{ref.offset} + ref.size);
    const std::size_t end = std::size_t{frame.payload_offset} + frame.payload_len;
    if (begin >= end) return;
    const std::size_t captured_end = std::min(end, frame.captured.size());
    write_title(payload_len(frame) ? info(Layer::payload).title : "Not decoded", begin, end - begin);
    if (captured_end < end) put(", {} captured", captured_end > begin ? captured_end - begin : 0);
    if (frame.pad_len != 0) put(", then pad of {}", frame.pad_len);
    out_.push_back('\n');
    if (captured_end > begin) hex_dump(frame.captured.subspan(begin, captured_end - begin), begin);
  }

  void hex_dump(Bytes octets, std::size_t offset) {
    constexpr std::size_t per_line = 16;
    constexpr std::string_view digits = "0123456789abcdef";
    const std::size_t shown = std::min(octets.size(), options_.hex_limit);
    for (std::size_t line = 0; line < shown; line += per_line) {
      put("{:>5}   ", offset + line);
      for (std::size_t i = line; i < line + per_line; ++i) {
        if (i < shown) {
          out_.push_back(digits[octets[i] >> 4]);
          out_.push_back(digits[octets[i] & 15U]);
        } else {
          out_.append("  ");
        }
        out_.append(i % 8 == 7 ? "  " : " ");
      }
      for (std::size_t i = line; i < std::min(line + per_line, shown); ++i) {
        out_.push_back(octets[i] >= 0x20 && octets[i] < 0x7F ? static_cast<char>(octets[i]) : '.');
      }
      out_.push_back('\n');
    }
    if (shown < octets.size()) put("        {} more (--hex shows all)\n", octets.size() - shown);
  }

  Output& out_;
  TreeOptions options_;
  bool any_ = false;
  Layer previous_ = Layer::none;  // whose header was written last
};

}  // namespace

std::unique_ptr<Writer> make_tree_writer(Output& out, TreeOptions options) {
  return std::make_unique<TreeWriter>(out, options);
}

}  // namespace rdmawire::cli
