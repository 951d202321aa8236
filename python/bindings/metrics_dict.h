#pragma once

#include <cstdint>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "alder/metrics.h"

namespace alder::python {

namespace nb = nanobind;

/// Numbers by their names, "recall" by id, None for a class without rows, and "confusion" as tuples (actual id,
/// predicted id or None, rows).
inline nb::dict metrics_dict(const Metrics& metrics) {
  nb::dict out;
  for (const auto& [name, value] : metrics.values()) out[nb::str(name.data(), name.size())] = value;
  nb::list recall;
  for (std::size_t id = 0; id < metrics.classes(); ++id) recall.append(metrics.recall(static_cast<std::uint32_t>(id)));
  out["recall"] = recall;
  nb::list confusion;
  for (const Confusion::Entry& entry : metrics.confusion().entries()) {
    const nb::object predicted = entry.predicted == kNoClass ? nb::none() : nb::cast(entry.predicted);
    confusion.append(nb::make_tuple(entry.actual, predicted, entry.rows));
  }
  out["confusion"] = confusion;
  return out;
}

}  // namespace alder::python
