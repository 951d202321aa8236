#include "learners/alder/rls.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "archive/archive.h"
#include "simd/simd.h"

namespace alder {
namespace {

constexpr double kHuber = 1.345;  // deviations beyond which an error counts for less
constexpr std::uint64_t kRowsBeforeHuber = 30;
constexpr double kSquareRate = 1.0 / 500.0;
constexpr double kMostRlsSquare = 16.0;  // by s², of one error
constexpr double kHeadRate = 1.0 / 2000.0;
constexpr std::uint64_t kRowsBeforeHead = 50;
constexpr double kMostLogSquare = 1e4;  // by s², of one error whose logarithm is learned
constexpr double kLeastLogSquare = 0.05;
constexpr double kLeastLevel = -4.0;  // of the logarithm of ℓ
constexpr double kMostLevel = 3.0;
constexpr double kLeastVariance = 1e-30;
// λ/ω of a row, in units in the last place of zᵀz: with less, rounding makes Σ lose its definiteness.
constexpr double kLeastNoiseOfRow = 64.0;
// A larger error than this is not learned as a whole: weights stay finite.
constexpr double kMostError = 1e15;
constexpr double kMostHead = 1e3;  // of what is said of a logarithm, which is at most 10
// What a file may say: of squares, what errors inside a TargetFrame may come to, and of logarithms.
constexpr double kMostMeanSquare = 1e203;
constexpr double kMostMeanLog = 100.0;

}  // namespace

template <class T>
typename Rls<T>::Look Rls<T>::look(const T* z, std::size_t place) {
  std::array<double, 2> made{};
  if (size() == 0) return {};
  functions_.times(z, made);
  return {made[0], made[1], covariance_.along(z, place).v};
}

template <class T>
typename Rls<T>::Look Rls<T>::look(const T* z) const {
  std::array<double, 2> made{};
  if (size() == 0) return {};
  functions_.times(z, made);
  return {made[0], made[1], covariance_.spread(z)};
}

template <class T>
void Rls<T>::look_ahead(const T* z, std::size_t room) {
  std::array<bool, simd::kTogether> wanted;
  wanted.fill(true);
  covariance_.look_ahead(z, room, wanted);
}

template <class T>
double Rls<T>::trust() const {
  return head_square_ > 0.0 ? std::clamp(head_hits_ / head_square_, 0.0, 1.0) : 0.0;
}

template <class T>
double Rls<T>::level(const Look& look) const {
  return std::exp(std::clamp(trust() * look.head, kLeastLevel, kMostLevel));
}

template <class T>
double Rls<T>::variance(const Look& look) const {
  return std::max(square_ * (level(look) + look.spread / noise_), kLeastVariance);
}

template <class T>
void Rls<T>::forget_errors() {
  square_ = 1.0;
  log_mean_ = head_square_ = head_hits_ = 0.0;
  rows_ = 0;
}

template <class T>
void Rls<T>::learn(const T* z, double target, double predicted, const Look& look, double weight, std::size_t place) {
  if (size() == 0) return;
  const double error = target - predicted;
  if (square_ <= kLeastVariance && error != 0.0) forget_errors();
  const double square = error * error;
  const double limit = kHuber * std::sqrt(variance(look));
  const double robust = rows_ >= kRowsBeforeHuber && std::fabs(error) > limit ? limit / std::fabs(error) : 1.0;
  const double rounding =
      kLeastNoiseOfRow * std::numeric_limits<T>::epsilon() * static_cast<double>(simd::dot(z, z, size()));
  const double noise = std::max(noise_ / (robust * weight), rounding);
  const double known = look.spread / noise_;

  // What it should have said of the size of the error, before s² learns it.
  const double relative = std::min(square / (square_ * (1.0 + known)), kMostLogSquare);
  const double log_square = std::log(relative + kLeastLogSquare);
  const double surprise = log_square - log_mean_;
  const double head = std::clamp(look.head, -kMostHead, kMostHead);
  ++rows_;
  const auto n = static_cast<double>(rows_);
  const auto rate = [&](double least) { return std::min(1.0, weight * std::max(1.0 / n, least)); };
  if (rows_ > kRowsBeforeHead) {
    head_square_ += rate(kHeadRate) * (head * head - head_square_);
    head_hits_ += rate(kHeadRate) * (head * surprise - head_hits_);
  }
  log_mean_ += rate(kHeadRate) * surprise;
  const double own = std::min(square / (level(look) + known), kMostRlsSquare * square_);
  square_ = std::max(square_ + rate(kSquareRate) * (own - square_), kLeastVariance);

  const auto [u, v] = covariance_.along(z, place);
  const double beta = 1.0 / (v + noise);
  const double whole = std::clamp(target - look.score, -kMostError, kMostError);
  simd::add_scaled(static_cast<T>(beta * whole), u, size(), functions_.change(0));
  simd::add_scaled(static_cast<T>((surprise - head) / (v + noise_)), u, size(), functions_.change(1));
  covariance_.shrink(beta);
}

template <class T>
void Rls<T>::save(Archive& archive, const std::string& name) const {
  archive.put(name + ".rates", std::vector<double>{noise_, forget_});
  functions_.save(archive, name + ".functions");
  covariance_.save(archive, name);
  archive.put(name + ".errors", std::vector<double>{square_, log_mean_, head_square_, head_hits_});
  archive.put(name + ".rows", std::vector<std::uint64_t>{rows_});
}

template <class T>
void Rls<T>::load(const Archive& archive, const std::string& name, std::size_t n) {
  resize(n);
  functions_.load(archive, name + ".functions", -kLargestNumber<T>);
  covariance_.load(archive, name, n);
  const auto errors = archive.get<double>(name + ".errors", 4);
  if (!(errors[0] >= kLeastVariance && errors[0] <= kMostMeanSquare) || !(std::fabs(errors[1]) <= kMostMeanLog) ||
      !(errors[2] >= 0.0 && errors[2] <= kMostHead * kMostHead) || !(std::fabs(errors[3]) <= kMostHead * kMostHead)) {
    throw_bad_archive("the errors of " + name + " are out of range");
  }
  square_ = errors[0];
  log_mean_ = errors[1];
  head_square_ = errors[2];
  head_hits_ = errors[3];
  rows_ = archive.get<std::uint64_t>(name + ".rows", 1)[0];
}

template class Rls<float>;
template class Rls<double>;

}  // namespace alder
