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

namespace {

// A report by the names that model files and results have for its members.
Json renamed(const Json& json) {
  constexpr std::pair<const char*, const char*> kNames[] = {
      {"support", "support_vectors"}, {"sigma", "chosen_sigma"}, {"bytes", "model_bytes"}};
  Json out;
  for (const auto& [name, value] : json.items()) {
    std::string shown = name;
    for (const auto& [ours, theirs] : kNames) {
      if (name == ours) shown = theirs;
    }
    out[shown] = value;
  }
  return out;
}

}  // namespace

Json model_json(const Counts& counts, const Report& report) {
  return renamed(counted(counts, report));
}

Json model_json(const Metrics& metrics, const Report& report) {
  Json json;
  json["rounds"] = report.rounds;
  for (const auto& [name, value] : metrics.values()) {
    if (name != "rows") json[std::string(name)] = value;
  }
  json.update(Json::parse(to_json(report)));
  return renamed(json);
}

}  // namespace alder
