#include "dissector/show.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "codec/frame_view.h"
#include "codec/ib/encodings.h"
#include "codec/iwarp/pdu_view.h"
#include "codec/sctp_pdus.h"
#include "codec/summary.h"

namespace rdmawire::dissector {
namespace {

// What is alive while a Tree is called.
static_assert(std::is_trivially_destructible_v<Frame> && std::is_trivially_destructible_v<iwarp::Pdu> &&
              std::is_trivially_destructible_v<KeptPdu> && std::is_trivially_destructible_v<ReadPdu> &&
              std::is_trivially_destructible_v<Text>);

using SummaryBuffer = std::array<char, max_summary>;

// Which of a field's names are shown.
enum class Which : std::uint8_t { lacking, all };

// The fields of one header, in a level that is opened for the first of them.
class HeaderLevel {
 public:
  HeaderLevel(Tree& tree, const FieldTable& fields, Tree::Node parent, Which which)
      : tree_(tree), fields_(fields), parent_(parent), which_(which) {}

  // place(bit_offset, bits): where those bits of the header lie.
  template <class Place>
  void show(const LayerRef& ref, Bytes header, Range whole, Place&& place) {
    // An optional part of the header before it has no level of its own.
    if (!ref.continued || ref.layer != layer_) node_ = nullptr;
    layer_ = ref.layer;
    if (which_ == Which::all) open(whole);
    const std::span<const FieldTable::Ids> ids = fields_.of(*ref.header);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const FieldInfo& field = ref.header->fields[i];
      if (which_ == Which::lacking && ids[i].lacking == no_field) continue;
      if (!is_present(field, header) || (field.reserved && is_zero(field, header))) continue;
      open(whole);
      const Range range = place(field.bit_offset, field.bits);
      if (which_ == Which::all) tree_.field(node_, ids[i].name, field, header, range);
      if (ids[i].lacking != no_field && (which_ == Which::lacking || ids[i].lacking != ids[i].name)) {
        tree_.field(node_, ids[i].lacking, field, header, range);
      }
    }
  }
  // Opened now, if it was not.
  Tree::Node node(Range whole) {
    open(whole);
    return node_;
  }

 private:
  void open(Range whole) {
    if (node_ == nullptr) node_ = tree_.open(parent_, layer_, info(layer_).title, whole);
  }

  Tree& tree_;
  const FieldTable& fields_;
  Tree::Node parent_;
  Which which_;
  Layer layer_ = Layer::none;
  Tree::Node node_ = nullptr;
};

// The octets that some bits lie in, from an octet of the frame on.
constexpr Range range_of(std::uint32_t offset, std::uint16_t bit_offset, std::uint16_t bits) {
  return {offset + bit_offset / 8U, (bit_offset % 8U + bits + 7U) / 8U};
}

struct CrcProperties {
  Property value;
  Property status;
  Property computed;
  Expert bad;
};

void show_crc(Tree& tree, Tree::Node node, const CrcCheck& check, const CrcProperties& names, Range range) {
  const bool compared = check.status == CrcStatus::good || check.status == CrcStatus::bad;
  if (compared) tree.number(node, names.value, check.stored, range);
  tree.number(node, names.status, status_number(check.status), range);
  if (check.status == CrcStatus::bad) tree.expert(node, names.bad, {});
  if (compared) tree.number(node, names.computed, check.computed, range);
}

Expert expert_of(const Error& error) {
  switch (error.error_class()) {
    case ErrorClass::truncated_capture:
      return Expert::not_captured;
    case ErrorClass::unsupported:
      return Expert::not_supported;
    default:
      return Expert::not_readable;
  }
}

void show_error(Tree& tree, Tree::Node node, const Error& error) {
  if (!error) return;
  const ErrorText text = to_string(error);
  tree.text(node, Property::error, text.view());
  tree.expert(node, expert_of(error), text.view());
}

// True for the headers that the built-in dissector shows even of an operation that it does not know.
constexpr bool is_before_operation(Layer layer) {
  return layer == Layer::lrh || layer == Layer::grh || layer == Layer::rwh || layer == Layer::bth;
}

// The layers that this shows: what carries RDMA Wireshark shows itself.
constexpr bool is_shown(Layer layer) { return layer >= Layer::lrh; }

}  // namespace

