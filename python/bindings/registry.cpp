#include "alder/registry.h"

#include <cstdint>
#include <string>

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "alder/kernel.h"

#include "models.h"

namespace alder::python {

namespace nb = nanobind;

namespace {

nb::dict to_dict(const LearnerTraits& traits) {
  static constexpr const char* kCoefficients[] = {"of_score", "before_scale", "other"};
  nb::dict out;
  out["has_snapshots"] = traits.has_snapshots;
  out["has_hint"] = traits.has_hint;
  out["has_phases"] = traits.has_phases;
  out["has_bounds"] = traits.has_bounds;
  out["numbers_matter"] = traits.numbers_matter;
  out["learns_numbers"] = traits.learns_numbers;
  out["coefficients"] = kCoefficients[static_cast<std::size_t>(traits.coefficients)];
  return out;
}

nb::list list_kernels() {
  nb::list all;
  for (const KernelInfo& info : kernel_infos()) {
    nb::list parameters;
    for (const KernelParameter& parameter : info.parameters) {
      nb::dict entry;
      entry["name"] = parameter.name;
      entry["low"] = parameter.low;
      entry["high"] = parameter.high;
      entry["whole"] = parameter.is_whole;
      entry["default"] = !parameter.fallback  ? nb::none()
                         : parameter.is_whole ? nb::cast(static_cast<std::int64_t>(*parameter.fallback))
                                              : nb::cast(*parameter.fallback);
      parameters.append(entry);
    }
    nb::dict kernel;
    kernel["name"] = info.name;
    kernel["formula"] = info.formula;
    kernel["radial"] = info.is_radial;
    kernel["parameters"] = parameters;
    all.append(kernel);
  }
  return all;
}

nb::list list_learners() {
  nb::list all;
  for (const LearnerInfo& info : learner_infos()) {
    nb::list options;
    for (const OptionInfo& option : info.options) {
      static constexpr const char* kTypes[] = {"kernel", "number", "count", "choice", "flag"};
      nb::dict entry;
      entry["name"] = option.name;
      entry["type"] = kTypes[static_cast<std::size_t>(option.type)];
      entry["summary"] = option.summary;
      entry["default"] = option.fallback;
      entry["automatic"] = option.is_automatic;
      entry["choices"] = option.choices;
      options.append(entry);
    }
    nb::dict learner;
    learner["name"] = info.name;
    learner["summary"] = info.summary;
    learner["finds_width"] = info.finds_width();
    learner["traits"] = to_dict(info.traits);
    learner["options"] = options;
    all.append(learner);
  }
  return all;
}

}  // namespace

void add_registry(nb::module_& module) {
  module.def("learners", list_learners, "All learners with their traits and options.");
  module.def("default_learner", default_learner, "The name of the learner to take if nothing is said.");
  module.def("kernels", list_kernels, "All kernels with their parameters, the usual one first.");
}

}  // namespace alder::python
