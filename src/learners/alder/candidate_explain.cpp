#include <algorithm>
#include <cmath>

#include "kernel/kernel_parts.h"
#include "learners/alder/candidate.h"

// What the score of a candidate consists of: wᵀz with z = (linear inputs, φ), φ = M k, is Σ (Mᵀw)_i k_i + a linear
// part.
namespace alder {
namespace {

// A stored row may be used with two kernels, by the candidate and by its fine layer, or by several candidates.
void add_part(ScoreParts::Stored& part, double contribution, double similarity) {
  part.contribution += contribution;
  if (std::fabs(similarity) > std::fabs(part.similarity)) part.similarity = similarity;
}

}  // namespace

template <class T>
typename Candidate<T>::InputWeights Candidate<T>::input_weights(const Forecast& forecast,
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
void Candidate<T>::add_parts(const Geometry<T>& geometry, const Row& row, const ScoredRows<T>& rows,
                             const std::vector<T>& inputs, const Directions& directions,
                             std::span<ScoreParts::Stored> stored, ScoreParts& parts) const {
  const PreparedRow<T>& x = rows.rows[0];
  Forecast forecast;
  forecast.k.assign(padded(size()), T{0});
  forecast.phi.assign(padded(size()), T{0});
  basis_.copy(rows.values[0], x.self(), forecast.k.data());
  coordinates_.project(forecast.k.data(), forecast.phi.data());
  if (before() > 0) {
    forecast.z.assign(padded(before() + size()), T{0});
    write_input(rows.values[0], x.self(), geometry.rounds(), geometry.dictionary(), inputs.data(), forecast.phi.data(),
                forecast.z.data());
  }
  const InputWeights weights = input_weights(forecast, directions);
  const std::vector<double> shares = coordinates_.coefficients(std::span(weights.shares).subspan(before()));
  const std::vector<double> slopes = coordinates_.coefficients(std::span(weights.slopes).subspan(before()));

  // The gradient by the features as the transform leaves them, and then by those before.
  std::vector<double> gradient(parts.features.size());
  const bool is_radial = geometry.kernel().is_radial();
  const double scale = is_radial ? 1.0 : x.self() > 0.0 ? 1.0 / std::sqrt(x.self()) : 0.0;
  std::vector<KernelTerm> terms;
  double sum = 0.0;  // with the slopes
  for (std::size_t i = 0; i < size(); ++i) {
    const std::uint32_t element = basis_.elements()[i];
    const auto k = static_cast<double>(forecast.k[i]);
    add_part(stored[element], shares[i] * k, k);
    terms.push_back({element, is_radial ? slopes[i] : slopes[i] * scale * basis_.scale(i), k});
    sum += slopes[i] * k;
  }
  add_gradient(geometry.dictionary(), x, terms, basis_.ratio(), parts.features, gradient);
  if (!is_radial && x.self() > 0.0) {  // what is divided by sqrt(κ(x,x)) changes with that, too
    const double factor = sum * self_slope(geometry.kernel(), x.norm());
    const std::vector<double> values = values_of(row, parts.features);  // a kernel that is given has no transform
    for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] -= factor * values[j];
  }
  if (const double used = fine_ ? fine_->used() : 0.0; used > 0.0) {
    fine_->look(rows.values[0], forecast.fine);
    terms.clear();
    for (std::size_t i = 0; i < fine_->size(); ++i) {
      const auto k = static_cast<double>(forecast.fine.k[i]);
      add_part(stored[fine_->elements()[i]], used * fine_->coefficient(i, directions.shares) * k, k);
      terms.push_back({fine_->elements()[i], used * fine_->coefficient(i, directions.slopes), k});
    }
    add_gradient(geometry.dictionary(), x, terms, fine_->ratio(), parts.features, gradient);
  }
  const std::vector<double> values = values_of(row, parts.features);
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    parts.gradient[j] += gradient[j] * geometry.transform().slope(parts.features[j], values[j]);
  }
  for (std::size_t i = 0; i < linear_; ++i) parts.rest += weights.shares[i] * static_cast<double>(inputs[i]);
  geometry.linear_inputs().add_gradient(row, weights.slopes, parts.features, parts.gradient);
}

template void Candidate<float>::add_parts(const Geometry<float>&, const Row&, const ScoredRows<float>&,
                                          const std::vector<float>&, const Directions&, std::span<ScoreParts::Stored>,
                                          ScoreParts&) const;
template void Candidate<double>::add_parts(const Geometry<double>&, const Row&, const ScoredRows<double>&,
                                           const std::vector<double>&, const Directions&, std::span<ScoreParts::Stored>,
                                           ScoreParts&) const;

}  // namespace alder
