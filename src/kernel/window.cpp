#include "kernel/window.h"

#include <cassert>
#include <cmath>

#include "model/archive.h"

namespace alder {

template <class T>
ScaledSum Window<T>::hint(const Query<T>& x, Accuracy accuracy, KernelRow& row) const {
  rows_.kernel_row(x, accuracy, row);
  if (size() == 0) return {};
  ScaledSum mean = row.weighted_sum(labels_);
  mean.sum /= static_cast<double>(size());
  return mean;
}

template <class T>
void Window<T>::push(const Query<T>& x, double label) {
  if (size() < capacity_) {
    labels_.resize(padded(size() + 1));
    newest_ = size();
    rows_.append(x);
  } else {
    newest_ = (newest_ + 1) % capacity_;
    rows_.replace(newest_, x);
  }
  labels_[newest_] = label;
}

template <class T>
void Window<T>::keep_support_values(const KernelRow& row, const double* self) {
  if (support_values_.size() < size()) support_values_.resize(size());
  auto& values = support_values_[newest_];
  values.clear();
  for (std::size_t i = 0; i < row.size(); ++i) values.push_back(row.kernel(i));
  if (self != nullptr) values.push_back(*self);
}

template <class T>
void Window<T>::extend_support_values(const KernelRow& row) {
  assert(row.size() == support_values_.size());
  for (std::size_t z = 0; z < row.size(); ++z) support_values_[z].push_back(row.kernel(z));
}

template <class T>
double Window<T>::projected_hint(const Eigen::VectorXd& beta) const {
  if (size() == 0) return 0.0;
  double sum = 0.0;
  for (std::size_t z = 0; z < size(); ++z) {
    assert(support_values_[z].size() == static_cast<std::size_t>(beta.size()));
    sum += labels_[z] * beta.dot(Eigen::Map<const Eigen::VectorXd>(support_values_[z].data(), beta.size()));
  }
  return sum / static_cast<double>(size());
}

template <class T>
void Window<T>::forget_support_values() {
  support_values_ = {};
}

template <class T>
void Window<T>::save(Archive& archive) const {
  rows_.save(archive, "window");
  archive.put("window.labels",
              std::vector<double>(labels_.begin(), labels_.begin() + static_cast<std::ptrdiff_t>(size())));
  std::vector<double> values;
  for (const auto& row : support_values_) values.insert(values.end(), row.begin(), row.end());
  archive.put("window.support_values", values);
  archive.settings["window_newest"] = newest_;
}

template <class T>
void Window<T>::load(const Archive& archive, bool keeps, std::size_t support) {
  rows_.load(archive, "window");
  newest_ = Archive::read<std::uint64_t>(archive.settings, "window_newest");
  if (size() > capacity_ || (size() > 0 ? newest_ >= size() : newest_ != 0) ||
      (size() < capacity_ && size() > 0 && newest_ != size() - 1)) {
    throw_bad_archive("its window is larger than allowed, or its newest row is none of it");
  }
  const auto labels = archive.get<double>("window.labels", size());
  labels_.assign(padded(size()), 0.0);
  for (std::size_t z = 0; z < size(); ++z) {
    if (labels[z] != 1.0 && labels[z] != -1.0) throw_bad_archive("a label of its window is neither -1 nor +1");
    labels_[z] = labels[z];
  }
  const auto values = archive.get<double>("window.support_values", keeps ? size() * support : 0);
  if (!keeps) return;
  support_values_.resize(size());
  for (std::size_t z = 0; z < size(); ++z) {
    for (std::size_t i = 0; i < support; ++i) {
      const double value = values[z * support + i];
      if (!std::isfinite(value)) throw_bad_archive("a kernel value of its window is not finite");
      support_values_[z].push_back(value);
    }
  }
}

template <class T>
std::size_t Window<T>::bytes() const {
  std::size_t total =
      rows_.bytes() + labels_.capacity() * sizeof(double) + support_values_.capacity() * sizeof(support_values_[0]);
  for (const auto& values : support_values_) total += values.capacity() * sizeof(double);
  return total;
}

template class Window<float>;
template class Window<double>;

}  // namespace alder
