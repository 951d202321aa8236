#include "named_row.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

namespace alder::python {

namespace nb = nanobind;

namespace {

// A feature and its number: of a text, and of a value that is missing, another one than its name.
std::pair<nb::object, double> to_feature(nb::handle name, nb::handle value) {
  const auto named = [name](nb::handle behind, const char* format) {
    return nb::str(format).attr("format")(name, behind);
  };
  if (PyUnicode_Check(value.ptr()) != 0) return {named(value, "{}={}"), 1.0};
  if (value.is_none()) return {named(value, "{} missing"), 1.0};
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw nb::type_error(fmt::format("feature {} is {}; expected a number, a text or None",
                                     nb::cast<std::string>(nb::repr(name)), nb::cast<std::string>(nb::repr(value)))
                             .c_str());
  }
  if (std::isnan(number)) return {named(value, "{} missing"), 1.0};
  return {nb::borrow(name), number};
}

// FNV-1a of what Python shows of the name: the same in every process.
FeatureIndex hash_of_name(nb::handle name) {
  std::uint32_t hash = 2166136261U;
  for (const char c : nb::cast<std::string>(nb::repr(name))) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  }
  return hash == std::numeric_limits<FeatureIndex>::max() ? 0 : hash;
}

// Ascending; names that Python cannot compare, by what it shows of them.
void sort_names(nb::list& names) {
  if (names.size() < 2 || PyList_Sort(names.ptr()) == 0) return;
  PyErr_Clear();
  names.attr("sort")(nb::arg("key") = nb::module_::import_("builtins").attr("repr"));
}

}  // namespace

NamedRow::NamedRow(const nb::dict& features, const nb::dict& index, bool by_name, bool remember) {
  std::vector<std::pair<FeatureIndex, double>> entries;
  nb::list fresh;
  nb::dict numbers;  // of those
  for (const auto& [key, value] : features) {
    const auto [name, number] = to_feature(key, value);
    PyObject* known = PyDict_GetItemWithError(index.ptr(), name.ptr());
    if (known == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
    if (known != nullptr) {
      entries.emplace_back(nb::cast<FeatureIndex>(nb::handle(known)), number);
    } else {
      const bool is_met = numbers.contains(name);  // {"a": "b", "a=b": 2.0}
      if (!is_met) fresh.append(name);
      numbers[name] = number + (is_met ? nb::cast<double>(numbers[name]) : 0.0);
    }
  }
  sort_names(fresh);
  auto next = static_cast<FeatureIndex>(index.size());
  for (const nb::handle name : fresh) {
    entries.emplace_back(by_name ? hash_of_name(name) : next++, nb::cast<double>(numbers[name]));
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
