#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "alder/error.h"
#include "alder/theory.h"

namespace alder {
namespace {

// A difference of traces is not known better than this part of them.
constexpr double kTraceRounding = 1e-13;

double checked(const char* name, double number) {
  if (!(number >= 0.0) || !std::isfinite(number)) {
    throw Error(fmt::format("{} is {}; expected a finite number that is not negative", name, number));
  }
  return number;
}

double checked_positive(const char* name, double number) {
  if (!(number > 0.0) || !std::isfinite(number)) {
    throw Error(fmt::format("{} is {}; expected a finite number above 0", name, number));
  }
  return number;
}

// factor·U·sqrt(sum) + 9U·sqrt(D), and factor·U·sqrt(2T·sum/B) if there are removals.
double regret_bound(double factor, const RegretTerms& terms, double sum) {
  checked("the radius", terms.radius);
  checked("the largest kernel value", terms.largest_self);
  double bound = factor * terms.radius * std::sqrt(sum) + 9.0 * terms.radius * std::sqrt(terms.largest_self);
  if (terms.removals) {
    if (terms.removals->budget == 0) throw Error("the budget is 0; expected at least 1");
    const auto rounds = static_cast<double>(terms.removals->rounds);
    bound += factor * terms.radius * std::sqrt(2.0 * rounds * sum / static_cast<double>(terms.removals->budget));
  }
  return bound;
}

}  // namespace

double regret_bound_of_delta(double sum_delta, const RegretTerms& terms) {
  return regret_bound(3.0, terms, checked("the sum of delta", sum_delta));
}

double regret_bound_of_alignment(double alignment, const RegretTerms& terms) {
  return regret_bound(6.0, terms, checked("the alignment", alignment) + 2.0 * terms.largest_self);
}

double ald_error(double ald, double zeta, std::uint64_t rounds, double largest_self) {
  if (rounds == 0) throw Error("the number of rounds is 0; expected at least 1");
  checked("the constant of the ALD threshold", ald);
  return checked("the largest kernel value", largest_self) * ald * ald *
         std::pow(static_cast<double>(rounds), -2.0 * zeta);
}

double budget_bound(const Decay& decay, double alpha, double smallest_self) {
  checked_positive("the ALD error", alpha);
  checked_positive("the smallest kernel value", smallest_self);
  checked_positive("the constant of the decay", decay.constant);
  checked_positive("the rate of the decay", decay.rate);
  // ln(C·R0/α)
  const double ratio = std::log(decay.constant / alpha) + std::log(std::max(1.0, alpha / smallest_self));
  if (decay.kind == Decay::Kind::kExponential) {
    if (decay.rate >= 1.0)
      throw Error(fmt::format("the rate of an exponential decay is {}; expected r < 1", decay.rate));
    return std::max(1.0, 2.0 * ratio / -std::log(decay.rate));
  }
  return std::max(1.0, std::exp(1.0 + ratio / decay.rate));
}

std::size_t budget_bound(std::span<const double> leading, double trace, std::uint64_t rounds, double alpha,
                         double smallest_self) {
  checked_positive("the ALD error", alpha);
  checked_positive("the smallest kernel value", smallest_self);
  double known = 0.0;
  for (const double eigenvalue : leading) known += eigenvalue;
  const double rest = std::max(0.0, trace - known) + kTraceRounding * trace;
  const double log_alpha = std::log(alpha);
  double log_product = -std::log(smallest_self) + log_alpha;  // ln(Π_{j<=k} λ_j / (A·α^(k−1)))
  std::size_t largest = 1;
  for (std::uint64_t k = 1; k <= rounds; ++k) {
    double eigenvalue = 0.0;
    if (k <= leading.size()) {
      eigenvalue = leading[k - 1];
    } else {
      // Those behind the leading ones fall and add up to the rest.
      eigenvalue = rest / static_cast<double>(k - leading.size());
      if (!leading.empty()) eigenvalue = std::min(eigenvalue, leading.back());
    }
    if (eigenvalue <= 0.0) break;
    log_product += std::log(eigenvalue) - log_alpha;
    if (log_product > 0.0) largest = static_cast<std::size_t>(k);
    if (log_product <= 0.0 && eigenvalue <= alpha) break;  // factors from here on are below 1
  }
  return largest;
}

}  // namespace alder
