#include "features/nystrom.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "archive/archive.h"
#include "kernel/decompositions.h"
#include "simd/simd.h"

namespace alder {
namespace {

template <class T>
constexpr double kRankTolerance = std::is_same_v<T, float> ? 1e-6 : 1e-12;

}  // namespace

template <class T>
void NystromMap<T>::append(const PreparedRow<T>& x, const KernelValues& row) {
  assert(!is_built_);
  gram_.append(row, x.self());
  rows_.append(x);
}

template <class T>
void NystromMap<T>::build() {
  const auto [values, vectors] = eigen_system(gram_.matrix());
  const Eigen::Index n = values.size();
  const double least = kRankTolerance<T> * (n > 0 ? values[n - 1] : 0.0);
  std::size_t rank = 0;
  while (rank < std::min(rank_limit_, rows_.size()) && values[n - 1 - static_cast<Eigen::Index>(rank)] > least) ++rank;
  resize(rank);
  for (std::size_t f = 0; f < rank; ++f) {
    const Eigen::Index column = n - 1 - static_cast<Eigen::Index>(f);
    eigenvalues_[f] = values[column];
    const double scale = 1.0 / std::sqrt(values[column]);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      entries_[i * padded(rank) + f] = scale * vectors(static_cast<Eigen::Index>(i), column);
    }
  }
  lay_out();
  gram_.reset();
}

template <class T>
void NystromMap<T>::resize(std::size_t features) {
  is_built_ = true;
  eigenvalues_.assign(features, 0.0);
  entries_.assign(rows_.size() * padded(features), 0.0);
}

template <class T>
void NystromMap<T>::lay_out() {
  const bool is_narrow = std::is_same_v<T, float> && rows_.kernel().is_radial();
  if (is_narrow) {
    float_entries_.clear();
    for (const double entry : entries_) float_entries_.push_back(static_cast<float>(entry));
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    columns_.push_back(entries_.data() + i * padded(features()));
    if (is_narrow) float_columns_.push_back(float_entries_.data() + i * padded(features()));
  }
}

template <class T>
void NystromMap<T>::map(const KernelValues& row, AlignedVector<double>& phi) const {
  if (float_columns_.empty()) {
    sum(columns_, row, phi);
  } else {
    sum(float_columns_, row, phi);
  }
}

template <class T>
template <class A>
void NystromMap<T>::sum(const std::vector<const A*>& columns, const KernelValues& row,
                        AlignedVector<double>& phi) const {
  static thread_local std::vector<A> values;
  static thread_local AlignedVector<A> sums;
  values.resize(rows_.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<A>(row.kernel(i));
  sums.resize(padded(features()));
  simd::dots(columns.data(), values.data(), values.size(), features(), sums.data());
  phi.assign(padded(features()), 0.0);
  std::copy_n(sums.begin(), features(), phi.begin());
}

template <class T>
AlignedVector<double> NystromMap<T>::coefficients(const AlignedVector<double>& w) const {
  AlignedVector<double> a(padded(rows_.size()));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (std::size_t f = 0; f < features(); ++f) {
      a[i] += w[f] * (float_columns_.empty() ? columns_[i][f] : static_cast<double>(float_columns_[i][f]));
    }
  }
  return a;
}

// Λ^(1/2) Vᵀ a = Λ (Λ^(−1/2) Vᵀ) a.
template <class T>
AlignedVector<double> NystromMap<T>::weights(const AlignedVector<double>& a) const {
  AlignedVector<double> w(padded(features()));
  for (std::size_t f = 0; f < features(); ++f) {
    double sum = 0.0;
    for (std::size_t i = 0; i < rows_.size(); ++i) sum += columns_[i][f] * a[i];
    w[f] = eigenvalues_[f] * sum;
  }
  return w;
}

template <class T>
void NystromMap<T>::save(Archive& archive) const {
  rows_.save(archive, "support");
  archive.set("state", "is_built", is_built_);
  gram_.save(archive, "gram");
  archive.put("nystrom.eigenvalues", eigenvalues_);
  std::vector<double> entries;
  for (const double* column : columns_) entries.insert(entries.end(), column, column + features());
  archive.put("nystrom.columns", entries);
}

template <class T>
void NystromMap<T>::load(const Archive& archive, std::size_t most) {
  rows_.load(archive, "support");
  if (rows_.size() > most) throw_bad_archive("it stores more rows than its budget");
  const bool is_built = archive.setting<bool>("state", "is_built");
  const std::vector<double> selfs = rows_.selfs();
  gram_.load(archive, "gram", is_built ? std::vector<double>() : selfs);
  const auto eigenvalues = archive.get<double>("nystrom.eigenvalues");
  const auto entries = archive.get<double>("nystrom.columns", is_built ? rows_.size() * eigenvalues.size() : 0);
  if (!is_built && !eigenvalues.empty()) throw_bad_archive("it has eigenvalues without a map");
  if (!is_built) return;
  if (eigenvalues.size() > std::min(rank_limit_, rows_.size())) throw_bad_archive("its map has too many features");
  // The eigenvalues of K, the largest first: that is at least their mean and at most their sum, which is that of the
  // diagonal of K. The others are what `build` keeps of them.
  const double sum = std::accumulate(selfs.begin(), selfs.end(), 0.0);
  for (std::size_t f = 0; f < eigenvalues.size(); ++f) {
    const double high = f == 0 ? kRounding * sum : eigenvalues[f - 1];
    const double low =
        f == 0 ? sum / (kRounding * static_cast<double>(selfs.size())) : kRankTolerance<T> * eigenvalues[0];
    if (!(eigenvalues[f] >= low && eigenvalues[f] <= high)) throw_bad_archive("an eigenvalue is out of range");
  }
  resize(eigenvalues.size());
  eigenvalues_ = eigenvalues;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (std::size_t f = 0; f < features(); ++f) {
      const double entry = entries[i * features() + f];
      // An entry is that of a vector of length 1 by the root of its eigenvalue.
      if (!(std::fabs(entry) * std::sqrt(eigenvalues[f]) <= kRounding)) throw_bad_archive("its map is out of range");
      entries_[i * padded(features()) + f] = entry;
    }
  }
  lay_out();
}

template <class T>
std::size_t NystromMap<T>::bytes() const {
  return rows_.bytes() + gram_.bytes() + eigenvalues_.capacity() * sizeof(double) +
         entries_.capacity() * sizeof(double) + float_entries_.capacity() * sizeof(float) +
         (columns_.capacity() + float_columns_.capacity()) * sizeof(void*);
}

template class NystromMap<float>;
template class NystromMap<double>;

}  // namespace alder