bool built_in_reads(const BuiltIn& built_in, const Frame& frame) {
  if (!built_in.took_infiniband) return false;
  if (frame.find(Layer::bth) == nullptr) return true;
  if (frame.opcode == nullptr) return true;  // there is nothing more to read
  switch (frame.opcode->service) {
    case ib::Service::rc:
    case ib::Service::uc:
    case ib::Service::ud:
      break;
    default:
      // It takes RD for another service, and knows neither XRC's headers nor CNPs.
      return false;
  }
  const bool is_newer =
      frame.opcode->operation == ib::Operation::flush || frame.opcode->operation == ib::Operation::atomic_write;
  return !is_newer || built_in.knows_flush;
}

bool built_in_reads(const BuiltIn& built_in, std::span<const KeptPdu> pdus) {
  std::uint32_t num_fpdus = 0;
  bool any_startup = false;
  for (const KeptPdu& kept : pdus) {
    if (kept.kind == iwarp::PduKind::fpdu) {
      ++num_fpdus;
    } else {
      any_startup = true;
    }
  }
  return num_fpdus <= built_in.num_fpdus && (!any_startup || built_in.num_mpa != 0);
}

Tree::Node show_frame(Tree& tree, const FieldTable& fields, const Frame& frame, const BuiltIn& built_in, bool all) {
  const auto captured = static_cast<std::uint32_t>(frame.captured.size());
  const LayerRef* first = nullptr;
  for (const LayerRef& ref : frame.layers()) {
    if (is_shown(ref.layer) && first == nullptr) first = &ref;
  }
  const std::uint32_t begin = first != nullptr ? first->offset : 0;
  const std::uint32_t end = std::max(begin, std::min(frame.packet_end, captured));
  SummaryBuffer buffer;
  Text title(buffer);
  title.add("RDMA, ", name_of(frame.family));
  if (frame.opcode != nullptr) title.add(", ", frame.opcode->name);
  const Tree::Node root = tree.open(nullptr, Layer::none, title.view(), {begin, end - begin});

  tree.text(root, Property::family, name_of(frame.family));
  if (frame.opcode != nullptr) tree.text(root, Property::opcode, frame.opcode->name);

  const bool reads = built_in_reads(built_in, frame);
  HeaderLevel every(tree, fields, root, Which::all);
  HeaderLevel some(tree, fields, root, Which::lacking);
  for_each_header(frame, [&](const LayerRef& ref, Bytes octets) {
    if (!is_shown(ref.layer)) return;
    const bool told = reads || (built_in.took_infiniband && is_before_operation(ref.layer));
    HeaderLevel& level = all || !told ? every : some;
    const Range whole{ref.offset, ref.size};
    level.show(ref, octets, whole,
               [&](std::uint16_t bit, std::uint16_t bits) { return range_of(ref.offset, bit, bits); });
    if (ref.layer != Layer::aeth) return;
    const ib::Syndrome syndrome = decode<ib::Aeth>(octets.first<header_size<ib::Aeth>>()).syndrome;
    const Range at = range_of(ref.offset, 0, 8);
    if (syndrome.kind() == ib::SyndromeKind::rnr_nak) {
      tree.number(level.node(whole), Property::rnr_wait,
                  static_cast<std::uint64_t>(ib::RnrTimer{syndrome.low5()}.duration().count()), at);
    } else if (syndrome.kind() == ib::SyndromeKind::ack) {
      if (const auto credits = ib::CreditCode{syndrome.low5()}.receive_wqes()) {
        tree.number(level.node(whole), Property::credits, *credits, at);
      }
    }
  });

  if (const auto len = payload_len(frame)) {
    const std::uint32_t there = std::min(captured, frame.payload_offset + *len);
    const Range range{frame.payload_offset, there > frame.payload_offset ? there - frame.payload_offset : 0};
    tree.number(root, Property::payload_len, *len, range.len != 0 ? range : Range());
    if ((all || !reads) && range.len != 0) tree.octets(root, Property::payload, frame.payload(), range);
  }
  if (frame.pad_len != 0) {
    const std::uint32_t at = frame.payload_offset + frame.payload_len;
    tree.number(root, Property::pad_len, frame.pad_len,
                at + frame.pad_len <= captured ? Range{at, frame.pad_len} : Range());
  }
  const auto crc_range = [&](const CrcCheck& check, std::uint32_t size) {
    const bool there = check.status != CrcStatus::absent && std::uint64_t{check.offset} + size <= captured;
    return there ? Range{check.offset, size} : Range();
  };
  const bool flow_control = frame.find(Layer::flow_control) != nullptr;
  if (!flow_control) {
    show_crc(tree, root, frame.icrc, {Property::icrc, Property::icrc_status, Property::icrc_computed, Expert::icrc_bad},
             crc_range(frame.icrc, header_size<ib::Icrc>));
  }
  if (frame.family == Family::infiniband) {
    constexpr CrcProperties vcrc{Property::vcrc, Property::vcrc_status, Property::vcrc_computed, Expert::vcrc_bad};
    constexpr CrcProperties lpcrc{Property::lpcrc, Property::lpcrc_status, Property::lpcrc_computed, Expert::lpcrc_bad};
    show_crc(tree, root, frame.vcrc, flow_control ? lpcrc : vcrc, crc_range(frame.vcrc, header_size<ib::Vcrc>));
  }
  if (frame.packet_end_known && frame.wire_len > frame.packet_end) {
    const std::uint32_t trailer = frame.wire_len - frame.packet_end;
    const std::uint32_t there = captured > frame.packet_end ? captured - frame.packet_end : 0;
    tree.number(root, Property::trailer_len, trailer, there != 0 ? Range{frame.packet_end, there} : Range());
  }
  show_error(tree, root, frame.error);
  return root;
}

