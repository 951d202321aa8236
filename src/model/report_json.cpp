#include "model/report_json.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace alder {
namespace {

using Json = nlohmann::ordered_json;

Json counted(const Counts& counts, const Report& report) {
  Json json;
  json["rounds"] = report.rounds;
  json["mistakes"] = counts.mistakes;
  json["mistake_rate"] = counts.mistake_rate();
  json["hinge_loss"] = counts.hinge_loss;
  json.update(Json::parse(to_json(report)));
  return json;
}

}  // namespace

std::string to_json(const Counts& counts, const Report& report) {
  return counted(counts, report).dump();
}

Json model_json(const Counts& counts, const Report& report) {
  constexpr std::pair<const char*, const char*> kNames[] = {
      {"support", "support_vectors"}, {"sigma", "chosen_sigma"}, {"bytes", "model_bytes"}};
  Json renamed;
  const Json json = counted(counts, report);
  for (const auto& [name, value] : json.items()) {
    std::string shown = name;
    for (const auto& [ours, theirs] : kNames) {
      if (name == ours) shown = theirs;
    }
    renamed[shown] = value;
  }
  return renamed;
}

}  // namespace alder
