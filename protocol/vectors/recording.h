// Records what a test does to a machine and what the machine does, as a state vector. The rigs of the tests have
// recording stand-ins for the parts of a machine (recorded_verbs.h, recorded_machines.h); they do nothing of their own
// until the environment variable RDMAWIRE_RECORD names a file, to which each test case then adds its vectors, one JSON
// object a line. conformance/vectors/record.py makes files of vectors out of them.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "codec/base/bytes.h"
#include "protocol/time.h"

namespace rdmawire::vectors {

using Json = nlohmann::ordered_json;

class Recording {
 public:
  // machine: the kind of machine. memory: the host's, whose changes by the test are recorded; may be empty. wanted:
  // false for machines with quirks.
  Recording(std::string_view machine, MutableBytes memory, bool wanted = true);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  bool on() const { return state_ != nullptr; }
  // Where in memory these octets lie, as [offset, length]; abandons the recording if they are not of it.
  Json place_of(Bytes octets);

  // --- All of the following count only while on() ---

  void setup(const char* name, Json value);
  // What is done to the machine begins a step. now: the time it is told.
  void input(Json step);
  void input(Json step, Time now);
  // What the call answers.
  void gives(const char* name, Json value);
  // One packet, segment, ... that it was asked for; end: there was none.
  void out(Json octets);
  void out(Json octets, Time now);
  void out_end();
  // One completion, event, ...; a null only says that it was asked for.
  void told(const char* list, Json one);
  // Something that is seen of it now.
  void seen(const char* name, Json value);
  // Its state: told with a step when it has changed.
  void watch_state(std::function<Json()> state);
  // The machine was called, and may have written to memory.
  void done();
  // What happens here is not to be a vector.
  void abandon(std::string_view reason);
  // Writes the vector; before anything that it watches is gone.
  void finish();

 private:
  struct State;
  void at(Time now);
  std::unique_ptr<State> state_;
};

// Last among the members of a rig, so that it goes first.
class Finisher {
 public:
  explicit Finisher(Recording& recording) : recording_(recording) {}
  ~Finisher() { recording_.finish(); }
  Finisher(const Finisher&) = delete;
  Finisher& operator=(const Finisher&) = delete;

 private:
  Recording& recording_;
};

}  // namespace rdmawire::vectors
