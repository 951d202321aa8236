#include <algorithm>
#include <cmath>
#include <limits>

#include "alder/error.h"

#include "model/pipeline.h"
#include "model/targets.h"

namespace alder {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Where the quantiles are that are made of every row before it is learned.
const std::vector<TrackedQuantiles::Place>& usual_places() {
  static const std::vector<TrackedQuantiles::Place> places = TrackedQuantiles::places(kLevels);
  return places;
}

void clear_classes(Predictions& out) {
  out.outputs = 1;
  out.positive = 1;
  out.classes.clear();
  out.probabilities.clear();
}

}  // namespace

double Model::Pipeline::value_of(double score) const {
  return std::clamp(learner->response(score), -kMostSum, kMostSum);
}

std::size_t Model::Pipeline::learn_numbers(const Examples& examples, const Examples& prepared, Predictions& out) {
  bool has_learned = learner->rounds() > 0;
  clear_classes(out);
  out.scores.resize(prepared.size());
  logits.resize(learner->extras() > 0 ? prepared.size() : 0);
  const std::size_t count = learner->learn(prepared, {out.scores, logits});
  out.scores.resize(count);
  out.values.resize(count);
  out.deviations.resize(count);
  out.levels.assign(kLevels.begin(), kLevels.end());
  out.quantiles.resize(count * kLevels.size());
  const Examples learned = examples.from(0, count);
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isnan(out.scores[i])) {
      throw Error(Error::Kind::kUnsupported,
                  "what is predicted is no number any more: the steps of the learner are too large for these targets; "
                  "expected smaller ones, or targets that are scaled");
    }
    const double value = has_learned ? value_of(out.scores[i]) : kNaN;
    const double deviation = has_learned ? quantiles->deviation(logits.empty() ? kNaN : logits[i]) : kNaN;
    out.values[i] = value;
    out.deviations[i] = deviation;
    quantiles->quantiles(value, deviation, usual_places(),
                         std::span(out.quantiles).subspan(i * kLevels.size(), kLevels.size()));
    if (!(learned.weight(i) > 0.0)) continue;
    quantiles->learn(value, deviation, learned.targets[i]);
    has_learned = true;
  }
  count_features(learned);
  metrics.add(out, learned.targets, learned.weights);
  return count;
}

void Model::Pipeline::predict_numbers(std::span<const Row> rows, Predictions& out, const Wanted& wanted) const {
  const std::vector<TrackedQuantiles::Place> places = TrackedQuantiles::places(wanted.quantiles);
  const bool has_learned = learner->rounds() > 0;
  const bool has_deviations = wanted.deviations || !places.empty();
  clear_classes(out);
  out.values.resize(rows.size());
  out.deviations.resize(wanted.deviations ? rows.size() : 0);
  out.levels = wanted.quantiles;
  out.quantiles.resize(rows.size() * places.size());
  const auto finish = [&](std::size_t first, std::size_t count, std::span<double> scores,
                          std::span<const double> extras) {
    for (std::size_t i = 0; i < count; ++i) {
      const double value = has_learned ? value_of(scores[i]) : kNaN;
      out.values[first + i] = value;
      if (!has_deviations) continue;
      const double deviation = has_learned ? quantiles->deviation(extras.empty() ? kNaN : extras[i]) : kNaN;
      if (wanted.deviations) out.deviations[first + i] = deviation;
      quantiles->quantiles(value, deviation, places,
                           std::span(out.quantiles).subspan((first + i) * places.size(), places.size()));
    }
  };
  score(rows, wanted.threads, has_deviations && learner->extras() > 0, out.scores, finish);
}

}  // namespace alder
