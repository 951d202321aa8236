#pragma once

#include <rapidcheck.h>

#include "alder/learner.h"

#include "support/learning.h"
#include "support/literal_function.h"

namespace alder::testing {

/// A random stream for a comparison. For use in RapidCheck properties.
struct Course {
  // A range of RapidCheck grows from its low end with the number of the case, unless it is resized.
  std::size_t rounds = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(1, 120));
  std::size_t features = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(1, 8));
  std::uint64_t seed = *rc::gen::inRange<std::uint64_t>(0, 1000000);

  /// T; empty: unknown.
  [[nodiscard]] std::optional<std::uint64_t> horizon() const {
    return *rc::gen::arbitrary<bool>() ? std::optional<std::uint64_t>(rounds) : std::nullopt;
  }
};

inline Kernel any_radial_kernel() {
  const double width = *rc::gen::element(0.2, 0.5, 1.0, 3.0);
  return *rc::gen::arbitrary<bool>() ? Kernel::gaussian(width) : Kernel::laplacian(width);
}

inline Kernel any_kernel() {
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return Kernel::polynomial(*rc::gen::inRange(1, 4), *rc::gen::element(0.2, 1.0), *rc::gen::element(0.0, 1.0));
    case 1:
      return Kernel::linear();
    default:
      return any_radial_kernel();
  }
}

/// What the comparisons of a test have met.
struct Met {
  std::uint64_t rounds = 0;  ///< compared
  std::uint64_t removals = 0;
  std::uint64_t maps = 0;  ///< rounds that report a norm, which learners on features do from their map on
};

/// Every score, support size and norm of the learner equals that of the transcription: to `tolerance`, as a part of the
/// largest score or norm so far, at least 1. A decision within 1e-9 of falling the other way ends the comparison, since
/// rounding errors are right to take it. A learner of numbers learns some that go with the labels and the first
/// feature, none of them negative.
inline void compare(Learner& fast, LiteralLearner& literal, const Course& course, double tolerance, Met& met) {
  const auto stream = random_stream(course.seed, course.rounds, course.features);
  double scale = 1.0;
  for (std::size_t t = 0; t < course.rounds; ++t) {
    const bool is_of_numbers = fast.task() == Task::kRegression;
    const double y = is_of_numbers ? 1.61 + 0.83 * stream.labels[t] + 0.57 * stream.rows[t][0] : stream.labels[t];
    const double score = learn_one(fast, Example{Row::dense(stream.rows[t]), is_of_numbers ? y : target_of(y)});
    const double expected = literal.learn(stream.rows[t], y);
    scale = std::max(scale, std::fabs(expected));
    RC_ASSERT(std::fabs(score - expected) <= tolerance * scale);
    if (literal.closest() <= 1e-9 * scale) return;
    const Report report = fast.report();
    RC_ASSERT(report.support == literal.size());
    RC_ASSERT(report.removals() == literal.removals());
    const auto norm = literal.norm();
    RC_ASSERT(report.norm.has_value() == norm.has_value());
    if (norm) {
      // The square, since the root of a norm that has cancelled is all rounding error.
      scale = std::max(scale, *norm);
      RC_ASSERT(std::fabs(*report.norm * *report.norm - *norm * *norm) <= tolerance * scale * scale);
      ++met.maps;
    }
    ++met.rounds;
  }
  met.removals += fast.report().removals();
}

}  // namespace alder::testing
