#include "learners/alder/mixture.h"

#include <algorithm>
#include <cmath>

#include "alder/examples.h"

#include "archive/archive.h"
#include "learners/core/margin.h"

namespace alder {
namespace {

constexpr double kMixtureDiscount = 0.999;
constexpr double kMostMixtureMistakes = kMostWeight / (1.0 - kMixtureDiscount);
constexpr double kMostCaution = 10.0;

}  // namespace

void add_cut(std::span<const double> scores, double most, double weight, std::span<double> out) {
  if (scores.size() == 1) {
    out[0] += weight * std::clamp(scores[0], -most, most);
    return;
  }
  const double largest = *std::max_element(scores.begin(), scores.end());
  for (std::size_t c = 0; c < scores.size(); ++c) out[c] += weight * std::max(scores[c] - largest, -most);
}

Directions before_cut(std::span<const double> scores, double most, double weight, const Directions& after) {
  const std::size_t width = scores.size();
  Directions before(std::vector<double>(width, 0.0));
  const auto share_of = [most](double score) { return score > most ? most / score : 1.0; };
  if (width == 1) {
    const double share = share_of(std::fabs(scores[0]));
    before.shares[0] = weight * share * after.shares[0];
    before.slopes[0] = share < 1.0 ? 0.0 : weight * after.slopes[0];
    return before;
  }
  const auto top = static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  for (std::size_t c = 0; c < width; ++c) {
    if (c == top) continue;  // nothing is left of the largest
    const double share = share_of(scores[top] - scores[c]);
    const double slope = share < 1.0 ? 0.0 : weight * after.slopes[c];
    before.shares[c] += weight * share * after.shares[c];
    before.shares[top] -= weight * share * after.shares[c];
    before.slopes[c] += slope;
    before.slopes[top] -= slope;
  }
  return before;
}

Mixture::Mixture(std::size_t predictors) : mistakes_(predictors), weights_(predictors) {
  weigh();
}

void Mixture::insert_behind(std::size_t p) {
  mistakes_.insert(mistakes_.begin() + static_cast<std::ptrdiff_t>(p) + 1, mistakes_[p]);
  weights_.resize(mistakes_.size());
  weigh();
}

void Mixture::set_caution(double caution) {
  caution_ = caution;
  weigh();
}

void Mixture::weigh() {
  const auto cost = [this](std::size_t p) {
    return mistakes_[p] + static_cast<double>(p) * caution_ * std::sqrt(mistakes_[p] + 1.0);
  };
  top_ = 0;
  for (std::size_t p = 1; p < weights_.size(); ++p) {
    if (cost(p) < cost(top_)) top_ = p;
  }
  double sum = 0.0;
  for (std::size_t p = 0; p < weights_.size(); ++p) {
    weights_[p] = std::exp(0.5 * (cost(top_) - cost(p)));
    sum += weights_[p];
  }
  for (double& weight : weights_) weight /= sum;
}

void Mixture::combine(std::span<const double> scores, double most, std::span<double> out) const {
  const std::size_t width = out.size();
  if (weights_.size() == 1) {
    std::copy_n(scores.begin(), width, out.begin());
    return;
  }
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t p = 0; p < weights_.size(); ++p) add_cut(scores.subspan(p * width, width), most, weights_[p], out);
}

Directions Mixture::before(std::size_t p, std::span<const double> scores, double most, const Directions& after) const {
  return weights_.size() == 1 ? after : before_cut(scores, most, weights_[p], after);
}

void Mixture::count(std::span<const double> scores, std::size_t width, double target, double weight) {
  if (weights_.size() == 1) return;
  for (std::size_t p = 0; p < weights_.size(); ++p) {
    const bool is_mistake = margin_of(scores.subspan(p * width, width), target).is_mistake;
    mistakes_[p] = kMixtureDiscount * mistakes_[p] + (is_mistake ? weight : 0.0);
  }
  weigh();
}

void Mixture::save(Archive& archive, const std::string& name) const {
  std::vector<double> numbers = {caution_};
  numbers.insert(numbers.end(), mistakes_.begin(), mistakes_.end());
  archive.put(name, numbers);
}

void Mixture::load(const Archive& archive, const std::string& name) {
  const auto numbers = archive.get<double>(name, 1 + mistakes_.size());
  const auto is_sound = [](double number, double most) { return number >= 0.0 && number <= most; };
  if (!is_sound(numbers[0], kMostCaution)) throw_bad_archive("a number of " + name + " is out of range");
  caution_ = numbers[0];
  for (std::size_t p = 0; p < mistakes_.size(); ++p) {
    if (!is_sound(numbers[1 + p], kMostMixtureMistakes)) throw_bad_archive("a number of " + name + " is out of range");
    mistakes_[p] = numbers[1 + p];
  }
  weigh();
}

}  // namespace alder
