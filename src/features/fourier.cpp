#include "features/fourier.h"

#include <cassert>
#include <cmath>
#include <deque>
#include <type_traits>

#include <fmt/format.h>

#include "alder/error.h"

#include "archive/archive.h"
#include "base/random.h"
#include "simd/simd.h"

namespace alder {
namespace {

constexpr std::size_t kKeptBytes = std::size_t{64} << 20U;
// A number that is no feature's: the normals n of the Laplacian kernel.
constexpr std::uint64_t kScales = std::uint64_t{1} << 32U;
// The largest phase that the vector functions reduce to a period without losing digits.
constexpr double kLargestPhase = 30000.0;
// A phase is a sum of products of this size times 1e-7, the rounding of a float: up to here its error is below 1e-5.
constexpr double kFloatPhase = 50.0;
// Beyond these the squared scale of the frequencies or the squared norm of a row come near the range of a float.
constexpr double kFloatSquares = 1e50;

// The random numbers of a feature: a function of the seed and its number alone.
LearnerRandom numbers_of(std::uint64_t seed, std::uint64_t feature) {
  return LearnerRandom(SplitMix64(seed + SplitMix64(feature)())());
}

}  // namespace

template <class T>
struct FourierMap<T>::Scratch {
  std::vector<const T*> columns;
  std::vector<T> values;
  std::deque<AlignedVector<T>> drawn;  // of features that are not kept; does not move
  AlignedVector<float> float_phases;
  AlignedVector<double> double_phases;
};

template <class T>
FourierMap<T>::FourierMap(const Kernel& kernel, std::size_t frequencies, std::uint64_t seed)
    : kernel_(kernel), frequencies_(frequencies), seed_(seed), scales_(frequencies, std::sqrt(2.0 * kernel.gamma())) {
  assert(kernel.is_radial() && frequencies > 0);
  if (kernel.kind() == Kernel::Kind::kGaussian) return;
  LearnerRandom random = numbers_of(seed, kScales);
  for (double& scale : scales_) scale = kernel.gamma() / std::fabs(random.normal());
}

template <class T>
void FourierMap<T>::draw(FeatureIndex feature, AlignedVector<T>& column) const {
  column.assign(padded(frequencies_), T{0});
  LearnerRandom random = numbers_of(seed_, feature);
  for (std::size_t i = 0; i < frequencies_; ++i) column[i] = static_cast<T>(random.normal());
}

template <class T>
void FourierMap<T>::keep(FeatureIndex feature) {
  columns_.emplace_back();
  draw(feature, columns_.back());
  features_.push_back(feature);
  table_.insert(feature, static_cast<std::uint32_t>(columns_.size() - 1));
}

template <class T>
void FourierMap<T>::meet(const PreparedRow<T>& x) {
  const std::size_t most = kKeptBytes / (padded(frequencies_) * sizeof(T));
  for (const FeatureIndex feature : x.features()) {
    if (columns_.size() < most && table_.find(feature) == FeatureTable::kNone) keep(feature);
  }
}

// The heavy tail of the Laplacian's frequencies makes large phases for any row.
template <class T>
bool FourierMap<T>::float_is_enough(const PreparedRow<T>& x) const {
  return kernel_.kind() == Kernel::Kind::kGaussian && kernel_.gamma() <= kFloatSquares &&
         kernel_.gamma() >= 1.0 / kFloatSquares && x.norm() <= kFloatSquares &&
         2.0 * kernel_.gamma() * x.norm() <= kFloatPhase * kFloatPhase;
}

template <class T>
void FourierMap<T>::map(const PreparedRow<T>& x, AlignedVector<double>& z) const {
  static thread_local Scratch scratch;
  scratch.columns.clear();
  scratch.values.assign(x.values().begin(), x.values().end());
  std::size_t drawn = 0;
  for (const FeatureIndex feature : x.features()) {
    const std::uint32_t number = table_.find(feature);
    if (number != FeatureTable::kNone) {
      scratch.columns.push_back(columns_[number].data());
    } else {
      if (drawn == scratch.drawn.size()) scratch.drawn.emplace_back();
      draw(feature, scratch.drawn[drawn]);
      scratch.columns.push_back(scratch.drawn[drawn++].data());
    }
  }
  if constexpr (std::is_same_v<T, float>) {
    if (float_is_enough(x)) {
      compute(scratch, scratch.float_phases, z);
      return;
    }
  }
  compute(scratch, scratch.double_phases, z);
}

// The derivative of the cosine of a phase is minus its sine, and that of the sine the cosine.
template <class T>
void FourierMap<T>::add_gradient(const AlignedVector<double>& w, const AlignedVector<double>& z,
                                 std::span<const FeatureIndex> features, std::span<double> gradient) const {
  const std::size_t room = padded(frequencies_);
  std::vector<double> slopes(frequencies_);
  for (std::size_t i = 0; i < frequencies_; ++i) slopes[i] = scales_[i] * (w[room + i] * z[i] - w[i] * z[room + i]);
  AlignedVector<T> drawn;
  for (std::size_t j = 0; j < features.size(); ++j) {
    const std::uint32_t number = table_.find(features[j]);
    if (number == FeatureTable::kNone) draw(features[j], drawn);
    const AlignedVector<T>& column = number == FeatureTable::kNone ? drawn : columns_[number];
    for (std::size_t i = 0; i < frequencies_; ++i) gradient[j] += slopes[i] * static_cast<double>(column[i]);
  }
}

template <class T>
template <class A>
void FourierMap<T>::compute(const Scratch& scratch, AlignedVector<A>& phases, AlignedVector<double>& z) const {
  const std::size_t room = padded(frequencies_);
  phases.resize(room);
  z.resize(length());
  simd::dots(scratch.columns.data(), scratch.values.data(), scratch.columns.size(), frequencies_, phases.data());
  for (std::size_t i = 0; i < frequencies_; ++i) phases[i] *= static_cast<A>(scales_[i]);
  if constexpr (std::is_same_v<A, double>) {
    for (double& phase : phases) {
      if (!(std::fabs(phase) <= kLargestPhase)) {
        phase = std::isfinite(phase) ? std::remainder(phase, 2.0 * 3.14159265358979323846) : 0.0;
      }
    }
  }
  simd::waves(phases.data(), 1.0 / std::sqrt(static_cast<double>(frequencies_)), frequencies_, z.data(),
              z.data() + room);
}

template <class T>
void FourierMap<T>::save(Archive& archive) const {
  archive.put("features", features_);
}

template <class T>
void FourierMap<T>::load(const Archive& archive) {
  const auto features = archive.get<FeatureIndex>("features");
  if (features.size() > kKeptBytes / (padded(frequencies_) * sizeof(T))) throw_bad_archive("it has too many features");
  for (const FeatureIndex feature : features) {
    if (table_.find(feature) != FeatureTable::kNone) throw_bad_archive("a feature is listed twice");
    keep(feature);
  }
}

template <class T>
std::size_t FourierMap<T>::bytes() const {
  return scales_.capacity() * sizeof(double) + table_.bytes() + features_.capacity() * sizeof(FeatureIndex) +
         columns_.size() * (padded(frequencies_) * sizeof(T) + sizeof(columns_[0]));
}

void check_fourier_kernel(const Kernel& kernel) {
  if (kernel.is_radial()) return;
  throw Error(Error::Kind::kUnsupported,
              fmt::format("the kernel is {}; expected gaussian or laplacian, which random Fourier features are for",
                          kernel.name()));
}

template class FourierMap<float>;
template class FourierMap<double>;

}  // namespace alder
