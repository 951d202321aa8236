#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

namespace alder {

class Archive;

/// The unit in which ALDER sees the targets of a stream of numbers, y' = (y − center)/scale, and what it knows of them:
/// their range, the last ones, and how large the errors of its predictions are.
class TargetFrame {
 public:
  /// A target beyond this is none: sums of squares of such numbers stay finite.
  static constexpr double kMost = 1e150;

  /// Center and scale are the mean and the deviation of these targets, and are not changed any more; if they are equal,
  /// that number and 1. They are learned, too.
  void fit(std::span<const double> targets);

  /// Cut to ±1e100, so that squares are finite whatever the unit is.
  [[nodiscard]] double inside(double target) const {
    return std::clamp((target - center_) / scale_, -kMostInside, kMostInside);
  }
  [[nodiscard]] double outside(double score) const { return center_ + scale_ * score; }
  [[nodiscard]] double center() const { return center_; }
  [[nodiscard]] double scale() const { return scale_; }

  /// Cuts a prediction to the range of the targets met, and 10 % of it on either side: in a row with features unlike
  /// all others a linear function goes anywhere.
  [[nodiscard]] double cut(double score) const;
  /// A quarter of min(e², 16 s²)/s² for the error e of a prediction, s² being the mean of squared errors lately.
  [[nodiscard]] double charge(double error) const;
  /// s.
  [[nodiscard]] double error() const;

  /// The last target, and a mean of the latest ones: each counts for 1/15 less than the next one.
  [[nodiscard]] double last() const { return last_; }
  [[nodiscard]] double recent_mean() const { return recent_mean_; }
  /// As if no target had come yet, and one more: for rows that are learned again.
  void restart_recent() { last_ = recent_mean_ = 0.0; }
  void push_recent(double target);

  /// A row was learned, whose target is y'; e is the error of what was predicted. Where there was no error at all, s²
  /// begins anew with the first one.
  void learn(double target, double error);

  void save(Archive& archive, const std::string& name) const;
  void load(const Archive& archive, const std::string& name);

 private:
  static constexpr double kMostInside = 1e100;

  double center_ = 0.0;
  double scale_ = 1.0;
  double low_ = 0.0;
  double high_ = 0.0;
  double last_ = 0.0;
  double recent_mean_ = 0.0;
  double error_square_ = 1.0;
  std::uint64_t rows_ = 0;  // whose errors are known
};

}  // namespace alder
