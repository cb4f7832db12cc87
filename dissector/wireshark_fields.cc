// SPDX-License-Identifier: GPL-2.0-or-later
#include "dissector/wireshark_fields.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <string>

#include "dissector/show.h"

namespace rdmawire::dissector {
namespace {

// What Wireshark's own dissectors have under that name.
FieldTable::BuiltIn look_up(const char* name) {
  const header_field_info* field = proto_registrar_get_byname(name);
  if (field == nullptr) return FieldTable::BuiltIn::nothing;
  return field->strings != nullptr ? FieldTable::BuiltIn::in_words : FieldTable::BuiltIn::number;
}

ftenum_t unsigned_type(unsigned bits) {
  constexpr std::array types{FT_UINT8, FT_UINT16, FT_UINT24, FT_UINT32, FT_UINT40, FT_UINT48, FT_UINT56, FT_UINT64};
  return types[(bits - 1) / 8];
}

ftenum_t type_of(const FieldInfo& field) {
  switch (field.display) {
    case Display::dec:
    case Display::hex:
      return unsigned_type(std::max<unsigned>(field.bits, field.text_octets * 8U));
    case Display::flag:
      return FT_BOOLEAN;
    case Display::octets:
      return FT_BYTES;
    case Display::mac:
      return FT_ETHER;
    case Display::ipv4:
      return FT_IPv4;
    case Display::ipv6:
      return FT_IPv6;
  }
  return FT_NONE;
}

struct TypeAndDisplay {
  ftenum_t type;
  int display;
};

TypeAndDisplay type_of(const FieldTable::Entry& entry) {
  switch (entry.kind) {
    case ValueKind::header:
      return {type_of(*entry.field), !entry.field->is_number() || entry.field->display == Display::flag ? BASE_NONE
                                     : entry.field->display == Display::hex                             ? BASE_HEX
                                                                                                        : BASE_DEC};
    case ValueKind::number:
      return {FT_UINT64, BASE_DEC};
    case ValueKind::crc32:
      return {FT_UINT32, BASE_HEX};
    case ValueKind::crc16:
      return {FT_UINT16, BASE_HEX};
    case ValueKind::text:
      return {FT_STRING, BASE_NONE};
    case ValueKind::octets:
      return {FT_BYTES, BASE_NONE};
    case ValueKind::crc_status:
      return {FT_UINT8, BASE_DEC};
    case ValueKind::frame:
      return {FT_FRAMENUM, BASE_NONE};
    case ValueKind::duration:
      return {FT_RELATIVE_TIME, BASE_NONE};
  }
  return {FT_NONE, BASE_NONE};
}

// Names ended by a 0, which texts of the codec need not be; they live on.
const char* kept(std::deque<std::string>& texts, std::string_view text) { return texts.emplace_back(text).c_str(); }

const value_string* crc_status_words(std::deque<std::string>& texts) {
  static std::vector<value_string> words;
  if (words.empty()) {
    for (const CrcStatus status : all_crc_statuses)
      words.push_back({status_number(status), kept(texts, name_of(status))});
    words.push_back({0, nullptr});
  }
  return words.data();
}

// How the built-in dissector calls the header.
std::string built_in_header(Layer layer) {
  switch (layer) {
    case Layer::fpdu:
      return "iwarp_mpa.fpdu";
    case Layer::mpa_request:
      return "iwarp_mpa.req";
    case Layer::mpa_reply:
      return "iwarp_mpa.rep";
    case Layer::ddp_tagged:
    case Layer::ddp_untagged:
      return "iwarp_ddp";
    case Layer::rdmap:
      return "iwarp_rdma";
    case Layer::read_request:
      return "iwarp_rdma.rr";
    case Layer::terminate:
      return "iwarp_rdma.terminate";
    default:
      return "infiniband." + std::string(info(layer).name);
  }
}

int group_of(ExpertGroup group) {
  switch (group) {
    case ExpertGroup::checksum:
      return PI_CHECKSUM;
    case ExpertGroup::sequence:
      return PI_SEQUENCE;
    case ExpertGroup::undecoded:
      return PI_UNDECODED;
    case ExpertGroup::protocol:
      return PI_PROTOCOL;
  }
  return PI_PROTOCOL;
}

int severity_of(Severity severity) {
  switch (severity) {
    case Severity::chat:
      return PI_CHAT;
    case Severity::note:
      return PI_NOTE;
    case Severity::warning:
      return PI_WARN;
    case Severity::error:
      return PI_ERROR;
  }
  return PI_NOTE;
}

}  // namespace

// A table of all values that have a name; only for fields as narrow as those that have names are.
const value_string* WiresharkFields::words_of(const FieldInfo& field) {
  if (field.value_name == nullptr || !field.is_number() || field.display == Display::flag || field.bits > 16) {
    return nullptr;
  }
  std::vector<value_string> words;
  for (std::uint32_t value = 0; value < 1U << field.bits; ++value) {
    const std::string_view name = field.value_name(value);
    if (!name.empty()) words.push_back({value, kept(texts_, name)});
  }
  if (words.empty()) return nullptr;
  words.push_back({0, nullptr});
  return words_.emplace_back(std::move(words)).data();
}

void WiresharkFields::register_own(int protocol) {
  table_ = std::make_unique<FieldTable>(look_up);
  registered_.resize(table_->entries().size());
  // Wireshark keeps the addresses.
  static std::vector<hf_register_info> fields;
  for (std::size_t i = 0; i < registered_.size(); ++i) {
    const FieldTable::Entry& entry = table_->entries()[i];
    if (entry.is_alias) continue;
    const auto [type, display] = type_of(entry);
    registered_[i].type = type;
    hf_register_info& field = fields.emplace_back();
    field.p_id = &registered_[i].hf;
    field.hfinfo = {};
    field.hfinfo.name = kept(texts_, entry.title);
    field.hfinfo.abbrev = kept(texts_, entry.name);
    field.hfinfo.type = type;
    field.hfinfo.display = display;
    if (entry.kind == ValueKind::header) field.hfinfo.strings = words_of(*entry.field);
    if (entry.kind == ValueKind::crc_status) field.hfinfo.strings = crc_status_words(texts_);
    field.hfinfo.blurb = entry.label == entry.title ? nullptr : kept(texts_, entry.label);
    field.hfinfo.id = -1;
    field.hfinfo.parent = 0;
    field.hfinfo.ref_type = HF_REF_TYPE_NONE;
    field.hfinfo.same_name_prev_id = -1;
    field.hfinfo.same_name_next = nullptr;
  }
  proto_register_field_array(protocol, fields.data(), static_cast<int>(fields.size()));

  subtrees_.fill(-1);
  static std::array<int*, static_cast<std::size_t>(Layer::count_)> subtrees;
  for (std::size_t i = 0; i < subtrees.size(); ++i) subtrees[i] = &subtrees_[i];
  proto_register_subtree_array(subtrees.data(), static_cast<int>(subtrees.size()));

  static std::vector<ei_register_info> experts;
  for (const ExpertInfo& row : expert_table) {
    experts_[static_cast<std::size_t>(row.expert)] = EI_INIT;
    ei_register_info& expert = experts.emplace_back();
    expert.ids = &experts_[static_cast<std::size_t>(row.expert)];
    expert.eiinfo = {};
    expert.eiinfo.name = row.name;
    expert.eiinfo.group = group_of(row.group);
    expert.eiinfo.severity = severity_of(row.severity);
    expert.eiinfo.summary = row.summary;
    // As EXPFILL has them.
    expert.eiinfo.hf_info.p_id = &experts_[static_cast<std::size_t>(row.expert)].hf;
    expert.eiinfo.hf_info.hfinfo.id = -1;
    expert.eiinfo.hf_info.hfinfo.same_name_prev_id = -1;
  }
  expert_register_field_array(expert_register_protocol(protocol), experts.data(), static_cast<int>(experts.size()));
}

void WiresharkFields::find_built_in() {
  for (std::size_t i = 0; i < registered_.size(); ++i) {
    const FieldTable::Entry& entry = table_->entries()[i];
    if (!entry.is_alias) continue;
    const header_field_info* field = proto_registrar_get_byname(std::string(entry.name).c_str());
    if (field == nullptr) continue;
    const auto mask = static_cast<std::uint64_t>(field->bitmask);
    registered_[i] = {field->id, field->type, mask == 0 ? 0U : static_cast<unsigned>(std::countr_zero(mask))};
  }
  headers_.fill(-1);
  for (std::size_t i = 0; i < headers_.size(); ++i) {
    const header_field_info* field = proto_registrar_get_byname(built_in_header(static_cast<Layer>(i)).c_str());
    if (field != nullptr && (field->type == FT_NONE || field->type == FT_BYTES)) headers_[i] = field->id;
  }
}

Range WiresharkTree::inside(Range range) const {
  const unsigned captured = tvb_captured_length(tvb_);
  return range.len <= captured && range.offset <= captured - range.len ? range : Range();
}

namespace {

proto_tree* tree_of(Tree::Node node) { return static_cast<proto_tree*>(node); }

// Wireshark's functions take C strings.
template <std::size_t Size>
const char* c_string(std::array<char, Size>& buffer, std::string_view text) {
  const std::size_t size = std::min(text.size(), Size - 1);
  std::copy_n(text.begin(), size, buffer.begin());
  buffer[size] = '\0';
  return buffer.data();
}

}  // namespace

Tree::Node WiresharkTree::open(Node parent, Layer layer, std::string_view title, Range range) {
  const Range at = inside(range);
  const auto start = static_cast<int>(at.offset);
  const auto len = static_cast<int>(at.len);
  std::array<char, 1100> buffer;
  const char* text = c_string(buffer, title);
  proto_tree* node = nullptr;
  if (parent == nullptr) {
    last_ = proto_tree_add_protocol_format(tree_, protocol_, tvb_, start, len, "%s", text);
    node = proto_item_add_subtree(last_, fields_.subtree(layer));
    for (const int built_in : stand_for_) {
      if (built_in != -1) proto_item_set_hidden(proto_tree_add_item(tree_, built_in, tvb_, start, len, ENC_NA));
    }
  } else {
    node = proto_tree_add_subtree_format(tree_of(parent), tvb_, start, len, fields_.subtree(layer), &last_, "%s", text);
    if (const int header = fields_.header(layer); header != -1) {
      proto_item_set_hidden(proto_tree_add_item(node, header, tvb_, start, len, ENC_NA));
    }
  }
  return node;
}

void WiresharkTree::add_number(proto_tree* node, const WiresharkFields::Registered& field, std::uint64_t number,
                               Range range) {
  const Range at = inside(range);
  const auto start = static_cast<int>(at.offset);
  const auto len = static_cast<int>(at.len);
  const std::uint64_t value = number << field.shift;
  if (is_uint32(field.type)) {
    last_ = proto_tree_add_uint(node, field.hf, tvb_, start, len, static_cast<std::uint32_t>(value));
  } else if (is_uint64(field.type)) {
    last_ = proto_tree_add_uint64(node, field.hf, tvb_, start, len, value);
  } else if (field.type == FT_BOOLEAN) {
    last_ = proto_tree_add_boolean(node, field.hf, tvb_, start, len, static_cast<std::uint32_t>(value));
  }
}

void WiresharkTree::add_octets(proto_tree* node, const WiresharkFields::Registered& field, Bytes octets, Range range) {
  const Range at = inside(range);
  const auto start = static_cast<int>(at.offset);
  const auto len = static_cast<int>(at.len);
  switch (field.type) {
    case FT_BYTES:
      last_ = proto_tree_add_bytes_with_length(node, field.hf, tvb_, start, len, octets.data(),
                                               static_cast<int>(octets.size()));
      return;
    case FT_IPv4: {
      if (octets.size() != 4) return;
      std::uint32_t address = 0;
      std::copy_n(octets.begin(), 4, reinterpret_cast<std::uint8_t*>(&address));
      last_ = proto_tree_add_ipv4(node, field.hf, tvb_, start, len, address);
      return;
    }
    case FT_IPv6:
      if (octets.size() != 16) return;
      last_ =
          proto_tree_add_ipv6(node, field.hf, tvb_, start, len, reinterpret_cast<const ws_in6_addr*>(octets.data()));
      return;
    case FT_ETHER:
      if (octets.size() != 6) return;
      last_ = proto_tree_add_ether(node, field.hf, tvb_, start, len, octets.data());
      return;
    default:
      if (octets.size() <= 8 && !octets.empty())
        add_number(node, field, read_bits(octets, 0, octets.size() * 8), range);
  }
}

void WiresharkTree::field(Node node, FieldId id, const FieldInfo& field, Bytes header, Range range) {
  const WiresharkFields::Registered& registered = fields_.of(id);
  if (registered.hf == -1) return;
  proto_tree* tree = tree_of(node);
  if (!field.is_number()) return add_octets(tree, registered, rdmawire::octets(field, header), range);
  if (registered.type == FT_STRING || registered.type == FT_STRINGZ) {
    const Range at = inside(range);
    std::array<char, 512> text;
    std::array<char, 513> buffer;
    const std::string_view written(text.data(), format_value(field, header, text));
    last_ = proto_tree_add_string(tree, registered.hf, tvb_, static_cast<int>(at.offset), static_cast<int>(at.len),
                                  c_string(buffer, written));
    return;
  }
  if (registered.type == FT_BYTES && field.bit_offset % 8 == 0 && field.bits % 8 == 0) {
    return add_octets(tree, registered, header.subspan(field.bit_offset / 8U, field.bits / 8U), range);
  }
  add_number(tree, registered, rdmawire::number(field, header), range);
}

namespace {

// Not a conclusion.
constexpr bool is_of_the_wire(Property property) {
  return property == Property::icrc || property == Property::vcrc || property == Property::lpcrc ||
         property == Property::mpa_crc;
}

}  // namespace

void WiresharkTree::number(Node node, Property property, std::uint64_t number, Range range) {
  const WiresharkFields::Registered& registered = fields_.of(id_of(property));
  if (registered.type == FT_RELATIVE_TIME) {
    const Range at = inside(range);
    nstime_t time;
    time.secs = static_cast<time_t>(number / 1'000'000'000);
    time.nsecs = static_cast<int>(number % 1'000'000'000);
    last_ = proto_tree_add_time(tree_of(node), registered.hf, tvb_, static_cast<int>(at.offset),
                                static_cast<int>(at.len), &time);
  } else {
    add_number(tree_of(node), registered, number, range);
  }
  if (!is_of_the_wire(property)) proto_item_set_generated(last_);
}

void WiresharkTree::text(Node node, Property property, std::string_view text) {
  std::array<char, 512> buffer;
  last_ = proto_tree_add_string(tree_of(node), fields_.of(id_of(property)).hf, tvb_, 0, 0, c_string(buffer, text));
  proto_item_set_generated(last_);
}

void WiresharkTree::octets(Node node, Property property, Bytes octets, Range range) {
  if (fields_.of(id_of(property)).hf == -1) return;
  add_octets(tree_of(node), fields_.of(id_of(property)), octets, range);
}

void WiresharkTree::expert(Node, Expert expert, std::string_view text) {
  if (text.empty()) {
    expert_add_info(pinfo_, last_, fields_.expert(expert));
  } else {
    expert_add_info_format(pinfo_, last_, fields_.expert(expert), "%.*s", static_cast<int>(text.size()), text.data());
  }
}

}  // namespace rdmawire::dissector
