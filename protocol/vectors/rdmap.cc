// A stream of RDMAP and DDP: segments in and out.
#include "protocol/iwarp/rdmap_stream.h"

#include "protocol/vectors/host.h"
#include "protocol/vectors/iwarp_fields.h"
#include "protocol/vectors/machines.h"

namespace rdmawire::vectors {
namespace {

iwarp::RdmapConfig config_of(const Json& setup, const QuirkNames& quirks) {
  auto out = member_or<iwarp::RdmapConfig>(setup, "config");
  add_quirks(out.quirks, quirks, &iwarp::find_quirk);
  return out;
}

class Rdmap final : public Machine {
 public:
  Rdmap(const Json& setup, const QuirkNames& quirks)
      : host_(setup), stream_(qp_config(setup), host_.resources(), config_of(setup, quirks)) {}

  bool apply(const Json& step, Time, Json& gives) override {
    if (host_.apply(step, gives)) return true;
    if (apply_to_queue_pair(stream_, stream_.verbs(), host_.octets(), step, gives)) return true;
    const auto verb = step.at("do").get<std::string>();
    if (verb == "segment" || verb == "segment_ahead") {
      const auto octets = unpack(step.at("octets").get<std::string>());
      const iwarp::RxSegment segment{Bytes(octets)};
      verb == "segment" ? stream_.on_segment(segment) : stream_.place_ahead(segment);
    } else if (verb == "start") {
      stream_.start(step.at("ird").get<std::uint16_t>(), step.at("ord").get<std::uint16_t>(),
                    from_json<iwarp::ReadyToReceive>(step.at("ready")));
    } else if (verb == "set_mulpdu") {
      mulpdu_ = step.at("mulpdu").get<std::uint32_t>();
    } else if (verb == "close") {
      stream_.close();
    } else if (verb == "peer_closed") {
      stream_.on_peer_closed(step.at("before_end").get<bool>());
    } else if (verb == "lost") {
      stream_.on_lost();
    } else if (verb == "ended") {
      stream_.on_ended();
    } else if (verb == "lower_error") {
      stream_.on_lower_error(from_json<iwarp::TerminateReason>(step.at("reason")));
    } else {
      return false;
    }
    return true;
  }
  std::optional<Json> poll(Time) override {
    if (stream_.next_len(mulpdu_) == 0) return std::nullopt;
    iwarp::TxSegment segment;
    stream_.next_segment(segment, mulpdu_);
    std::vector<std::uint8_t> out(segment.header.begin(), segment.header.begin() + segment.header_len);
    for (const Bytes piece : segment.payload) out.insert(out.end(), piece.begin(), piece.end());
    return pack(out);
  }
  Json look(std::string_view name) override {
    if (name == "completions") return host_.completions();
    if (name == "events") return host_.events();
    return stream_.wants_end();
  }
  Json state() override { return state_json(stream_.verbs(), stream_.state()); }
  Bytes memory() override { return host_.octets(); }

 private:
  static verbs::QpConfig qp_config(const Json& setup) {
    auto out = from_json<verbs::QpConfig>(setup.at("qp"));
    out.service = verbs::Service::iwarp;
    return out;
  }

  Host host_;
  iwarp::RdmapStream stream_;
  std::uint32_t mulpdu_ = 0;
};

}  // namespace

std::unique_ptr<Machine> make_rdmap(const Json& setup, const QuirkNames& quirks) {
  return std::make_unique<Rdmap>(setup, quirks);
}

}  // namespace rdmawire::vectors
