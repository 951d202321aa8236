#pragma once

#include "alder/scaling.h"
#include "alder/score_parts.h"

namespace alder {

/// Adds the parts of a function of scaled rows, for a row that is sound: `add` adds those of the row scaled, and
/// returns whether it could. Gradients become those by the values before scaling.
template <class Add>
bool add_scaled_parts(const Scaling& scaling, const Row& row, ScoreParts& parts, const Add& add) {
  Scaling::Buffer buffer;
  ScoreParts scaled(parts.features);
  if (!add(scaling.apply(row.as_checked(), buffer), scaled)) return false;
  for (std::size_t j = 0; j < parts.features.size(); ++j) {
    parts.gradient[j] += scaled.gradient[j] * scaling.slope(parts.features[j]);
  }
  parts.rows.insert(parts.rows.end(), scaled.rows.begin(), scaled.rows.end());
  parts.rest += scaled.rest;
  return true;
}

}  // namespace alder
