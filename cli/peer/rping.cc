// The exchange that librdmacm's rping speaks (rdma-core, librdmacm/examples/rping.c):
//   client: SEND where its data lie                server: READs them, SENDs that it has
//   client: SEND where data may be written to      server: WRITEs them back, SENDs that it has
// The client compares. What is sent is 16 octets: address, key, length; those of the server say nothing.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "cli/peer/memory_place.h"
#include "cli/peer/service.h"
#include "cli/peer/session.h"

namespace rdmawire::cli::peer {
namespace {

constexpr std::uint32_t word_len = MemoryPlace::size;
constexpr std::uint64_t num_slots = 8;  // receives that are posted
constexpr std::uint64_t word_address = 0x1000;
constexpr std::uint64_t source_address = 0x1000'0000;
constexpr std::uint64_t sink_address = 0x2000'0000;
constexpr std::uint32_t max_data_len = 16 << 20;

// What rping's client makes up for its n-th turn: a text with the number, then printable characters that begin with
// another one each time, and a 0.
void make_up(MutableBytes out, std::uint64_t n) {
  constexpr unsigned first = 'A';
  constexpr unsigned last = 'z';
  const std::string head = fmt::format("rdma-ping-{}: ", n);
  unsigned c = first + static_cast<unsigned>(n % (last - first + 1));
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i < head.size()) {
      out[i] = static_cast<std::uint8_t>(head[i]);
      continue;
    }
    out[i] = static_cast<std::uint8_t>(c);
    c = c == last ? first : c + 1;
  }
  out.back() = 0;
}

class Rping : public Service {
 public:
  void add_report(Report& report) const override {
    report.add("turns", num_turns_);
    report.add("turns_verified", num_verified_);
  }

 protected:
  void prepare_words(Session& session) {
    words_key_ = session.add_memory(words_, word_address, verbs::rights::local_write);
    for (std::uint64_t slot = 0; slot < num_slots; ++slot) post_word(session, slot);
  }
  void post_word(Session& session, std::uint64_t slot) {
    session.post_receive(slot, word_address + slot * word_len, word_len, words_key_);
  }
  // The word that came, with its receive posted anew.
  std::optional<MemoryPlace> take_word(Session& session, const verbs::Completion& completion) {
    if (completion.byte_len != word_len) {
      session.fail(fmt::format("the peer's message has {} octets, not the 16 of rping", completion.byte_len));
      return std::nullopt;
    }
    const auto out = MemoryPlace::decode(Bytes(words_).subspan(completion.id.value * word_len).first<word_len>());
    post_word(session, completion.id.value);
    return out;
  }
  void send_word(Session& session, const MemoryPlace& place) {
    std::array<std::uint8_t, word_len> octets{};
    place.write(octets.data());
    verbs::SendWork work;
    work.opcode = verbs::WorkOpcode::send;
    work.inline_data = true;
    work.data = octets;
    session.post_send(work);
  }

  std::vector<std::uint8_t> words_ = std::vector<std::uint8_t>(num_slots * word_len);
  verbs::MemoryKey words_key_;
  std::uint64_t num_turns_ = 0;
  std::uint64_t num_verified_ = 0;
};

class RpingClient final : public Rping {
 public:
  explicit RpingClient(const ServiceOptions& options)
      : count_(options.count), source_(options.size), sink_(options.size) {}

  void prepare(Session& session) override {
    using namespace verbs::rights;
    source_key_ = session.add_memory(source_, source_address, local_write | remote_read);
    sink_key_ = session.add_memory(sink_, sink_address, local_write | remote_write);
    prepare_words(session);
  }

  Flow run(Session& session) override {
    const auto length = static_cast<std::uint32_t>(source_.size());
    for (; count_ == 0 || num_turns_ < count_; ++num_turns_) {
      make_up(source_, num_turns_);
      std::ranges::fill(sink_, std::uint8_t{0});
      send_word(session, {source_address, source_key_.value, length});
      auto said = co_await session.next_receive();
      if (!said || !take_word(session, *said) || !co_await session.next_send()) co_return;
      send_word(session, {sink_address, sink_key_.value, length});
      said = co_await session.next_receive();
      if (!said || !take_word(session, *said) || !co_await session.next_send()) co_return;
      if (source_ != sink_) {
        session.fail(fmt::format("turn {}: the data that came back are not those that were sent", num_turns_));
        co_return;
      }
      ++num_verified_;
    }
  }

 private:
  std::uint64_t count_;
  std::vector<std::uint8_t> source_;
  std::vector<std::uint8_t> sink_;
  verbs::MemoryKey source_key_;
  verbs::MemoryKey sink_key_;
};

class RpingServer final : public Rping {
 public:
  explicit RpingServer(const ServiceOptions&) {}

  void prepare(Session& session) override { prepare_words(session); }

  Flow run(Session& session) override {
    for (;;) {
      auto said = co_await session.next_receive();
      if (!said) co_return;
      const auto source = take_word(session, *said);
      if (!source || !make_room(session, source->length)) co_return;
      move(session, verbs::WorkOpcode::rdma_read, *source, source->length);
      if (!co_await session.next_send()) co_return;
      verify(source->length);
      send_word(session, {});
      if (!co_await session.next_send()) co_return;

      said = co_await session.next_receive();
      if (!said) co_return;
      const auto sink = take_word(session, *said);
      if (!sink) co_return;
      move(session, verbs::WorkOpcode::rdma_write, *sink, std::min(source->length, sink->length));
      if (!co_await session.next_send()) co_return;
      ++num_turns_;
      send_word(session, {});
      if (!co_await session.next_send()) co_return;
    }
  }

  void add_report(Report& report) const override {
    Rping::add_report(report);
    report.add_count("turns_with_other_data", num_turns_ - std::min(num_turns_, num_verified_));
  }

 private:
  // From the client's memory or to it.
  void move(Session& session, verbs::WorkOpcode opcode, const MemoryPlace& place, std::uint32_t length) {
    const verbs::Sge sge{sink_address, length, data_key_};
    verbs::SendWork work;
    work.opcode = opcode;
    work.sges = {&sge, 1};
    work.remote_address = place.address;
    work.r_key = {place.key};
    session.post_send(work);
  }
  // The client says how much there is.
  bool make_room(Session& session, std::uint32_t length) {
    if (length == 0 || length > max_data_len) {
      session.fail(fmt::format("the client wants {} octets read; 1 to {} are possible", length, max_data_len));
      return false;
    }
    if (length <= data_.size()) return true;
    if (!data_.empty()) {
      session.fail(fmt::format("the client's data grow, from {} to {} octets", data_.size(), length));
      return false;
    }
    data_.resize(length);
    expected_.resize(length);
    data_key_ = session.add_memory(data_, sink_address, verbs::rights::local_write);
    return true;
  }
  // Are these the octets that rping's client makes up?
  void verify(std::uint32_t length) {
    const MutableBytes expected = MutableBytes(expected_).first(length);
    make_up(expected, num_turns_);
    if (std::equal(expected.begin(), expected.end(), data_.begin())) ++num_verified_;
  }

  std::vector<std::uint8_t> data_;
  std::vector<std::uint8_t> expected_;
  verbs::MemoryKey data_key_;
};

}  // namespace

std::unique_ptr<Service> make_rping_server(const ServiceOptions& options, std::any&) {
  return std::make_unique<RpingServer>(options);
}
std::unique_ptr<Service> make_rping_client(const ServiceOptions& options, std::any&) {
  return std::make_unique<RpingClient>(options);
}

}  // namespace rdmawire::cli::peer
