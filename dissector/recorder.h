// A Tree that remembers what it was shown, for tests and the fuzz target.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/field.h"
#include "dissector/fields.h"
#include "dissector/show.h"
#include "dissector/tree.h"

namespace rdmawire::dissector {

struct Recorded {
  std::size_t depth = 0;
  std::string name;   // of the field or the expert information; empty for a level
  std::string value;  // as text; of a level: its title
  Range range;
};

class Recorder final : public Tree {
 public:
  explicit Recorder(const FieldTable& fields) : fields_(fields) {}

  Node open(Node parent, Layer, std::string_view title, Range range) override {
    const std::size_t depth = parent == nullptr ? 0 : depth_of(parent) + 1;
    items.push_back({depth, "", std::string(title), range});
    // The node is its depth, counted from 1.
    return reinterpret_cast<Node>(depth + 1);
  }
  void field(Node node, FieldId id, const FieldInfo& field, Bytes header, Range range) override {
    std::array<char, 512> text;
    std::string value(text.data(), format_value(field, header, text));
    if (field.value_name != nullptr && field.is_number()) {
      const std::string_view name = field.value_name(rdmawire::number(field, header));
      if (!name.empty()) value += " (" + std::string(name) + ")";
    }
    add(node, fields_.entries()[id].name, std::move(value), range);
  }
  void number(Node node, Property property, std::uint64_t number, Range range) override {
    add(node, fields_.entries()[id_of(property)].name, std::to_string(number), range);
  }
  void text(Node node, Property property, std::string_view text) override {
    add(node, fields_.entries()[id_of(property)].name, std::string(text), {});
  }
  void octets(Node node, Property property, Bytes octets, Range range) override {
    add(node, fields_.entries()[id_of(property)].name, std::to_string(octets.size()) + " octets", range);
  }
  void expert(Node node, Expert expert, std::string_view text) override {
    add(node, info(expert).name, std::string(text), {});
  }

  // The values of that name.
  std::vector<std::string> values(std::string_view name) const {
    std::vector<std::string> out;
    for (const Recorded& item : items) {
      if (item.name == name) out.push_back(item.value);
    }
    return out;
  }

  std::vector<Recorded> items;

 private:
  static std::size_t depth_of(Node node) { return reinterpret_cast<std::size_t>(node) - 1; }
  void add(Node node, std::string_view name, std::string value, Range range) {
    items.push_back({depth_of(node) + 1, std::string(name), std::move(value), range});
  }

  const FieldTable& fields_;
};

}  // namespace rdmawire::dissector
