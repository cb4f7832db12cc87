// The fields as Wireshark knows them, and its packet tree as a Tree.
//
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "dissector/tree.h"
#include "dissector/wireshark_api.h"

namespace rdmawire::dissector {

// Registered once, when Wireshark starts; lives as long as the process.
class WiresharkFields {
 public:
  struct Registered {
    int hf = -1;
    ftenum_t type = FT_NONE;
    unsigned shift = 0;  // of a built-in field that Wireshark takes from a wider value
  };

  // In the registration of protocols: what is the plugin's own.
  void register_own(int protocol);
  // In the handoff, when all built-in fields are there.
  void find_built_in();

  const FieldTable& table() const { return *table_; }
  const Registered& of(FieldId id) const { return registered_[id]; }
  int subtree(Layer layer) const { return subtrees_[static_cast<std::size_t>(layer)]; }
  // The field that the built-in dissector has for the whole header; -1 if there is none.
  int header(Layer layer) const { return headers_[static_cast<std::size_t>(layer)]; }
  expert_field* expert(Expert expert) { return &experts_[static_cast<std::size_t>(expert)]; }

 private:
  const value_string* words_of(const FieldInfo& field);

  std::unique_ptr<FieldTable> table_;
  std::vector<Registered> registered_;
  std::deque<std::vector<value_string>> words_;
  std::deque<std::string> texts_;
  std::array<int, static_cast<std::size_t>(Layer::count_)> subtrees_{};
  std::array<int, static_cast<std::size_t>(Layer::count_)> headers_{};
  std::array<expert_field, static_cast<std::size_t>(Expert::count_)> experts_{};
};

class WiresharkTree final : public Tree {
 public:
  // stand_for: built-in protocols for which filters shall find the frame, too; -1 for none.
  WiresharkTree(WiresharkFields& fields, int protocol, std::array<int, 2> stand_for, tvbuff_t* tvb, packet_info* pinfo,
                proto_tree* tree)
      : fields_(fields), protocol_(protocol), stand_for_(stand_for), tvb_(tvb), pinfo_(pinfo), tree_(tree) {}

  Node open(Node parent, Layer layer, std::string_view title, Range range) override;
  void field(Node node, FieldId id, const FieldInfo& field, Bytes header, Range range) override;
  void number(Node node, Property property, std::uint64_t number, Range range) override;
  void text(Node node, Property property, std::string_view text) override;
  void octets(Node node, Property property, Bytes octets, Range range) override;
  void expert(Node node, Expert expert, std::string_view text) override;

 private:
  void add_number(proto_tree* node, const WiresharkFields::Registered& field, std::uint64_t number, Range range);
  void add_octets(proto_tree* node, const WiresharkFields::Registered& field, Bytes octets, Range range);
  // Of what was captured: a range beyond it would make Wireshark leave.
  Range inside(Range range) const;

  WiresharkFields& fields_;
  int protocol_;
  std::array<int, 2> stand_for_;
  tvbuff_t* tvb_;
  packet_info* pinfo_;
  proto_tree* tree_;
  proto_item* last_ = nullptr;  // added last, for experts
};

}  // namespace rdmawire::dissector
