// The headers found in a packet, one after the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "codec/base/bytes.h"
#include "codec/base/layout.h"

namespace rdmawire {

// One header found in a packet.
struct LayerRef {
  const HeaderInfo* header;  // what its octets mean
  std::uint32_t offset;      // in the packet, octets
  std::uint16_t size;        // octets, options included; header->size at least
  Layer layer;               // header->layer
  bool continued;            // an optional part of the layer before it, such as a GRE key
};

// At most Max of them. It refers to the octets, which must outlive it.
template <std::size_t Max>
class LayerStack {
 public:
  static constexpr std::size_t max_layers = Max;

  // The layers whose header is there whole, in the order of the wire. CRCs are not among them.
  std::span<const LayerRef> layers() const { return {layers_.data(), num_layers_}; }
  const LayerRef* find(Layer layer) const {
    for (const LayerRef& ref : layers()) {
      if (ref.layer == layer) return &ref;
    }
    return nullptr;
  }
  Bytes octets(const LayerRef& ref) const { return captured.subspan(ref.offset, ref.size); }
  // The first header of that type, decoded.
  template <Header T>
  std::optional<T> get() const {
    for (const LayerRef& ref : layers()) {
      if (ref.header == &header_info<T>) return decode<T>(octets(ref).template first<header_size<T>>());
    }
    return std::nullopt;
  }

  Bytes captured;

 protected:
  std::array<LayerRef, Max> layers_;  // the first num_layers_ are set
  std::size_t num_layers_ = 0;
};

}  // namespace rdmawire
