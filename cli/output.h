// Where the command's results go: standard output, through one large buffer that is reused.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace rdmawire::cli {

// Collects text and writes it to a file descriptor. A write that fails is remembered and ends all further output: the
// caller looks at open() between records and stops. Never allocates after construction.
class Output {
 public:
  using value_type = char;  // for std::back_inserter, and so for fmt::format_to

  // The largest n of room(n).
  static constexpr std::size_t max_room = 4096;

  // fd stays the caller's.
  explicit Output(int fd) : fd_(fd) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { flush(); }

  void push_back(char c) { *room(1) = c, commit(1); }
  void append(std::string_view text);
  // Space for n characters; those that were written there are then taken in with commit.
  char* room(std::size_t n) {
    if (capacity - size_ < n) flush();
    return buffer_.get() + size_;
  }
  void commit(std::size_t n) { size_ += n; }

  // Ends a record: writes when enough has come together.
  void end_record() {
    if (size_ >= threshold) flush();
  }
  void flush();

  // False once a write has failed.
  bool open() const { return error_ == 0; }
  // errno of the write that failed, 0 if none has. EPIPE: the reader has all it wants, which is no fault.
  int error() const { return error_; }

 private:
  static constexpr std::size_t threshold = std::size_t{64} << 10;
  static constexpr std::size_t capacity = 2 * threshold;

  int fd_;
  int error_ = 0;
  std::size_t size_ = 0;
  std::unique_ptr<char[]> buffer_ = std::make_unique<char[]>(capacity);
};

}  // namespace rdmawire::cli
