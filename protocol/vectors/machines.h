// The kinds of machines that there are vectors for: a file each.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "protocol/vectors/machine.h"

namespace rdmawire::vectors {

using QuirkNames = std::vector<std::string_view>;

std::unique_ptr<Machine> make_rc(const Json& setup, const QuirkNames& quirks);
std::unique_ptr<Machine> make_port(const Json& setup, const QuirkNames& quirks);
std::unique_ptr<Machine> make_cm(const Json& setup, const QuirkNames& quirks);
std::unique_ptr<Machine> make_mpa(const Json& setup, const QuirkNames& quirks);
std::unique_ptr<Machine> make_rdmap(const Json& setup, const QuirkNames& quirks);
std::unique_ptr<Machine> make_mpa_queue_pair(const Json& setup, const QuirkNames& quirks);
std::unique_ptr<Machine> make_sctp(const Json& setup, const QuirkNames& quirks);

struct MachineKind {
  std::string_view name;
  std::unique_ptr<Machine> (*make)(const Json&, const QuirkNames&);
};
inline constexpr std::array machine_kinds{
    MachineKind{"rc", &make_rc},       MachineKind{"port", &make_port},
    MachineKind{"cm", &make_cm},       MachineKind{"mpa", &make_mpa},
    MachineKind{"rdmap", &make_rdmap}, MachineKind{"mpa_queue_pair", &make_mpa_queue_pair},
    MachineKind{"sctp", &make_sctp},
};

// Adds those of the names that the family of Quirk has.
template <class Quirks, class Find>
void add_quirks(Quirks& to, const QuirkNames& names, Find find) {
  for (const std::string_view name : names) {
    if (const auto quirk = find(name)) to.add(*quirk);
  }
}

}  // namespace rdmawire::vectors
