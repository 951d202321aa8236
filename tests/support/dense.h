#pragma once

#include <random>
#include <vector>

#include "alder/kernel.h"
#include "alder/row.h"

#include "kernel/dictionary.h"

/// The definitions, on plain vectors in double: the oracles of the tests.
namespace alder::testing {

using Vector = std::vector<double>;

inline double dot(const Vector& x, const Vector& z) {
  double sum = 0.0;
  for (std::size_t j = 0; j < std::min(x.size(), z.size()); ++j) sum += x[j] * z[j];
  return sum;
}

/// κ(x, z). Distances are summed from differences, not from dot products.
inline double kernel_value(const Kernel& kernel, const Vector& x, const Vector& z) {
  double squared_distance = 0.0;
  double absolute_distance = 0.0;
  for (std::size_t j = 0; j < std::max(x.size(), z.size()); ++j) {
    const double difference = (j < x.size() ? x[j] : 0.0) - (j < z.size() ? z[j] : 0.0);
    squared_distance += difference * difference;
    absolute_distance += std::fabs(difference);
  }
  switch (kernel.kind()) {
    case Kernel::Kind::kGaussian:
      return std::exp(-squared_distance / (2.0 * kernel.sigma() * kernel.sigma()));
    case Kernel::Kind::kLaplacian:
      return std::exp(-std::sqrt(squared_distance) / kernel.sigma());
    case Kernel::Kind::kPolynomial:
      return std::pow(kernel.gamma() * dot(x, z) + kernel.coef0(), kernel.degree());
    case Kernel::Kind::kLinear:
      break;
    case Kernel::Kind::kLaplacianL1:
      return std::exp(-absolute_distance / kernel.sigma());
  }
  return dot(x, z);
}

/// A row's non-zero features, for Row::sparse.
struct SparseVector {
  explicit SparseVector(const Vector& x) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (x[j] == 0.0) continue;
      indices.push_back(static_cast<FeatureIndex>(j));
      values.push_back(x[j]);
    }
  }
  [[nodiscard]] Row row() const { return Row::sparse(indices, values); }

  std::vector<FeatureIndex> indices;
  Vector values;
};

template <class T>
Vector dense_element(const Dictionary<T>& dictionary, std::size_t i) {
  Vector x;
  for (const auto& [feature, value] : dictionary.element(i)) {
    x.resize(std::max<std::size_t>(x.size(), feature + 1));
    x[feature] = value;
  }
  return x;
}

/// A made-up stream with the troubles of real ones: overlapping classes, zeros, repeated rows, features that appear
/// late and a class that comes in runs.
struct LabelledVectors {
  std::vector<Vector> rows;
  std::vector<double> labels;
};

inline LabelledVectors random_stream(std::uint64_t seed, std::size_t count, std::size_t features) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  LabelledVectors stream;
  double label = 1.0;
  for (std::size_t t = 0; t < count; ++t) {
    if (uniform(engine) < 0.4) label = -label;
    Vector x(features);
    if (t > 0 && uniform(engine) < 0.1) {
      x = stream.rows[engine() % t];
    } else {
      const std::size_t known = t < count / 2 ? (features + 1) / 2 : features;
      for (std::size_t j = 0; j < known; ++j) {
        if (uniform(engine) < 0.3) continue;
        x[j] = uniform(engine) - 0.5 + (j == 0 ? 0.4 * label : 0.0);
      }
    }
    stream.rows.push_back(x);
    stream.labels.push_back(uniform(engine) < 0.1 ? -label : label);
  }
  return stream;
}

}  // namespace alder::testing