namespace {

// One PDU and where it lies.
class PduWalk {
 public:
  // offset: of its first octet in the frame, if lies_there.
  PduWalk(Tree& tree, const FieldTable& fields, const iwarp::Pdu& pdu, const iwarp::Fpdu* fpdu, bool lies_there,
          std::uint32_t offset)
      : tree_(tree), fields_(fields), pdu_(pdu), fpdu_(fpdu), lies_there_(lies_there), offset_(offset) {}

  void show(Tree::Node node, Which which) {
    HeaderLevel level(tree_, fields_, node, which);
    HeaderLevel every(tree_, fields_, node, Which::all);
    bool quoted = false;  // headers that a Terminate quotes: the built-in dissector shows octets
    for (const LayerRef& ref : pdu_.layers()) {
      const auto place = [&](std::uint16_t bit, std::uint16_t bits) { return within(ref.offset, bit, bits); };
      // It does not know the order of bits of siw.
      quoted = quoted || ref.header == &header_info<iwarp::SiwTerminate>;
      (quoted ? every : level)
          .show(ref, pdu_.octets(ref), within(ref.offset, 0, static_cast<std::uint16_t>(8 * ref.size)), place);
      quoted = quoted || ref.layer == Layer::terminate;
    }
    if (fpdu_ == nullptr) return;
    const auto sent = [&](const LayerRef& ref, Bytes octets) {
      const auto place = [&](std::uint16_t bit, std::uint16_t bits) { return as_sent(ref.offset, bit, bits); };
      level.show(ref, octets, as_sent(ref.offset, 0, static_cast<std::uint16_t>(8 * ref.size)), place);
    };
    iwarp::for_each_marker(*fpdu_, sent);
    iwarp::visit_crc(*fpdu_, sent);
  }
  Range as_sent(std::uint32_t offset, std::uint16_t bit, std::uint16_t bits) const {
    return lies_there_ ? range_of(offset_ + offset, bit, bits) : Range();
  }

