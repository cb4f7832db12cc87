#include "conformance/vectors/packet_vectors.h"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <vector>

#include "codec/base/field.h"
#include "codec/frame.h"
#include "codec/frame_view.h"
#include "codec/iwarp/pdu.h"
#include "protocol/iwarp/fpdu_receiver.h"

namespace rdmawire::conformance {
namespace {

using vectors::Json;
using Octets = std::vector<std::uint8_t>;

// A field that was found: its value as a number, or its octets where it is none.
struct Found {
  const FieldInfo* field;
  Bytes header;
};
using Fields = std::multimap<std::string_view, Found>;

void add(Fields& fields, const HeaderInfo& header, Bytes octets) {
  for (const FieldInfo& field : header.fields) {
    if (is_present(field, octets)) fields.emplace(field.key, Found{&field, octets});
  }
}

bool is_value(const Found& found, const Json& value) {
  const FieldInfo& field = *found.field;
  if (value.is_number()) return field.bits <= 64 && number(field, found.header) == value.get<std::uint64_t>();
  const auto text = value.get<std::string>();
  if (text.starts_with("0x")) return field.bits <= 64 && number(field, found.header) == vectors::from_hex_number(text);
  return field.bits % 8 == 0 && std::ranges::equal(octets(field, found.header), vectors::unpack(text));
}

// Of a header that comes twice the first counts.
std::string compare(const Fields& fields, const Json& expected) {
  for (const auto& [name, value] : expected.items()) {
    const auto found = fields.lower_bound(name);
    if (found == fields.end() || found->first != name) return name + " is not there";
    if (is_value(found->second, value)) continue;
    std::array<char, 128> text;
    const std::size_t size = format_value(*found->second.field, found->second.header, text);
    return name + " is " + std::string(text.data(), size) + ", must be " + value.dump();
  }
  return {};
}

std::string compare(const Error& is, const Json& vector) {
  const auto refused = vector.find("refused");
  if (refused == vector.end()) return is ? "refused: " + std::string(to_string(is).view()) : std::string();
  if (!is) return "taken, and must be refused: " + refused->dump();
  constexpr std::array<std::string_view, 8> classes{"none",        "truncated_capture", "truncated_wire", "malformed",
                                                    "unsupported", "integrity",         "semantic",       "no_space"};
  const std::string_view error_class = classes[static_cast<std::size_t>(is.error_class())];
  if (refused->at("class") == error_class && refused->at("error") == info(is.code).name) return {};
  return "refused as " + std::string(error_class) + ", " + std::string(info(is.code).name) + ", must be " +
         refused->dump();
}

std::string check_frame(LinkType link, const Octets& octets, const Json& vector) {
  const Frame frame = parse_frame(link, octets, static_cast<std::uint32_t>(octets.size()));
  if (auto difference = compare(first_violation(frame), vector); !difference.empty()) return difference;
  if (vector.contains("refused")) return {};
  Fields fields;
  for_each_header(frame, [&](const LayerRef& ref, Bytes header) { add(fields, *ref.header, header); });
  return compare(fields, vector.at("fields"));
}

std::string check_pdu(const iwarp::Pdu& pdu, const Json& vector) {
  if (auto difference = compare(iwarp::first_violation(pdu), vector); !difference.empty()) return difference;
  if (vector.contains("refused")) return {};
  Fields fields;
  for (const LayerRef& ref : pdu.layers()) add(fields, *ref.header, pdu.octets(ref));
  return compare(fields, vector.at("fields"));
}

// The ULPDUs, given in pieces of that many octets.
std::string check_stream(const Octets& octets, const Json& vector, std::size_t piece) {
  iwarp::FpduReceiver receiver;
  receiver.start(vector.at("markers").get<bool>(), vector.at("crc").get<bool>());
  Json ulpdus = Json::array();
  Error error;
  for (std::size_t at = 0; at < octets.size(); at += piece) {
    const std::size_t size = std::min(piece, octets.size() - at);
    receiver.on_octets(Bytes(octets).subspan(at, size), [&](const iwarp::Fpdu& fpdu) {
      Octets ulpdu;
      fpdu.for_each_span(0, fpdu.ulpdu_len, [&](Bytes span) { ulpdu.insert(ulpdu.end(), span.begin(), span.end()); });
      ulpdus.push_back(vectors::pack(ulpdu));
      if (error) return;
      std::array<std::uint8_t, iwarp::max_pdu_head> scratch;
      const Error first = iwarp::first_violation(iwarp::parse_fpdu(fpdu, scratch), &fpdu);
      if (first.error_class() == ErrorClass::integrity) error = first;
    });
  }
  if (auto difference = compare(error, vector); !difference.empty()) return difference;
  if (vector.contains("refused")) return {};
  if (receiver.is_inside()) return "the last FPDU has not ended";
  if (ulpdus == vector.at("ulpdus")) return {};
  return "ULPDUs are " + ulpdus.dump() + ", must be " + vector.at("ulpdus").dump();
}

}  // namespace

std::string check_packet(const Json& vector) {
  const Octets octets = vectors::unpack(vector.at("octets").get<std::string>());
  const auto form = vector.at("form").get<std::string>();
  if (form == "ethernet") return check_frame(LinkType::ethernet, octets, vector);
  if (form == "infiniband") return check_frame(LinkType::infiniband, octets, vector);
  if (form == "mpa") return check_pdu(iwarp::parse_startup(octets), vector);
  if (form == "ddp") return check_pdu(iwarp::parse_ulpdu(octets, static_cast<std::uint32_t>(octets.size())), vector);
  if (form != "mpa-stream") throw std::invalid_argument("no such form: " + form);
  for (const std::size_t piece : {octets.size(), std::size_t{1}, std::size_t{7}}) {
    if (auto difference = check_stream(octets, vector, piece); !difference.empty()) return difference;
  }
  return {};
}

}  // namespace rdmawire::conformance
