#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "alder/drive.h"
#include "alder/learner.h"

namespace alder {

/// Which function one pass over T rows that were drawn independently leaves behind.
struct BatchOptions {
  enum class Choice {
    /// That of a round drawn uniformly from 1 … T: what Theorem 3 is about. It bounds the expected risk, over the rows
    /// and the draw.
    kRandom,
    kLast,     ///< that of round T + 1: what the learner would predict with next
    kAverage,  ///< the mean of those of the last half of the rounds
  };
  Choice choice = Choice::kRandom;
  std::uint64_t seed = 1;  ///< of the draw
  std::uint64_t rows = 0;  ///< T, which the mean must know to begin in the middle; the others need not

  /// The choice called "random", "last" or "average". Throws Error for another name.
  static Choice choice_named(std::string_view name);
  static std::vector<std::string> choice_names();
};

/// Batch learning: watches a learner during one pass over rows and keeps one of its hypotheses, or their mean, as a
/// fixed function. In memory it holds one or two hypotheses beside the learner, for the mean all rows that were in the
/// support set during the last half.
class Batch final : public Hook {
 public:
  /// `learner` must outlive this. Throws Error for a learner that keeps no hypotheses; pomdr does.
  Batch(Learner& learner, const BatchOptions& options);
  ~Batch() override;

  [[nodiscard]] std::uint64_t due() const override;
  bool after(const Examples& learned, const Predictions& made) override;

  struct Chosen {
    /// A learner that scores and does not learn; it can be saved like any other.
    std::unique_ptr<Learner> hypothesis;
    std::uint64_t first_round = 0;  ///< it is that of this round, or the mean from this one
    std::uint64_t last_round = 0;   ///< to this one
  };
  /// The function chosen, after the rounds so far. If there were too few for a mean, the last.
  [[nodiscard]] Chosen chosen() const;

 private:
  class Watch;
  std::unique_ptr<Watch> watch_;
};

}  // namespace alder
