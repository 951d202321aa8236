#pragma once

#include <nanobind/nanobind.h>

#include "alder/explanation.h"

namespace alder::python {

namespace nb = nanobind;

/// Its members by their names; None for no value, no class and no probability.
inline nb::dict explanation_dict(const Explanation& found) {
  nb::dict out;
  out["value"] = found.value ? nb::cast(*found.value) : nb::none();
  out["predicted"] = found.predicted == kNoClass ? nb::none() : nb::cast(found.predicted);
  out["towards"] = found.towards;
  out["against"] = found.against;
  out["score"] = found.score;
  out["probability"] = found.probability ? nb::cast(*found.probability) : nb::none();
  nb::list features;
  for (const FeatureEffect& one : found.features) {
    nb::dict feature;
    feature["feature"] = one.feature;
    feature["value"] = one.value;
    feature["gradient"] = one.gradient;
    feature["effect"] = one.effect;
    features.append(feature);
  }
  out["features"] = features;
  nb::list stored;
  for (const RowEffect& one : found.rows) {
    nb::dict row;
    row["row"] = one.row;
    row["contribution"] = one.contribution;
    row["similarity"] = one.similarity;
    stored.append(row);
  }
  out["stored_rows"] = stored;
  out["stored_count"] = found.stored;
  out["rest"] = found.rest;
  out["has_exact_gradients"] = found.has_exact_gradients;
  return out;
}

}  // namespace alder::python
