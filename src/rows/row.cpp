#include "alder/row.h"

#include <cmath>

#include <fmt/format.h>

#include "alder/error.h"

#include "simd/simd.h"

namespace alder {

Row Row::sparse(std::span<const FeatureIndex> indices, std::span<const double> values) {
  if (indices.size() != values.size()) {
    throw Error(Error::Kind::kRow, fmt::format("a sparse row has {} indices and {} values; expected as many of both",
                                               indices.size(), values.size()));
  }
  // An empty span may have a null pointer, which would make the row dense; an empty row is the same either way.
  return {indices.data(), values.data(), values.size()};
}

void Row::check_numbers() const {
  if (simd::is_sound(indices_, values_, size_)) return;
  for (std::size_t j = 0; j < size_; ++j) {
    if (!std::isfinite(values_[j])) {
      throw Error(Error::Kind::kRow, fmt::format("feature {} is {}; expected a finite number", feature(j), values_[j]));
    }
    if (j > 0 && indices_ != nullptr && indices_[j] <= indices_[j - 1]) {
      throw Error(Error::Kind::kRow,
                  fmt::format("feature {} comes after feature {}; expected strictly ascending indices", indices_[j],
                              indices_[j - 1]));
    }
  }
}

}  // namespace alder
