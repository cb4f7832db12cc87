// Writing one header after the other into a buffer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "codec/base/bytes.h"
#include "codec/base/error.h"
#include "codec/base/layout.h"

namespace rdmawire {

// What follows a failure is left out; the first failure is the result. Errors: those of try_encode, with the offset in
// the buffer.
class HeaderWriter {
 public:
  explicit HeaderWriter(MutableBytes out) : out_(out) {}

  template <Header T>
  void put(const T& header) {
    if (error_) return;
    const Result<std::size_t> written = try_encode(header, out_.subspan(at_), at_);
    if (written) {
      at_ += *written;
    } else {
      error_ = written.error();
    }
  }
  template <Header T>
  void put(const std::optional<T>& header) {
    if (header) put(*header);
  }
  void put_payload(Bytes octets) {
    if (error_) return;
    if (octets.size() > out_.size() - at_) {
      error_ = {ErrorCode::output_too_small,
                Layer::payload,
                Limit::buffer,
                static_cast<std::uint32_t>(octets.size()),
                static_cast<std::uint32_t>(out_.size() - at_),
                at_};
      return;
    }
    std::copy(octets.begin(), octets.end(), out_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ += octets.size();
  }
  void fail(const Error& error) {
    if (!error_) error_ = error;
  }

  // Octets written.
  std::size_t at() const { return at_; }
  const Error& error() const { return error_; }
  Result<std::size_t> result() const {
    if (error_) return rdmawire::fail(error_);
    return at_;
  }

 private:
  MutableBytes out_;
  std::size_t at_ = 0;
  Error error_;
};

}  // namespace rdmawire
