#include "kernel/expansion.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "archive/archive.h"
#include "archive/tensors.h"
#include "kernel/kernel_parts.h"

namespace alder {

template <class T>
void Expansion<T>::save(Archive& archive) const {
  rows_.save(archive, "support");
  archive.put("coefficients", std::span(a_).first(size()));
}

template <class T>
void Expansion<T>::load(const Archive& archive, std::size_t most) {
  rows_.load(archive, "support");
  if (size() > most) throw_bad_archive(fmt::format("it stores {} rows; expected at most {}", size(), most));
  const auto coefficients = archive.get<double>("coefficients", size());
  for (const double coefficient : coefficients) {
    if (!(std::fabs(coefficient) <= kLargestSum)) throw_bad_archive("a coefficient is out of range");
  }
  a_.assign(coefficients.begin(), coefficients.end());
  a_.resize(padded(size()));
}

template <class T>
void Expansion<T>::add_parts(const Row& row, Accuracy accuracy, double factor, ScoreParts& parts) const {
  static thread_local ScoredRows<T> scored;
  rows_.kernel_rows(std::span(&row, 1), accuracy, scored);
  std::vector<double> coefficients(a_.begin(), a_.begin() + static_cast<std::ptrdiff_t>(size()));
  for (double& coefficient : coefficients) coefficient *= factor;
  add_kernel_parts(rows_, scored.rows[0], scored.values[0], coefficients, parts);
}

template class Expansion<float>;
template class Expansion<double>;

}  // namespace alder
