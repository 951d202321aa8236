#pragma once

#include <nanobind/nanobind.h>

namespace alder::python {

/// Each adds its part of the module.
void add_registry(nanobind::module_& module);
void add_models(nanobind::module_& module);
void add_maps(nanobind::module_& module);
void add_inputs(nanobind::module_& module);

}  // namespace alder::python
