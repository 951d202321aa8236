#include "named_row.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

namespace alder::python {

namespace nb = nanobind;

namespace {

double to_number(nb::handle name, nb::handle value) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw nb::type_error(fmt::format("feature {} is {}; expected a number", nb::cast<std::string>(nb::repr(name)),
                                     nb::cast<std::string>(nb::repr(value)))
                             .c_str());
  }
  return number;
}

// FNV-1a of what Python shows of the name: the same in every process.
FeatureIndex hash_of_name(nb::handle name) {
  std::uint32_t hash = 2166136261U;
  for (const char c : nb::cast<std::string>(nb::repr(name))) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  }
  return hash == std::numeric_limits<FeatureIndex>::max() ? 0 : hash;
}

}  // namespace

NamedRow::NamedRow(const nb::dict& features, const nb::dict& index, bool by_name, bool remember) {
  std::vector<std::pair<FeatureIndex, double>> entries;
  auto next = static_cast<FeatureIndex>(index.size());
  for (const auto& [name, value] : features) {
    const double number = to_number(name, value);
    PyObject* known = PyDict_GetItemWithError(index.ptr(), name.ptr());
    if (known == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
    if (known != nullptr) {
      entries.emplace_back(nb::cast<FeatureIndex>(nb::handle(known)), number);
      continue;
    }
    entries.emplace_back(by_name ? hash_of_name(name) : next++, number);
    if (!remember) continue;
    const nb::object given = nb::cast(entries.back().first);
    if (PyDict_SetItem(index.ptr(), name.ptr(), given.ptr()) != 0) throw nb::python_error();
  }
  std::sort(entries.begin(), entries.end());
  for (const auto& [feature, number] : entries) {
    if (!indices_.empty() && indices_.back() == feature) {
      values_.back() += number;  // two names with one number
    } else {
      indices_.push_back(feature);
      values_.push_back(number);
    }
  }
}

}  // namespace alder::python
