#include "model/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "archive/archive.h"

namespace alder {
namespace {

constexpr double kMemory = 0.9998;
constexpr double kLeastShare = 0.02;
// So much is always known of every part, or what is not learned for long would be forgotten altogether.
constexpr double kLeastInformation = 1e-6;
constexpr double kNothing = 1e-30;
// Scores and logits beyond this say no more: their probabilities are 0 or 1 to all digits.
constexpr double kFarthest = 100.0;
// No parameter grows beyond this.
constexpr double kMostTheta = 1e4;
constexpr double kMostInformation = 1e100;
constexpr double kLeastScale = 1e-100;

// Most of many classes are far behind: theirs is known.
const double kLeastLogShare = std::log(kLeastShare);
double clipped_margin(double margin) {
  if (0.5 * (1.0 + margin) <= kLeastShare) return kLeastLogShare;
  return std::log(std::clamp(0.5 * (1.0 + margin), kLeastShare, 1.0));
}

double within_reach(double number) {
  return std::clamp(number, -kFarthest, kFarthest);
}

// The first n parts of the x with A x = b, for a positive definite A of which the lower half is given.
template <std::size_t kCount, class Matrix, class Vector>
Vector solve(Matrix a, Vector b) {
  if constexpr (kCount == 2) {  // in every round of learners that take little longer themselves
    const double determinant = std::max(a[0][0] * a[1][1] - a[1][0] * a[1][0], a[0][0] * kLeastInformation);
    const double factor = 1.0 / determinant;
    const double first = (a[1][1] * b[0] - a[1][0] * b[1]) * factor;
    b[1] = (a[0][0] * b[1] - a[1][0] * b[0]) * factor;
    b[0] = first;
    return b;
  }
  for (std::size_t j = 0; j < kCount; ++j) {
    for (std::size_t k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
    a[j][j] = 1.0 / std::sqrt(std::max(a[j][j], kLeastInformation));
    for (std::size_t i = j + 1; i < kCount; ++i) {
      for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] *= a[j][j];
    }
  }
  for (std::size_t i = 0; i < kCount; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] *= a[i][i];
  }
  for (std::size_t i = kCount; i-- > 0;) {
    for (std::size_t k = i + 1; k < kCount; ++k) b[i] -= a[k][i] * b[k];
    b[i] *= a[i][i];
  }
  return b;
}

std::size_t predicted_by(std::span<const double> scores) {
  return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

// By how much, in relation, the class that is predicted is ahead of others that share with it.
constexpr double kAhead = 1e-9;

// Gives the predicted class the largest probability: those above it share with it.
void favour(std::size_t predicted, std::span<double> out) {
  const double least = out[predicted];
  double sum = least;
  double count = 1.0;
  for (const double probability : out) {
    if (!(probability > least)) continue;
    sum += probability;
    count += 1.0;
  }
  if (count == 1.0) return;
  const double shared = sum / count;
  for (double& probability : out) {
    if (probability > least) probability = shared * (1.0 - kAhead / (count - 1.0));
  }
  out[predicted] = shared * (1.0 + kAhead);
}

// The same for two classes, of which this one score tells.
void give_two(double probability_of_one, double score, std::span<double> out) {
  const double p = score >= 0.0 ? std::max(probability_of_one, 0.5 * (1.0 + kAhead))
                                : std::min(probability_of_one, 0.5 * (1.0 - kAhead));
  out[0] = 1.0 - p;
  out[1] = p;
}

}  // namespace

double Calibration::scale() const {
  return square_ > 0.0 ? std::max(std::sqrt(square_ / weight_), kLeastScale) : 1.0;
}

Calibration::Parts Calibration::difference(double score, std::span<const double> logits) const {
  if (logits.empty()) return {within_reach(score / scale()), 1.0, 0.0, 0.0};
  return {within_reach(score), 1.0, clipped_margin(score) - clipped_margin(-score), within_reach(logits[0])};
}

void Calibration::parts_of(std::span<const double> scores, std::span<const double> logits,
                           std::vector<Parts>& parts) const {
  const auto top = static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  double second = -std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < scores.size(); ++c) {
    if (c != top) second = std::max(second, scores[c]);
  }
  const double unit = logits.empty() ? scale() : 1.0;
  const double most = logits.empty() ? 0.0 : *std::max_element(logits.begin(), logits.end());
  parts.assign(scores.size(), Parts{});
  for (std::size_t c = 0; c < scores.size(); ++c) {
    parts[c][0] = within_reach((scores[c] - scores[top]) / unit);
    if (logits.empty()) continue;
    parts[c][2] = clipped_margin(scores[c] - (c == top ? second : scores[top]));
    parts[c][3] = within_reach(logits[c] - most);
  }
}

double Calibration::odds(const Parts& parts) const {
  return theta_[0] * parts[0] + theta_[1] * parts[1] + theta_[2] * parts[2] + theta_[3] * parts[3];
}

double Calibration::probability_of_one(const Parts& difference) const {
  return 1.0 / (1.0 + std::exp(-odds(difference)));
}

void Calibration::softmax(const std::vector<Parts>& parts, std::span<double> out) const {
  for (std::size_t c = 0; c < out.size(); ++c) out[c] = odds(parts[c]);
  const double most = *std::max_element(out.begin(), out.end());
  double sum = 0.0;
  for (double& number : out) {
    number = std::exp(number - most);
    sum += number;
  }
  for (double& number : out) number /= sum;
}

