#include "cli/endpoints.h"

#include <charconv>

#include "codec/ib/headers.h"
#include "codec/net/net.h"

namespace rdmawire::cli {

AddressText::AddressText(Display display, Bytes octets) {
  FieldInfo whole;
  whole.bits = static_cast<std::uint16_t>(octets.size() * 8);
  whole.display = display;
  size_ = format_value(whole, octets, text_);
}

AddressText AddressText::lid(std::uint16_t lid) {
  constexpr std::string_view prefix = "LID ";
  AddressText out;
  prefix.copy(out.text_.data(), prefix.size());
  char* end = std::to_chars(out.text_.data() + prefix.size(), out.text_.data() + out.text_.size(), lid).ptr;
  out.size_ = static_cast<std::size_t>(end - out.text_.data());
  return out;
}

Endpoints endpoints_of(const Frame& frame) {
  if (const auto lrh = frame.get<ib::Lrh>()) {
    return {AddressText::lid(lrh->slid.value), AddressText::lid(lrh->dlid.value)};
  }
  const std::span<const LayerRef> layers = frame.layers();
  for (std::size_t i = layers.size(); i-- > 0;) {
    const Bytes octets = frame.octets(layers[i]);
    const auto of = [&]<Header T>(std::type_identity<T>, auto source, auto destination, Display display) -> Endpoints {
      const T header = decode<T>(octets.first<header_size<T>>());
      return {AddressText(display, (header.*source).octets), AddressText(display, (header.*destination).octets)};
    };
    switch (layers[i].layer) {
      case Layer::ipv4:
        return of(std::type_identity<net::Ipv4>{}, &net::Ipv4::source, &net::Ipv4::destination, Display::ipv4);
      case Layer::ipv6:
        return of(std::type_identity<net::Ipv6>{}, &net::Ipv6::source, &net::Ipv6::destination, Display::ipv6);
      case Layer::grh:
        return of(std::type_identity<ib::Grh>{}, &ib::Grh::sgid, &ib::Grh::dgid, Display::ipv6);
      case Layer::ethernet:
        return of(std::type_identity<net::Ethernet>{}, &net::Ethernet::source, &net::Ethernet::destination,
                  Display::mac);
      default:
        break;
    }
  }
  return {};
}

}  // namespace rdmawire::cli
