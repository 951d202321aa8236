#include "learners/halving.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include "model/archive.h"

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

void Halving::save(Archive& archive) const {
  archive.put("halving.gram", gram_);
  archive.put("halving.most_similar", most_similar_);
}

void Halving::load(const Archive& archive, std::size_t size) {
  const std::size_t old = std::min(size, kept_);
  gram_ = archive.get<double>("halving.gram", old * (old + 1) / 2);
  most_similar_ = archive.get<std::uint64_t>("halving.most_similar", size - old);
  for (const double value : gram_) {
    if (!std::isfinite(value)) throw_bad_archive("a kernel value of its support set is not finite");
  }
  for (const std::uint64_t element : most_similar_) {
    if (element >= kept_) throw_bad_archive("an element of its support set would be merged into none that stays");
  }
}

}  // namespace alder
