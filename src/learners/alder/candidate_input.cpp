#include <algorithm>
#include <array>
#include <cmath>

#include "learners/alder/candidate.h"

// How a candidate makes its inputs φ and z of a row.
namespace alder {

// φ and z. Returns the row's place in its block, if that was computed together.
template <class T>
std::optional<std::size_t> Candidate<T>::project(const Geometry<T>& geometry, Forecast& out) {
  constexpr std::size_t kBlock = RoundRows<T>::kBlock;
  const RoundRows<T>& rounds = geometry.rounds();
  const std::size_t room = padded(size());
  const std::size_t z_room = padded(before() + size());
  std::optional<std::size_t> place;
  if (rounds.pending() == kBlock) project_ahead(geometry);
  out.place = ahead_.size > 0 ? kBlock - rounds.pending() : kNoPlace;
  if (ahead_.size > 0 && ahead_.size == size()) {
    place = out.place;
    out.k.assign(ahead_.k.data() + *place * room, ahead_.k.data() + (*place + 1) * room);
    out.phi.assign(ahead_.phi.data() + *place * room, ahead_.phi.data() + (*place + 1) * room);
    out.alpha = ahead_.alphas[*place];
  } else {
    out.k.assign(room, T{0});
    out.phi.resize(room);
    basis_.copy(rounds.row(), rounds.x().self(), out.k.data());
    out.alpha = coordinates_.project(out.k.data(), out.phi.data());
  }
  const double self = rounds.x().self();
  if (!(self > 0.0)) out.alpha = 0.0;  // a row of length 0 has no direction
  if (before() == 0) return place;
  out.z.assign(z_room, T{0});
  if (place && recent_ == 0) {
    std::copy_n(ahead_.z.data() + *place * z_room, z_room, out.z.data());
  } else {
    write_input(rounds.row(), self, rounds, geometry.dictionary(), geometry.linear(), out.phi.data(), out.z.data());
  }
  return place;
}

// A whole block is computed together, so that M is read once for all of its rows, and so are the functions of many
// classes. It serves until a row joins.
template <class T>
void Candidate<T>::project_ahead(const Geometry<T>& geometry) {
  constexpr std::size_t kBlock = RoundRows<T>::kBlock;
  static_assert(kBlock == simd::kTogether);
  const RoundRows<T>& rounds = geometry.rounds();
  const std::size_t room = padded(size());
  ahead_.size = size();
  ahead_.k.assign(kBlock * room, T{0});
  ahead_.phi.resize(kBlock * room);
  ahead_.alphas.resize(kBlock);
  for (std::size_t p = 0; p < kBlock; ++p) {
    basis_.copy(rounds.row_ahead(p), rounds.x_ahead(p).self(), ahead_.k.data() + p * room);
  }
  coordinates_.project(ahead_.k.data(), room, kBlock, ahead_.phi.data(), ahead_.alphas.data());
  if (recent_ > 0) return;
  const std::size_t z_room = before() > 0 ? padded(before() + size()) : room;
  if (before() > 0) {
    ahead_.z.assign(kBlock * z_room, T{0});
    for (std::size_t p = 0; p < kBlock; ++p) {
      T* z = ahead_.z.data() + p * z_room;
      std::copy_n(geometry.linear(p), linear_, z);
      std::copy_n(ahead_.phi.data() + p * room, size(), z + linear_);
    }
  }
  const T* z = before() > 0 ? ahead_.z.data() : ahead_.phi.data();
  if (scores_ahead()) {
    if (size() < budget_) guide_.look_ahead(ahead_.phi.data(), room);
    if (head_) head_->look_ahead(ahead_.phi.data(), room);
    for (Arow<T>& predictor : predictors_) predictor.look_ahead(z, z_room);
  }
  expect_violations(z, z_room);
}

// A row whose class is not clear by 1 will be learned, whatever it is.
template <class T>
void Candidate<T>::expect_violations(const T* z, std::size_t room) {
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
void Candidate<T>::write_input(const KernelValues& row, double self, const RoundRows<T>& rounds,
                               const Dictionary<T>& dictionary, const T* linear, const T* phi, T* z) const {
  if (recent_ > 0 && rounds.size() > 0) {
    double sum = 0.0;
    for (std::size_t b = 1; b <= rounds.size(); ++b) sum += rounds.label_before(b);
    z[0] = static_cast<T>(rounds.label_before(1));
    z[1] = static_cast<T>(sum / static_cast<double>(rounds.size()));
    z[2] = static_cast<T>(recent_kernel(row, self, rounds, dictionary));
  }
  std::copy_n(linear, linear_, z + recent_);
  std::copy_n(phi, size(), z + before());
}

// (1/|W|) Σ y' κ(x', x).
template <class T>
double Candidate<T>::recent_kernel(const KernelValues& row, double self, const RoundRows<T>& rounds,
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

template std::optional<std::size_t> Candidate<float>::project(const Geometry<float>&, Forecast&);
template std::optional<std::size_t> Candidate<double>::project(const Geometry<double>&, Forecast&);
template void Candidate<float>::write_input(const KernelValues&, double, const RoundRows<float>&,
                                            const Dictionary<float>&, const float*, const float*, float*) const;
template void Candidate<double>::write_input(const KernelValues&, double, const RoundRows<double>&,
                                             const Dictionary<double>&, const double*, const double*, double*) const;

}  // namespace alder
