#include "kernel/query.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "alder/error.h"

#include "simd/simd.h"

namespace alder {
namespace {

// Squares of kernel values and their products with learning rates must stay finite.
constexpr double kLargestSquaredNorm = 1e300;
constexpr double kLargestSelf = 1e100;

}  // namespace

template <class T>
void Query<T>::assign(const Row& row, const Kernel& kernel) {
  features_.clear();
  values_.clear();
  for (std::size_t j = 0; j < row.size(); ++j) {
    if constexpr (std::is_same_v<T, float>) {
      if (std::fabs(row.value(j)) > std::numeric_limits<float>::max()) {
        throw Error(fmt::format("feature {} is {}; expected a value in the range of float, or double precision",
                                row.feature(j), row.value(j)));
      }
    }
    const T value = static_cast<T>(row.value(j));
    if (value == T{0}) continue;
    features_.push_back(row.feature(j));
    values_.push_back(value);
  }
  norm_ = simd::squared_norm_double(values_.data(), values_.size());
  if constexpr (std::is_same_v<T, float>) float_norm_ = simd::squared_norm_float(values_.data(), values_.size());
  if (!(norm_ <= kLargestSquaredNorm)) {
    throw Error(fmt::format("the row's squared norm is {:g}; expected at most {:g}: scale the features", norm_,
                            kLargestSquaredNorm));
  }
  self_ = kernel.self(norm_);
  if (!(self_ <= kLargestSelf)) {
    throw Error(fmt::format("the {} kernel of the row with itself is {:g}; expected at most {:g}: scale the features",
                            kernel.name(), self_, kLargestSelf));
  }
}

template class Query<float>;
template class Query<double>;

}  // namespace alder
