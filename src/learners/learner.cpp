#include "alder/learner.h"

#include <algorithm>

#include <fmt/format.h>

#include "alder/error.h"

namespace alder {

double Learner::score(const Row& row) const {
  row.check();
  return compute_score(row);
}

double Learner::learn(const Row& row, double label) {
  if (label != 1.0 && label != -1.0) throw Error(fmt::format("the label is {}; expected -1 or +1", label));
  row.check();
  const double score = round(row, label);
  ++rounds_;
  if (predicted_class(score) != label) ++mistakes_;
  hinge_loss_ += std::max(0.0, 1.0 - label * score);
  return score;
}

Report Learner::report() const {
  Report report;
  describe(report);
  report.rounds = rounds_;
  report.mistakes = mistakes_;
  report.hinge_loss = hinge_loss_;
  return report;
}

}  // namespace alder
