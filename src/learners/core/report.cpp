#include "alder/report.h"

#include <nlohmann/json.hpp>

namespace alder {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Detail& detail) {
  if (const auto* text = std::get_if<std::string>(&detail.value)) return Json::parse(*text);
  if (const auto* count = std::get_if<std::uint64_t>(&detail.value)) return *count;
  return std::get<double>(detail.value);
}

}  // namespace

const Detail* Report::find(std::string_view name) const {
  for (const Detail& detail : details) {
    if (detail.name == name) return &detail;
  }
  return nullptr;
}

std::optional<double> Report::number(std::string_view name) const {
  const Detail* detail = find(name);
  if (detail == nullptr) return {};
  if (const auto* number = std::get_if<double>(&detail->value)) return *number;
  if (const auto* count = std::get_if<std::uint64_t>(&detail->value)) return static_cast<double>(*count);
  return {};
}

std::optional<std::uint64_t> Report::count(std::string_view name) const {
  const Detail* detail = find(name);
  const auto* count = detail == nullptr ? nullptr : std::get_if<std::uint64_t>(&detail->value);
  return count == nullptr ? std::nullopt : std::optional(*count);
}

std::string_view Report::json(std::string_view name) const {
  const Detail* detail = find(name);
  const auto* text = detail == nullptr ? nullptr : std::get_if<std::string>(&detail->value);
  return text == nullptr ? std::string_view() : *text;
}

std::string to_json(const Report& report) {
  Json json;
  json["rounds"] = report.rounds;
  json["support"] = report.support;
  // The usual details have a place and a value in every report, so that whoever reads one need not ask.
  json["switch_round"] = Json();
  json["removals"] = 0;
  json["sum_delta"] = Json();
  json["norm"] = report.norm ? Json(*report.norm) : Json();
  json["learning_rate"] = report.learning_rate.value_or(0.0);
  json["sigma"] = Json();
  json["race"] = Json::array();
  json["metric"] = Json();
  json["bytes"] = report.bytes;
  for (const Detail& detail : report.details) json[std::string(detail.name)] = json_of(detail);
  return json.dump();
}

}  // namespace alder
