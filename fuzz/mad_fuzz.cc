// A MAD of any length: every layer of it is formatted field by field and written again.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "codec/mad/dispatch.h"
#include "codec/mad/headers.h"
#include "fuzz/check_fields.h"

namespace {

using namespace rdmawire;

using fuzz::check_fields;
using fuzz::require;

// Writes the header again over the complement of its octets, and compares.
template <class T>
void check_round_trip(Bytes octets) {
  std::array<std::uint8_t, header_size<T>> out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(~octets[i]);
  const auto written = try_encode(decode<T>(octets.first<header_size<T>>()), out);
  require(written.has_value() && *written == out.size());
  require(std::memcmp(out.data(), octets.data(), out.size()) == 0);
}

// check_round_trip of each header's type, indexed by layer.
constexpr auto round_trips = []<class... T>(std::type_identity<std::tuple<T...>>) {
  std::array<void (*)(Bytes), static_cast<std::size_t>(Layer::count_)> checks{};
  ((checks[static_cast<std::size_t>(header_info<T>.layer)] = check_round_trip<T>), ...);
  return checks;
}(std::type_identity<mad::Headers>{});

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes input(data, size);
  const mad::MadLayers layers = mad::mad_layers(input);
  require(layers.size() <= mad::max_mad_layers);
  for (const mad::MadLayer& layer : layers) {
    require(layer.offset < size && layer.header->layer == layer.layer);
    require(mad::header_info_of(layer.layer) == layer.header);
    if (size - layer.offset < layer.header->size) continue;
    const Bytes octets = input.subspan(layer.offset, layer.header->size);
    check_fields(*layer.header, octets);
    round_trips[static_cast<std::size_t>(layer.layer)](octets);
  }
  return 0;
}
