#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "alder/error.h"
#include "alder/input.h"
#include "alder/stream_checks.h"

#include "models.h"
#include "rows.h"

namespace alder::python {
namespace {

// The next rows as (data, indices, starts, targets, weights or None, features), or None at the end.
nb::object next_batch(Input& input, std::size_t most) {
  std::vector<double> data;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> starts = {0};
  std::vector<double> targets;
  std::vector<double> weights;  // none as long as all are 1
  {
    const nb::gil_scoped_release release;
    while (targets.size() < most) {
      const Examples examples = input.read(most - targets.size());
      if (examples.empty()) break;
      for (const Row& row : examples.rows) {
        for (std::size_t j = 0; j < row.size(); ++j) {
          data.push_back(row.value(j));
          indices.push_back(static_cast<std::int32_t>(row.feature(j)));
          if (indices.back() < 0)
            throw Error(Error::Kind::kRow, "a feature index is beyond 2147483647, which SciPy cannot hold");
        }
        starts.push_back(static_cast<std::int64_t>(data.size()));
      }
      if (!examples.weights.empty()) {
        weights.resize(targets.size(), 1.0);
        weights.insert(weights.end(), examples.weights.begin(), examples.weights.end());
      }
      targets.insert(targets.end(), examples.targets.begin(), examples.targets.end());
    }
  }
  if (targets.empty()) return nb::none();
  const std::size_t features = input.features_seen();
  nb::object weights_of_rows = nb::none();
  if (!weights.empty()) {
    weights.resize(targets.size(), 1.0);
    weights_of_rows = to_numpy(std::move(weights));
  }
  return nb::make_tuple(to_numpy(std::move(data)), to_numpy(std::move(indices)), to_numpy(std::move(starts)),
                        to_numpy(std::move(targets)), weights_of_rows, features);
}

std::unique_ptr<Input> open_files(const std::vector<std::string>& paths, const std::string& format,
                                  const std::string& label_column, const std::string& weight_column,
                                  const std::string& separator) {
  InputOptions options;
  options.format = format == "csv" ? Format::kCsv : format == "libsvm" ? Format::kLibsvm : Format::kAuto;
  options.label_column = label_column;
  options.weight_column = weight_column;
  options.numbers_only = true;  // rows are matrices here
  if (separator.size() > 1) throw Error("the separator is " + separator + "; expected one character");
  if (!separator.empty()) options.separator = separator[0];
  return open_input(paths, options);
}

// What would mislead whoever learns rows with these labels in this order; null: nothing.
std::optional<std::string> check_labels(const ConstDoubles& labels) {
  LabelRuns runs;
  for (std::size_t i = 0; i < labels.shape(0); ++i) runs.add(labels(i));
  return runs.warning();
}

}  // namespace

void add_inputs(nb::module_& module) {
  module.def("check_labels", check_labels, nb::arg("labels"), "What is wrong with the order of labels, or None.");
  nb::class_<Input>(module, "Input", "Labelled rows from files.")
      .def_static("open", open_files, nb::arg("paths"), nb::arg("format"), nb::arg("label_column"),
                  nb::arg("weight_column"), nb::arg("separator"))
      .def("next", next_batch, nb::arg("most"))
      .def_prop_ro("classes", &Input::classes);
}

}  // namespace alder::python
