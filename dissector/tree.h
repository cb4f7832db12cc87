// Where the dissector shows what it finds: the packet tree of Wireshark, or a record of it for tests.
//
// Wireshark's functions leave by longjmp, which skips destructors. So whoever calls a Tree has nothing with a
// destructor alive, and gives it references to what lives elsewhere.
#pragma once

#include <cstdint>
#include <string_view>

#include "codec/base/bytes.h"
#include "codec/base/field.h"
#include "dissector/fields.h"

namespace rdmawire::dissector {

// Octets of the frame as captured; none if what is shown lies (partly) in other frames, or is a conclusion.
struct Range {
  std::uint32_t offset = 0;
  std::uint32_t len = 0;

  friend constexpr bool operator==(const Range&, const Range&) = default;
};

enum class Expert : std::uint8_t {
  icrc_bad,
  vcrc_bad,
  lpcrc_bad,
  mpa_crc_bad,
  markers_wrong,
  octets_lost,
  not_captured,
  not_supported,
  not_readable,
  count_,
};

enum class Severity : std::uint8_t { chat, note, warning, error };
enum class ExpertGroup : std::uint8_t { checksum, sequence, undecoded, protocol };

struct ExpertInfo {
  Expert expert;
  ExpertGroup group;
  Severity severity;
  const char* name;     // in filters
  const char* summary;  // where no text says more
};

inline constexpr std::array expert_table{
    ExpertInfo{Expert::icrc_bad, ExpertGroup::checksum, Severity::error, "rdma.icrc.bad", "Invariant CRC is wrong"},
    ExpertInfo{Expert::vcrc_bad, ExpertGroup::checksum, Severity::error, "rdma.vcrc.bad", "Variant CRC is wrong"},
    ExpertInfo{Expert::lpcrc_bad, ExpertGroup::checksum, Severity::error, "rdma.lpcrc.bad", "Link packet CRC is wrong"},
    ExpertInfo{Expert::mpa_crc_bad, ExpertGroup::checksum, Severity::error, "rdma.mpa.crc.bad",
               "CRC of the FPDU is wrong"},
    ExpertInfo{Expert::markers_wrong, ExpertGroup::protocol, Severity::warning, "rdma.mpa.markers.wrong",
               "Markers do not point to the start of their FPDU"},
    ExpertInfo{Expert::octets_lost, ExpertGroup::sequence, Severity::warning, "rdma.stream.lost",
               "Octets of the stream before this were not captured, or not understood"},
    ExpertInfo{Expert::not_captured, ExpertGroup::undecoded, Severity::chat, "rdma.not_captured",
               "The rest was not captured"},
    ExpertInfo{Expert::not_supported, ExpertGroup::undecoded, Severity::note, "rdma.not_supported",
               "What follows is not decoded"},
    ExpertInfo{Expert::not_readable, ExpertGroup::protocol, Severity::warning, "rdma.not_readable",
               "The packet contradicts itself"},
};
static_assert(expert_table.size() == static_cast<std::size_t>(Expert::count_));

constexpr const ExpertInfo& info(Expert expert) { return expert_table[static_cast<std::size_t>(expert)]; }

class Tree {
 public:
  // A place to show things in; the Tree says what it means.
  using Node = void*;

  // A level below; layer says which levels open and close together.
  virtual Node open(Node parent, Layer layer, std::string_view title, Range range) = 0;
  // A header's field, as the header's octets have it.
  virtual void field(Node node, FieldId id, const FieldInfo& field, Bytes header, Range range) = 0;
  // Properties, by their kind: number is a number, a status_number, nanoseconds or a frame's number.
  virtual void number(Node node, Property property, std::uint64_t number, Range range) = 0;
  virtual void text(Node node, Property property, std::string_view text) = 0;
  virtual void octets(Node node, Property property, Bytes octets, Range range) = 0;
  // A judgement of what was shown last in that node.
  virtual void expert(Node node, Expert expert, std::string_view text) = 0;

 protected:
  ~Tree() = default;
};

}  // namespace rdmawire::dissector
