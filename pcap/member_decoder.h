// One compressed member (gzip) or frame (zstd, lz4) at a time, in pieces of any size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "codec/base/bytes.h"
#include "pcap/reader.h"

namespace rdmawire::pcap {

class MemberDecoder {
 public:
  enum class State : std::uint8_t { more, member_done, damaged };
  struct Step {
    State state = State::more;
    std::size_t consumed = 0;  // octets of in
    std::size_t produced = 0;  // octets of out
    std::size_t wanted = 0;    // at most so many octets of in next time
  };

  virtual ~MemberDecoder() = default;
  // A new member begins: octets of in wanted first.
  virtual std::size_t begin() = 0;
  // zstd and lz4 lose what a call has produced before it meets damage. So give no more than was wanted, and nothing
  // after a call that has filled out: then no call both produces and meets damage.
  virtual Step step(Bytes in, MutableBytes out) = 0;
};

// Not for Compression::none. Throws std::bad_alloc.
std::unique_ptr<MemberDecoder> make_decoder(Compression compression);

}  // namespace rdmawire::pcap
