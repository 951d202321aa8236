#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "alder/kernel.h"
#include "alder/learners.h"
#include "alder/row.h"

#include "learners/alder/linear_inputs.h"
#include "rows/transform.h"

namespace alder {

/// A geometry that enters a race, and the widths of the kernel that are tried in it.
struct Entrant {
  Transform transform;
  bool is_scaled = false;        ///< whether the transform has learned scales
  bool is_laplacian = false;     ///< e^(−|u−v|₁/σ) instead of the Gaussian kernel
  double unit = 1.0;             ///< the widths are this times 2 to the powers below
  std::vector<int> powers;       ///< ascending
  bool also_by_novelty = false;  ///< whether one more candidate, of width `unit`, stores whatever is new
  double handicap = 0.0;         ///< in deviations, as Race has it, beside 0.1 for every doubling of the width

  [[nodiscard]] Kernel kernel(int power) const;
};

/// What is left out of a race; see AlderOptions.
struct RaceParts {
  bool has_transforms = true;
  bool has_scales = true;
  bool has_laplacian = true;
  bool is_for_numbers = false;  ///< not for classes; `classes` below is then 0
};

/// Who races from when the first 32 rows are known, from 256 on, and from 1,024 on, when the best of those that raced
/// before stay. Fitted on these rows and their classes.
std::vector<Entrant> first_entrants(std::span<const Row> rows, const RaceParts& parts);
std::vector<Entrant> second_entrants(std::span<const Row> rows, const RaceParts& parts);
std::vector<Entrant> scaled_entrants(std::span<const Row> rows, std::span<const double> targets, std::size_t classes,
                                     const RaceParts& parts);
/// Who challenges when the stream has changed: a thrifty choice, or at high effort all of these.
std::vector<Entrant> challengers(std::span<const Row> rows, std::span<const double> targets, std::size_t classes,
                                 const RaceParts& parts, bool is_thrifty);

}  // namespace alder
