// One line a record, in columns: number, time, source > destination, destination QP, PSN, payload length, operation,
// and then what tells most about it. A PDU of iWARP has in place of QP and PSN what does the same for it: the number of
// its TCP conversation (#0) and its offset in that direction (+20). The columns grow with what they hold and never
// shrink.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/endpoints.h"
#include "cli/values.h"
#include "cli/writer.h"
#include "codec/ib/headers.h"
#include "codec/net/sctp.h"
#include "codec/summary.h"

namespace rdmawire::cli {
namespace {

class LineWriter : public Writer {
 public:
  LineWriter(Output& out, LineOptions options) : out_(out), options_(options) {}

  void begin_file(std::string_view name) override {
    if (options_.file_titles) put("{}==> {} <==\n", any_file_ ? "\n" : "", name);
    any_file_ = true;
    titles_due_ = options_.column_titles;
  }

  void write(const Record& record) override {
    const Frame& frame = record.frame;
    const Endpoints ends = endpoints_of(frame);
    const TimeText time = time_of(record);
    if (titles_due_) write_titles(time.view().size(), ends, record);
    right(number_, record.packet.number);
    right(time_, time.view());
    right(source_, ends.source.view());
    put("> ");
    left(destination_, ends.destination.view());
    if (record.pdu != nullptr) {
      write_stream_columns(record);
      write_pdu(record);
    } else if (const auto bth = frame.get<ib::Bth>()) {
      hex(qp_, bth->dest_qp.value);
      right(psn_, bth->psn.value);
      write_length(record);
      if (frame.opcode != nullptr) {
        out_.append(frame.opcode->name);
      } else {
        put("opcode {:#04x}", static_cast<unsigned>(bth->opcode));
      }
    } else {
      right(qp_, "");
      right(psn_, "");
      right(length_, "");
    }
    write_details(record);
    out_.push_back('\n');
    out_.end_record();
  }

 private:
  struct Column {
    std::size_t width;
  };

  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  TimeText time_of(const Record& record) const {
    switch (options_.time) {
      case TimeForm::absolute:
        return utc_text(record.packet.time);
      case TimeForm::delta:
        return seconds_text(difference(record.packet.time, record.previous.value_or(record.packet.time)));
      case TimeForm::relative:
        break;
    }
    return seconds_text(difference(record.packet.time, record.first), 6);
  }

  void spaces(std::size_t n) {
    for (; n > 0; --n) out_.push_back(' ');
  }
  void right(Column& column, std::string_view text) {
    column.width = std::max(column.width, text.size());
    spaces(column.width - text.size());
    out_.append(text);
    out_.push_back(' ');
  }
  void left(Column& column, std::string_view text) {
    column.width = std::max(column.width, text.size());
    out_.append(text);
    spaces(column.width - text.size() + 1);
  }
  void right(Column& column, std::uint64_t number) {
    std::array<char, 20> text;
    const char* end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    right(column, std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
  }
  // With a sign in front that says what it is.
  void number(Column& column, char sign, std::uint64_t number) {
    std::array<char, 21> text{sign};
    const char* end = std::to_chars(text.data() + 1, text.data() + text.size(), number).ptr;
    right(column, std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
  }
  void hex(Column& column, std::uint64_t number) {
    std::array<char, 18> text{'0', 'x'};
    const char* end = std::to_chars(text.data() + 2, text.data() + text.size(), number, 16).ptr;
    right(column, std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
  }

  void write_length(const Record& record) {
    if (const auto size = payload_len(record)) {
      right(length_, *size);
    } else {
      right(length_, "");
    }
  }

  void write_stream_columns(const Record& record) {
    if (const reassembly::StreamPdu* stream = record.stream) {
      number(qp_, '#', stream->conversation);
      number(psn_, '+', stream->stream_offset);
    } else if (record.chunk != nullptr) {
      const auto chunk = decode<net::SctpData>(record.frame.octets(*record.chunk).first<header_size<net::SctpData>>());
      number(qp_, 's', chunk.stream_id);
      right(psn_, chunk.tsn);
    }
    write_length(record);
  }

  // The widths, and what the columns hold, are those of the first record.
  void write_titles(std::size_t time_width, const Endpoints& ends, const Record& record) {
    titles_due_ = false;
    time_.width = std::max(time_.width, time_width);
    source_.width = std::max(source_.width, ends.source.view().size());
    destination_.width = std::max(destination_.width, ends.destination.view().size());
    right(number_, "No");
    right(time_, "Time");
    right(source_, "Source");
    put("> ");
    left(destination_, "Destination");
    right(qp_, record.stream != nullptr ? "Strm" : "QP");
    right(psn_, record.stream != nullptr ? "Offset" : "PSN");
    right(length_, "Len");
    put("Operation\n");
  }

  void write_pdu(const Record& record) {
    const reassembly::StreamPdu* stream = record.stream;
    append_text(out_, [&](Text& text) {
      append_summary(text, *record.pdu, record.fpdu(),
                     info(record.chunk != nullptr ? Layer::ddp_sctp : Layer::fpdu).title);
      if (stream == nullptr || !stream->lost_before) return;
      text.add(" [");
      append_loss(text, stream->lost_before);
      text.add(", resumed at offset ", stream->stream_offset, ']');
    });
  }

  // Words after the columns. A separator stands before each but the first on the line.
  void word_break(bool& first) {
    if (!first) out_.push_back(' ');
    first = false;
  }

  void write_details(const Record& record) {
    const Frame& frame = record.frame;
    bool first = record.pdu == nullptr && frame.find(Layer::bth) == nullptr;
    if (!record.is_rdma()) {
      // What it is instead: the innermost layer.
      word_break(first);
      out_.append(frame.layers().empty() ? info(Layer::frame).title : info(frame.layers().back().layer).title);
    }
    append_text(out_, [&](Text& text) {
      std::array<char, max_summary> buffer;
      Text summary(buffer);
      append_summary(summary, frame);
      if (summary.size() == 0) return;
      if (!first) text.add(' ');
      first = false;
      text.add(summary.view());
    });
    for_each_value(Property::oddities, record, [&](std::string_view text) {
      word_break(first);
      put("[{}]", text);
    });
    if (record.error()) {
      word_break(first);
      put("[{}]", to_string(record.error()).view());
    }
  }

  Output& out_;
  LineOptions options_;
  bool any_file_ = false;
  bool titles_due_ = false;
  Column number_{4};
  Column time_{8};
  Column source_{9};
  Column destination_{9};
  Column qp_{4};
  Column psn_{8};
  Column length_{4};
};

}  // namespace

std::unique_ptr<Writer> make_line_writer(Output& out, LineOptions options) {
  return std::make_unique<LineWriter>(out, options);
}

}  // namespace rdmawire::cli
