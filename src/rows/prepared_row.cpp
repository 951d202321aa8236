#include "rows/prepared_row.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include <fmt/format.h>

#include "alder/error.h"

#include "simd/simd.h"

namespace alder {
namespace {

// Squares of kernel values and their products with learning rates must stay finite.
constexpr double kLargestNorm = 1e300;
constexpr double kLargestSelf = 1e100;
// Integers up to this are floats.
constexpr double kLargestExactNorm = 16777216.0;
constexpr std::size_t kMostOnes = 255;

}  // namespace

template <class T>
void PreparedRow<T>::assign(const Row& row, const Kernel& kernel) {
  borrow(row, kernel);
  if (borrowed_ != nullptr) std::copy_n(borrowed_, size_, make_features());
  borrowed_ = nullptr;
}

template <class T>
void PreparedRow<T>::borrow(const Row& row, const Kernel& kernel) {
  borrow_values(row);
  if (take_norms(compute_norms(norm_of(kernel)), kernel)) return;
  if (!(norm_ <= kLargestNorm)) {
    throw Error(Error::Kind::kRow, fmt::format("the row's {} is {:g}; expected at most {:g}: scale the features",
                                               norm_of(kernel) == Norm::kSquared ? "squared norm" : "sum of magnitudes",
                                               norm_, kLargestNorm));
  }
  throw Error(Error::Kind::kRow,
              fmt::format("the {} kernel of the row with itself is {:g}; expected at most {:g}: scale the features",
                          kernel.name(), self_, kLargestSelf));
}

template <class T>
void PreparedRow<T>::borrow_values(const Row& row) {
  borrowed_ = nullptr;
  size_ = row.size();
  if (values_.size() < size_) values_.resize(size_);
  const simd::LoadedRow loaded = simd::load_row(row.values(), row.size(), values_.data());
  is_whole_ = loaded.is_plain() && loaded.is_whole();
  is_ones_ = loaded.is_plain() && loaded.is_ones() && size_ <= kMostOnes;
  if (!loaded.is_plain()) {
    assign_sparse(row);
  } else if (row.is_sparse()) {
    borrowed_ = row.indices();
  } else {
    FeatureIndex* features = make_features();
    std::iota(features, features + size_, FeatureIndex{0});
  }
}

template <class T>
bool PreparedRow<T>::take_norms(const simd::SquaredNorms& norms, const Kernel& kernel) {
  norm_ = norms.in_double;
  float_norm_ = norms.in_float;
  has_exact_dots_ = is_whole_ && norm_ <= kLargestExactNorm;
  if (!(norm_ <= kLargestNorm)) return false;
  self_ = kernel.self(norm_);
  return self_ <= kLargestSelf;
}

template <class T>
simd::SquaredNorms PreparedRow<T>::compute_norms(Norm norm) const {
  if (is_ones_) return {static_cast<double>(size_), static_cast<float>(size_)};
  return norm == Norm::kSquared ? simd::squared_norms(values_.data(), size_)
                                : simd::absolute_sums(values_.data(), size_);
}

// What is 0, or becomes it, is left out.
template <class T>
void PreparedRow<T>::assign_sparse(const Row& row) {
  std::size_t size = 0;
  FeatureIndex* features = make_features();
  for (std::size_t j = 0; j < row.size(); ++j) {
    if constexpr (std::is_same_v<T, float>) {
      if (std::fabs(row.value(j)) > std::numeric_limits<float>::max()) {
        throw Error(Error::Kind::kRow,
                    fmt::format("feature {} is {}; expected a value in the range of float, or double precision",
                                row.feature(j), row.value(j)));
      }
    }
    const T value = static_cast<T>(row.value(j));
    features[size] = row.feature(j);
    values_[size] = value;
    size += value != T{0} ? 1 : 0;
  }
  size_ = size;
}

template <class T>
FeatureIndex* PreparedRow<T>::make_features() {
  if (features_.size() < size_) features_.resize(size_);
  return features_.data();
}

template class PreparedRow<float>;
template class PreparedRow<double>;

}  // namespace alder
