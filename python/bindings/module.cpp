// The compiled core of the Python package. What users see is plain Python above it.
#include <exception>
#include <string>

#include <nanobind/nanobind.h>

#include "alder/error.h"
#include "alder/version.h"

#include "models.h"
#include "rows.h"
#include "table.h"

namespace {

namespace nb = nanobind;

// Errors that are ValueErrors, and those of files, which are OSErrors too. They live as long as the process.
struct ErrorTypes {
  PyObject* error = nullptr;
  PyObject* file_error = nullptr;
};
ErrorTypes types;

PyObject* add_type(nb::module_& module, const char* name, const char* text, const nb::tuple& bases) {
  const std::string full = std::string("alder._alder.") + name;
  PyObject* type = PyErr_NewExceptionWithDoc(full.c_str(), text, bases.ptr(), nullptr);
  if (type == nullptr) throw nb::python_error();
  module.attr(name) = nb::borrow(type);
  return type;
}

void set_python_error(const alder::Error& error) {
  const bool is_of_file = error.kind() == alder::Error::Kind::kFile;
  const nb::handle type = is_of_file ? types.file_error : types.error;
  try {
    nb::object raised = type(nb::str(error.what()));
    raised.attr("kind") = nb::str(name_of(error.kind()));
    raised.attr("row") = error.row() == alder::Error::kNoRow ? nb::none() : nb::cast(error.row());
    PyErr_SetObject(type.ptr(), raised.ptr());
  } catch (nb::python_error& failure) {
    failure.restore();
  }
}

void add_errors(nb::module_& module) {
  types.error =
      add_type(module, "Error",
               "What is wrong with options, rows, labels or files. kind says which of these, row which row of "
               "those given at once, if any.",
               nb::make_tuple(nb::handle(PyExc_ValueError)));
  types.file_error = add_type(module, "FileError", "A file cannot be opened, read or written.",
                              nb::make_tuple(nb::handle(types.error), nb::handle(PyExc_OSError)));
  nb::register_exception_translator([](const std::exception_ptr& thrown, void* /*payload*/) {
    try {
      std::rethrow_exception(thrown);
    } catch (const alder::Error& error) {
      set_python_error(error);
    }
  });
}

}  // namespace

NB_MODULE(_alder, module) {
  module.attr("__version__") = ALDER_VERSION;
  add_errors(module);
  alder::python::add_rows(module);
  alder::python::add_table(module);
  alder::python::add_registry(module);
  alder::python::add_models(module);
  alder::python::add_maps(module);
  alder::python::add_inputs(module);
}
