#include <algorithm>
#include <cmath>

#include "kernel/kernel_parts.h"
#include "learners/alder/class_candidate.h"

// What the score of a candidate for classes consists of.
namespace alder {

template <class T>
typename ClassCandidate<T>::InputWeights ClassCandidate<T>::input_weights(const Forecast& forecast,
                                                                          const Directions& directions) const {
  const double most = fine_ && fine_->used() > 0.0 ? kMostBase : kMostScore;
  const T* z = input(forecast);
  InputWeights found = {std::vector<double>(before() + size()), std::vector<double>(before() + size())};
  std::vector<double> scores(width_);
  for (std::size_t p = 0; p < predictors_.size(); ++p) {
    predictors_[p].score(z, scores);
    const Directions own = mixture_.before(p, scores, most, directions);
    const ClassVectors<T>& weights = predictors_[p].weights();
    for (std::size_t c = 0; c < width_; ++c) {
      if (own.shares[c] == 0.0) continue;  // so is the slope
      for (std::size_t i = 0; i < weights.size(); ++i) {
        found.shares[i] += own.shares[c] * static_cast<double>(weights[c][i]);
        found.slopes[i] += own.slopes[c] * static_cast<double>(weights[c][i]);
      }
    }
  }
  return found;
}

template <class T>
void ClassCandidate<T>::add_parts(const Geometry<T>& geometry, const Row& row, const ScoredRows<T>& rows,
                                  const std::vector<T>& inputs, const Directions& directions,
                                  std::span<ScoreParts::Stored> stored, ScoreParts& parts) const {
  const PreparedRow<T>& x = rows.rows[0];
  Forecast forecast;
  this->look_at_first(geometry, rows, inputs, forecast);
  const InputWeights weights = input_weights(forecast, directions);
  std::vector<double> gradient(parts.features.size());
  this->add_input_parts(geometry, row, rows, inputs, forecast, weights, stored, gradient, parts);
  if (const double used = fine_ ? fine_->used() : 0.0; used > 0.0) {
    fine_->look(rows.values[0], forecast.fine);
    std::vector<KernelTerm> terms;
    for (std::size_t i = 0; i < fine_->size(); ++i) {
      const auto k = static_cast<double>(forecast.fine.k[i]);
      this->add_stored_part(stored[fine_->elements()[i]], used * fine_->coefficient(i, directions.shares) * k, k);
      terms.push_back({fine_->elements()[i], used * fine_->coefficient(i, directions.slopes), k});
    }
    add_gradient(geometry.dictionary(), x, terms, fine_->ratio(), parts.features, gradient);
  }
  this->finish_gradient(geometry, row, weights, gradient, parts);
}

template void ClassCandidate<float>::add_parts(const Geometry<float>&, const Row&, const ScoredRows<float>&,
                                               const std::vector<float>&, const Directions&,
                                               std::span<ScoreParts::Stored>, ScoreParts&) const;
template void ClassCandidate<double>::add_parts(const Geometry<double>&, const Row&, const ScoredRows<double>&,
                                                const std::vector<double>&, const Directions&,
                                                std::span<ScoreParts::Stored>, ScoreParts&) const;

}  // namespace alder
