#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "alder/report.h"

#include "learners/alder/race.h"

namespace alder::testing {

/// The race that a report tells of; empty without one.
inline std::vector<WidthTrial> race_of(const Report& report) {
  std::vector<WidthTrial> race;
  const std::string text(report.json("race"));
  if (text.empty()) return race;
  for (const auto& runner : nlohmann::json::parse(text)) {
    race.push_back({runner.at("sigma").get<double>(), runner.at("forgets").get<bool>(),
                    runner.at("charge").get<double>(), runner.at("rounds").get<std::uint64_t>(),
                    runner.at("is_out").get<bool>()});
  }
  return race;
}

}  // namespace alder::testing