void Calibration::probabilities(std::span<const double> scores, std::span<const double> logits,
                                std::span<double> out) const {
  if (scores.size() == 1) {
    give_two(probability_of_one(difference(scores[0], logits)), scores[0], out);
    return;
  }
  static thread_local std::vector<Parts> parts;
  parts_of(scores, logits, parts);
  softmax(parts, out);
  favour(predicted_by(scores), out);
}

void Calibration::learn(std::span<const double> scores, std::span<const double> logits, double target, double weight,
                        std::span<double> out) {
  if (scores.size() == 1) {
    const Parts x = difference(scores[0], logits);
    const double p = probability_of_one(x);
    if (logits.empty()) {
      learn_two<kPartsOfScores>(x, p, target, weight);
      follow_scale(scores, weight);
    } else {
      learn_two<kParts>(x, p, target, weight);
    }
    give_two(p, scores[0], out);
    return;
  }
  static thread_local std::vector<Parts> parts;
  parts_of(scores, logits, parts);
  softmax(parts, out);
  if (logits.empty()) {
    learn_many<kPartsOfScores>(parts, out, target, weight);
    follow_scale(scores, weight);
  } else {
    learn_many<kParts>(parts, out, target, weight);
  }
  favour(predicted_by(scores), out);
}

template <std::size_t kCount>
void Calibration::discount() {
  for (std::size_t i = 0; i < kCount; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double less = kMemory * information_[i][j];
      information_[i][j] = i == j ? std::max(less, kLeastInformation) : std::fabs(less) < kNothing ? 0.0 : less;
    }
  }
}

template <std::size_t kCount>
void Calibration::add(const Parts& x, double factor) {
  for (std::size_t i = 0; i < kCount; ++i) {
    for (std::size_t j = 0; j <= i; ++j) information_[i][j] += factor * x[i] * x[j];
  }
}

template <std::size_t kCount>
void Calibration::step(const Parts& gradient) {
  const Parts move = solve<kCount>(information_, gradient);
  for (std::size_t i = 0; i < kCount; ++i) theta_[i] = std::clamp(theta_[i] + move[i], -kMostTheta, kMostTheta);
}

template <std::size_t kCount>
void Calibration::learn_two(const Parts& x, double probability, double target, double weight) {
  discount<kCount>();
  add<kCount>(x, weight * probability * (1.0 - probability));
  const double slope = weight * ((target > 0.0 ? 1.0 : 0.0) - probability);
  Parts gradient = {};
  for (std::size_t i = 0; i < kCount; ++i) gradient[i] = slope * x[i];
  step<kCount>(gradient);
}

// Changes the parts, which are not needed any more.
template <std::size_t kCount>
void Calibration::learn_many(std::vector<Parts>& parts, std::span<const double> probabilities, double target,
                             double weight) {
  Parts mean = {};
  for (std::size_t c = 0; c < parts.size(); ++c) {
    for (std::size_t i = 0; i < kCount; ++i) mean[i] += probabilities[c] * parts[c][i];
  }
  discount<kCount>();
  for (std::size_t c = 0; c < parts.size(); ++c) {
    for (std::size_t i = 0; i < kCount; ++i) parts[c][i] -= mean[i];
    add<kCount>(parts[c], weight * probabilities[c]);
  }
  Parts gradient = parts[static_cast<std::size_t>(target)];
  for (double& number : gradient) number *= weight;
  step<kCount>(gradient);
}

// The mean square of what `parts_of` and `difference` divide.
void Calibration::follow_scale(std::span<const double> scores, double weight) {
  double square = scores[0] * scores[0];
  if (scores.size() > 1) {
    const double most = *std::max_element(scores.begin(), scores.end());
    square = 0.0;
    for (const double score : scores) square += (most - score) * (most - score);
    square /= static_cast<double>(scores.size() - 1);
  }
  square_ = std::min(kMemory * square_ + weight * square, kMostInformation);
  weight_ = std::min(kMemory * weight_ + weight, kMostInformation);
}

void Calibration::save(Archive& archive) const {
  archive.put("calibration.theta", std::vector<double>(theta_.begin(), theta_.end()));
  std::vector<double> lower;
  for (std::size_t i = 0; i < kParts; ++i)
    lower.insert(lower.end(), information_[i].begin(), information_[i].begin() + static_cast<std::ptrdiff_t>(i) + 1);
  archive.put("calibration.information", lower);
  archive.put("calibration.scale", std::vector<double>{square_, weight_});
}

Calibration Calibration::load(const Archive& archive) {
  Calibration loaded;
  const auto theta = archive.get<double>("calibration.theta", kParts);
  const auto lower = archive.get<double>("calibration.information", kParts * (kParts + 1) / 2);
  const auto scale = archive.get<double>("calibration.scale", 2);
  const auto is_within = [](double number, double most) { return std::fabs(number) <= most; };
  bool is_sound = is_within(scale[0], kMostInformation) && is_within(scale[1], kMostInformation) && scale[0] >= 0.0 &&
                  scale[1] >= (scale[0] > 0.0 ? kNothing : 0.0);
  for (const double number : theta) is_sound = is_sound && is_within(number, kMostTheta);
  for (const double number : lower) is_sound = is_sound && is_within(number, kMostInformation);
  const double* next = lower.data();
  for (std::size_t i = 0; i < kParts; ++i) {
    for (std::size_t j = 0; j <= i; ++j) loaded.information_[i][j] = *next++;
    is_sound = is_sound && loaded.information_[i][i] >= 0.0;
  }
  if (!is_sound) throw_bad_archive("a number of its calibration is out of range");
  std::copy(theta.begin(), theta.end(), loaded.theta_.begin());
  loaded.square_ = scale[0];
  loaded.weight_ = scale[1];
  return loaded;
}

}  // namespace alder
