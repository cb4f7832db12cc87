#include "protocol/vectors/work.h"

namespace rdmawire::vectors {
namespace {

Json sges_json(std::span<const verbs::Sge> sges) {
  Json out = Json::array();
  for (const verbs::Sge& one : sges) out.push_back(to_json(one));
  return out;
}

}  // namespace

MutableBytes part_of(MutableBytes memory, const Json& place) {
  const auto at = place.at(0).get<std::size_t>();
  const auto size = place.at(1).get<std::size_t>();
  if (at > memory.size() || size > memory.size() - at) throw std::out_of_range("memory " + place.dump());
  return memory.subspan(at, size);
}

Json work_json(const verbs::SendWork& work, const Json& place) {
  Json out = to_json(work);
  out["opcode"] = to_json(work.opcode);
  if (!work.sges.empty()) out["sges"] = sges_json(work.sges);
  if (!work.data.empty()) out["data"] = pack(work.data);
  if (!work.register_memory.empty()) out["register_memory"] = place;
  return out;
}

Json work_json(const verbs::RecvWork& work) {
  Json out;
  out["id"] = to_json(work.id);
  if (!work.sges.empty()) out["sges"] = sges_json(work.sges);
  return out;
}

void read_work(const Json& json, MutableBytes memory, OwnedSendWork& out) {
  Json plain = json;
  for (const char* apart : {"sges", "data", "register_memory"}) plain.erase(apart);
  out.work = from_json<verbs::SendWork>(plain);
  out.sges = member_or<std::vector<verbs::Sge>>(json, "sges");
  out.work.sges = out.sges;
  if (json.contains("data")) out.data = unpack(json["data"].get<std::string>());
  out.work.data = out.data;
  if (json.contains("register_memory")) out.work.register_memory = part_of(memory, json["register_memory"]);
}

void read_work(const Json& json, OwnedRecvWork& out) {
  out.work.id = from_json<verbs::WorkId>(json.at("id"));
  out.sges = member_or<std::vector<verbs::Sge>>(json, "sges");
  out.work.sges = out.sges;
}

}  // namespace rdmawire::vectors
