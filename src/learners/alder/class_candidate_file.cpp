#include <algorithm>
#include <string>
#include <vector>

#include "archive/archive.h"
#include "learners/alder/class_candidate.h"

// Candidates in model files.
namespace alder {
namespace {

// What a file may say.
constexpr std::uint64_t kMostSaidBudget = 1U << 14U;
constexpr std::uint64_t kMostSaidRows = std::uint64_t{1} << 53U;

}  // namespace

template <class T>
void ClassCandidate<T>::save(Archive& archive, const std::string& name) const {
  this->save_elements(archive, name);
  archive.put(name + ".rates", rates_);
  archive.put(name + ".counts", std::vector<std::uint64_t>{budget_, rows_, violations_});
  guide_.save(archive, name + ".guide");
  if (head_) head_->save(archive, name + ".head");
  for (std::size_t p = 0; p < predictors_.size(); ++p) {
    predictors_[p].save(archive, name + ".predictor" + std::to_string(p));
  }
  mixture_.save(archive, name + ".mixture");
  std::vector<std::uint64_t> ages = {age_, replaced_};
  ages.insert(ages.end(), born_.begin(), born_.end());
  archive.put(name + ".ages", ages);
  if (fine_) fine_->save(archive, name + ".fine");
}

// What all versions have.
template <class T>
void ClassCandidate<T>::load_shared(const Archive& archive, const std::string& name, const Geometry<T>& geometry) {
  this->load_elements(archive, name, geometry);
  resize();
  guide_.load(archive, name + ".guide", size());
  if (head_) head_->load(archive, name + ".head", size());
}

template <class T>
void ClassCandidate<T>::load(const Archive& archive, const std::string& name, const Geometry<T>& geometry) {
  load_shared(archive, name, geometry);
  for (std::size_t p = 0; p < predictors_.size(); ++p) {
    predictors_[p].load(archive, name + ".predictor" + std::to_string(p), inputs_of(p));
  }
  const auto counts = archive.get<std::uint64_t>(name + ".counts", 3);
  if (counts[0] > kMostSaidBudget || counts[1] > kMostSaidRows || counts[2] > counts[1] ||
      (given_budget_ && counts[0] != *given_budget_)) {
    throw_bad_archive("the numbers of " + name + " are out of range");
  }
  budget_ = counts[0];
  rows_ = counts[1];
  violations_ = counts[2];
  mixture_.load(archive, name + ".mixture");
  const auto ages = archive.get<std::uint64_t>(name + ".ages", 2 + size());
  if (ages[0] > kMostSaidRows || *std::max_element(ages.begin(), ages.end()) > ages[0]) {
    throw_bad_archive("the ages of " + name + " are out of range");
  }
  age_ = ages[0];
  replaced_ = ages[1];
  born_.assign(ages.begin() + 2, ages.end());
  const auto sizes = archive.sizes();
  const auto fine = sizes.lower_bound(name + ".fine.");
  if (fine != sizes.end() && fine->first.starts_with(name + ".fine.")) {
    fine_.emplace(width_, 0, 1.0);
    fine_->load(archive, name + ".fine", geometry.dictionary().size());
  }
}

template <class T>
void ClassCandidate<T>::load_old(const Archive& archive, const std::string& name, std::size_t p,
                                 const Geometry<T>& geometry) {
  load_shared(archive, name, geometry);
  born_.assign(size(), 0);
  predictors_.front().load(archive, name + ".predictor" + std::to_string(p), before() + size());
}

template void ClassCandidate<float>::save(Archive&, const std::string&) const;
template void ClassCandidate<double>::save(Archive&, const std::string&) const;
template void ClassCandidate<float>::load(const Archive&, const std::string&, const Geometry<float>&);
template void ClassCandidate<double>::load(const Archive&, const std::string&, const Geometry<double>&);
template void ClassCandidate<float>::load_old(const Archive&, const std::string&, std::size_t, const Geometry<float>&);
template void ClassCandidate<double>::load_old(const Archive&, const std::string&, std::size_t,
                                               const Geometry<double>&);

}  // namespace alder
