#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "alder/predictions.h"

namespace alder {

class Archive;

/// The number that a share `level`, above 0 and below 1, of normal numbers is below.
double normal_quantile(double level);

/// Quantiles of targets around what was predicted of them, which follow the stream: those of kLevels in units of the
/// standard deviation that the learner gives with each prediction, so that they are wide where it is.
///
/// With u = (target − value)/deviation of a row that was predicted before it was learned, and q_a begun at the normal
/// quantile,
///   q_a += step·(a − [u < q_a]),   step = mean |u| · max(½/√t, 0.02),   then q_a = max(q_a, the one before it),
/// t being the rows so far, and the running mean of |u| begun at that of normal numbers. In the long run a share a of
/// all targets is below its quantile, up to |q_a|/(step·t), whatever the stream; this does not hold for every part of
/// it. A quantile of a row is value + deviation·q_a, cut to the range of the targets met and 5 % of it to either side.
///
/// A learner that gives no deviations has one for all rows: √(π/2) times the running mean of its errors, which is the
/// standard deviation of normal ones. All rows count alike, whatever their weights.
class TrackedQuantiles {
 public:
  TrackedQuantiles();

  /// Where a level lies: `share` of the way from tracked quantile `first` to the next. On the scale of normal
  /// quantiles, by which it is also continued beyond the ends.
  struct Place {
    std::size_t first = 0;
    double share = 0.0;
  };
  /// Throws Error for a level that is not above 0 and below 1.
  static std::vector<Place> places(std::span<const double> levels);

  /// The standard deviation of the target: as the learner gave it or, if that is NaN, that of all rows; NaN as long as
  /// it is not known.
  [[nodiscard]] double deviation(double given) const;
  /// The quantiles of a row; NaN without a value or a deviation.
  void quantiles(double value, double deviation, std::span<const Place> places, std::span<double> out) const;
  /// Learns the target of a row of which this was predicted; of one that was not, value NaN, only the range.
  void learn(double value, double deviation, double target);

  /// How many targets were met.
  [[nodiscard]] std::uint64_t targets() const { return targets_; }

  /// Writes the settings `quantiles` and the tensors quantiles.*, and back, exactly. `load` throws Error for content
  /// that `save` cannot have written.
  void save(Archive& archive) const;
  static TrackedQuantiles load(const Archive& archive);

 private:
  [[nodiscard]] bool is_sound() const;

  std::array<double, kLevels.size()> tracked_ = {};  // rising
  std::uint64_t targets_ = 0;                        // met
  std::uint64_t errors_ = 0;                         // of those that were predicted
  std::uint64_t steps_ = 0;                          // of those with a deviation
  double size_ = 0.0;                                // the running mean of |u|
  double error_ = 0.0;                               // that of |target − value|
  double low_ = 0.0;                                 // the targets met
  double high_ = 0.0;
};

}  // namespace alder
