#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "alder/loss.h"
#include "alder/registry.h"

#include "support/any_learner.h"

/// For tests of all learners of numbers at once.
namespace alder::testing {

/// The losses that a kind of learner has for a task. One that is no Loss is its own way to tell classes apart.
inline std::vector<std::string> losses_of(const LearnerInfo& info, Task task) {
  std::vector<std::string> losses;
  const OptionInfo* option = info.find("loss");
  if (option == nullptr) return losses;
  for (const std::string& name : option->choices) {
    const auto names = Loss::names();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      if (task == Task::kClassification) losses.push_back(name);
      continue;
    }
    const double parameter = name == "quantile" || name == "huber" ? 0.5 : 0.0;
    if (Loss::named(name, parameter).task() == task) losses.push_back(name);
  }
  return losses;
}

/// The learners of numbers that are told their units, by options or by their first rows.
inline std::vector<std::string> finders_of_no_units() {
  std::vector<std::string> names;
  for (const LearnerInfo& info : learner_infos()) {
    if (info.traits.learns_numbers && !info.traits.finds_units) names.push_back(info.name);
  }
  return names;
}

struct NumberRows {
  std::vector<std::vector<double>> rows;
  std::vector<double> targets;
};

inline constexpr double kMeanNumber = 2.0;

/// Rows of three features, and positive numbers around kMeanNumber that are a smooth function of them with some noise.
inline NumberRows number_rows(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  NumberRows data;
  for (std::size_t t = 0; t < count; ++t) {
    const std::vector<double> x = {uniform(engine), uniform(engine), uniform(engine)};
    data.rows.push_back(x);
    data.targets.push_back(kMeanNumber + x[0] + 0.6 * std::sin(2.0 * x[1]) + 0.1 * uniform(engine));
  }
  return data;
}

/// Options small enough for removals and maps; width and units are left open.
inline nlohmann::ordered_json numbers_options(const std::string& loss, const std::string& precision) {
  return {{"budget", 40}, {"frequencies", 64}, {"cycle", 1e-4}, {"seed", 5}, {"loss", loss}, {"precision", precision}};
}

inline std::unique_ptr<Learner> numbers_learner(const std::string& name, const std::string& loss,
                                                const std::string& precision) {
  return make_learner(name, options_of(name, numbers_options(loss, precision)));
}

}  // namespace alder::testing
