// What tests of streams work with: a stream that does what the test says, and what stands in a recording.
#pragma once

#include <poll.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codec/base/bytes.h"
#include "pcap/wire/recorder.h"
#include "pcap/wire/stream.h"

namespace rdmawire::wire::stream_test {

using Octets = std::vector<std::uint8_t>;

inline std::string temporary(const std::string& name) {
  const char* folder = std::getenv("TEST_TMPDIR");
  return std::string(folder == nullptr ? "/tmp" : folder) + "/" + name;
}

// A connection between two addresses, whose other end is the test. It outlives the Stream: see stream().
struct Script {
  SocketAddress own = SocketAddress::parse("192.0.2.1:49152").value();
  SocketAddress peers = SocketAddress::parse("192.0.2.2:7174").value();
  std::uint32_t emss = 1460;

  // What comes; one after the other, then the end or the error, if there is one.
  std::deque<Octets> incoming;
  bool ended = false;
  std::optional<SocketError> error;
  // What is taken of what goes, and the error after that.
  std::size_t room = ~std::size_t{0};
  std::optional<SocketError> send_error;

  // What was done: each write, and "FIN", "close" and "RST".
  std::vector<Octets> sent;
  std::vector<std::string> ends;
  bool open = true;

  Octets all_sent() const {
    Octets out;
    for (const Octets& one : sent) out.insert(out.end(), one.begin(), one.end());
    return out;
  }
  std::unique_ptr<Stream> stream();
};

class ScriptedStream final : public Stream {
 public:
  explicit ScriptedStream(Script& script) : script_(script) {}

  bool is_open() const override { return script_.open; }
  short turn(Time) override { return 0; }
  int descriptor() const override { return 99; }
  short events(short wanted) const override { return wanted; }
  std::optional<Time> next_deadline() const override { return std::nullopt; }
  SocketResult<bool> finish_connect() override { return true; }
  IoResult send(Bytes octets, bool, Time) override {
    if (script_.send_error) return {IoResult::Status::failed, 0, *script_.send_error};
    octets = octets.first(std::min(octets.size(), script_.room));
    if (octets.empty()) return {};
    script_.room -= octets.size();
    script_.sent.emplace_back(octets.begin(), octets.end());
    return {IoResult::Status::done, octets.size(), {}};
  }
  IoResult receive(MutableBytes out, Time) override {
    if (script_.incoming.empty()) {
      if (script_.error) return {IoResult::Status::failed, 0, *script_.error};
      return script_.ended ? IoResult{IoResult::Status::ended, 0, {}} : IoResult{};
    }
    Octets& first = script_.incoming.front();
    const std::size_t size = std::min(first.size(), out.size());
    std::copy_n(first.begin(), size, out.begin());
    first.erase(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(size));
    if (first.empty()) script_.incoming.pop_front();
    return {IoResult::Status::done, size, {}};
  }
  std::optional<SocketError> take_error() override { return script_.error; }
  iwarp::Emss emss() const override { return {script_.emss}; }
  SocketResult<SocketAddress> local_address() const override { return script_.own; }
  SocketResult<SocketAddress> peer_address() const override { return script_.peers; }
  SocketResult<void> shut_down(Time) override {
    script_.ends.emplace_back("FIN");
    return {};
  }
  void close(Time) override { end("close"); }
  void abort(Time) override { end("RST"); }

 private:
  void end(const char* how) {
    script_.ends.emplace_back(how);
    script_.open = false;
  }
  Script& script_;
};

inline std::unique_ptr<Stream> Script::stream() { return std::make_unique<ScriptedStream>(*this); }

inline Octets octets_of(const std::string& text) { return {text.begin(), text.end()}; }

struct RecordedFrame {
  Octets octets;
  bool out = false;
  std::string comment;

  // From Ethernet's, IP's and TCP's fixed places; without options of IP.
  bool is_ipv6() const { return octets[12] == 0x86; }
  std::size_t tcp_at() const { return 14U + (is_ipv6() ? 40U : 20U); }
  std::uint32_t sequence() const { return static_cast<std::uint32_t>(load_be<4>(octets.data() + tcp_at() + 4)); }
  std::uint8_t flags() const { return octets[tcp_at() + 13]; }
  Octets payload() const {
    const std::size_t at = tcp_at() + octets[tcp_at() + 12] / 16U * 4U;
    return {octets.begin() + static_cast<std::ptrdiff_t>(at), octets.end()};
  }
  std::string hex() const {
    std::string out_hex;
    for (const std::uint8_t octet : octets) {
      out_hex += "0123456789abcdef"[octet / 16];
      out_hex += "0123456789abcdef"[octet % 16];
    }
    return out_hex;
  }
};

// A pcapng file as Recorder writes it on a little-endian machine.
inline std::vector<RecordedFrame> recorded(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  const auto number = [&](std::size_t at, unsigned size) {
    std::size_t out = 0;
    for (unsigned i = size; i-- > 0;) out = out << 8 | static_cast<std::uint8_t>(all[at + i]);
    return out;
  };
  std::vector<RecordedFrame> out;
  for (std::size_t at = 0; at + 8 <= all.size(); at += number(at + 4, 4)) {
    if (number(at, 4) != 6) continue;
    RecordedFrame frame;
    const std::size_t len = number(at + 20, 4);
    frame.octets.assign(all.begin() + static_cast<std::ptrdiff_t>(at + 28),
                        all.begin() + static_cast<std::ptrdiff_t>(at + 28 + len));
    for (std::size_t option = at + 28 + (len + 3) / 4 * 4; number(option, 2) != 0;
         option += 4 + (number(option + 2, 2) + 3) / 4 * 4) {
      if (number(option, 2) == 1) frame.comment = all.substr(option + 4, number(option + 2, 2));
      if (number(option, 2) == 2) frame.out = number(option + 4, 4) == 2;
    }
    out.push_back(std::move(frame));
  }
  return out;
}

}  // namespace rdmawire::wire::stream_test
