#include "models.h"

#include <optional>
#include <string>
#include <utility>

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "shared_model.h"
#include "values.h"

namespace alder::python {
namespace {

Model decode(const nb::bytes& bytes) {
  return Model::decode({bytes.c_str(), bytes.size()});
}

}  // namespace

void add_models(nb::module_& module) {
  nb::class_<SharedModel>(module, "Model", "A learner with its scaling and its classes.")
      .def(nb::new_([](const std::string& learner, const std::string& options) {
             return new SharedModel(Model(learner, options));
           }),
           nb::arg("learner"), nb::arg("options") = "{}")
      .def_static("decode", [](const nb::bytes& bytes) { return new SharedModel(decode(bytes)); })
      .def_static("load", [](const std::string& path) { return new SharedModel(Model::load(path)); })
      .def("learn", &SharedModel::learn, nb::arg("rows"), nb::arg("targets"), nb::arg("weights").none() = nb::none(),
           nb::arg("order").none() = nb::none(), nb::arg("tell").none() = nb::none(),
           nb::arg("batch").none() = nb::none(), nb::arg("seed") = 1)
      .def(
          "trace",
          [](SharedModel& model, const RowSource& rows, const ConstDoubles& targets, const OptionalIndices& order,
             const Doubles& scores, const ClassIds& predicted, const Doubles& probabilities, const Doubles& mistakes,
             const Doubles& log_loss, const Doubles& support, const Doubles& learning_rate, const Doubles& sum_delta,
             nb::object tell) {
            model.trace(rows, targets, order,
                        {scores, predicted, probabilities, mistakes, log_loss, support, learning_rate, sum_delta},
                        std::move(tell));
          },
          nb::arg("rows"), nb::arg("targets"), nb::arg("order").none(), nb::arg("scores"), nb::arg("predicted"),
          nb::arg("probabilities"), nb::arg("mistakes"), nb::arg("log_loss"), nb::arg("support"),
          nb::arg("learning_rate"), nb::arg("sum_delta"), nb::arg("tell").none() = nb::none())
      .def("score", &SharedModel::score, nb::arg("rows"), nb::arg("out"), nb::arg("threads") = 1)
      .def("predict", &SharedModel::predict, nb::arg("rows"), nb::arg("out"), nb::arg("threads") = 1)
      .def("scores", &SharedModel::scores, nb::arg("rows"), nb::arg("out"), nb::arg("threads") = 1)
      .def("predict_proba", &SharedModel::predict_proba, nb::arg("rows"), nb::arg("out"), nb::arg("threads") = 1)
      .def("predict_values", &predict_values, nb::arg("rows"), nb::arg("values"), nb::arg("levels"),
           nb::arg("quantiles"), nb::arg("deviations"), nb::arg("threads") = 1)
      .def("predict_value", &predict_value, nb::arg("features"), nb::arg("index"), nb::arg("levels"))
      .def("learn_number", &SharedModel::learn_number, nb::arg("features"), nb::arg("index"), nb::arg("target"),
           nb::arg("weight") = 1.0)
      .def("learn_one", &SharedModel::learn_one, nb::arg("features"), nb::arg("index"), nb::arg("name"),
           nb::arg("weight") = 1.0)
      .def("predict_proba_one", &SharedModel::predict_proba_one, nb::arg("features"), nb::arg("index"))
      .def("predict_one", &SharedModel::predict_one, nb::arg("features"), nb::arg("index"))
      .def("report", &SharedModel::report)
      .def("explain", &SharedModel::explain, nb::arg("rows"), nb::arg("top") = 5)
      .def("importances", &SharedModel::importances)
      .def("metrics", &SharedModel::metrics)
      .def("tensors", &SharedModel::tensors)
      .def("encode", &SharedModel::encode)
      .def("__getstate__", &SharedModel::encode)
      .def("__setstate__", [](SharedModel& model, const nb::bytes& bytes) { new (&model) SharedModel(decode(bytes)); })
      .def("save", &SharedModel::save, nb::arg("path"))
      .def("set_classes", &SharedModel::set_classes, nb::arg("names"), nb::arg("is_ordered") = false)
      .def("learn_probabilities", &SharedModel::learn_probabilities, nb::arg("wanted"))
      .def_prop_ro("has_probabilities", &SharedModel::has_probabilities)
      .def("set_class_weights", &SharedModel::set_class_weights, nb::arg("balanced"), nb::arg("factors"))
      .def_prop_ro("class_weights", &SharedModel::class_weights)
      .def_prop_rw("threshold", &SharedModel::threshold, &SharedModel::set_threshold, nb::arg("threshold").none())
      .def_prop_ro("outputs", &SharedModel::outputs)
      .def_prop_ro("classes", &SharedModel::classes)
      .def_prop_ro("positive", &SharedModel::positive)
      .def_prop_ro("is_of_numbers", &SharedModel::is_of_numbers)
      .def_prop_ro("learner", &SharedModel::learner)
      .def_prop_ro("options", &SharedModel::options)
      .def_prop_ro("features", &SharedModel::features)
      .def("set_columns", &SharedModel::set_columns, nb::arg("table"), nb::arg("kinds"), nb::arg("label"))
      .def_prop_ro("columns", &SharedModel::columns)
      .def_prop_ro("takes_matrices", &SharedModel::takes_matrices)
      .def_prop_ro("feature_names", &SharedModel::feature_names);
}

}  // namespace alder::python
