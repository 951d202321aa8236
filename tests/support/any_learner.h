#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "alder/registry.h"

#include "archive/archive.h"
#include "learners/core/registry.h"

/// For tests of all kinds of learners at once.
namespace alder::testing {

/// The options of that kind of learner among `wanted`, as JSON text.
inline std::string options_of(const std::string& name, nlohmann::ordered_json wanted) {
  const LearnerInfo& info = learner_info(name);
  for (auto i = wanted.begin(); i != wanted.end();) {
    i = info.find(i.key()) != nullptr ? std::next(i) : wanted.erase(i);
  }
  return wanted.dump();
}

/// Options so small that 100 rounds meet removals, restarts, maps and renewed maps.
inline nlohmann::ordered_json small_options(const std::string& precision) {
  return {{"kernel", {{"name", "gaussian"}, {"sigma", 0.5}}},
          {"budget", 12},
          {"b0", 6},
          {"frequencies", 11},
          {"horizon", 100},
          {"cycle", 0.05},
          {"threshold", 0.3},
          {"regularization", 0.013},
          {"samples", 5},
          {"sketch", 7},
          {"reservoir", 3},
          {"step", 1.7},
          {"seed", 5},
          {"precision", precision}};
}

inline std::unique_ptr<Learner> small_learner(const std::string& name, const std::string& precision) {
  return make_learner(name, options_of(name, small_options(precision)));
}

inline std::string encoded(const Learner& learner) {
  Archive archive;
  learner.save(archive);
  return archive.encode();
}

inline std::unique_ptr<Learner> restored(const std::string& bytes) {
  return restore_learner(Archive::decode(bytes));
}

}  // namespace alder::testing
