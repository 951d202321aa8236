#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "alder/report.h"

#include "learners/alder/race.h"

namespace alder::testing {

/// The race that a report tells of; empty without one.
inline std::vector<Runner> race_of(const Report& report) {
  std::vector<Runner> race;
  const std::string text(report.json("race"));
  if (text.empty()) return race;
  for (const auto& runner : nlohmann::json::parse(text)) {
    race.push_back({.transform = runner.at("transform").get<std::string>(),
                    .is_scaled = runner.at("is_scaled").get<bool>(),
                    .kernel = runner.at("kernel").get<std::string>(),
                    .sigma = runner.at("sigma").get<double>(),
                    .handicap = runner.at("handicap").get<double>(),
                    .charge = runner.at("charge").get<double>(),
                    .rounds = runner.at("rounds").get<std::uint64_t>(),
                    .is_out = runner.at("is_out").get<bool>()});
  }
  return race;
}

}  // namespace alder::testing
