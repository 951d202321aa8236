#include <algorithm>

#include <Eigen/Core>

#include "alder/theory.h"

#include "kernel/decompositions.h"
#include "kernel/dictionary.h"

namespace alder {

std::vector<double> kernel_spectrum(const Dataset& dataset, const Kernel& kernel) {
  const auto n = static_cast<Eigen::Index>(dataset.size());
  if (n == 0) return {};
  Eigen::MatrixXd matrix(n, n);
  Dictionary<double> rows(kernel);
  PreparedRow<double> query;
  KernelValues values;
  for (Eigen::Index i = 0; i < n; ++i) {
    query.assign(dataset[static_cast<std::size_t>(i)].row, kernel);
    rows.kernel_row(query, Accuracy::kExact, values);
    for (Eigen::Index j = 0; j < i; ++j) matrix(i, j) = values.kernel(static_cast<std::size_t>(j));
    matrix(i, i) = query.self();
    rows.append(query);
  }
  // The solver reads the lower half only, and returns eigenvalues in rising order.
  const Eigen::VectorXd rising = eigenvalues(matrix);
  std::vector<double> falling(dataset.size());
  for (Eigen::Index i = 0; i < n; ++i) {
    falling[static_cast<std::size_t>(n - 1 - i)] = std::max(0.0, rising[i] / static_cast<double>(n));
  }
  return falling;
}

}  // namespace alder
