#include "alder/reliability.h"

#include <cmath>
#include <string>
#include <utility>

#include "archive/archive.h"
#include "model/targets.h"

namespace alder {
namespace {

// Probabilities of a row sum to 1 up to this (see Metrics::add), and so do their means.
constexpr double kRoundingOfMeans = 1e-3;

// Whether Σ w p is one of probabilities in this bin, up to rounding.
bool is_of_bin(double sum, double weight, std::size_t bin, double rounding) {
  if (!(sum >= 0.0 && sum <= kMostSum)) return false;
  if (sum >= kMostSum || weight >= kMostSum) return true;
  const double width = 1.0 / static_cast<double>(Reliability::kBins);
  const double low = width * static_cast<double>(bin);
  return sum >= (low - rounding) * weight && sum <= (low + width + rounding) * weight;
}

bool is_part(double part, double weight) {
  return part >= 0.0 && part <= weight && weight <= kMostSum;
}

}  // namespace

void Reliability::exchange_two() {
  std::reverse(two_.begin(), two_.end());
  for (Two& bin : two_) {
    std::swap(bin.weights[0], bin.weights[1]);
    std::swap(bin.probabilities[0], bin.probabilities[1]);
  }
}

void Reliability::merge(const Reliability& another) {
  for (std::size_t i = 0; i < kBins; ++i) {
    largest_[i].weight += another.largest_[i].weight;
    largest_[i].probability += another.largest_[i].probability;
    largest_[i].right += another.largest_[i].right;
    for (const std::size_t k : {0U, 1U}) {
      two_[i].weights[k] += another.two_[i].weights[k];
      two_[i].probabilities[k] += another.two_[i].probabilities[k];
    }
  }
}

void Reliability::limit(double most) {
  for (Largest& bin : largest_) {
    bin = {std::min(bin.weight, most), std::min(bin.probability, most), std::min(bin.right, most)};
  }
  for (Two& bin : two_) {
    for (const std::size_t k : {0U, 1U}) {
      bin.weights[k] = std::min(bin.weights[k], most);
      bin.probabilities[k] = std::min(bin.probabilities[k], most);
    }
  }
}

double Reliability::weight() const {
  double sum = 0.0;
  for (const Largest& bin : largest_) sum += bin.weight;
  return sum;
}

std::vector<Reliability::Bin> Reliability::bins(bool of_two) const {
  std::vector<Bin> bins;
  if (!(weight() > 0.0)) return bins;
  for (std::size_t i = 0; i < kBins; ++i) {
    const Two& two = two_[i];
    const Largest sums =
        of_two ? Largest{two.weights[0] + two.weights[1], two.probabilities[1], two.weights[1]} : largest_[i];
    bins.push_back({sums.weight, 0.0, 0.0});
    if (!(sums.weight > 0.0)) continue;
    bins.back().probability = sums.probability / sums.weight;
    bins.back().right = sums.right / sums.weight;
  }
  return bins;
}

double Reliability::error(bool of_two) const {
  // By how much a bin's Σ w p differs from its Σ w that was right. Of two classes the mean of both, which sum to 1, and
  // bins are added in pairs: so the error is the same to the bit whichever is the second.
  const auto difference = [&](std::size_t i) {
    const Two& two = two_[i];
    return of_two ? 0.5 * std::fabs((two.probabilities[1] - two.weights[1]) - (two.probabilities[0] - two.weights[0]))
                  : std::fabs(largest_[i].probability - largest_[i].right);
  };
  const auto weight_of = [&](std::size_t i) {
    return of_two ? two_[i].weights[0] + two_[i].weights[1] : largest_[i].weight;
  };
  constexpr std::size_t kMiddle = kBins / 2;
  double error = difference(kMiddle);
  double weight = weight_of(kMiddle);
  for (std::size_t i = 0; i < kMiddle; ++i) {
    error += difference(i) + difference(kBins - 1 - i);
    weight += weight_of(i) + weight_of(kBins - 1 - i);
  }
  return weight > 0.0 ? error / weight : 0.0;
}

void Reliability::save(Archive& archive, const char* name, bool of_two) const {
  if (!(weight() > 0.0)) return;
  std::vector<double> numbers;
  for (const Largest& bin : largest_) numbers.insert(numbers.end(), {bin.weight, bin.probability, bin.right});
  archive.put(name, numbers);
  if (!of_two) return;
  numbers.clear();
  for (const Two& bin : two_) {
    numbers.insert(numbers.end(), {bin.weights[0], bin.weights[1], bin.probabilities[0], bin.probabilities[1]});
  }
  archive.put(std::string(name) + ".two", numbers);
}

Reliability Reliability::load(const Archive& archive, const char* name, bool of_two) {
  Reliability loaded;
  if (archive.sizes().count(name) == 0) return loaded;
  const auto numbers = archive.get<double>(name, 3 * kBins);
  for (std::size_t i = 0; i < kBins; ++i) {
    loaded.largest_[i] = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
  }
  if (of_two) {
    const auto both = archive.get<double>(std::string(name) + ".two", 4 * kBins);
    for (std::size_t i = 0; i < kBins; ++i) {
      loaded.two_[i] = {{both[4 * i], both[4 * i + 1]}, {both[4 * i + 2], both[4 * i + 3]}};
    }
  }
  if (!loaded.is_sound(of_two)) throw_bad_archive(std::string("the bins of ") + name + " contradict each other");
  return loaded;
}

bool Reliability::is_sound(bool of_two) const {
  double sum = 0.0;
  double sum_of_two = 0.0;
  for (std::size_t i = 0; i < kBins; ++i) {
    const Largest& bin = largest_[i];
    if (!is_part(bin.right, bin.weight) || !is_of_bin(bin.probability, bin.weight, i, kRoundingOfSums)) return false;
    const Two& two = two_[i];
    const double weight = two.weights[0] + two.weights[1];
    if (!is_part(two.weights[0], kMostSum) || !is_part(two.weights[1], kMostSum) ||
        !is_of_bin(two.probabilities[1], weight, i, kRoundingOfSums) ||
        !is_of_bin(two.probabilities[0], weight, kBins - 1 - i, kRoundingOfMeans)) {
      return false;
    }
    sum += bin.weight;
    sum_of_two += weight;
  }
  return sum > 0.0 &&
         (!of_two || sum >= kMostSum || sum_of_two >= kMostSum || std::fabs(sum - sum_of_two) <= kRoundingOfSums * sum);
}

}  // namespace alder
