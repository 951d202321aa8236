#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace alder {

/// One thing that only some learners have to say.
struct Detail {
  std::string_view name;                                   ///< of a string that lasts, such as a literal
  std::variant<double, std::uint64_t, std::string> value;  ///< a string is JSON text
};

/// How much a feature matters, as a part of 1.
struct FeatureShare {
  std::uint32_t feature = 0;
  double share = 0.0;
};

/// What a learner can say of itself at any time. What its scores are worth is said by Metrics.
struct Report {
  std::uint64_t rounds = 0;
  std::size_t support = 0;              ///< |S|, the number of stored examples
  std::size_t bytes = 0;                ///< memory held for the model and its working state
  std::optional<double> norm;           ///< ‖f'‖; empty: it is not known
  std::optional<double> learning_rate;  ///< λ_t of the latest round; empty: it has none
  /// Of those that have it:
  ///   switch_round  t̄, the round that ended phase 1 (a count; missing before that)
  ///   removals      how often the budget was full (a count)
  ///   sum_delta     Σδ, the paper's proxy for the kernel alignment A_T (a number)
  ///   sigma         the width that predicts now, where the learner chooses it (a number)
  ///   race          what it chooses from, or has chosen from last: a list of objects with transform and is_scaled
  ///   (what
  ///                 is done to the features, and whether each has a learned scale), kernel, sigma, handicap, charge
  ///                 (what its mistakes and losses count for; the least leads), rounds (how many it was in the race)
  ///                 and is_out
  ///   metric        what was chosen, or leads: an object with transform, is_scaled and kernel, as above
  ///   candidate, geometry  the numbers of it in a model file (counts)
  ///   tried         how many candidates were in all races (a count)
  ///   reopened      how often the race was opened again since the stream had changed (a count)
  ///   budget        the most rows that it stores now (a count)
  ///   fine_rows     rows that it stores beside these, for details (a count)
  ///   forgets       what the predictor with the most weight forgets in an update (a number)
  std::vector<Detail> details;

  /// The detail of that name; null if there is none.
  [[nodiscard]] const Detail* find(std::string_view name) const;
  /// Its value as a number; empty if there is none, or if it is JSON text.
  [[nodiscard]] std::optional<double> number(std::string_view name) const;
  /// Its value if it is a count.
  [[nodiscard]] std::optional<std::uint64_t> count(std::string_view name) const;
  /// Its value if it is JSON text; else empty.
  [[nodiscard]] std::string_view json(std::string_view name) const;

  [[nodiscard]] std::uint64_t removals() const { return count("removals").value_or(0); }
};

/// All of it as the text of one JSON object: the members by their names, then the details. What a learner does not have
/// is null; removals and the learning rate are then 0, and the race is empty.
std::string to_json(const Report& report);

}  // namespace alder
