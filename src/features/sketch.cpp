#include "features/sketch.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "archive/archive.h"
#include "kernel/decompositions.h"
#include "simd/simd.h"

namespace alder {
namespace {

constexpr double kEigenvalueTolerance = 1e-12;
constexpr double kInverseTolerance = 1e-10;
// κ(x,x) is at most this for every row that is learned.
constexpr double kLargestScale = 1e100;
// An entry of the map in units of 1/sqrt(scale): roots of eigenvalues by singular values of Φ_ab, which are not
// smaller than the tolerance squared.
constexpr double kLargestMapEntry = 1e25;

// `count` different numbers below `size`, in the order in which they are drawn.
std::vector<std::uint64_t> draw_different(std::size_t count, std::size_t size, LearnerRandom& random) {
  std::vector<std::uint64_t> numbers(size);
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
  for (std::size_t i = 0; i < count; ++i) std::swap(numbers[i], numbers[i + random.below(size - i)]);
  numbers.resize(count);
  return numbers;
}

Eigen::Index index(std::size_t i) {
  return static_cast<Eigen::Index>(i);
}

void check_range(const std::vector<double>& numbers, double most) {
  for (const double number : numbers) {
    if (!(std::fabs(number) <= most)) throw_bad_archive("a number of its sketches is out of range");
  }
}

}  // namespace

template <class T>
auto SketchMap<T>::draw_entries(LearnerRandom& random) const -> Entries {
  const std::size_t count = std::min(sizes_.nonzeros, sizes_.columns);
  Entries entries;
  entries.columns = draw_different(count, sizes_.columns, random);
  for (std::size_t i = 0; i < count; ++i) {
    entries.values.push_back((random.chance(0.5) ? 1.0 : -1.0) / std::sqrt(static_cast<double>(count)));
  }
  return entries;
}

template <class T>
void SketchMap<T>::draw(const Dictionary<T>& rows, const Gram& gram, LearnerRandom& random) {
  const std::size_t n = rows.size();
  const auto chosen = draw_different(std::min(sizes_.samples, n), n, random);
  for (const std::uint64_t i : chosen) sampled_.append(rows.query(i));
  for (std::size_t i = 0; i < n; ++i) entries_.push_back(draw_entries(random));

  const Eigen::MatrixXd k = gram.matrix();
  scale_ = k.diagonal().maxCoeff();
  Eigen::MatrixXd sketched = Eigen::MatrixXd::Zero(index(sizes_.columns), index(n));  // S_aᵀ K
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t e = 0; e < entries_[i].columns.size(); ++e) {
      sketched.row(index(entries_[i].columns[e])) += entries_[i].values[e] * k.row(index(i));
    }
  }
  both_ = Eigen::MatrixXd::Zero(index(sizes_.columns), index(sizes_.columns));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t e = 0; e < entries_[i].columns.size(); ++e) {
      both_.col(index(entries_[i].columns[e])) += entries_[i].values[e] * sketched.col(index(i));
    }
  }
  across_.resize(index(sizes_.columns), index(chosen.size()));
  for (std::size_t j = 0; j < chosen.size(); ++j) across_.col(index(j)) = sketched.col(index(chosen[j]));
}

// With the new row s of S_a and its kernel values ψ:
//   Φ_aa += (S_aᵀψ)sᵀ + s(S_aᵀψ)ᵀ + κ(x,x) s sᵀ,   Φ_ab += s k_b(x)ᵀ.
template <class T>
void SketchMap<T>::extend(const KernelValues& row, double self, const KernelValues& sampled_row,
                          LearnerRandom& random) {
  assert(row.size() == entries_.size());
  scale_ = std::max(scale_, self);
  Eigen::VectorXd sketched = Eigen::VectorXd::Zero(both_.rows());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    for (std::size_t e = 0; e < entries_[i].columns.size(); ++e) {
      sketched[index(entries_[i].columns[e])] += entries_[i].values[e] * row.kernel(i);
    }
  }
  entries_.push_back(draw_entries(random));
  Eigen::VectorXd s = Eigen::VectorXd::Zero(both_.rows());
  for (std::size_t e = 0; e < entries_.back().columns.size(); ++e) {
    s[index(entries_.back().columns[e])] = entries_.back().values[e];
  }
  both_ += sketched * s.transpose() + s * sketched.transpose() + self * s * s.transpose();
  for (std::size_t j = 0; j < sampled_.size(); ++j) across_.col(index(j)) += sampled_row.kernel(j) * s;
}

template <class T>
void SketchMap<T>::build(std::size_t rank) {
  const auto [values, vectors] = eigen_system(both_);
  const Eigen::Index n = values.size();
  const double least = kEigenvalueTolerance * std::max(values[n - 1], scale_);
  Eigen::Index kept = 0;
  while (kept < std::min(n, index(rank)) && values[n - 1 - kept] > least) ++kept;
  if (!(across_.cwiseAbs().maxCoeff() > kInverseTolerance * scale_)) kept = 0;
  if (kept == 0) {
    set_matrix(Eigen::MatrixXd(index(sampled_.size()), 0));
    return;
  }
  Eigen::MatrixXd roots(n, kept);  // V Σ^(1/2), the largest first
  for (Eigen::Index f = 0; f < kept; ++f) {
    roots.col(f) = std::sqrt(values[n - 1 - f]) * vectors.col(n - 1 - f);
  }
  set_matrix(least_squares(across_, roots, kInverseTolerance));
}

