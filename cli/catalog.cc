#include "cli/catalog.h"

#include <unordered_map>
#include <utility>

namespace rdmawire::cli {

const Catalog& Catalog::instance() {
  static const Catalog catalog;
  return catalog;
}

Catalog::Catalog() {
  std::unordered_map<std::string_view, std::uint16_t> index;
  for (const HeaderInfo* header : all_headers()) {
    std::vector<std::uint16_t> keys;
    for (const FieldInfo& field : header->fields) {
      const auto [place, added] = index.try_emplace(field.key, static_cast<std::uint16_t>(keys_.size()));
      if (added) keys_.push_back({field.key, field.label, field.display, field.bits});
      keys.push_back(place->second);
    }
    of_layer_[static_cast<std::size_t>(header->layer)].push_back({header, std::move(keys)});
  }
}

std::optional<std::uint16_t> Catalog::find(std::string_view name) const {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i].name == name) return static_cast<std::uint16_t>(i);
  }
  return std::nullopt;
}

std::vector<Catalog::Place> Catalog::places_of(std::uint16_t key) const {
  std::vector<Place> out;
  for (const HeaderInfo* header : all_headers()) {
    const std::span<const std::uint16_t> keys = keys_of(*header);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] == key) out.push_back({header, &header->fields[i]});
    }
  }
  return out;
}

std::optional<Property> find_property(std::string_view name) {
  for (const PropertyInfo& row : property_table) {
    if (name == row.name || (!row.tshark_name.empty() && name == row.tshark_name)) return row.property;
  }
  return std::nullopt;
}

std::vector<std::string_view> all_names() {
  std::vector<std::string_view> out;
  for (const PropertyInfo& row : property_table) {
    out.push_back(row.name);
    if (!row.tshark_name.empty()) out.push_back(row.tshark_name);
  }
  for (const Catalog::Key& key : Catalog::instance().keys()) out.push_back(key.name);
  return out;
}

}  // namespace rdmawire::cli
