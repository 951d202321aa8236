#include "kernel/dictionary.h"

#include <algorithm>
#include <cassert>
#include <span>
#include <type_traits>

#include "model/archive.h"

namespace alder {
namespace {

// A float dot product is off by about 1e-7·‖x‖‖s‖, which moves the exponent of a Gaussian, γ‖x−s‖², by about
// 1e-7·γ(‖x‖²+‖s‖²). Up to this limit that is below 1e-3; beyond it (features far from the scale of σ) the row is
// computed in double.
constexpr double kFloatExponentLimit = 2000.0;
// Products and sums of such numbers stay far from what a float can hold.
constexpr double kFloatLimit = 1e30;

}  // namespace

template <class T>
struct Dictionary<T>::Shared {
  std::vector<const T*> columns;
  std::vector<T> values;

  void assign(const FeatureBlocks<T>& blocks, const Query<T>& row) {
    columns.clear();
    values.clear();
    for (std::size_t j = 0; j < row.features().size(); ++j) {
      if (const T* column = blocks.column(row.features()[j])) {
        columns.push_back(column);
        values.push_back(row.values()[j]);
      }
    }
  }
};

template <class T>
void Dictionary<T>::append(const Query<T>& row) {
  if (size_ == blocks_.slots()) {
    blocks_.reserve_slots(2 * size_ + 1);
    norms_.resize(blocks_.slots());
    float_norms_.resize(blocks_.slots());
    elements_.resize(blocks_.slots());
  }
  fill(size_, row);
  ++size_;
}

template <class T>
void Dictionary<T>::replace(std::size_t element, const Query<T>& row) {
  assert(element < size_);
  clear(element);
  fill(element, row);
  largest_norm_ = *std::max_element(norms_.begin(), norms_.end());
}

template <class T>
void Dictionary<T>::truncate(std::size_t count) {
  assert(count <= size_);
  while (size_ > count) clear(--size_);
  if (!norms_.empty()) largest_norm_ = *std::max_element(norms_.begin(), norms_.end());
}

template <class T>
void Dictionary<T>::fill(std::size_t element, const Query<T>& row) {
  elements_[element] = row.features();
  for (std::size_t j = 0; j < row.features().size(); ++j) blocks_.set(row.features()[j], element, row.values()[j]);
  norms_[element] = row.norm();
  float_norms_[element] = row.float_norm();
  largest_norm_ = std::max(largest_norm_, row.norm());
}

template <class T>
void Dictionary<T>::clear(std::size_t element) {
  for (const FeatureIndex feature : elements_[element]) blocks_.clear(feature, element);
  elements_[element].clear();
  norms_[element] = 0.0;
  float_norms_[element] = 0.0F;
}

template <class T>
bool Dictionary<T>::float_is_enough(const Query<T>& row) const {
  const double norms = row.norm() + largest_norm_;
  if (norms > kFloatLimit || kernel_.gamma() > kFloatLimit) return false;
  // The square root of a Laplacian's distance magnifies the rounding of near duplicates: 1e-7 becomes 3e-4.
  if (kernel_.kind() == Kernel::Kind::kLaplacian) return false;
  return !kernel_.is_radial() || kernel_.gamma() * norms <= kFloatExponentLimit;
}

template <class T>
void Dictionary<T>::kernel_row(const Query<T>& row, Accuracy accuracy, KernelRow& out) const {
  static thread_local Shared shared;
  shared.assign(blocks_, row);
  out.resize(size_);
  if constexpr (std::is_same_v<T, float>) {
    if (accuracy == Accuracy::kFast && float_is_enough(row)) {
      compute(shared, float_norms_, row.float_norm(), out.float_exponents_, out);
      return;
    }
  }
  compute(shared, norms_, row.norm(), out.double_exponents_, out);
}

template <class T>
template <class A>
void Dictionary<T>::compute(const Shared& shared, const AlignedVector<A>& norms, A norm, AlignedVector<A>& dots,
                            KernelRow& out) const {
  simd::dots(shared.columns.data(), shared.values.data(), shared.columns.size(), size_, dots.data());
  if (kernel_.is_radial()) {
    const bool root = kernel_.kind() == Kernel::Kind::kLaplacian;
    const A least =
        simd::radial_exponents(norms.data(), norm, static_cast<A>(kernel_.gamma()), root, size_, dots.data());
    simd::exponentials(dots.data(), least, size_, out.values_.data());
    out.set_shift(static_cast<double>(least));
    out.exponents_ = std::is_same_v<A, float> ? KernelRow::Exponents::kFloat : KernelRow::Exponents::kDouble;
  } else {
    for (std::size_t i = 0; i < size_; ++i) {
      out.values_[i] =
          kernel_.value(static_cast<double>(dots[i]), static_cast<double>(norm), static_cast<double>(norms[i]));
    }
    out.set_shift(0.0);
    out.exponents_ = KernelRow::Exponents::kNone;
  }
}

template <class T>
std::vector<std::pair<FeatureIndex, T>> Dictionary<T>::element(std::size_t i) const {
  assert(i < size_);
  std::vector<std::pair<FeatureIndex, T>> entries;
  for (const FeatureIndex feature : elements_[i]) entries.emplace_back(feature, blocks_.column(feature)[i]);
  return entries;
}

template <class T>
std::vector<double> Dictionary<T>::selfs() const {
  std::vector<double> all;
  for (std::size_t i = 0; i < size_; ++i) all.push_back(self(i));
  return all;
}

template <class T>
Query<T> Dictionary<T>::query(std::size_t i) const {
  std::vector<FeatureIndex> features;
  std::vector<double> values;
  for (const auto& [feature, value] : element(i)) {
    features.push_back(feature);
    values.push_back(static_cast<double>(value));
  }
  Query<T> query;
  query.assign(Row::sparse(features, values), kernel_);
  return query;
}

template <class T>
void Dictionary<T>::save(Archive& archive, const std::string& name) const {
  std::vector<std::uint64_t> starts = {0};
  std::vector<FeatureIndex> features;
  std::vector<T> values;
  for (std::size_t i = 0; i < size_; ++i) {
    for (const auto& [feature, value] : element(i)) {
      features.push_back(feature);
      values.push_back(value);
    }
    starts.push_back(features.size());
  }
  archive.put(name + ".starts", starts);
  archive.put(name + ".features", features);
  archive.put(name + ".values", values);
}

template <class T>
void Dictionary<T>::load(const Archive& archive, const std::string& name) {
  assert(size_ == 0);
  const auto starts = archive.get<std::uint64_t>(name + ".starts");
  const auto features = archive.get<FeatureIndex>(name + ".features");
  const auto stored = archive.get<T>(name + ".values", features.size());
  if (starts.empty() || starts.front() != 0 || starts.back() != features.size()) {
    throw_bad_archive("the rows of " + name + " do not add up");
  }
  const std::vector<double> values(stored.begin(), stored.end());
  Query<T> query;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    if (starts[i] > starts[i + 1]) throw_bad_archive("the rows of " + name + " overlap");
    const std::size_t length = starts[i + 1] - starts[i];
    const Row row =
        Row::sparse(std::span(features).subspan(starts[i], length), std::span(values).subspan(starts[i], length));
    row.check();
    query.assign(row, kernel_);
    append(query);
  }
}

template <class T>
std::size_t Dictionary<T>::bytes() const {
  std::size_t total = blocks_.bytes() + norms_.capacity() * sizeof(double) + float_norms_.capacity() * sizeof(float) +
                      elements_.capacity() * sizeof(elements_[0]);
  for (const auto& features : elements_) total += features.capacity() * sizeof(FeatureIndex);
  return total;
}

template class Dictionary<float>;
template class Dictionary<double>;

}  // namespace alder