 private:
  // Offsets of layers do not count Markers.
  Range within(std::uint32_t offset, std::uint16_t bit, std::uint16_t bits) const {
    if (fpdu_ == nullptr) return as_sent(offset, bit, bits);
    const std::uint32_t from = iwarp::sent_offset(*fpdu_, offset + bit / 8U);
    const std::uint32_t last = iwarp::sent_offset(*fpdu_, offset + (bit + bits - 1U) / 8U);
    return lies_there_ ? Range{offset_ + from, last + 1 - from} : Range();
  }

  Tree& tree_;
  const FieldTable& fields_;
  const iwarp::Pdu& pdu_;
  const iwarp::Fpdu* fpdu_;
  bool lies_there_;
  std::uint32_t offset_;
};

void show_stream(Tree& tree, Tree::Node node, const KeptPdu& kept) {
  tree.number(node, Property::stream, kept.conversation, {});
  tree.text(node, Property::sender, reassembly::sender_of(kept.recognition, kept.from_initiator));
  tree.text(node, Property::recognition, reassembly::name_of(kept.recognition));
  tree.number(node, Property::stream_offset, kept.stream_offset, {});
  tree.number(node, Property::first_frame, kept.first_frame, {});
  tree.number(node, Property::last_frame, kept.last_frame, {});
  if (!kept.lost_before) return;
  SummaryBuffer buffer;
  Text words(buffer);
  append_loss(words, kept.lost_before);
  tree.number(node, Property::missing_len, kept.lost_before.missing_len, {});
  tree.number(node, Property::skipped_len, kept.lost_before.skipped_len, {});
  tree.number(node, Property::fpdus_lost, kept.lost_before.num_fpdus, {});
  tree.expert(node, Expert::octets_lost, words.view());
}

void show_fpdu(Tree& tree, Tree::Node node, const iwarp::Fpdu& fpdu, const PduWalk& walk, bool all) {
  constexpr CrcProperties crc{Property::mpa_crc, Property::mpa_crc_status, Property::mpa_crc_computed,
                              Expert::mpa_crc_bad};
  constexpr auto bits = static_cast<std::uint16_t>(8 * iwarp::mpa_crc_size);
  // Of an FPDU that is kept in part, no octets are known there, but the verdict.
  show_crc(tree, node, fpdu.crc, crc,
           fpdu.is_whole() ? walk.as_sent(fpdu.wire_len - iwarp::mpa_crc_size, 0, bits) : Range());
  for (std::uint32_t i = 0; i < fpdu.num_markers; ++i) {
    const std::uint32_t offset = iwarp::marker_offset(fpdu, i);
    const bool there = std::size_t{offset} + iwarp::marker_size <= fpdu.octets.size();
    tree.number(node, Property::markers, fpdu.stream_offset + offset,
                there ? walk.as_sent(offset, 0, 8 * iwarp::marker_size) : Range());
  }
  if (fpdu.num_wrong_markers != 0) {
    tree.number(node, Property::num_wrong_markers, fpdu.num_wrong_markers, {});
    tree.expert(node, Expert::markers_wrong, {});
  }
  if (!all || !fpdu.is_whole()) return;
  const iwarp::PadOctets pad(fpdu);
  if (!pad.view().empty()) tree.octets(node, Property::pad, pad.view(), {});
}

void show_payload_len(Tree& tree, Tree::Node node, const iwarp::Pdu& pdu) {
  if (const auto len = iwarp::payload_len(pdu)) tree.number(node, Property::payload_len, *len, {});
}

constexpr std::string_view title_of(Layer layer) { return info(layer).title; }

}  // namespace

