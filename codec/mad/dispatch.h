// Which headers a MAD has after the common one: one table, from the management class and the attribute ID.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/base/bytes.h"
#include "codec/base/field.h"
#include "codec/base/layer.h"

namespace rdmawire::mad {

// A header's place in a MAD.
struct PlacedHeader {
  const HeaderInfo* header = nullptr;  // null: nothing here
  std::uint16_t offset = 0;            // octets, from the MAD's first
  // Null: always there. Else asked with the captured octets of the MAD; false if it can't tell.
  bool (*present)(Bytes mad) = nullptr;
};

// The headers that an attribute of a class consists of.
struct MadAttribute {
  std::uint16_t id = 0;
  std::array<PlacedHeader, 4> headers{};
};

// The headers of the management classes first to last.
struct MadClass {
  std::uint8_t first = 0;
  std::uint8_t last = 0;
  std::array<PlacedHeader, 4> before{};  // the class's own
  std::span<const MadAttribute> attributes;
  // Null: the data always begins with the attribute. Else false if it does not (a later segment of a transfer).
  bool (*begins_attribute)(Bytes mad) = nullptr;
  PlacedHeader other;  // instead of an attribute
  PlacedHeader after;
};

// First match counts; the last row matches all classes.
std::span<const MadClass> mad_classes();

// What the layer's octets mean; null for a layer that no MAD has.
const HeaderInfo* header_info_of(Layer layer);

struct MadLayer {
  Layer layer = Layer::none;
  const HeaderInfo* header = nullptr;
  std::uint16_t offset = 0;  // octets, from the MAD's first
};

inline constexpr std::size_t max_mad_layers = 6;

// The layers of one MAD, in the order in which they are shown.
class MadLayers {
 public:
  constexpr void add(const MadLayer& layer) { layers_[size_++] = layer; }
  constexpr std::size_t size() const { return size_; }
  constexpr const MadLayer& operator[](std::size_t i) const { return layers_[i]; }
  constexpr const MadLayer* begin() const { return layers_.data(); }
  constexpr const MadLayer* end() const { return layers_.data() + size_; }

 private:
  std::array<MadLayer, max_mad_layers> layers_{};
  std::size_t size_ = 0;
};

// The layers of the MAD that begins at mad's first octet, the common header first. mad may hold less than 256 octets
// (a cut capture): listed are the layers whose first octet is there, and the caller compares header->size with what is
// left. Layers may overlap: a closer look (smp_dr_status, ip_cm) follows the header whose octets it interprets.
// Only the common header is listed of a base version other than 1.
MadLayers mad_layers(Bytes mad);

}  // namespace rdmawire::mad
