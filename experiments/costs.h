#pragma once

#include <map>
#include <string>
#include <utility>

namespace alder {

/// What runs have cost so far, to guess what others will. A run is told by its data set and learner; what was not met
/// yet is guessed from the learner's cost on other data sets by their size, or else from that of all learners.
class Costs {
 public:
  /// `size` measures the data set in any unit, the same for all.
  void note(const std::string& data, const std::string& learner, double size, double seconds) {
    for (Cost* cost : {&runs_[{data, learner}], &learners_[learner], &all_}) {
      cost->seconds += seconds;
      cost->size += size;
    }
  }

  [[nodiscard]] double expected(const std::string& data, const std::string& learner, double size) const {
    if (const auto known = runs_.find({data, learner}); known != runs_.end()) return known->second.of(size);
    if (const auto known = learners_.find(learner); known != learners_.end()) return known->second.of(size);
    return all_.of(size);
  }

 private:
  struct Cost {
    double seconds = 0.0;
    double size = 0.0;
    [[nodiscard]] double of(double other) const { return size > 0.0 ? seconds / size * other : 0.0; }
  };

  std::map<std::pair<std::string, std::string>, Cost> runs_;  // by data set and learner
  std::map<std::string, Cost> learners_;
  Cost all_;
};

}  // namespace alder
