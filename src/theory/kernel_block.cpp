#include "theory/kernel_block.h"

#include <algorithm>
#include <limits>

#include "simd/simd.h"

namespace alder {

void KernelBlock::append(const Row& row) {
  query_.borrow(row, rows_.kernel());
  rows_.append(query_);
  const std::size_t n = rows_.size();
  if (norms_.size() < n) norms_.resize(padded(n), std::numeric_limits<double>::infinity());
  norms_[n - 1] = query_.norm();
}

void KernelBlock::look_at(const Row& row) {
  query_.borrow(row, rows_.kernel());
  rows_.dots(query_, dots_);
}

const double* KernelBlock::values(std::size_t k) {
  const Kernel& kernel = kernels_[k];
  const std::size_t n = rows_.size();
  values_.resize(padded(n));
  if (kernel.is_radial()) {
    exponents_.assign(dots_.begin(), dots_.begin() + static_cast<std::ptrdiff_t>(padded(n)));
    const simd::RadialElements<double> elements = {norms_.data(), padded(n), binary_gamma(kernel),
                                                   kernel.kind() == Kernel::Kind::kLaplacian};
    simd::radial_of_dots(
        elements, simd::RadialRow<double>{nullptr, nullptr, 0, query_.norm(), exponents_.data(), values_.data()});
  } else {
    for (std::size_t i = 0; i < n; ++i) values_[i] = kernel.value(dots_[i], query_.norm(), norms_[i]);
  }
  return values_.data();
}

Selfs selfs_of(const Dataset& dataset, const Kernel& kernel) {
  Selfs selfs;
  PreparedRow<double> query;
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    query.borrow(dataset[i].row, kernel);
    selfs.sum += query.self();
    selfs.largest = std::max(selfs.largest, query.self());
    selfs.smallest = i == 0 ? query.self() : std::min(selfs.smallest, query.self());
  }
  return selfs;
}

}  // namespace alder
