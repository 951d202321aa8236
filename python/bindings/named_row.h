#pragma once

#include <vector>

#include <nanobind/nanobind.h>

#include "alder/row.h"

namespace alder::python {

/// A row of features that have names.
class NamedRow {
 public:
  /// `index` has the number of every name met so far. A name that is new gets a hash as its number if `by_name`, else
  /// the next one; `remember` puts it into the index. If several are new, they get their numbers in ascending order:
  /// in which order a row lists its names does not matter. A text is the feature "name=text" with the value 1, None and
  /// NaN are the feature "name missing". Throws TypeError for a value that is none of these.
  NamedRow(const nanobind::dict& features, const nanobind::dict& index, bool by_name, bool remember);

  /// A view of this.
  [[nodiscard]] Row row() const { return Row::sparse(indices_, values_); }

 private:
  std::vector<FeatureIndex> indices_;
  std::vector<double> values_;
};

}  // namespace alder::python
