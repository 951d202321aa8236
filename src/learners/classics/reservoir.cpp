#include "learners/classics/reservoir.h"

#include <algorithm>
#include <cmath>

#include "archive/archive.h"
#include "archive/tensors.h"
#include "kernel/gram.h"

namespace alder {

template <class T>
ScaledSum Reservoir<T>::hint(const PreparedRow<T>& x, KernelValues& row) const {
  rows_.kernel_row(x, Accuracy::kFast, row);
  if (size() == 0) return {};
  ScaledSum mean = row.weighted_sum(labels_);
  mean.sum /= static_cast<double>(size());
  return mean;
}

template <class T>
double Reservoir<T>::mean_value() const {
  double sum = 0.0;
  for (std::size_t v = 0; v < size(); ++v) sum += labels_[v] * values_[v];
  return size() == 0 ? 0.0 : sum / static_cast<double>(size());
}

template <class T>
void Reservoir<T>::add_hint(double weight, Expansion<T>& f) {
  const auto n = static_cast<Eigen::Index>(size());
  for (std::size_t v = 0; v < size(); ++v) {
    const double coefficient = weight * labels_[v] / static_cast<double>(size());
    if (places_[v] == kNowhere) {
      places_[v] = f.size();
      f.append(queries_[v], coefficient);
    } else {
      f.coefficients()[places_[v]] += coefficient;
    }
    for (Eigen::Index u = 0; u < n; ++u) {
      values_[static_cast<std::size_t>(u)] += coefficient * gram_(u, static_cast<Eigen::Index>(v));
    }
  }
}

template <class T>
void Reservoir<T>::add_row(double weight, const KernelValues& row) {
  for (std::size_t v = 0; v < size(); ++v) values_[v] += weight * row.kernel(v);
}

template <class T>
void Reservoir<T>::scale_values(double factor) {
  for (double& value : values_) value *= factor;
}

template <class T>
void Reservoir<T>::offer(const PreparedRow<T>& x, double label, double value, const KernelValues& row,
                         std::size_t place, LearnerRandom& random) {
  ++offered_;
  std::size_t slot = size();
  if (slot == capacity_) {
    slot = random.below(offered_);
    if (slot >= capacity_) return;
    rows_.replace(slot, x);
  } else {
    rows_.append(x);
    labels_.resize(padded(slot + 1));
    queries_.resize(slot + 1);
    values_.resize(slot + 1);
    places_.resize(slot + 1);
    gram_.conservativeResize(static_cast<Eigen::Index>(slot + 1), static_cast<Eigen::Index>(slot + 1));
  }
  labels_[slot] = label;
  queries_[slot] = x;
  values_[slot] = value;
  places_[slot] = place;
  const auto s = static_cast<Eigen::Index>(slot);
  for (std::size_t v = 0; v < row.size(); ++v) {
    gram_(s, static_cast<Eigen::Index>(v)) = gram_(static_cast<Eigen::Index>(v), s) = row.kernel(v);
  }
  gram_(s, s) = x.self();
  renew_norm();
}

template <class T>
void Reservoir<T>::renew_norm() {
  const auto n = static_cast<Eigen::Index>(size());
  const Eigen::Map<const Eigen::VectorXd> y(labels_.data(), n);
  squared_norm_ = n == 0 ? 0.0 : std::max(0.0, y.dot(gram_ * y)) / static_cast<double>(n * n);
}

template <class T>
void Reservoir<T>::clear() {
  *this = Reservoir(rows_.kernel(), capacity_);
}

template <class T>
void Reservoir<T>::save(Archive& archive) const {
  rows_.save(archive, "reservoir");
  archive.put("reservoir.labels", std::span(labels_).first(size()));
  archive.put("reservoir.function_values", values_);
  archive.put("reservoir.places", std::vector<std::uint64_t>(places_.begin(), places_.end()));
  std::vector<double> triangle;
  for (Eigen::Index u = 0; u < gram_.rows(); ++u) {
    for (Eigen::Index v = 0; v <= u; ++v) triangle.push_back(gram_(u, v));
  }
  archive.put("reservoir.gram", triangle);
  archive.set("state", "offered", offered_);
}

template <class T>
void Reservoir<T>::load(const Archive& archive, std::size_t support) {
  offered_ = archive.setting<std::uint64_t>("state", "offered");
  constexpr std::uint64_t kMostOffered = std::uint64_t{1} << 62U;
  if (offered_ > kMostOffered) throw_bad_archive("its counters contradict each other");
  rows_.load(archive, "reservoir");
  if (size() != std::min<std::uint64_t>(capacity_, offered_)) throw_bad_archive("its reservoir has another size");
  const auto labels = archive.get<double>("reservoir.labels", size());
  values_ = archive.get<double>("reservoir.function_values", size());
  const auto places = archive.get<std::uint64_t>("reservoir.places", size());
  const auto triangle = archive.get<double>("reservoir.gram", size() * (size() + 1) / 2);
  labels_.assign(padded(size()), 0.0);
  gram_.resize(static_cast<Eigen::Index>(size()), static_cast<Eigen::Index>(size()));
  const double* next = triangle.data();
  for (std::size_t v = 0; v < size(); ++v) {
    if (labels[v] != 1.0 && labels[v] != -1.0) throw_bad_archive("a label of its reservoir is neither -1 nor +1");
    if (!(std::fabs(values_[v]) <= kLargestSum)) throw_bad_archive("a value of its reservoir is out of range");
    if (places[v] != kNowhere && places[v] >= support)
      throw_bad_archive("a row of its reservoir is in no place of the support set");
    labels_[v] = labels[v];
    for (std::size_t u = 0; u <= v; ++u, ++next) {
      if (!can_be_kernel_value(*next, rows_.self(u), rows_.self(v))) {
        throw_bad_archive("a kernel value of its reservoir is out of range");
      }
      gram_(static_cast<Eigen::Index>(u), static_cast<Eigen::Index>(v)) = *next;
      gram_(static_cast<Eigen::Index>(v), static_cast<Eigen::Index>(u)) = *next;
    }
    queries_.push_back(rows_.query(v));
  }
  places_.assign(places.begin(), places.end());
  renew_norm();
}

template <class T>
std::size_t Reservoir<T>::bytes() const {
  return 2 * rows_.bytes() + (values_.capacity() + labels_.capacity() + places_.capacity()) * sizeof(double) +
         static_cast<std::size_t>(gram_.size()) * sizeof(double);
}

template class Reservoir<float>;
template class Reservoir<double>;

}  // namespace alder
