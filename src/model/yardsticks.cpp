#include "alder/yardsticks.h"

#include <algorithm>
#include <cmath>

#include "archive/archive.h"
#include "model/targets.h"

namespace alder {

void Yardsticks::add(std::span<const double> targets, std::span<const double> weights) {
  check_targets(Task::kClassification, targets, weights);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double weight = weight_of(weights, i);
    if (!is_counted(targets[i], weight)) continue;
    const auto target = static_cast<std::uint32_t>(targets[i]);
    if (target >= classes_.size()) classes_.resize(target + 1, 0.0);
    ++rows_;
    weight_ = std::min(weight_ + weight, kMostSum);
    if (target != majority_) {
      ++majority_mistakes_;
      majority_mistaken_ = std::min(majority_mistaken_ + weight, kMostSum);
    }
    if (target != last_) {
      ++last_label_mistakes_;
      last_label_mistaken_ = std::min(last_label_mistaken_ + weight, kMostSum);
    }
    last_ = target;
    // Only this class has grown, so it alone can become the largest.
    double& own = classes_[target];
    own = std::min(own + weight, kMostSum);
    if (majority_ == kNoClass || own > classes_[majority_] || (own == classes_[majority_] && target < majority_)) {
      majority_ = target;
    }
  }
}

void Yardsticks::save(Archive& archive) const {
  archive.set("yardsticks", "rows", rows_);
  archive.set("yardsticks", "weight", weight_);
  archive.set("yardsticks", "majority_mistakes", majority_mistakes_);
  archive.set("yardsticks", "majority_mistaken", majority_mistaken_);
  archive.set("yardsticks", "last_label_mistakes", last_label_mistakes_);
  archive.set("yardsticks", "last_label_mistaken", last_label_mistaken_);
  if (rows_ > 0) archive.set("yardsticks", "last_label", std::uint64_t{last_});
  archive.put("yardsticks.classes", classes_);
}

Yardsticks Yardsticks::load(const Archive& archive) {
  Yardsticks loaded;
  loaded.rows_ = archive.setting<std::uint64_t>("yardsticks", "rows");
  loaded.weight_ = archive.setting<double>("yardsticks", "weight");
  loaded.majority_mistakes_ = archive.setting<std::uint64_t>("yardsticks", "majority_mistakes");
  loaded.majority_mistaken_ = archive.setting<double>("yardsticks", "majority_mistaken");
  loaded.last_label_mistakes_ = archive.setting<std::uint64_t>("yardsticks", "last_label_mistakes");
  loaded.last_label_mistaken_ = archive.setting<double>("yardsticks", "last_label_mistaken");
  loaded.classes_ = archive.get<double>("yardsticks.classes");
  if (loaded.rows_ > 0) {
    const auto last = archive.setting<std::uint64_t>("yardsticks", "last_label");
    if (last >= loaded.classes_.size() || last >= kMostClasses) throw_bad_archive("its last label is no class");
    loaded.last_ = static_cast<std::uint32_t>(last);
    const auto largest = std::max_element(loaded.classes_.begin(), loaded.classes_.end());  // the first of equal ones
    loaded.majority_ = static_cast<std::uint32_t>(largest - loaded.classes_.begin());
  }
  if (!loaded.is_sound()) throw_bad_archive("its yardsticks contradict each other");
  return loaded;
}

bool Yardsticks::is_sound() const {
  if (rows_ > kMostCountedRows || majority_mistakes_ > rows_ || last_label_mistakes_ > rows_) return false;
  if (!is_weight(weight_, rows_) || !is_weight(majority_mistaken_, majority_mistakes_) ||
      !is_weight(last_label_mistaken_, last_label_mistakes_)) {
    return false;
  }
  // Both are sums of some of the weights, in the same order.
  if (majority_mistaken_ > weight_ || last_label_mistaken_ > weight_) return false;
  if (classes_.size() > kMostClasses || (!classes_.empty() && !(classes_.back() > 0.0))) return false;
  double sum = 0.0;
  std::uint64_t met = 0;
  for (const double weight : classes_) {
    if (!(weight >= 0.0 && weight <= weight_)) return false;
    sum += weight;
    met += weight > 0.0 ? 1 : 0;
  }
  // The first row of each class was a mistake of both.
  if (met > majority_mistakes_ || met > last_label_mistakes_ || (rows_ > 0 && !(classes_[last_] > 0.0))) return false;
  return weight_ == kMostSum || std::fabs(sum - weight_) <= kRoundingOfSums * weight_;
}

}  // namespace alder
