#include "models.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "alder/batch.h"
#include "alder/error.h"
#include "alder/kernel.h"
#include "alder/model.h"
#include "alder/registry.h"

#include "archive/archive.h"
#include "learning.h"
#include "rows.h"

namespace alder::python {
namespace {

// What each round leaves, if it is wanted: arrays as long as the rows.
struct Curve {
  Doubles scores, support, learning_rate, sum_delta;
};

/// A model behind a lock: several threads may score at once, one may learn. The GIL is never held while waiting for it.
class SharedModel {
 public:
  explicit SharedModel(Model model) : model_(std::move(model)) {}

  static SharedModel* make(const std::string& learner, const std::string& options, std::string negative,
                           std::string positive) {
    Model model;
    model.learner = make_learner(learner, options);
    model.classes = {std::move(negative), std::move(positive)};
    return new SharedModel(std::move(model));
  }

  // Learns the rows in the order given (empty: as they come), from the first to the last or an error.
  void learn(const Rows& rows, const ConstDoubles& labels, const std::optional<ConstIndices>& order,
             const std::optional<Curve>& curve, nb::object tell, const std::optional<BatchOptions>& batch = {}) {
    const std::size_t count = order ? order->shape(0) : rows.size();
    if (labels.shape(0) != rows.size()) throw nb::value_error("there are not as many labels as rows");
    Pulse pulse(std::move(tell));
    const nb::gil_scoped_release release;
    const std::unique_lock lock(mutex_);
    model_.features = std::max(model_.features, rows.features());
    Keeper keeper(model_, batch);
    try {
      learn_rows(rows, labels, order, count, curve, pulse, keeper);
    } catch (...) {
      keeper.keep();
      throw;
    }
    keeper.keep();
  }

  void learn_rows(const Rows& rows, const ConstDoubles& labels, const std::optional<ConstIndices>& order,
                  std::size_t count, const std::optional<Curve>& curve, Pulse& pulse, Keeper& keeper) {
    Rows::Scratch scratch;
    const ForgetRows forget{*model_.learner};
    const auto place = [&order](std::size_t t) { return order ? static_cast<std::size_t>(order->data()[t]) : t; };
    for (std::size_t t = 0; t < count; ++t) {
      const std::size_t i = place(t);
      if (i >= rows.size()) throw Error(fmt::format("the order names row {} of {}", i, rows.size()));
      if (t % Learner::kAhead == 0) expect(rows, place, t, count);
      const double score =
          naming_row(i, [&] { return model_.learner->learn(scaled(rows.row(i, scratch)), labels.data()[i]); });
      if (curve) write(*curve, t, score);
      keeper.after_round();
      pulse.beat(t + 1);
    }
  }

  // Tells the learner of the rows from the t-th on, if they are learned as they stand in the caller's arrays.
  template <class Place>
  void expect(const Rows& rows, const Place& place, std::size_t t, std::size_t count) {
    if (model_.scaling || !rows.are_in_place()) return;
    Rows::Scratch unused;
    std::vector<Row> ahead;
    for (; ahead.size() < Learner::kAhead && t < count && place(t) < rows.size(); ++t) {
      try {
        ahead.push_back(rows.row(place(t), unused));
      } catch (const Error&) {
        break;  // said when it is its turn
      }
    }
    model_.learner->expect(ahead);
  }

  void score(const Rows& rows, const Doubles& out) const {
    if (out.shape(0) != rows.size()) throw nb::value_error("there is not as much room as rows");
    Pulse pulse{nb::none()};
    const nb::gil_scoped_release release;
    const std::shared_lock lock(mutex_);
    Rows::Scratch scratch;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out.data()[i] = naming_row(i, [&] { return model_.learner->score(scaled(rows.row(i, scratch))); });
      pulse.beat(i + 1);
    }
  }

  // One row of named features; names that are new get a number, which learning remembers in `index`.
  double learn_one(const nb::dict& features, const nb::dict& index, double label) {
    SparseRow x;
    x.assign(features, index, numbers_by_name(), true);
    const nb::gil_scoped_release release;
    const std::unique_lock lock(mutex_);
    return model_.learner->learn(scaled(x.row()), label);
  }

  double score_one(const nb::dict& features, const nb::dict& index) const {
    SparseRow x;
    x.assign(features, index, numbers_by_name(), false);
    const nb::gil_scoped_release release;
    const std::shared_lock lock(mutex_);
    return model_.learner->score(scaled(x.row()));
  }

