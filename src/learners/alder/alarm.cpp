#include "learners/alder/alarm.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "archive/archive.h"

namespace alder {
namespace {

constexpr std::uint64_t kBlock = 400;
constexpr std::uint64_t kWait = 200;
constexpr double kMore = 1.25;
constexpr double kDeviations = 3.0;
// Of errors:
constexpr std::uint64_t kErrorBlock = 300;
constexpr std::uint64_t kLeastBlocks = 2;
constexpr double kMostErrors = 3.0;
constexpr std::uint64_t kMostRows = std::uint64_t{1} << 53U;

}  // namespace

bool Alarm::after_row(bool is_mistake) {
  ++block_rows_;
  block_mistakes_ += is_mistake ? 1 : 0;
  if (block_rows_ < (is_waiting_ ? kWait : kBlock)) return false;
  const auto rows = static_cast<double>(std::exchange(block_rows_, 0));
  const auto count = std::exchange(block_mistakes_, 0);
  const auto made = static_cast<double>(count);
  const double expected = rows_ > 0 ? rows * static_cast<double>(mistakes_) / static_cast<double>(rows_) : 0.0;
  if (is_waiting_) {
    is_waiting_ = false;
    if (made <= kMore * expected) return false;
    reset();
    return true;
  }
  if (rows_ > 0 && made > kMore * expected &&
      made - expected > kDeviations * std::sqrt(expected * (1.0 + rows / static_cast<double>(rows_)) + 1.0)) {
    is_waiting_ = true;
  } else {
    rows_ += kBlock;
    mistakes_ += count;
  }
  return false;
}

void Alarm::save(Archive& archive, const std::string& name) const {
  archive.put(name, std::vector<std::uint64_t>{rows_, mistakes_, is_waiting_ ? 1U : 0U, block_rows_, block_mistakes_});
}

void Alarm::load(const Archive& archive, const std::string& name) {
  const auto numbers = archive.get<std::uint64_t>(name, 5);
  rows_ = numbers[0];
  mistakes_ = numbers[1];
  is_waiting_ = numbers[2] == 1;
  block_rows_ = numbers[3];
  block_mistakes_ = numbers[4];
  if (rows_ > kMostRows || mistakes_ > rows_ || numbers[2] > 1 || (is_waiting_ && rows_ == 0) ||
      block_rows_ >= (is_waiting_ ? kWait : kBlock) || block_mistakes_ > block_rows_) {
    throw_bad_archive("the numbers of its alarm contradict each other");
  }
}

bool ErrorAlarm::after_row(double error, double usual) {
  block_errors_ += std::min(std::fabs(error), kMostErrors * usual) / static_cast<double>(kErrorBlock);
  if (++block_rows_ < kErrorBlock) return false;
  block_rows_ = 0;
  const double mean = std::exchange(block_errors_, 0.0);
  if (blocks_ >= kLeastBlocks && mean > kMore * errors_ / static_cast<double>(blocks_)) {
    reset();
    return true;
  }
  ++blocks_;
  errors_ += mean;
  return false;
}

void ErrorAlarm::save(Archive& archive, const std::string& name) const {
  archive.put(name, std::vector<std::uint64_t>{blocks_, block_rows_});
  archive.put(name + ".errors", std::vector<double>{errors_, block_errors_});
}

void ErrorAlarm::load(const Archive& archive, const std::string& name) {
  const auto counts = archive.get<std::uint64_t>(name, 2);
  const auto errors = archive.get<double>(name + ".errors", 2);
  blocks_ = counts[0];
  block_rows_ = counts[1];
  errors_ = errors[0];
  block_errors_ = errors[1];
  const auto is_sum = [](double sum) { return sum >= 0.0 && std::isfinite(sum); };
  if (blocks_ > kMostRows || block_rows_ >= kErrorBlock || !is_sum(errors_) || !is_sum(block_errors_)) {
    throw_bad_archive("the numbers of its alarm contradict each other");
  }
}

}  // namespace alder
