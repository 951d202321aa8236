#include "learners/alder/likelihood.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "simd/spd.h"

namespace alder {

Likelihood::Likelihood(std::size_t rows, std::size_t features, std::size_t outputs)
    : rows_(rows),
      features_(features),
      room_(padded(rows)),
      values_(padded(features) * room_),
      scaled_(padded(features) * room_),
      outputs_(outputs * room_),
      solved_(outputs * room_),
      kernel_(room_ * room_),
      inverse_(room_ * room_),
      sums_(room_),
      scratch_(2 * kLanes * room_) {}

void Likelihood::set_rows(std::span<const float> table, std::span<const std::uint32_t> chosen) {
  assert(chosen.size() == rows_);
  const std::size_t all = table.size() / features_;
  for (std::size_t j = 0; j < features_; ++j) {
    for (std::size_t a = 0; a < rows_; ++a) values_[j * room_ + a] = table[j * all + chosen[a]];
  }
}

bool Likelihood::slopes(std::span<const double> parameters, std::size_t outputs, std::span<double> out) {
  assert(parameters.size() == features_ + 2 && out.size() == parameters.size() && outputs > 0);
  const double amplitude = std::exp(parameters[features_]);
  const double noise = std::exp(parameters[features_ + 1]);
  // exp(−½ q) = 2^(−s² q)
  const double s = std::sqrt(0.5 * std::numbers::log2e);
  for (std::size_t j = 0; j < features_; ++j) {
    const auto factor = static_cast<float>(s * std::exp(parameters[j]));
    for (std::size_t a = j * room_; a < (j + 1) * room_; ++a) scaled_[a] = factor * values_[a];
  }
  simd::gaussian_blocks(scaled_.data(), features_, room_, rows_, kernel_.data());
  // M = K / amplitude
  std::copy(kernel_.begin(), kernel_.end(), inverse_.begin());
  const auto part = static_cast<float>(noise / amplitude);
  for (std::size_t a = 0; a < room_; ++a) inverse_[a * (room_ + 1)] += part;
  if (!simd::invert_blocks(inverse_.data(), room_, scratch_.data())) return false;

  // The derivative by anything is ½ Σ_ab v_ab ∂K_ab for v = K⁻¹ − mean of K⁻¹y (K⁻¹y)ᵀ, which is −1/amplitude times
  // the sum of −M⁻¹ and u uᵀ for all u = −M⁻¹y / √(amplitude · outputs).
  const auto factor = static_cast<float>(1.0 / std::sqrt(amplitude * static_cast<double>(outputs)));
  for (std::size_t k = 0; k < outputs; ++k) {
    simd::blocks_times(inverse_.data(), room_, outputs_.data() + k * room_, solved_.data() + k * room_);
  }
  for (std::size_t i = 0; i < outputs * room_; ++i) solved_[i] *= factor;
  simd::add_to_blocks(solved_.data(), outputs, room_, inverse_.data());
  double trace = 0.0;
  for (std::size_t a = 0; a < rows_; ++a) trace -= static_cast<double>(inverse_[a * (room_ + 1)]);
  simd::weigh_blocks(kernel_.data(), room_, inverse_.data(), sums_.data());
  double sum = 0.0;
  for (std::size_t a = 0; a < rows_; ++a) sum -= static_cast<double>(sums_[a]);
  out[features_] = 0.5 * (trace + sum);
  out[features_ + 1] = 0.5 * noise / amplitude * trace;

  // ∂K_ab/∂θ_j = −K_ab e^(2θ_j) (x_aj − x_bj)²
  simd::weighted_squares(inverse_.data(), sums_.data(), scaled_.data(), features_, room_, out.data());
  for (std::size_t j = 0; j < features_; ++j) out[j] /= s * s;
  return std::all_of(out.begin(), out.end(), [](double slope) { return std::isfinite(slope); });
}

}  // namespace alder
