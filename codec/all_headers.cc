#include <algorithm>
#include <array>
#include <tuple>

#include "codec/frame.h"
#include "codec/ib/headers.h"
#include "codec/iwarp/headers.h"
#include "codec/mad/dispatch.h"
#include "codec/net/net.h"

namespace rdmawire {
namespace {

struct HeaderList {
  std::array<const HeaderInfo*, 160> headers{};
  std::size_t size = 0;

  void add(const HeaderInfo* header) { headers[size++] = header; }
  template <class... T>
  void add(std::type_identity<std::tuple<T...>>) {
    (add(&header_info<T>), ...);
  }
};

}  // namespace

std::span<const HeaderInfo* const> all_headers() {
  static const HeaderList list = [] {
    HeaderList out;
    out.add(std::type_identity<net::Headers>{});
    out.add(std::type_identity<ib::Headers>{});
    out.add(std::type_identity<iwarp::Headers>{});
    for (std::size_t i = 0; i < static_cast<std::size_t>(Layer::count_); ++i) {
      if (const HeaderInfo* header = mad::header_info_of(static_cast<Layer>(i))) out.add(header);
    }
    return out;
  }();
  return {list.headers.data(), list.size};
}

}  // namespace rdmawire
