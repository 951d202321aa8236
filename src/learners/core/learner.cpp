#include "alder/learner.h"

#include <algorithm>

#include <fmt/format.h>

#include "alder/error.h"

#include "archive/archive.h"
#include "simd/simd.h"
#include "simd/target.h"

namespace alder {

static_assert(Learner::kAhead == simd::kTogether, "as many rows are expected as are computed together");

Learner::Learner() {
  simd::obey_environment();
}

double Learner::score(const Row& row) const {
  row.check();
  return compute_score(row);
}

double Learner::learn(const Row& row, double label) {
  if (label != 1.0 && label != -1.0) throw Error(fmt::format("the label is {}; expected -1 or +1", label));
  if (next_expected_ < expected_.size() && row.is_same_view(expected_[next_expected_])) {
    ++next_expected_;  // and checked
  } else {
    expected_.clear();
    next_expected_ = 0;
    row.check();
  }
  const double score = round(row, label);
  ++rounds_;
  if (predicted_class(score) != label) ++mistakes_;
  hinge_loss_ += std::max(0.0, 1.0 - label * score);
  return score;
}

void Learner::expect(std::span<const Row> rows) {
  expected_.clear();
  next_expected_ = 0;
  try {
    for (const Row& row : rows.first(std::min(rows.size(), kAhead))) {
      row.check();
      expected_.push_back(row);
    }
  } catch (const Error&) {  // thrown again when it is learned
  }
  prepare(expected_);
}

Report Learner::report() const {
  Report report;
  describe(report);
  report.rounds = rounds_;
  report.mistakes = mistakes_;
  report.hinge_loss = hinge_loss_;
  return report;
}

std::string Learner::options() const {
  Archive archive;
  save_state(archive);
  return archive.object_text("options");
}

void Learner::save(Archive& archive) const {
  archive.set_text("learner", name());
  archive.set("counters", "rounds", rounds_);
  archive.set("counters", "mistakes", mistakes_);
  archive.set("counters", "hinge_loss", hinge_loss_);
  save_state(archive);
}

void Learner::copy_counters(const Learner& learner) {
  rounds_ = learner.rounds_;
  mistakes_ = learner.mistakes_;
  hinge_loss_ = learner.hinge_loss_;
}

void Learner::restore_counters(const Archive& archive) {
  rounds_ = archive.setting<std::uint64_t>("counters", "rounds");
  mistakes_ = archive.setting<std::uint64_t>("counters", "mistakes");
  hinge_loss_ = archive.setting<double>("counters", "hinge_loss");
  constexpr std::uint64_t kMostRounds = std::uint64_t{1} << 62U;
  constexpr double kMostLoss = 1e300;  // to which losses can be added
  if (rounds_ > kMostRounds || mistakes_ > rounds_ || !(hinge_loss_ >= 0.0 && hinge_loss_ <= kMostLoss)) {
    throw_bad_archive("its counters contradict each other");
  }
}

}  // namespace alder
