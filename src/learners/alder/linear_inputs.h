#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "alder/row.h"

namespace alder {

class Archive;

/// The features of a row themselves, as inputs beside the coordinates of a kernel: what is linear in them need not be
/// made of kernels. Each is
///   clamp((x_j − mean_j)/deviation_j, −3, 3)/sqrt(d),
/// mean and deviation being those of some rows, and the last input is 0.5. There are none for more than 32 features.
///
/// For numbers, which may well be linear far from the mean, each is
///   0.3·clamp((x_j − mean_j)/sqrt(deviation_j² + 0.01 mean_j²), −100, 100),
/// and the last input is 1; up to 100 features. (The first rows of an ordered stream may hardly vary.)
class LinearInputs {
 public:
  /// None.
  LinearInputs() = default;
  static LinearInputs fit(std::span<const Row> rows, bool is_for_numbers = false);

  /// How many inputs there are, 0 if there are none.
  [[nodiscard]] std::size_t size() const { return features_.empty() ? 0 : features_.size() + 1; }
  [[nodiscard]] const std::vector<FeatureIndex>& features() const { return features_; }
  /// What an input changes by when its feature does, between the ends at which it is cut.
  [[nodiscard]] const std::vector<double>& factors() const { return factors_; }
  /// Writes them for a row.
  template <class T>
  void write(const Row& row, T* out) const;

  /// gradient[j] += Σ weights ∂inputs/∂x_f for f = features[j], which ascend; where an input is cut it has no slope.
  void add_gradient(const Row& row, std::span<const double> weights, std::span<const FeatureIndex> features,
                    std::span<double> gradient) const;

  void save(Archive& archive, const std::string& name) const;
  static LinearInputs load(const Archive& archive, const std::string& name);
  [[nodiscard]] std::size_t bytes() const;

 private:
  void find_zeros();

  bool is_for_numbers_ = false;
  std::vector<FeatureIndex> features_;  // ascending
  std::vector<double> means_;
  std::vector<double> factors_;  // 1/(deviation sqrt(d)), or 0.3/deviation
  double most_ = 0.0;            // 3/sqrt(d), or 30
  std::vector<double> zeros_;    // what a feature becomes that a row lacks
};

}  // namespace alder
