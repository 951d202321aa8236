#include "learners/alder/recent_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "archive/archive.h"
#include "learners/alder/target_frame.h"
#include "rows/stored_rows.h"

namespace alder {

void RecentRows::push(const Row& row, double target, double weight) {
  if (most_ == 0) return;
  Slot* slot = nullptr;
  if (slots_.size() < most_) {
    slot = &slots_.emplace_back();  // first_ is 0 until there are as many as there may be
  } else {
    slot = &slots_[first_];
    first_ = (first_ + 1) % most_;
  }
  slot->features.clear();
  slot->values.clear();
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (row.value(j) == 0.0) continue;
    slot->features.push_back(row.feature(j));
    slot->values.push_back(row.value(j));
  }
  slot->target = target;
  slot->weight = weight;
}

void RecentRows::limit(std::size_t most) {
  std::vector<Slot> kept;
  for (std::size_t i = slots_.size() - std::min(most, slots_.size()); i < slots_.size(); ++i) kept.push_back(slot(i));
  slots_ = std::move(kept);
  first_ = 0;
  most_ = most;
}

RecentRows::View RecentRows::view() const {
  View view;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& one = slot(i);
    view.rows.push_back(Row::sparse(one.features.data(), one.values.data(), one.values.size()).as_checked());
    view.targets.push_back(one.target);
    view.weights.push_back(one.weight);
  }
  return view;
}

void RecentRows::save(Archive& archive, const std::string& name) const {
  const View all = view();
  save_plain_rows(archive, name, all.rows);
  archive.put(name + ".targets", all.targets);
  archive.put(name + ".weights", all.weights);
}

void RecentRows::load(const Archive& archive, const std::string& name, std::size_t classes) {
  const RowBuffer rows = load_plain_rows(archive, name);
  const auto targets = archive.get<double>(name + ".targets", rows.size());
  const auto weights = archive.get<double>(name + ".weights", rows.size());
  if (rows.size() > most_) throw_bad_archive(name + " has too many rows");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_target = classes == 0 ? std::fabs(targets[i]) <= TargetFrame::kMost
                                        : targets[i] >= 0.0 && targets[i] < static_cast<double>(classes) &&
                                              targets[i] == std::floor(targets[i]);
    if (!is_target || !(weights[i] > 0.0 && weights[i] <= kMostWeight)) {
      throw_bad_archive("a target or weight of " + name + " is out of range");
    }
    push(rows.rows()[i], targets[i], weights[i]);
  }
}

std::size_t RecentRows::bytes() const {
  std::size_t total = slots_.capacity() * sizeof(Slot);
  for (const Slot& one : slots_) {
    total += one.features.capacity() * sizeof(FeatureIndex) + one.values.capacity() * sizeof(double);
  }
  return total;
}

}  // namespace alder