  [[nodiscard]] nb::object report() const {
    const std::string text = locked([this] { return to_json(model_.learner->report()); });
    return nb::module_::import_("json").attr("loads")(text);
  }

  // Everything in bulk that a model file holds, by name, as NumPy arrays.
  [[nodiscard]] nb::dict tensors() const {
    const Archive archive = locked([this] {
      Archive saved;
      model_.learner->save(saved);
      return saved;
    });
    nb::dict out;
    for (const auto& [name, size] : archive.sizes()) {
      const std::string& type = archive.type(name);
      nb::object array = type == "F32"   ? to_numpy(archive.get<float>(name))
                         : type == "F64" ? to_numpy(archive.get<double>(name))
                         : type == "U32" ? to_numpy(archive.get<std::uint32_t>(name))
                                         : to_numpy(archive.get<std::uint64_t>(name));
      out[name.c_str()] = array;
    }
    return out;
  }

  [[nodiscard]] nb::bytes encode() const {
    const std::string bytes = locked([this] { return encode_model(model_); });
    return nb::bytes(bytes.data(), bytes.size());
  }
  void save(const std::string& path) const {
    locked([&] { save_model(model_, path); });
  }

  [[nodiscard]] std::string learner() const { return model_.learner->name(); }
  [[nodiscard]] std::string options() const { return model_.learner->options(); }
  [[nodiscard]] std::pair<std::string, std::string> classes() const {
    return {model_.classes.negative, model_.classes.positive};
  }
  [[nodiscard]] std::size_t features() const { return model_.features; }

 private:
  // A row of named features. `index` has the number of every name met so far.
  struct SparseRow {
    std::vector<std::pair<FeatureIndex, double>> entries;
    std::vector<FeatureIndex> indices;
    std::vector<double> values;

    void assign(const nb::dict& features, const nb::dict& index, bool by_name, bool remember) {
      auto next = static_cast<FeatureIndex>(index.size());
      for (const auto& [name, value] : features) {
        const double number = to_number(name, value);
        PyObject* known = PyDict_GetItemWithError(index.ptr(), name.ptr());
        if (known == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
        if (known != nullptr) {
          entries.emplace_back(nb::cast<FeatureIndex>(nb::handle(known)), number);
          continue;
        }
        entries.emplace_back(by_name ? number_of_name(name) : next++, number);
        if (!remember) continue;
        const nb::object given = nb::cast(entries.back().first);
        if (PyDict_SetItem(index.ptr(), name.ptr(), given.ptr()) != 0) throw nb::python_error();
      }
      std::sort(entries.begin(), entries.end());
      for (const auto& [feature, number] : entries) {
        if (!indices.empty() && indices.back() == feature) {
          values.back() += number;  // two names with one number
        } else {
          indices.push_back(feature);
          values.push_back(number);
        }
      }
    }
    [[nodiscard]] Row row() const { return Row::sparse(indices, values); }

   private:
    static double to_number(nb::handle name, nb::handle value) {
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
    static FeatureIndex number_of_name(nb::handle name) {
      std::uint32_t hash = 2166136261U;
      for (const char c : nb::cast<std::string>(nb::repr(name))) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
      }
      return hash == std::numeric_limits<FeatureIndex>::max() ? 0 : hash;
    }
  };

  // Whether the numbers of features come from their names, and not as the features do.
  [[nodiscard]] bool numbers_by_name() const {
    const LearnerInfo* info = find_learner(model_.learner->name());
    return info != nullptr && info->traits.numbers_matter;
  }

  template <class Action>
  std::invoke_result_t<const Action&> locked(const Action& action) const {
    const nb::gil_scoped_release release;
    const std::shared_lock lock(mutex_);
    return action();
  }

  template <class Action>
  static double naming_row(std::size_t i, const Action& action) {
    try {
      return action();
    } catch (const Error& error) {
      throw error.of_row(i, fmt::format("row {}: {}", i, error.what()));
    }
  }

  [[nodiscard]] Row scaled(const Row& row) const {
    static thread_local Scaling::Buffer buffer;
    if (!model_.scaling) return row;
    row.check();
    return model_.scaling->apply(row, buffer);
  }

  void write(const Curve& curve, std::size_t t, double score) {
    model_.learner->report(report_);
    curve.scores.data()[t] = score;
    curve.support.data()[t] = static_cast<double>(report_.support);
    curve.learning_rate.data()[t] = report_.learning_rate.value_or(0.0);
    curve.sum_delta.data()[t] = report_.number("sum_delta").value_or(std::numeric_limits<double>::quiet_NaN());
  }

