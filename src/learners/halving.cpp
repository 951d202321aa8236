#include "learners/halving.h"

#include <cassert>

#include <Eigen/Core>

namespace alder {

void Halving::record(const KernelRow& row, double self) {
  if (row.size() < kept_) {
    for (std::size_t i = 0; i < row.size(); ++i) gram_.push_back(row.kernel(i));
    gram_.push_back(self);
  } else {
    most_similar_.push_back(row.most_similar(kept_));
  }
}

double Halving::merge(AlignedVector<double>& a) {
  for (std::size_t j = 0; j < most_similar_.size(); ++j) a[most_similar_[j]] += a[kept_ + j];
  most_similar_.clear();
  a.resize(kept_);
  a.resize(padded(kept_));

  using Vector = Eigen::Map<const Eigen::VectorXd>;
  const double* row = gram_.data();
  double squared_norm = 0.0;
  for (std::size_t i = 0; i < kept_; ++i) {
    const auto length = static_cast<Eigen::Index>(i);
    squared_norm += a[i] * (2.0 * Vector(row, length).dot(Vector(a.data(), length)) + row[i] * a[i]);
    row += i + 1;
  }
  return squared_norm;
}

}  // namespace alder
