// -V: each record as a tree of its headers. Fields have the octet they begin at in front, with the bit after a point
// where they don't begin at an octet's first (the most significant is 0). Offsets count from the frame's first octet,
// those of a PDU of iWARP from the PDU's first octet as it was sent.
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
      put("  RDMA: {}", name_of(record.family()));
      if (const std::string_view name = operation(record); !name.empty()) put(", {}", name);
      out_.push_back('\n');
    }
    if (record.pdu != nullptr) {
      for (const LayerRef& ref : frame.layers()) write_header(ref, frame.octets(ref));
      write_pdu(record);
    } else {
      write_frame(record);
    }
    if (record.error()) put("Error: {}\n", to_string(record.error()).view());
    out_.end_record();
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void write_title(std::string_view title, std::size_t offset, std::size_t size) {
    put("{}, offset {}, ", title, offset);
    put_octets(size);
  }

  void write_frame(const Record& record) {
    const Frame& frame = record.frame;
    bool payload_shown = false;
    for_each_header(frame, [&](const LayerRef& ref, Bytes octets) {
      const bool is_crc = ref.layer == Layer::icrc || ref.layer == Layer::vcrc;
      if (is_crc && !std::exchange(payload_shown, true)) write_payload(record);
      write_header(ref, octets);
      if (ref.layer == Layer::icrc) write_crc_status(frame.icrc, 8);
      if (ref.layer == Layer::vcrc || ref.layer == Layer::flow_control) write_crc_status(frame.vcrc, 4);
    });
    if (!payload_shown) write_payload(record);
    write_missing_crc(header_info<ib::Icrc>, frame.icrc, frame);
    write_missing_crc(header_info<ib::Vcrc>, frame.vcrc, frame);
  }

  void write_pdu(const Record& record) {
    const iwarp::Pdu& pdu = *record.pdu;
    const iwarp::Fpdu* fpdu = record.fpdu();
    if (record.stream != nullptr) write_stream(*record.stream);
    if (record.chunk != nullptr) {
      write_header(*record.chunk, record.frame.octets(*record.chunk));
      out_.append("iWARP in an SCTP chunk\n  Offsets from here on: from the chunk's user data\n");
    }
    std::uint32_t shown = 0;  // Markers
    for (const LayerRef& ref : pdu.layers()) {
      if (fpdu != nullptr) write_markers(*fpdu, shown, sent_offset(*fpdu, ref.offset));
      fpdu_ = fpdu;
      write_header(ref, pdu.octets(ref));
      fpdu_ = nullptr;
    }
    if (fpdu != nullptr) write_markers(*fpdu, shown, sent_offset(*fpdu, pdu.ulpdu_offset + pdu.payload_offset));
    write_payload(pdu, fpdu);
    if (fpdu == nullptr) return;
    write_markers(*fpdu, shown, fpdu->wire_len);
    visit_crc(*fpdu, [&](const LayerRef& ref, Bytes octets) {
      write_header(ref, octets);
      write_crc_status(fpdu->crc, 8);
    });
    if (!fpdu->is_whole()) {
      put("{}, offset {}, not captured\n", info(Layer::mpa_crc).title, fpdu->wire_len - iwarp::mpa_crc_size);
    }
  }

  void write_stream(const reassembly::StreamPdu& stream) {
    put("iWARP stream {}, offset {}, ", stream.conversation, stream.stream_offset);
    put_octets(stream.wire_len);
    const bool roles_known = stream.recognition == reassembly::Recognition::startup;
    put(", from the {}{}", sender_of(stream.recognition, stream.from_initiator), roles_known ? "" : " end");
    if (stream.first_frame != stream.last_frame) put(", begun in frame {}", stream.first_frame);
    out_.push_back('\n');
    put("  Recognised: {}\n", recognition_text(stream.recognition));
    if (stream.lost_before) {
      out_.append("  Before it: ");
      append_text(out_, [&](Text& text) { append_loss(text, stream.lost_before); });
      out_.push_back('\n');
    }
    const bool marked = stream.fpdu != nullptr && stream.fpdu->num_markers != 0;
    put("  Offsets from here on: from the PDU's first octet{}\n", marked ? ", Markers included" : "");
  }

  static std::string_view recognition_text(reassembly::Recognition recognition) {
    switch (recognition) {
      case reassembly::Recognition::startup:
        return "by its MPA start-up";
      case reassembly::Recognition::mid_stream:
        return "by its FPDUs, without a start-up";
      case reassembly::Recognition::told:
        return "told by --decode-as";
    }
    return {};
  }

  // Those not yet shown that lie before that offset.
  void write_markers(const iwarp::Fpdu& fpdu, std::uint32_t& shown, std::uint32_t before) {
    std::uint32_t index = 0;
    for_each_marker(fpdu, [&](const LayerRef& ref, Bytes octets) {
      if (index++ < shown || ref.offset >= before) return;
      ++shown;
      previous_ = Layer::none;  // each has a title
      write_header(ref, octets);
    });
  }

  // What follows the PDU's headers.
  void write_payload(const iwarp::Pdu& pdu, const iwarp::Fpdu* fpdu) {
    if (pdu.payload_len == 0) return;
    const std::uint32_t begin = pdu.ulpdu_offset + pdu.payload_offset;
    std::size_t captured = 0;
    const auto for_each_span = [&](auto&& visit) {  // visit(offset, octets)
      if (fpdu != nullptr) {
        fpdu->for_each_span(pdu.payload_offset, pdu.payload_len, [&](Bytes span) {
          visit(static_cast<std::size_t>(span.data() - fpdu->octets.data()), span);
        });
      } else {
        visit(std::size_t{begin}, pdu.payload());
      }
    };
    for_each_span([&](std::size_t, Bytes span) { captured += span.size(); });
    const std::string_view title = is_startup(pdu) ? "Private data" : info(Layer::payload).title;
    fpdu_ = fpdu;
    write_title(pdu.error ? "Not decoded" : title, place(begin), pdu.payload_len);
    fpdu_ = nullptr;
    if (captured < pdu.payload_len) put(", {} captured", captured);
    if (const std::uint32_t pad = fpdu != nullptr ? iwarp::pad_len(fpdu->ulpdu_len) : 0; pad != 0) {
      put(", then pad of {}", pad);
    }
    out_.push_back('\n');
    std::size_t left = options_.hex_limit;
    for_each_span([&](std::size_t offset, Bytes span) {
      const std::size_t size = std::min(left, span.size());
      hex_lines(span.first(size), offset);
      left -= size;
    });
    put_more(captured - (options_.hex_limit - left));
  }

  void put_octets(std::uint64_t size) { put("{} {}", size, size == 1 ? "octet" : "octets"); }

  // Where octet `offset` of what is being shown lies.
  std::size_t place(std::size_t offset) const {
    return fpdu_ == nullptr ? offset : sent_offset(*fpdu_, static_cast<std::uint32_t>(offset));
  }

  void write_header(const LayerRef& ref, Bytes octets) {
    // A part of the header before it goes without a title, a closer look at its octets has one.
    if (!ref.continued || ref.layer != previous_) {
      write_title(info(ref.layer).title, place(ref.offset), octets.size());
      out_.push_back('\n');
    }
    previous_ = ref.layer;
    for (const FieldInfo& field : ref.header->fields) write_field(field, ref, octets);
    if (ref.header->size < octets.size()) {
      put("  Options\n");
      hex_dump(octets.subspan(ref.header->size), ref.offset + std::size_t{ref.header->size});
    }
  }

  void write_field(const FieldInfo& field, const LayerRef& ref, Bytes header) {
    if (!is_present(field, header)) return;
    if (field.reserved && is_zero(field, header)) return;
    const std::size_t bit = std::size_t{ref.offset} * 8 + field.bit_offset;
    // Eight characters: "   42   " or "   42.3 ".
    put("{:>5}", place(bit / 8));
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
  void write_payload(const Record& record) {
    const Frame& frame = record.frame;
    std::size_t begin = frame.payload_offset;
    for (const LayerRef& ref : frame.layers()) begin = std::max(begin, std::size_t{ref.offset} + ref.size);
    const std::size_t end = std::size_t{frame.payload_offset} + frame.payload_len;
    if (begin >= end) return;
    const std::size_t captured_end = std::min(end, frame.captured.size());
    write_title(payload_len(record) ? info(Layer::payload).title : "Not decoded", begin, end - begin);
    if (captured_end < end) put(", {} captured", captured_end > begin ? captured_end - begin : 0);
    if (frame.pad_len != 0) put(", then pad of {}", frame.pad_len);
    out_.push_back('\n');
    if (captured_end > begin) hex_dump(frame.captured.subspan(begin, captured_end - begin), begin);
  }

  void hex_dump(Bytes octets, std::size_t offset) {
    const std::size_t shown = std::min(octets.size(), options_.hex_limit);
    hex_lines(octets.first(shown), offset);
    put_more(octets.size() - shown);
  }

  void put_more(std::size_t octets) {
    if (octets != 0) put("        {} more (--hex shows all)\n", octets);
  }

  void hex_lines(Bytes octets, std::size_t offset) {
    constexpr std::size_t per_line = 16;
    constexpr std::string_view digits = "0123456789abcdef";
    for (std::size_t line = 0; line < octets.size(); line += per_line) {
      put("{:>5}   ", offset + line);
      for (std::size_t i = line; i < line + per_line; ++i) {
        if (i < octets.size()) {
          out_.push_back(digits[octets[i] >> 4]);
          out_.push_back(digits[octets[i] & 15U]);
        } else {
          out_.append("  ");
        }
        out_.append(i % 8 == 7 ? "  " : " ");
      }
      for (std::size_t i = line; i < std::min(line + per_line, octets.size()); ++i) {
        out_.push_back(octets[i] >= 0x20 && octets[i] < 0x7F ? static_cast<char>(octets[i]) : '.');
      }
      out_.push_back('\n');
    }
  }

  Output& out_;
  TreeOptions options_;
  bool any_ = false;
  Layer previous_ = Layer::none;       // whose header was written last
  const iwarp::Fpdu* fpdu_ = nullptr;  // whose header is being written; nullptr for what no Marker interrupts
};

}  // namespace

std::unique_ptr<Writer> make_tree_writer(Output& out, TreeOptions options) {
  return std::make_unique<TreeWriter>(out, options);
}

}  // namespace rdmawire::cli
