#include "kernel/kernel_parts.h"

#include <cmath>

namespace alder {
namespace {

// Calls visit(x_f, s_f) for the features of either, ascending, without those that are 0 in both.
template <class T, class Visit>
void visit_both(const PreparedRow<T>& x, const StoredRow<T>& s, const Visit& visit) {
  const auto features = x.features();
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < features.size() || j < s.size()) {
    const bool is_of_x = j == s.size() || (i < features.size() && features[i] <= s[j].first);
    const bool is_of_s = i == features.size() || (j < s.size() && s[j].first <= features[i]);
    visit(is_of_x ? static_cast<double>(x.values()[i]) : 0.0, is_of_s ? static_cast<double>(s[j].second) : 0.0);
    i += is_of_x ? 1 : 0;
    j += is_of_s ? 1 : 0;
  }
}

template <class T>
double dot(const PreparedRow<T>& x, const StoredRow<T>& s) {
  double sum = 0.0;
  visit_both(x, s, [&sum](double of_x, double of_s) { sum += of_x * of_s; });
  return sum;
}

template <class T>
double distance(const PreparedRow<T>& x, const StoredRow<T>& s) {
  double sum = 0.0;
  visit_both(x, s, [&sum](double of_x, double of_s) { sum += (of_x - of_s) * (of_x - of_s); });
  return std::sqrt(sum);
}

// Calls visit(j, value) for the features of the list that are among `features`, where they have the place j.
template <class List, class Visit>
void visit_wanted(const List& list, std::span<const FeatureIndex> features, const Visit& visit) {
  std::size_t j = 0;
  for (const auto& [feature, value] : list) {
    while (j < features.size() && features[j] < feature) ++j;
    if (j == features.size()) return;
    if (features[j] == feature) visit(j, static_cast<double>(value));
  }
}

}  // namespace

std::vector<double> values_of(const Row& row, std::span<const FeatureIndex> features) {
  std::vector<double> values(features.size());
  std::size_t j = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    while (j < features.size() && features[j] < row.feature(i)) ++j;
    if (j == features.size()) break;
    if (features[j] == row.feature(i)) values[j] = row.value(i);
  }
  return values;
}

// But for the kernel of |x−s|₁, ∂κ(s,x)/∂x_f is b (s_f − x_f), or b s_f if the kernel is one of the dot product.
template <class T>
void add_gradient(const Dictionary<T>& rows, const PreparedRow<T>& x, std::span<const KernelTerm> terms, double ratio,
                  std::span<const FeatureIndex> features, std::span<double> gradient) {
  const Kernel& kernel = rows.kernel();
  const double gamma = ratio * kernel.gamma();
  std::vector<double> of_x(features.size());
  StoredRow<T> listed;
  for (std::size_t i = 0; i < x.features().size(); ++i) listed.emplace_back(x.features()[i], x.values()[i]);
  visit_wanted(listed, features, [&of_x](std::size_t j, double value) { of_x[j] = value; });
  std::vector<double> of_s(features.size());
  double sum = 0.0;  // of b, if the kernel is one of the distance
  for (const KernelTerm& term : terms) {
    if (term.coefficient == 0.0) continue;
    const StoredRow<T> s = rows.element(term.element);
    double b = 0.0;
    switch (kernel.kind()) {
      case Kernel::Kind::kGaussian:
        b = 2.0 * gamma * term.coefficient * term.kernel;
        break;
      case Kernel::Kind::kLaplacian:
        if (const double length = distance(x, s); length > 0.0) b = gamma * term.coefficient * term.kernel / length;
        break;
      case Kernel::Kind::kLaplacianL1: {
        const double size = gamma * term.coefficient * term.kernel;
        of_s.assign(features.size(), 0.0);
        visit_wanted(s, features, [&of_s](std::size_t j, double value) { of_s[j] = value; });
        for (std::size_t j = 0; j < features.size(); ++j) {
          if (of_s[j] != of_x[j]) gradient[j] += of_s[j] > of_x[j] ? size : -size;
        }
        continue;
      }
      case Kernel::Kind::kPolynomial:
        b = term.coefficient * kernel.degree() * kernel.gamma() *
            std::pow(kernel.gamma() * dot(x, s) + kernel.coef0(), kernel.degree() - 1);
        break;
      case Kernel::Kind::kLinear:
        b = term.coefficient;
        break;
    }
    if (kernel.is_radial()) sum += b;
    visit_wanted(s, features, [&gradient, b](std::size_t j, double value) { gradient[j] += b * value; });
  }
  for (std::size_t j = 0; j < features.size(); ++j) gradient[j] -= sum * of_x[j];
}

double self_slope(const Kernel& kernel, double squared_norm) {
  if (kernel.kind() == Kernel::Kind::kLinear) return 1.0 / squared_norm;
  return kernel.degree() * kernel.gamma() / (kernel.gamma() * squared_norm + kernel.coef0());
}

template <class T>
void add_kernel_parts(const Dictionary<T>& rows, const PreparedRow<T>& x, const KernelValues& values,
                      std::span<const double> coefficients, ScoreParts& parts) {
  std::vector<KernelTerm> terms;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    terms.push_back({i, coefficients[i], values.kernel(i)});
    parts.rows.push_back({coefficients[i] * values.kernel(i), values.kernel(i)});
  }
  add_gradient(rows, x, terms, 1.0, parts.features, parts.gradient);
}

template void add_gradient(const Dictionary<float>&, const PreparedRow<float>&, std::span<const KernelTerm>, double,
                           std::span<const FeatureIndex>, std::span<double>);
template void add_gradient(const Dictionary<double>&, const PreparedRow<double>&, std::span<const KernelTerm>, double,
                           std::span<const FeatureIndex>, std::span<double>);
template void add_kernel_parts(const Dictionary<float>&, const PreparedRow<float>&, const KernelValues&,
                               std::span<const double>, ScoreParts&);
template void add_kernel_parts(const Dictionary<double>&, const PreparedRow<double>&, const KernelValues&,
                               std::span<const double>, ScoreParts&);

}  // namespace alder
