#include "kernel/gram.h"

#include <cassert>

#include "archive/archive.h"
#include "simd/simd.h"

namespace alder {

void Gram::append(const KernelValues& row, double self) {
  assert(row.size() == size_);
  for (std::size_t i = 0; i < size_; ++i) triangle_.push_back(row.kernel(i));
  triangle_.push_back(self);
  ++size_;
}

Eigen::MatrixXd Gram::matrix() const {
  const auto n = static_cast<Eigen::Index>(size_);
  Eigen::MatrixXd matrix(n, n);
  const double* next = triangle_.data();
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) matrix(i, j) = matrix(j, i) = *next++;
  }
  return matrix;
}

double Gram::quadratic_form(const AlignedVector<double>& a) const {
  return simd::quadratic_form(triangle_.data(), a.data(), size_);
}

void Gram::save(Archive& archive, const std::string& name) const {
  archive.put(name, triangle_);
}

void Gram::load(const Archive& archive, const std::string& name, std::span<const double> selfs) {
  size_ = selfs.size();
  triangle_ = archive.get<double>(name, size_ * (size_ + 1) / 2);
  const double* next = triangle_.data();
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      if (!can_be_kernel_value(*next++, selfs[i], selfs[j])) {
        throw_bad_archive("a kernel value of its stored rows is out of range");
      }
    }
  }
}

}  // namespace alder