template <class T>
void SketchMap<T>::set_matrix(const Eigen::MatrixXd& q) {
  is_built_ = true;
  features_ = static_cast<std::size_t>(q.cols());
  numbers_.assign(sampled_.size() * padded(features_), 0.0);
  columns_.clear();
  for (std::size_t j = 0; j < sampled_.size(); ++j) {
    double* const begin = numbers_.data() + j * padded(features_);
    for (std::size_t f = 0; f < features_; ++f) begin[f] = q(index(j), index(f));
    columns_.push_back(begin);
  }
}

template <class T>
void SketchMap<T>::map(const KernelValues& row, AlignedVector<double>& phi) const {
  static thread_local std::vector<double> values;
  values.resize(sampled_.size());
  for (std::size_t j = 0; j < values.size(); ++j) values[j] = row.kernel(j);
  phi.resize(padded(features_));
  simd::dots(columns_.data(), values.data(), values.size(), features_, phi.data());
  std::fill(phi.begin() + static_cast<std::ptrdiff_t>(features_), phi.end(), 0.0);
}

template <class T>
Eigen::MatrixXd SketchMap<T>::matrix() const {
  if (!is_built_) return {};
  Eigen::MatrixXd q(index(sampled_.size()), index(features_));
  for (std::size_t j = 0; j < sampled_.size(); ++j) {
    for (std::size_t f = 0; f < features_; ++f) q(index(j), index(f)) = columns_[j][f];
  }
  return q;
}

template <class T>
void SketchMap<T>::save(Archive& archive) const {
  sampled_.save(archive, "sketch");
  std::vector<std::uint64_t> columns;
  std::vector<double> values;
  for (const Entries& entries : entries_) {
    columns.insert(columns.end(), entries.columns.begin(), entries.columns.end());
    values.insert(values.end(), entries.values.begin(), entries.values.end());
  }
  archive.put("sketch.entry_columns", columns);
  archive.put("sketch.entry_values", values);
  archive.put("sketch.aa", std::span(both_.data(), static_cast<std::size_t>(both_.size())));
  archive.put("sketch.ab", std::span(across_.data(), static_cast<std::size_t>(across_.size())));
  const Eigen::MatrixXd q = matrix();
  archive.put("sketch.map", std::span(q.data(), static_cast<std::size_t>(q.size())));
  archive.set("state", "has_map", is_built_);
  archive.set("state", "sketch_scale", scale_);
}

template <class T>
void SketchMap<T>::load(const Archive& archive, std::size_t rows) {
  sampled_.load(archive, "sketch");
  if (sampled_.size() > std::min(sizes_.samples, rows)) throw_bad_archive("it has sampled too many rows");
  const bool is_drawn = sampled_.size() > 0;
  const std::size_t nonzeros = std::min(sizes_.nonzeros, sizes_.columns);
  const auto columns = archive.get<std::uint64_t>("sketch.entry_columns", is_drawn ? rows * nonzeros : 0);
  const auto values = archive.get<double>("sketch.entry_values", columns.size());
  const auto both = archive.get<double>("sketch.aa");
  const auto across = archive.get<double>("sketch.ab", is_drawn ? sizes_.columns * sampled_.size() : 0);
  const auto map = archive.get<double>("sketch.map");
  const bool has_map = archive.setting<bool>("state", "has_map");
  scale_ = archive.setting<double>("state", "sketch_scale");
  const std::vector<double> selfs = sampled_.selfs();
  const double largest = is_drawn ? *std::max_element(selfs.begin(), selfs.end()) : 0.0;
  if (!(scale_ >= largest && scale_ <= kLargestScale)) throw_bad_archive("the scale of its sketches is out of range");
  if (has_map ? !is_drawn : !map.empty()) throw_bad_archive("it has a map without sketches, or a map that is none");
  // The size is not multiplied out before it is known to be a real one.
  const std::size_t side = is_drawn ? sizes_.columns : 0;
  if (both.size() != side * side) throw_bad_archive("its sketches have another size");
  // The entries of S_a are at most 1, the kernel values at most `scale_`.
  const auto n = static_cast<double>(rows);
  check_range(values, 1.0);
  check_range(both, kRounding * n * n * scale_);
  check_range(across, kRounding * n * scale_);
  check_range(map, scale_ > 0.0 ? kLargestMapEntry / std::sqrt(scale_) : 0.0);
  for (const std::uint64_t column : columns) {
    if (column >= sizes_.columns) throw_bad_archive("an entry of its sketch is in no column");
  }
  if (!is_drawn) return;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto from = static_cast<std::ptrdiff_t>(i * nonzeros);
    const auto to = from + static_cast<std::ptrdiff_t>(nonzeros);
    entries_.push_back({{columns.begin() + from, columns.begin() + to}, {values.begin() + from, values.begin() + to}});
  }
  both_ = Eigen::Map<const Eigen::MatrixXd>(both.data(), index(side), index(side));
  across_ = Eigen::Map<const Eigen::MatrixXd>(across.data(), index(side), index(sampled_.size()));
  if (!has_map) return;
  if (map.size() % sampled_.size() != 0 || map.size() / sampled_.size() > side) {
    throw_bad_archive("its map has another size than its sketches");
  }
  set_matrix(
      Eigen::Map<const Eigen::MatrixXd>(map.data(), index(sampled_.size()), index(map.size() / sampled_.size())));
}

template <class T>
std::size_t SketchMap<T>::bytes() const {
  const std::size_t entries = entries_.empty() ? 0 : entries_.size() * entries_[0].columns.size();
  return sampled_.bytes() + entries * (sizeof(std::uint64_t) + sizeof(double)) + entries_.capacity() * sizeof(Entries) +
         static_cast<std::size_t>(both_.size() + across_.size()) * sizeof(double) +
         numbers_.capacity() * sizeof(double) + columns_.capacity() * sizeof(const double*);
}

template class SketchMap<float>;
template class SketchMap<double>;

}  // namespace alder
