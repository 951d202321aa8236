#include <algorithm>
#include <array>
#include <cmath>

#include "learners/alder/class_candidate.h"

// What a candidate for classes makes of a block ahead, and of recent labels.
namespace alder {

template <class T>
void ClassCandidate<T>::look_ahead(const T* z, std::size_t room) {
  if (scores_ahead()) {
    if (size() < budget_) guide_.look_ahead(this->ahead_.phi.data(), padded(size()));
    if (head_) head_->look_ahead(this->ahead_.phi.data(), padded(size()));
    for (Arow<T>& predictor : predictors_) predictor.look_ahead(z, room);
  }
  expect_violations(z, room);
}

// A row whose class is not clear by 1 will be learned, whatever it is.
template <class T>
void ClassCandidate<T>::expect_violations(const T* z, std::size_t room) {
  constexpr std::size_t kBlock = RoundRows<T>::kBlock;
  static thread_local std::vector<double> scores;
  scores.resize(kBlock * width_);
  for (Arow<T>& predictor : predictors_) {
    if (!scores_ahead()) predictor.score(z, room, kBlock, scores.data(), width_);
    std::array<bool, kBlock> wanted;
    for (std::size_t r = 0; r < kBlock; ++r) {
      const auto own = std::span(scores).subspan(r * width_, width_);
      if (scores_ahead()) predictor.score_ahead(r, z + r * room, own);
      const double first = *std::max_element(own.begin(), own.end());
      wanted[r] = width_ == 1
                      ? std::fabs(own[0]) < 1.0
                      : std::count_if(own.begin(), own.end(), [first](double s) { return s > first - 1.0; }) > 1;
    }
    predictor.expect(z, room, wanted);
  }
}

template <class T>
void ClassCandidate<T>::write_recent(const KernelValues& row, double self, const RoundRows<T>& rounds,
                                     const Dictionary<T>& dictionary, T* z) const {
  if (rounds.size() == 0) return;
  double sum = 0.0;
  for (std::size_t b = 1; b <= rounds.size(); ++b) sum += rounds.label_before(b);
  z[0] = static_cast<T>(rounds.label_before(1));
  z[1] = static_cast<T>(sum / static_cast<double>(rounds.size()));
  z[2] = static_cast<T>(recent_kernel(row, self, rounds, dictionary));
}

// (1/|W|) Σ y' κ(x', x).
template <class T>
double ClassCandidate<T>::recent_kernel(const KernelValues& row, double self, const RoundRows<T>& rounds,
                                        const Dictionary<T>& dictionary) const {
  const bool is_radial = dictionary.kernel().is_radial();
  const double ratio = basis_.ratio();
  double sum = 0.0;
  for (std::size_t b = 1; b <= rounds.size(); ++b) {
    const std::size_t scratch = rounds.scratch_before(b);
    double value = ratio == 1.0 ? row.scratch(scratch) : std::exp(-ratio * row.scratch_exponent(scratch));
    if (!is_radial) {
      const double square = self * dictionary.scratch_self(scratch);
      value = square > 0.0 ? value / std::sqrt(square) : 0.0;
    }
    sum += rounds.label_before(b) * value;
  }
  return sum / static_cast<double>(rounds.size());
}

template void ClassCandidate<float>::look_ahead(const float*, std::size_t);
template void ClassCandidate<double>::look_ahead(const double*, std::size_t);
template void ClassCandidate<float>::write_recent(const KernelValues&, double, const RoundRows<float>&,
                                                  const Dictionary<float>&, float*) const;
template void ClassCandidate<double>::write_recent(const KernelValues&, double, const RoundRows<double>&,
                                                   const Dictionary<double>&, double*) const;

}  // namespace alder
