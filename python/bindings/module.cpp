// The compiled core of the Python package. What users see is plain Python above it.
#include <nanobind/nanobind.h>

#include "alder/error.h"
#include "alder/version.h"

#include "models.h"
#include "rows.h"

NB_MODULE(_alder, module) {
  module.attr("__version__") = ALDER_VERSION;
  nanobind::exception<alder::Error>(module, "Error", PyExc_ValueError);
  alder::python::add_rows(module);
  alder::python::add_models(module);
  alder::python::add_maps(module);
  alder::python::add_inputs(module);
}
