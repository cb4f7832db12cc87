// One line a record, in columns: number, time, source > destination, destination QP, PSN, payload length, operation,
// and then what tells most about it. A PDU of iWARP has in place of QP and PSN what does the same for it: the number of
// its TCP conversation (#0) and its offset in that direction (+20). The columns grow with what they hold and never
// shrink.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/endpoints.h"
#include "cli/iwarp_line.h"
#include "cli/values.h"
#include "cli/writer.h"
#include "codec/ib/encodings.h"
#include "codec/ib/headers.h"
#include "codec/mad/headers.h"
#include "codec/net/net.h"

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
      append_iwarp(out_, record);
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
    for (const LayerRef& ref : frame.layers()) write_layer(frame, ref, first);
    if (frame.icrc.status == CrcStatus::bad) word(first, "ICRC bad");
    if (frame.icrc.status == CrcStatus::unchecked) word(first, "ICRC unchecked");
    if (frame.vcrc.status == CrcStatus::bad) {
      word(first, frame.find(Layer::flow_control) != nullptr ? "LPCRC bad" : "VCRC bad");
    }
    for_each_value(Property::oddities, record, [&](std::string_view text) {
      word_break(first);
      put("[{}]", text);
    });
    if (record.error()) {
      word_break(first);
      put("[{}]", to_string(record.error()).view());
    }
  }

  void word(bool& first, std::string_view text) {
    word_break(first);
    out_.append(text);
  }

  template <class T>
  static T decode_at(const Frame& frame, const LayerRef& ref) {
    return decode<T>(frame.captured.subspan(ref.offset).template first<header_size<T>>());
  }

  void write_layer(const Frame& frame, const LayerRef& ref, bool& first) {
    switch (ref.layer) {
      case Layer::ipv4:
        if (decode_at<net::Ipv4>(frame, ref).traffic_class.ecn() == net::Ecn::congestion_experienced) word(first, "CE");
        break;
      case Layer::ipv6:
        if (decode_at<net::Ipv6>(frame, ref).traffic_class.ecn() == net::Ecn::congestion_experienced) word(first, "CE");
        break;
      case Layer::bth: {
        const auto bth = decode_at<ib::Bth>(frame, ref);
        if (bth.fecn) word(first, "FECN");
        if (bth.becn) word(first, "BECN");
        break;
      }
      case Layer::rdeth:
        word_break(first);
        put("eec {:#x}", decode_at<ib::Rdeth>(frame, ref).ee_context.value);
        break;
      case Layer::xrceth:
        word_break(first);
        put("srq {:#x}", decode_at<ib::Xrceth>(frame, ref).srqn.value);
        break;
      case Layer::deth:
        // Management goes from queue pair 0 to 0 and from 1 to 1.
        if (const auto qp = decode_at<ib::Deth>(frame, ref).source_qp.value; qp > 1) {
          word_break(first);
          put("from QP {:#x}", qp);
        }
        break;
      case Layer::feth: {
        const auto feth = decode_at<ib::Feth>(frame, ref);
        word_break(first);
        put("placement {:#x}, {}", feth.placement, name_of(feth.selectivity));
        break;
      }
      case Layer::reth: {
        const auto reth = decode_at<ib::Reth>(frame, ref);
        word_break(first);
        put("va {:#x} rkey {:#x} dmalen {}", reth.virtual_address.value, reth.r_key.value, reth.dma_len);
        break;
      }
      case Layer::atomiceth:
        write_atomic(frame, decode_at<ib::AtomicEth>(frame, ref), first);
        break;
      case Layer::aeth:
        write_aeth(decode_at<ib::Aeth>(frame, ref), first);
        break;
      case Layer::atomicacketh:
        word_break(first);
        put("original {:#x}", decode_at<ib::AtomicAckEth>(frame, ref).original_remote_data);
        break;
      case Layer::immdt: {
        const auto data = decode_at<ib::ImmDt>(frame, ref).data;
        word_break(first);
        put("imm 0x{:02x}{:02x}{:02x}{:02x}", data[0], data[1], data[2], data[3]);
        break;
      }
      case Layer::ieth:
        word_break(first);
        put("invalidates rkey {:#x}", decode_at<ib::Ieth>(frame, ref).r_key.value);
        break;
      case Layer::flow_control: {
        const auto packet = decode_at<ib::FlowControl>(frame, ref);
        word_break(first);
        put("flow control {} VL {} FCTBS {} FCCL {}", name_of(packet.op), packet.virtual_lane, packet.total_blocks_sent,
            packet.credit_limit);
        break;
      }
      case Layer::rwh:
        word_break(first);
        put("raw packet, EtherType {:#06x}", decode_at<ib::Rwh>(frame, ref).ethertype);
        break;
      case Layer::mad:
        write_mad(decode_at<mad::Mad>(frame, ref), first);
        break;
      case Layer::cm_req: {
        const auto req = decode_at<mad::CmReq>(frame, ref);
        word(first, info(ref.layer).title);
        put(" QP {:#x} PSN {} service {:#x}", req.local_qpn.value, req.starting_psn.value, req.service_id.value);
        break;
      }
      case Layer::cm_rep: {
        const auto rep = decode_at<mad::CmRep>(frame, ref);
        word(first, info(ref.layer).title);
        put(" QP {:#x} PSN {}", rep.local_qpn.value, rep.starting_psn.value);
        break;
      }
      case Layer::cm_rej: {
        const auto rej = decode_at<mad::CmRej>(frame, ref);
        const std::string_view reason = name_of(rej.reason);
        word(first, info(ref.layer).title);
        if (reason.empty()) {
          put(" reason {}", static_cast<unsigned>(rej.reason));
        } else {
          put(" {}", reason);
        }
        break;
      }
      default:
        // The other messages and attributes of management say most by their names.
        if (is_management_content(ref.layer)) word(first, info(ref.layer).title);
        break;
    }
  }

  // Layers after those that every MAD of its class has.
  static bool is_management_content(Layer layer) { return layer >= Layer::node_description && layer <= Layer::cm_apr; }

  void write_atomic(const Frame& frame, const ib::AtomicEth& atomic, bool& first) {
    word_break(first);
    put("va {:#x} rkey {:#x}", atomic.virtual_address.value, atomic.r_key.value);
    const auto opcode = frame.opcode == nullptr ? ib::Opcode{} : frame.opcode->opcode;
    using enum ib::Opcode;
    if (opcode == RC_FETCH_ADD || opcode == RD_FETCH_ADD || opcode == XRC_FETCH_ADD) {
      put(" add {:#x}", atomic.swap_or_add);
    } else {
      put(" compare {:#x} swap {:#x}", atomic.compare, atomic.swap_or_add);
    }
  }

  void write_aeth(const ib::Aeth& aeth, bool& first) {
    word_break(first);
    switch (aeth.syndrome.kind()) {
      case ib::SyndromeKind::ack:
        put("ACK");
        if (const auto credits = ib::CreditCode{aeth.syndrome.low5()}.receive_wqes()) put(" credits {}", *credits);
        break;
      case ib::SyndromeKind::rnr_nak: {
        const auto wait = ib::RnrTimer{aeth.syndrome.low5()}.duration();
        const auto hundredths = wait.count() / 10'000;
        put("RNR NAK, wait {}.{:02} ms", hundredths / 100, hundredths % 100);
        break;
      }
      case ib::SyndromeKind::reserved:
        put("reserved syndrome {:#04x}", aeth.syndrome.value);
        break;
      case ib::SyndromeKind::nak: {
        const std::string_view name = name_of(static_cast<ib::NakCode>(aeth.syndrome.low5()));
        if (name.empty()) {
          put("NAK code {}", aeth.syndrome.low5());
        } else {
          put("NAK {}", name);
        }
        break;
      }
    }
    put(" msn {}", aeth.msn.value);
  }

  // CM messages say the method by their own names.
  void write_mad(const mad::Mad& header, bool& first) {
    if (header.management_class == mad::ManagementClass::communication) return;
    const std::string_view management_class = name_of(header.management_class);
    const std::string_view method = name_of(header.method);
    word_break(first);
    if (management_class.empty()) {
      put("MAD class {:#04x}", static_cast<unsigned>(header.management_class));
    } else {
      out_.append(management_class);
    }
    if (method.empty()) {
      put(" method {:#04x}", static_cast<unsigned>(header.method));
    } else {
      put(" {}", method);
    }
    // In a directed route SMP the first bit is its direction.
    const bool directed = header.management_class == mad::ManagementClass::subnet_directed;
    const unsigned status = directed ? header.status.value & 0x7FFFU : header.status.value;
    if (status != 0) put(" status {:#06x}", status);
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
