#include "learners/alder/target_frame.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "archive/archive.h"

namespace alder {
namespace {

constexpr double kCutMargin = 0.1;          // of the range
constexpr double kRecentRate = 1.0 / 15.0;  // of the mean of the latest targets
constexpr double kErrorRate = 1.0 / 200.0;  // of the mean of squared errors
constexpr double kMostErrorSquare = 9.0;    // by that mean, of one that is learned
constexpr double kMostChargeSquare = 16.0;  // of one that is charged
constexpr double kChargePart = 0.25;
constexpr double kLeastErrorSquare = 1e-30;
constexpr double kMostSquare = 1e203;  // of errors of numbers inside

}  // namespace

void TargetFrame::fit(std::span<const double> targets) {
  const auto n = static_cast<double>(targets.size());
  for (const double target : targets) center_ += target / n;
  double squares = 0.0;
  for (const double target : targets) squares += (target - center_) * (target - center_) / n;
  scale_ = std::sqrt(squares);
  if (!(scale_ > 1e-12 * std::fabs(center_)) || !(scale_ > 1e-150)) scale_ = 1.0;
  if (std::adjacent_find(targets.begin(), targets.end(), std::not_equal_to<>()) == targets.end()) {
    center_ = targets.front();  // the mean is rounded
  }
  low_ = high_ = inside(targets.front());
  for (const double target : targets) {
    low_ = std::min(low_, inside(target));
    high_ = std::max(high_, inside(target));
    push_recent(inside(target));
  }
}

double TargetFrame::cut(double score) const {
  const double margin = kCutMargin * (high_ - low_);
  return std::clamp(score, low_ - margin, high_ + margin);
}

double TargetFrame::charge(double error) const {
  return kChargePart * std::min(error * error / error_square_, kMostChargeSquare);
}

double TargetFrame::error() const {
  return std::sqrt(error_square_);
}

void TargetFrame::push_recent(double target) {
  last_ = target;
  recent_mean_ += kRecentRate * (target - recent_mean_);
}

void TargetFrame::learn(double target, double error) {
  low_ = std::min(low_, target);
  high_ = std::max(high_, target);
  push_recent(target);
  if (error_square_ <= kLeastErrorSquare && error != 0.0) rows_ = 0;
  ++rows_;
  const double rate = std::max(1.0 / static_cast<double>(rows_), kErrorRate);
  const double square = rows_ == 1 ? error * error : std::min(error * error, kMostErrorSquare * error_square_);
  error_square_ = std::max(error_square_ + rate * (square - error_square_), kLeastErrorSquare);
}

void TargetFrame::save(Archive& archive, const std::string& name) const {
  archive.put(name, std::vector<double>{center_, scale_, low_, high_, last_, recent_mean_, error_square_});
  archive.put(name + ".rows", std::vector<std::uint64_t>{rows_});
}

void TargetFrame::load(const Archive& archive, const std::string& name) {
  const auto numbers = archive.get<double>(name, 7);
  const auto is_inside = [](double number) { return std::fabs(number) <= kMostInside; };
  if (!(std::fabs(numbers[0]) <= kMost) || !(numbers[1] > 0.0 && numbers[1] <= 2.0 * kMost) ||
      !std::all_of(numbers.begin() + 2, numbers.begin() + 6, is_inside) || !(numbers[2] <= numbers[3]) ||
      !(numbers[6] >= kLeastErrorSquare && numbers[6] <= kMostSquare)) {
    throw_bad_archive("the numbers of " + name + " are out of range");
  }
  center_ = numbers[0];
  scale_ = numbers[1];
  low_ = numbers[2];
  high_ = numbers[3];
  last_ = numbers[4];
  recent_mean_ = numbers[5];
  error_square_ = numbers[6];
  rows_ = archive.get<std::uint64_t>(name + ".rows", 1)[0];
}

}  // namespace alder
