#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nlohmann/json.hpp>

#include "alder/error.h"
#include "alder/feature_map.h"

#include "archive/json.h"
#include "archive/kernel_settings.h"
#include "models.h"
#include "rows.h"

namespace alder::python {
namespace {

using Matrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Kernel parse_kernel(const std::string& json) {
  return load_kernel(parse_json(json));
}

Precision parse_precision(const std::string& name) {
  if (name != "float" && name != "double") throw Error("precision is " + name + "; expected float or double");
  return name == "float" ? Precision::kFloat : Precision::kDouble;
}

Dataset to_dataset(const Rows& rows, const std::optional<ConstIndices>& order, std::size_t most) {
  Dataset data;
  Rows::Window window(rows);
  const std::size_t count = std::min(most, order ? order->shape(0) : rows.size());
  for (std::size_t t = 0; t < count; ++t) {
    const std::size_t i = order ? static_cast<std::size_t>(order->data()[t]) : t;
    if (i >= rows.size()) throw nb::value_error("the order names a row that does not exist");
    window.clear();
    window.add(i);
    data.append({window.rows()[0], 1.0});
  }
  return data;
}

void transform(FeatureMap& map, const Rows& rows, const Matrix& out) {
  if (out.shape(0) != rows.size() || out.shape(1) != map.features()) {
    throw nb::value_error("there is other room than rows and features");
  }
  const nb::gil_scoped_release release;
  Rows::Window window(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    window.clear();
    window.add(i);
    map.map(window.rows()[0], std::span(out.data() + i * map.features(), map.features()));
  }
}

}  // namespace

void add_maps(nb::module_& module) {
  module.def(
      "median_distance",
      [](const Rows& rows, const std::optional<ConstIndices>& order, std::size_t most) {
        return median_distance(to_dataset(rows, order, most), most);
      },
      nb::arg("rows"), nb::arg("order").none() = nb::none(), nb::arg("most") = 500);
  nb::class_<FeatureMap>(module, "FeatureMap", "A row in, a fixed number of features out.")
      .def_prop_ro("features", &FeatureMap::features)
      .def("transform", transform, nb::arg("rows"), nb::arg("out"))
      .def_static(
          "fourier",
          [](const std::string& kernel, std::size_t frequencies, std::uint64_t seed, const std::string& precision) {
            return make_fourier_features(parse_kernel(kernel), frequencies, seed, parse_precision(precision));
          },
          nb::arg("kernel"), nb::arg("frequencies"), nb::arg("seed"), nb::arg("precision"))
      .def_static(
          "nystrom",
          [](const std::string& kernel, const Rows& rows, std::optional<std::size_t> rank,
             const std::string& precision) {
            return make_nystrom_features(parse_kernel(kernel), to_dataset(rows, std::nullopt, rows.size()), rank,
                                         parse_precision(precision));
          },
          nb::arg("kernel"), nb::arg("rows"), nb::arg("rank").none(), nb::arg("precision"));
}

}  // namespace alder::python
