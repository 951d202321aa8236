#include "learners/pomdr/merge_plan.h"

#include <algorithm>

#include "archive/archive.h"

namespace alder {

void MergePlan::record(const KernelValues& row, double self) {
  if (row.size() < kept_) {
    gram_.append(row, self);
  } else {
    most_similar_.push_back(row.most_similar(kept_));
  }
}

double MergePlan::merge(AlignedVector<double>& a) {
  for (std::size_t j = 0; j < most_similar_.size(); ++j) a[most_similar_[j]] += a[kept_ + j];
  most_similar_.clear();
  a.resize(kept_);
  a.resize(padded(kept_));
  return gram_.quadratic_form(a);
}

void MergePlan::save(Archive& archive) const {
  gram_.save(archive, "halving.gram");
  archive.put("halving.most_similar", most_similar_);
}

void MergePlan::load(const Archive& archive, std::span<const double> selfs) {
  const std::size_t old = std::min(selfs.size(), kept_);
  gram_.load(archive, "halving.gram", selfs.first(old));
  most_similar_ = archive.get<std::uint64_t>("halving.most_similar", selfs.size() - old);
  for (const std::uint64_t element : most_similar_) {
    if (element >= kept_) throw_bad_archive("an element of its support set would be merged into none that stays");
  }
}

}  // namespace alder