Tree::Node show_pdus(Tree& tree, const FieldTable& fields, const Frame& frame, std::span<const KeptPdu> pdus, bool held,
                     ReadPdu& read, const BuiltIn& built_in, bool all) {
  const bool told = built_in_reads(built_in, pdus);
  SummaryBuffer buffer;
  Text title(buffer);
  title.add("RDMA, ", name_of(Family::iwarp), ", ", pdus.size(), pdus.size() == 1 ? " PDU" : " PDUs");
  const Tree::Node root = tree.open(nullptr, Layer::none, title.view(), {});
  tree.text(root, Property::family, name_of(Family::iwarp));
  if (held) tree.text(root, Property::held, "octets of this frame wait for others: a later frame shows their PDU");
  for (const KeptPdu& kept : pdus) {
    read.read(kept, frame.captured);
    const iwarp::Fpdu* fpdu = read.fpdu_or_null();
    Text words(buffer);
    append_info(words, kept, read);
    const Layer layer = fpdu != nullptr                            ? Layer::fpdu
                        : kept.kind == iwarp::PduKind::mpa_request ? Layer::mpa_request
                                                                   : Layer::mpa_reply;
    PduWalk walk(tree, fields, read.pdu, fpdu, kept.lies_in_frame(), kept.frame_offset);
    const Tree::Node node = tree.open(
        root, layer, words.view(),
        kept.lies_in_frame() ? Range{kept.frame_offset, static_cast<std::uint32_t>(kept.octets_len)} : Range());
    if (const std::string_view name = operation(read.pdu); !name.empty()) tree.text(node, Property::opcode, name);
    show_payload_len(tree, node, read.pdu);
    show_stream(tree, node, kept);
    walk.show(node, all || !told ? Which::all : Which::lacking);
    if (fpdu != nullptr) show_fpdu(tree, node, *fpdu, walk, all || !told);
    if (all || !told) {
      if (const Bytes data = iwarp::private_data(read.pdu); !data.empty()) {
        tree.octets(node, Property::private_data, data, {});
      }
    }
    show_error(tree, node, read.pdu.error);
  }
  return root;
}

Tree::Node show_sctp_pdus(Tree& tree, const FieldTable& fields, const Frame& frame) {
  Tree::Node root = nullptr;
  SummaryBuffer buffer;
  for_each_sctp_pdu(frame, [&](const iwarp::Pdu& pdu, const LayerRef& chunk) {
    if (root == nullptr) {
      root = tree.open(nullptr, Layer::none, "RDMA, iwarp over SCTP", {});
      tree.text(root, Property::family, name_of(Family::iwarp));
    }
    Text words(buffer);
    append_summary(words, pdu, nullptr, title_of(Layer::ddp_sctp));
    const auto there = static_cast<std::uint32_t>(pdu.captured.size());
    const Tree::Node node = tree.open(root, Layer::ddp_sctp, words.view(), {chunk.offset + chunk.size, there});
    if (const std::string_view name = operation(pdu); !name.empty()) tree.text(node, Property::opcode, name);
    show_payload_len(tree, node, pdu);
    // Wireshark has no dissector for DDP over SCTP.
    PduWalk(tree, fields, pdu, nullptr, true, chunk.offset + chunk.size).show(node, Which::all);
    show_error(tree, node, pdu.error);
  });
  return root;
}

void append_info(Text& text, const Frame& frame, bool with_operation) {
  const auto bth = frame.get<ib::Bth>();
  if (bth) {
    if (with_operation) {
      if (frame.opcode != nullptr) {
        text.add(frame.opcode->name);
      } else {
        text.add("opcode ", Hex{static_cast<std::uint8_t>(bth->opcode), 2});
      }
      text.add(" QP ", Hex{bth->dest_qp.value}, ' ');
    }
    text.add("PSN ", bth->psn.value);
    if (const auto len = payload_len(frame)) text.add(" len ", *len);
  } else {
    text.add(title_of(frame.layers().empty() ? Layer::frame : frame.layers().back().layer));
  }
  SummaryBuffer buffer;
  Text words(buffer);
  append_summary(words, frame);
  if (words.size() != 0) text.add(bth ? " " : ": ", words.view());
}

void append_info(Text& text, const KeptPdu& kept, const ReadPdu& read) {
  append_summary(text, read.pdu, read.fpdu_or_null(), title_of(Layer::fpdu));
  if (!kept.lost_before) return;
  text.add(" [");
  append_loss(text, kept.lost_before);
  text.add(']');
}

}  // namespace rdmawire::dissector
