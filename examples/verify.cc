// Reads one frame from standard input as hex digits and says what it is and whether its invariant CRC is right:
//   echo 7cfe90753cd8... | bazel run //examples:verify
// The codec allocates nothing and throws nothing; all that is done with std::vector here is the example's own.
#include <cctype>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "codec/frame.h"
#include "codec/ib/headers.h"

int main() {
  using namespace rdmawire;

  std::vector<std::uint8_t> octets;
  std::string digits;
  for (char c; std::cin.get(c);) {
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0) digits += c;
  }
  for (std::size_t i = 0; i + 2 <= digits.size(); i += 2) {
    octets.push_back(static_cast<std::uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
  }

  const Frame frame = parse_frame(LinkType::ethernet, octets, static_cast<std::uint32_t>(octets.size()));
  for (const LayerRef& ref : frame.layers()) {
    std::cout << info(ref.layer).title << " at offset " << ref.offset << "\n";
  }
  if (const auto bth = frame.get<ib::Bth>()) {
    std::cout << name_of(bth->opcode) << " to QP " << bth->dest_qp.value << ", PSN " << bth->psn.value << "\n";
  }
  std::cout << "payload " << frame.payload_len << " octets, ICRC " << name_of(frame.icrc.status) << "\n";
  if (frame.error) std::cout << to_string(frame.error).view() << "\n";
  return frame.icrc.status == CrcStatus::good ? 0 : 1;
}
