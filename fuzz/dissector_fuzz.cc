// A capture of several frames through all of the Wireshark plugin that Wireshark is not needed for: each frame is shown
// alongside the built-in dissectors and taken over, and shows the same when it is looked at again.
//
// Octet 0: the link type (low three bits, the place in `links`), the built-in dissector took the frames (3), it knows
// FLUSH (4), few octets are kept (5). Then the frames: two octets for the length captured, two for how much more was on
// the wire, and the octets.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "codec/summary.h"
#include "dissector/messages.h"
#include "dissector/recorder.h"
#include "dissector/show.h"
#include "fuzz/check_fields.h"
#include "fuzz/input.h"

namespace {

using namespace rdmawire;
using namespace rdmawire::dissector;
using fuzz::require;

// Wireshark 4.0 knows some of the names; which does not matter here.
FieldTable::BuiltIn known(const char* name) {
  return name[0] == 'r' ? FieldTable::BuiltIn::nothing : FieldTable::BuiltIn::number;
}

struct Shown {
  std::vector<Recorded> items;
  std::vector<char> info;

  bool operator==(const Shown& other) const {
    if (info != other.info || items.size() != other.items.size()) return false;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].name != other.items[i].name || items[i].value != other.items[i].value ||
          !(items[i].range == other.items[i].range) || items[i].depth != other.items[i].depth) {
        return false;
      }
    }
    return true;
  }
};

Shown show(const FieldTable& fields, Streams& streams, const Frame& frame, std::uint32_t number, BuiltIn built_in,
           bool all) {
  Recorder recorder(fields);
  std::array<char, 4096> buffer;
  Text text(buffer);
  if (frame.family != Family::none) {
    show_frame(recorder, fields, frame, built_in, all);
    append_info(text, frame, all);
  } else if (!frame.layers().empty() && frame.layers().back().layer == Layer::sctp) {
    show_sctp_pdus(recorder, fields, frame);
  }
  const std::span<const KeptPdu> pdus = streams.pdus(frame, number);
  if (const bool held = streams.is_held(number); !pdus.empty() || held) {
    ReadPdu read;
    show_pdus(recorder, fields, frame, pdus, held, read, built_in, all);
    for (const KeptPdu& kept : pdus) {
      read.read(kept, frame.captured);
      append_info(text, kept, read);
    }
  }
  for (const Recorded& item : recorder.items) {
    require(std::size_t{item.range.offset} + item.range.len <= frame.captured.size());
  }
  return {recorder.items, {text.view().begin(), text.view().end()}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const FieldTable fields(known);
  constexpr std::array links{LinkType::ethernet, LinkType::raw_ip,     LinkType::linux_sll,  LinkType::linux_sll2,
                             LinkType::erf,      LinkType::infiniband, LinkType::infiniband, LinkType::ethernet};
  fuzz::Input input({data, size});
  const std::uint8_t how = input.octet();
  const BuiltIn built_in{.took_infiniband = (how & 8U) != 0,
                         .knows_flush = (how & 16U) != 0,
                         .num_mpa = how & 8U ? 1U : 0U,
                         .num_fpdus = how & 8U ? 2U : 0U};
  Streams streams({}, (how & 32U) != 0 ? 300 : Streams::max_kept_len);

  struct Captured {
    std::vector<std::uint8_t> octets;
    std::uint32_t wire_len;
  };
  std::vector<Captured> frames;
  while (!input.empty() && frames.size() < 200) {
    const std::uint16_t len = input.word();
    const std::uint16_t more = input.word();
    const Bytes octets = input.take(len);
    frames.push_back({{octets.begin(), octets.end()}, static_cast<std::uint32_t>(octets.size()) + more});
  }
  std::vector<Shown> first;
  Messages messages;
  std::map<std::uint32_t, std::uint32_t> num_parts;  // by message; gone when its last was there
  std::uint32_t num_messages = 0;
  for (const bool again : {false, true}) {
    for (std::uint32_t number = 1; number <= frames.size(); ++number) {
      const Captured& captured = frames[number - 1];
      const Frame frame = parse_frame(links[how & 7U], captured.octets, captured.wire_len);
      // The parts of a message come in their order.
      if (const auto part = again ? std::nullopt : messages.add(frame)) {
        if (part->number == 0) {
          require(part->message == num_messages++);
          num_parts[part->message] = 1;
        } else {
          require(num_parts.at(part->message)++ == part->number);
        }
        require(part->last == frame.opcode->ends_message());
        require(whole_message(*frame.opcode).service == frame.opcode->service);
        if (part->last) num_parts.erase(part->message);
      }
      for (const bool all : {false, true}) {
        const Shown shown = show(fields, streams, frame, number, built_in, all);
        if (again) {
          require(shown == first[2 * (number - 1) + (all ? 1 : 0)]);
        } else {
          first.push_back(shown);
        }
      }
    }
  }
  streams.finish();
  return 0;
}
