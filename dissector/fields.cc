#include "dissector/fields.h"

#include <utility>

#include "codec/frame.h"

namespace rdmawire::dissector {

std::string own_name(std::string_view name) { return "rdma" + std::string(name.substr(name.find('.'))); }

FieldTable::FieldTable(LookUp built_in) {
  const auto look_up = [&](std::string_view name) { return built_in(std::string(name).c_str()); };
  Index index;
  for (const PropertyInfo& row : property_table) {
    const std::string_view name = keep(std::string(row.shown.name));
    index.emplace(name, id_of(row.property));
    entries_.push_back({name, row.title, row.shown.label, row.kind, nullptr, look_up(name) != BuiltIn::nothing});
  }
  for (const HeaderInfo* header : all_headers()) {
    // What carries RDMA Wireshark shows itself.
    if (header->layer < Layer::lrh && header->layer != Layer::sctp_data) continue;
    HeaderIds& all = of_layer_[static_cast<std::size_t>(header->layer)].emplace_back();
    all.header = header;
    for (const FieldInfo& field : header->fields) {
      const BuiltIn there = look_up(field.key);
      Ids ids;
      ids.name = add(index, field.key, field, there != BuiltIn::nothing);
      if (there == BuiltIn::nothing) ids.lacking = ids.name;
      if (there == BuiltIn::number && field.value_name != nullptr) {
        ids.lacking = add(index, own_name(field.key), field, false);
      }
      all.ids.push_back(ids);
    }
  }
}

FieldId FieldTable::add(Index& index, std::string_view name, const FieldInfo& field, bool is_alias) {
  if (const auto found = index.find(name); found != index.end()) return found->second;
  const auto id = static_cast<FieldId>(entries_.size());
  const std::string_view kept = keep(std::string(name));
  entries_.push_back({kept, field.label, field.label, ValueKind::header, &field, is_alias});
  index.emplace(kept, id);
  return id;
}

}  // namespace rdmawire::dissector