  Model model_;
  Report report_;  // of the latest round of a curve
  mutable std::shared_mutex mutex_;
};

nb::dict to_dict(const LearnerTraits& traits) {
  static constexpr const char* kCoefficients[] = {"of_score", "before_scale", "other"};
  nb::dict out;
  out["has_snapshots"] = traits.has_snapshots;
  out["has_hint"] = traits.has_hint;
  out["has_phases"] = traits.has_phases;
  out["has_bounds"] = traits.has_bounds;
  out["numbers_matter"] = traits.numbers_matter;
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
      static constexpr const char* kTypes[] = {"kernel", "number", "count", "choice"};
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

void add_models(nb::module_& module) {
  module.def("learners", list_learners, "All learners with their traits and options.");
  module.def("default_learner", default_learner, "The name of the learner to take if nothing is said.");
  module.def("kernels", list_kernels, "All kernels with their parameters, the usual one first.");
  nb::class_<SharedModel>(module, "Model", "A learner with the names of its classes.")
      .def(nb::new_(
               [](const std::string& learner, const std::string& options, std::string negative, std::string positive) {
                 return SharedModel::make(learner, options, std::move(negative), std::move(positive));
               }),
           nb::arg("learner"), nb::arg("options"), nb::arg("negative"), nb::arg("positive"))
      .def_static("decode",
                  [](const nb::bytes& bytes) {
                    return new SharedModel(decode_model({bytes.c_str(), bytes.size()}));
                  })
      .def_static("load", [](const std::string& path) { return new SharedModel(load_model(path)); })
      .def(
          "learn",
          [](SharedModel& model, const Rows& rows, const ConstDoubles& labels, const std::optional<ConstIndices>& order,
             nb::object tell, const std::optional<std::string>& batch, std::uint64_t seed) {
            std::optional<BatchOptions> options;
            if (batch) {
              const std::size_t count = order ? order->shape(0) : rows.size();
              options = {BatchOptions::choice_named(*batch), seed, count};
            }
            model.learn(rows, labels, order, std::nullopt, std::move(tell), options);
          },
          nb::arg("rows"), nb::arg("labels"), nb::arg("order").none() = nb::none(), nb::arg("tell").none() = nb::none(),
          nb::arg("batch").none() = nb::none(), nb::arg("seed") = 1)
      .def(
          "trace",
          [](SharedModel& model, const Rows& rows, const ConstDoubles& labels, const std::optional<ConstIndices>& order,
             const Doubles& scores, const Doubles& support, const Doubles& learning_rate, const Doubles& sum_delta,
             nb::object tell) {
            const std::size_t count = order ? order->shape(0) : rows.size();
            for (const Doubles* array : {&scores, &support, &learning_rate, &sum_delta}) {
              if (array->shape(0) != count) throw nb::value_error("there is not as much room as rounds");
            }
            model.learn(rows, labels, order, Curve{scores, support, learning_rate, sum_delta}, std::move(tell));
          },
          nb::arg("rows"), nb::arg("labels"), nb::arg("order").none(), nb::arg("scores"), nb::arg("support"),
          nb::arg("learning_rate"), nb::arg("sum_delta"), nb::arg("tell").none() = nb::none())
      .def("score", &SharedModel::score, nb::arg("rows"), nb::arg("out"))
      .def("learn_one", &SharedModel::learn_one, nb::arg("features"), nb::arg("index"), nb::arg("label"))
      .def("score_one", &SharedModel::score_one, nb::arg("features"), nb::arg("index"))
      .def("report", &SharedModel::report)
      .def("tensors", &SharedModel::tensors)
      .def("encode", &SharedModel::encode)
      .def("__getstate__", &SharedModel::encode)
      .def("__setstate__",
           [](SharedModel& model, const nb::bytes& bytes) {
             new (&model) SharedModel(decode_model({bytes.c_str(), bytes.size()}));
           })
      .def("save", &SharedModel::save, nb::arg("path"))
      .def_prop_ro("learner", &SharedModel::learner)
      .def_prop_ro("options", &SharedModel::options)
      .def_prop_ro("classes",
                   [](const SharedModel& model) {
                     const auto [negative, positive] = model.classes();
                     return nb::make_tuple(negative, positive);
                   })
      .def_prop_ro("features", &SharedModel::features);
}

}  // namespace alder::python
