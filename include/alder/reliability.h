#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace alder {

class Archive;

/// How far probabilities can be believed: rows in bins of equal width by the probability that was told, and how often
/// what it was told of came true.
///
/// Rows are binned by the largest of their probabilities and, as long as there are two classes, by that of the second.
class Reliability {
 public:
  static constexpr std::size_t kBins = 15;

  struct Bin {
    double weight = 0.0;       ///< of its rows
    double probability = 0.0;  ///< the mean of those told, by weight; 0 without rows
    double right = 0.0;        ///< the share of the weight for which it came true; 0 without rows
  };

  /// The largest probability of a row, and whether the class that has it is the row's.
  void add(double largest, bool is_right, double weight) {
    Largest& bin = largest_[place_of(largest)];
    bin.weight += weight;
    bin.probability += weight * largest;
    bin.right += weight * static_cast<double>(is_right);
  }
  /// Both probabilities of a row of class `target`, 0 or 1.
  void add_two(double first, double second, std::uint32_t target, double weight) {
    Two& bin = two_[place_of(second)];
    bin.weights[target] += weight;
    bin.probabilities[0] += weight * first;
    bin.probabilities[1] += weight * second;
  }
  /// There are more than two classes.
  void forget_two() { two_ = {}; }
  /// The two classes exchange their ids.
  void exchange_two();
  void merge(const Reliability& another);
  /// Sums above `most` become that.
  void limit(double most);

  /// The bins from 0 to 1; those of the second class's probability if `of_two`. None if no row was added.
  [[nodiscard]] std::vector<Bin> bins(bool of_two) const;
  /// The expected calibration error: the mean over all rows of |mean probability − share that was right| in their bins.
  [[nodiscard]] double error(bool of_two) const;
  /// The weight of all rows.
  [[nodiscard]] double weight() const;

  /// Writes the tensors `NAME` and, if `of_two`, `NAME.two`, unless no row was added, and back, exactly. `load` throws
  /// Error for content that `save` cannot have written.
  void save(Archive& archive, const char* name, bool of_two) const;
  static Reliability load(const Archive& archive, const char* name, bool of_two);

 private:
  struct Largest {
    double weight = 0.0;
    double probability = 0.0;  // Σ w p
    double right = 0.0;        // Σ w over the rows for which it came true
  };
  // Symmetric, so that classes can be exchanged exactly.
  struct Two {
    std::array<double, 2> weights = {};        // of the rows of either class
    std::array<double, 2> probabilities = {};  // Σ w p of either class
  };

  static std::size_t place_of(double probability) {
    return std::min<std::size_t>(static_cast<std::uint32_t>(probability * static_cast<double>(kBins)), kBins - 1);
  }
  [[nodiscard]] bool is_sound(bool of_two) const;

  std::array<Largest, kBins> largest_ = {};
  std::array<Two, kBins> two_ = {};
};

}  // namespace alder
