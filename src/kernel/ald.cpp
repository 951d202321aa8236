#include "kernel/ald.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "archive/archive.h"

namespace alder {
namespace {

// α is a difference of numbers of the size of κ(x,x), each the result of up to a few hundred roundings of 1e-16: what
// is smaller than this part of κ(x,x) is noise, and dividing by it would put noise into the coefficients.
constexpr double kResolution = 1e-13;

}  // namespace

void AldBasis::project(const KernelValues& row, double self, Projection& out) const {
  assert(row.size() == size());
  out.phi.resize(size_);
  for (Eigen::Index i = 0; i < size_; ++i) out.phi[i] = row.kernel(static_cast<std::size_t>(i));
  factor().triangularView<Eigen::Lower>().solveInPlace(out.phi);
  out.alpha = std::max(0.0, self - out.phi.squaredNorm());
}

bool AldBasis::independent(const Projection& projection, double self, double threshold) {
  return std::sqrt(projection.alpha) > threshold && projection.alpha > kResolution * self;
}

void AldBasis::append(const Projection& projection) {
  assert(projection.alpha > 0.0 && projection.phi.size() == size_);
  if (size_ == factor_.rows()) {
    const Eigen::Index room = 2 * size_ + 8;
    factor_.conservativeResize(room, room);
  }
  factor_.row(size_).head(size_) = projection.phi.transpose();
  factor_(size_, size_) = std::sqrt(projection.alpha);
  ++size_;
}

void AldBasis::coefficients(const Projection& projection, Eigen::VectorXd& beta) const {
  beta = projection.phi;
  factor().transpose().triangularView<Eigen::Upper>().solveInPlace(beta);
}

void AldBasis::save(Archive& archive, const std::string& name) const {
  std::vector<double> triangle;
  for (Eigen::Index i = 0; i < size_; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) triangle.push_back(factor_(i, j));
  }
  archive.put(name, triangle);
}

void AldBasis::load(const Archive& archive, const std::string& name, const std::vector<double>& selfs) {
  const auto triangle = archive.get<double>(name, selfs.size() * (selfs.size() + 1) / 2);
  size_ = static_cast<Eigen::Index>(selfs.size());
  factor_.resize(size_, size_);
  const double* next = triangle.data();
  for (Eigen::Index i = 0; i < size_; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) factor_(i, j) = *next++;
    // What `append` has made: the squared norm of a row is κ(s_i,s_i), and its last entry, squared, is the α that
    // `independent` has accepted.
    const double self = selfs[static_cast<std::size_t>(i)];
    const double last = factor_(i, i);
    if (!(last > 0.0 && last * last >= 0.5 * kResolution * self &&
          std::fabs(factor_.row(i).head(i + 1).squaredNorm() - self) <= 1e-6 * self)) {
      throw_bad_archive(name + " is no Cholesky factor of its rows");
    }
  }
}

}  // namespace alder
