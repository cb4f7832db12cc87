// A service's course, written from top to bottom: a coroutine that runs until it waits for the connection, and goes on
// when that has something for it.
#pragma once

#include <coroutine>
#include <utility>

namespace rdmawire::cli::peer {

class Flow {
 public:
  struct promise_type {
    Flow get_return_object() { return Flow(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() { throw; }
  };

  Flow() = default;
  Flow(Flow&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Flow& operator=(Flow&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Flow() {
    if (handle_) handle_.destroy();
  }

  // It came to its end.
  bool is_done() const { return handle_ && handle_.done(); }

 private:
  explicit Flow(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace rdmawire::cli::peer
