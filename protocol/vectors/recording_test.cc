#include "protocol/vectors/recording.h"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <vector>

#include "protocol/vectors/digest.h"
#include "protocol/vectors/json.h"
#include "protocol/vectors/label.h"

namespace rdmawire::vectors {
namespace {

struct Row {
  std::string name;
  std::string requirement;
};
Row& current_row() {
  static Row row;
  return row;
}

// A longer one is no vector: a test that counts to 2^23 is the test of one machine.
constexpr std::size_t max_entries = 400;  // steps, packets and completions

// Suite/case, and which recording of it this is.
std::string name_of_next(const boost::unit_test::test_unit& unit) {
  static std::map<std::string, unsigned> numbers;
  std::string name = unit.full_name();
  if (!current_row().name.empty()) name += "/" + current_row().name;
  const unsigned number = ++numbers[name];
  return number == 1 ? name : name + "#" + std::to_string(number);
}

}  // namespace

struct Recording::State {
  std::string file;
  Json head;
  Json setup = Json::object();
  Json steps = Json::array();
  MutableBytes memory;
  std::vector<std::uint8_t> before;  // as the machine left it
  std::function<Json()> watched;
  Json last_state;
  Time now{};
  bool asked_completions = false;
  bool out_ended = false;
  std::size_t num_entries = 0;

  Json& step() {
    if (steps.empty()) begin({{"do", "poll"}});
    return steps.back();
  }
  void begin(Json next) {
    end();
    steps.push_back(std::move(next));
    asked_completions = out_ended = false;
  }
  void end() {
    if (steps.empty()) return;
    Json& last = steps.back();
    if (last.contains("out") && !out_ended) last["more"] = true;
    if (!watched) return;
    Json current = watched();
    if (current == last_state) return;
    last["state"] = current;
    last_state = std::move(current);
  }
  // What the test itself has written since.
  void note_stores() {
    // Mostly there are none; not optimised, the loop takes minutes over all tests.
    if (before.empty() || std::memcmp(before.data(), memory.data(), before.size()) == 0) return;
    for (std::size_t at = 0; at < before.size();) {
      if (before[at] == memory[at]) {
        ++at;
        continue;
      }
      std::size_t end = at + 1;
      // A few octets between that are the same belong to it.
      for (std::size_t same = 0; end + same < before.size() && same < 8;) {
        if (before[end + same] == memory[end + same]) {
          ++same;
        } else {
          end += same + 1;
          same = 0;
        }
      }
      begin({{"do", "store"}, {"at", at}, {"octets", pack(Bytes(memory).subspan(at, end - at))}});
      at = end;
    }
    keep();
  }
  void keep() { before.assign(memory.begin(), memory.end()); }
  bool is_too_long() { return ++num_entries > max_entries; }
  void write(const Json& line) const { std::ofstream(file, std::ios::app) << line.dump() << '\n'; }
};

Label::Label(std::string_view row, std::string_view requirement) {
  current_row() = {std::string(row), std::string(requirement)};
}
Label::~Label() { current_row() = {}; }

Recording::Recording(std::string_view machine, MutableBytes memory, bool wanted) {
  const char* file = wanted ? std::getenv("RDMAWIRE_RECORD") : nullptr;
  if (file == nullptr) return;
  state_ = std::make_unique<State>();
  const auto& unit = boost::unit_test::framework::current_test_case();
  state_->file = file;
  state_->head["name"] = name_of_next(unit);
  state_->head["machine"] = machine;
  state_->head["file"] = std::string(unit.p_file_name.begin(), unit.p_file_name.end());
  if (!current_row().requirement.empty()) state_->head["requirement"] = current_row().requirement;
  state_->head["line"] = static_cast<std::uint64_t>(unit.p_line_num);
  state_->memory = memory;
  state_->keep();
}

Recording::~Recording() { finish(); }

Json Recording::place_of(Bytes octets) {
  if (!on()) return {};
  const auto* first = state_->memory.data();
  if (octets.data() < first || octets.data() + octets.size() > first + state_->memory.size()) {
    abandon("memory that is not the host's");
    return {};
  }
  return Json::array({octets.data() - first, octets.size()});
}

void Recording::setup(const char* name, Json value) {
  if (on()) state_->setup[name] = std::move(value);
}

void Recording::input(Json step) {
  if (!on()) return;
  if (state_->is_too_long()) return abandon("too long");
  state_->note_stores();
  state_->begin(std::move(step));
}

void Recording::input(Json step, Time now) {
  if (!on()) return;
  input(std::move(step));
  if (on()) at(now);
}

void Recording::at(Time now) {
  if (state_->now == now) return;
  state_->now = now;
  state_->step()["now"] = now.count();
}

void Recording::gives(const char* name, Json value) {
  if (on()) state_->step()["gives"][name] = std::move(value);
}

void Recording::out(Json octets) {
  if (!on()) return;
  if (state_->is_too_long()) return abandon("too long");
  if (state_->out_ended || state_->asked_completions) input({{"do", "poll"}});
  state_->step()["out"].push_back(std::move(octets));
}

void Recording::out(Json octets, Time now) {
  if (!on()) return;
  if (state_->now != now) input({{"do", "poll"}}, now);
  if (on()) out(std::move(octets));
}

void Recording::out_end() {
  if (!on()) return;
  Json& list = state_->step()["out"];
  if (list.is_null()) list = Json::array();
  state_->out_ended = true;
}

void Recording::told(const char* list, Json one) {
  if (!on()) return;
  state_->asked_completions = true;
  Json& all = state_->step()[list];
  if (all.is_null()) all = Json::array();
  if (!one.is_null()) all.push_back(std::move(one));
}

void Recording::seen(const char* name, Json value) {
  if (!on()) return;
  if (state_->step().contains(name)) input({{"do", "poll"}});
  state_->step()[name] = std::move(value);
}

void Recording::watch_state(std::function<Json()> state) {
  if (on()) state_->watched = std::move(state);
}

void Recording::done() {
  if (on()) state_->keep();
}

void Recording::abandon(std::string_view reason) {
  if (!on()) return;
  Json line = state_->head;
  line["abandoned"] = reason;
  state_->write(line);
  state_.reset();
}

void Recording::finish() {
  if (!on()) return;
  State& s = *state_;
  s.note_stores();
  s.end();
  Json line = s.head;
  line["setup"] = s.setup;
  if (!s.memory.empty()) line["setup"]["num_octets"] = s.memory.size();
  line["steps"] = s.steps;
  if (!s.memory.empty()) line["memory"] = digest(s.memory);
  s.write(line);
  state_.reset();
}

}  // namespace rdmawire::vectors
