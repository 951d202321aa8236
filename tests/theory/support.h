#pragma once

#include "alder/dataset.h"

#include "support/dense.h"
#include "support/learning.h"

namespace alder::testing {

inline Dataset dataset_of(const LabelledVectors& stream) {
  Dataset dataset;
  for (std::size_t t = 0; t < stream.rows.size(); ++t) {
    dataset.append({Row::dense(stream.rows[t]), target_of(stream.labels[t])});
  }
  return dataset;
}

}  // namespace alder::testing
