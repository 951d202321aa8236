#include "alder/loss.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "alder/error.h"

namespace alder {
namespace {

constexpr std::array<std::string_view, 9> kLossNames = {
    "hinge", "squared_hinge", "logistic", "squared", "absolute", "epsilon_insensitive", "quantile", "huber", "poisson"};

double check_loss_parameter(Loss::Kind kind, double parameter) {
  const auto wrong = [&](std::string_view letter, std::string_view expected) {
    throw Error(fmt::format("{} of the {} loss is {}; expected {}", letter,
                            kLossNames.at(static_cast<std::size_t>(kind)), parameter, expected));
  };
  switch (kind) {
    case Loss::Kind::kInsensitive:
      if (!(parameter >= 0.0) || !std::isfinite(parameter)) wrong("epsilon", "a finite number that is not negative");
      break;
    case Loss::Kind::kQuantile:
      if (!(parameter > 0.0 && parameter < 1.0)) wrong("tau", "a number between 0 and 1");
      break;
    case Loss::Kind::kHuber:
      if (!(parameter > 0.0) || !std::isfinite(parameter)) wrong("delta", "a finite number above 0");
      break;
    default:
      if (parameter != 0.0) wrong("the parameter", "0, since it has none");
  }
  return parameter;
}

// 1/(1 + e^(−s)), to full relative precision on both sides.
double sigmoid(double s) {
  if (s >= 0.0) return 1.0 / (1.0 + std::exp(-s));
  const double e = std::exp(s);
  return e / (1.0 + e);
}

double sign_or_zero(double x) {
  return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;
}

// e^s − y·s + y·ln y − y. Near its minimum the terms cancel; there d = s − ln y is small, and it is y·(e^d − 1 − d).
double half_poisson_deviance(double s, double y) {
  if (y == 0.0) return std::exp(s);
  const double d = s - std::log(y);
  if (d > 1.0) {
    const double mean = std::exp(s);
    return std::isfinite(mean) ? mean - y * (1.0 + d) : mean;
  }
  return std::max(0.0, y * (std::expm1(d) - d));
}

}  // namespace

Loss Loss::of(Kind kind, double parameter) {
  return {kind, check_loss_parameter(kind, parameter)};
}

Loss Loss::named(std::string_view name, double parameter) {
  const auto* const found = std::find(kLossNames.begin(), kLossNames.end(), name);
  if (found == kLossNames.end()) {
    throw Error(fmt::format("there is no loss \"{}\"; expected one of {}", name, fmt::join(kLossNames, ", ")));
  }
  return of(static_cast<Kind>(found - kLossNames.begin()), parameter);
}

std::span<const std::string_view> Loss::names() {
  return kLossNames;
}

std::string Loss::name() const {
  return std::string(kLossNames.at(static_cast<std::size_t>(kind_)));
}

Task Loss::task() const {
  return kind_ == Kind::kHinge || kind_ == Kind::kSquaredHinge || kind_ == Kind::kLogistic ? Task::kClassification
                                                                                           : Task::kRegression;
}

bool Loss::accepts(double y) const {
  if (task() == Task::kClassification) return y == 1.0 || y == -1.0;
  return std::isfinite(y) && (kind_ != Kind::kPoisson || y >= 0.0);
}

double Loss::value(double score, double y) const {
  const double margin = y * score;               // of classification
  const double distance = std::fabs(score - y);  // of regression
  switch (kind_) {
    case Kind::kHinge:
      return std::max(0.0, 1.0 - margin);
    case Kind::kSquaredHinge: {
      const double missing = std::max(0.0, 1.0 - margin);
      return missing * missing;
    }
    case Kind::kLogistic:
      return std::max(0.0, -margin) + std::log1p(std::exp(-std::fabs(margin)));
    case Kind::kSquared:
      return 0.5 * distance * distance;
    case Kind::kAbsolute:
      return distance;
    case Kind::kInsensitive:
      return std::max(0.0, distance - parameter_);
    case Kind::kQuantile:
      return distance * (score < y ? parameter_ : 1.0 - parameter_);
    case Kind::kHuber:
      return distance <= parameter_ ? 0.5 * distance * distance : parameter_ * (distance - 0.5 * parameter_);
    case Kind::kPoisson:
      break;
  }
  return half_poisson_deviance(score, y);
}

double Loss::slope(double score, double y) const {
  const double margin = y * score;
  const double difference = score - y;
  switch (kind_) {
    case Kind::kHinge:
      return margin < 1.0 ? -y : 0.0;
    case Kind::kSquaredHinge:
      return margin < 1.0 ? -2.0 * y * (1.0 - margin) : 0.0;
    case Kind::kLogistic:
      return -y * sigmoid(-margin);
    case Kind::kSquared:
      return difference;
    case Kind::kAbsolute:
      return sign_or_zero(difference);
    case Kind::kInsensitive:
      return std::fabs(difference) > parameter_ ? sign_or_zero(difference) : 0.0;
    case Kind::kQuantile:
      return difference < 0.0 ? -parameter_ : difference > 0.0 ? 1.0 - parameter_ : 0.0;
    case Kind::kHuber:
      return std::clamp(difference, -parameter_, parameter_);
    case Kind::kPoisson:
      break;
  }
  return std::exp(score) - y;
}

double Loss::curvature(double score, double y) const {
  switch (kind_) {
    case Kind::kSquaredHinge:
      return y * score < 1.0 ? 2.0 : 0.0;
    case Kind::kLogistic: {
      const double e = std::exp(-std::fabs(score));
      return e / ((1.0 + e) * (1.0 + e));
    }
    case Kind::kSquared:
      return 1.0;
    case Kind::kHuber:
      return std::fabs(score - y) < parameter_ ? 1.0 : 0.0;
    case Kind::kPoisson:
      return std::exp(score);
    case Kind::kHinge:
    case Kind::kAbsolute:
    case Kind::kInsensitive:
    case Kind::kQuantile:
      break;
  }
  return 0.0;
}

double Loss::response(double score) const {
  if (kind_ == Kind::kLogistic) return sigmoid(score);
  return kind_ == Kind::kPoisson ? std::exp(score) : score;
}

}  // namespace alder
