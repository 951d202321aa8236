#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "alder/dataset.h"
#include "alder/kernel.h"
#include "alder/learner.h"
#include "alder/theory.h"

#include "experiments/settings.h"
#include "experiments/trial.h"

namespace alder {

/// What the theory of POMDR says of a kernel on some rows, and what really happens.
struct Diagnosis {
  Json settings;  ///< of the learner
  Kernel kernel = Kernel::linear();
  Alignment alignment;
  LeadingEigenvalues eigenvalues;
  std::optional<DecayFit> fit;  ///< of those, as of a matrix of all rows; empty: they do not fall
  double ald_error = 0.0;       ///< α, the square of the ALD threshold
  std::size_t budget = 0;       ///< B
  double radius = 0.0;          ///< U
  bool as_proved = false;       ///< whether the settings are those of Theorem 2: ζ = 1, ald = 1, c = 1

  TrialReport run;  ///< of the learner as it is set, on all rows in their order
  /// With four times the budget, if it was ever full.
  std::optional<TrialReport> larger;
  TrialReport phase_one;  ///< of phase 1 alone, or until it stored more rows than it was allowed to
  std::size_t phase_one_most = 0;

  /// Theorem 1: what phase 1 stores at most, by the law that fits better; empty without one.
  std::optional<double> promised;
  /// The same without a law, if all eigenvalues are known well enough.
  std::optional<std::size_t> promised_by_eigenvalues;

  /// Whether phase 1 got through all rows.
  [[nodiscard]] bool stays_in_phase_one() const { return phase_one.find("switch_round") == nullptr; }
  /// Theorem 2 and Corollary 1, with removals if the run had any.
  [[nodiscard]] double delta_bound() const;
  [[nodiscard]] double alignment_bound() const;

 private:
  [[nodiscard]] RegretTerms terms() const;
};

struct DiagnosisOptions {
  std::size_t eigenvalues = 100;
  std::size_t sample = 0;   ///< rows for the alignment; 0: all, exactly
  std::size_t most = 1000;  ///< phase 1 is given up when it stores this number of rows
  std::uint64_t seed = 1;   ///< of the sample and of the random columns for eigenvalues
  unsigned threads = 0;     ///< 0: one for each core
};

/// The settings of those further runs.
Json with_larger_budget(const Diagnosis& diagnosis);
Json phase_one_only(const Diagnosis& diagnosis, std::size_t most);

/// What is going on, and how much of that is done; returns whether to go on.
using DiagnosisWatch = std::function<bool(const std::string& what, double done)>;

/// The learner that the theory is about.
std::string diagnosed_learner();

/// Diagnoses all settings (of diagnosed_learner(), as from `combinations`). Empty: it was stopped. Throws Error for
/// settings that make no sense, rows that are not finite, and rows of one class only.
std::vector<Diagnosis> diagnose(const Dataset& data, const std::vector<Json>& settings, const DiagnosisOptions& options,
                                const DiagnosisWatch& watch);

}  // namespace alder
