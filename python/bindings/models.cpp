#include "models.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "alder/batch.h"
#include "alder/drive.h"
#include "alder/error.h"
#include "alder/model.h"
#include "alder/registry.h"

#include "archive/archive.h"
#include "array_stream.h"
#include "learning.h"
#include "named_row.h"
#include "rows.h"

namespace alder::python {
namespace {

using ClassIds = nb::ndarray<std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OptionalDoubles = std::optional<ConstDoubles>;
using OptionalIndices = std::optional<ConstIndices>;

// Errors of one row, with its number before the message.
template <class Action>
std::invoke_result_t<const Action&> naming_row(std::size_t i, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    throw error.of_row(i, fmt::format("row {}: {}", i, error.what()));
  }
}

/// A model behind a lock: several threads may predict at once, one may learn. The GIL is never held while waiting for
/// it.
class SharedModel {
 public:
  explicit SharedModel(Model model) : model_(std::move(model)) {
    const LearnerInfo* info = find_learner(model_.learner().name());
    numbers_by_name_ = info != nullptr && info->traits.numbers_matter;
  }

  // Learns the rows in the order given, from the first to the last or an error.
  void learn(const Rows& rows, const ConstDoubles& targets, const OptionalDoubles& weights,
             const OptionalIndices& order, nb::object tell, const std::optional<std::string>& batch,
             std::uint64_t seed) {
    ArrayStream stream(rows, targets, weights, order);
    Pulse pulse(std::move(tell));
    const nb::gil_scoped_release release;
    const std::unique_lock lock(mutex_);
    if (!batch) {
      Hook* const hooks[] = {&pulse};
      learn_stream(stream, rows.features(), hooks);
      return;
    }
    std::optional<Batch> chooser(std::in_place, model_.learner(),
                                 BatchOptions{BatchOptions::choice_named(*batch), seed, stream.size()});
    const auto keep = [&] {
      Batch::Chosen chosen = chooser->chosen();
      chooser.reset();
      model_ = model_.with_learner(std::move(chosen.hypothesis));
    };
    Hook* const hooks[] = {&*chooser, &pulse};
    try {
      learn_stream(stream, rows.features(), hooks);
    } catch (...) {
      keep();  // also of rows before an error, or until Ctrl-C
      throw;
    }
    keep();
  }

  // The same, and writes what each round leaves.
  void trace(const Rows& rows, const ConstDoubles& targets, const OptionalIndices& order, const Curve& curve,
             nb::object tell) {
    ArrayStream stream(rows, targets, std::nullopt, order);
    for (const Doubles* array :
         {&curve.scores, &curve.mistakes, &curve.support, &curve.learning_rate, &curve.sum_delta}) {
      if (array->shape(0) != stream.size()) throw nb::value_error("there is not as much room as rounds");
    }
    Pulse pulse(std::move(tell));
    Trace trace(model_, curve);
    const nb::gil_scoped_release release;
    const std::unique_lock lock(mutex_);
    Hook* const hooks[] = {&trace, &pulse};
    learn_stream(stream, rows.features(), hooks);
  }

  // Scores, positive for the class `positive`.
  void score(const Rows& rows, const Doubles& out, unsigned threads) const {
    if (out.shape(0) != rows.size()) throw nb::value_error("there is not as much room as rows");
    predict_rows(rows, threads, [&out](std::size_t first, const Predictions& made) {
      std::copy(made.scores.begin(), made.scores.end(), out.data() + first);
    });
  }

  // Class ids; kNoClass before anything was learned.
  void predict(const Rows& rows, const ClassIds& out, unsigned threads) const {
    if (out.shape(0) != rows.size()) throw nb::value_error("there is not as much room as rows");
    predict_rows(rows, threads, [&out](std::size_t first, const Predictions& made) {
      std::copy(made.classes.begin(), made.classes.end(), out.data() + first);
    });
  }

  // One row of named features; names that are new get a number, which learning remembers in `index`. The class must
  // have been named before. Returns the score made before it was learned.
  double learn_one(const nb::dict& features, const nb::dict& index, const std::string& name) {
    const NamedRow named(features, index, numbers_by_name_, true);
    const Row row = named.row();
    const nb::gil_scoped_release release;
    const std::unique_lock lock(mutex_);
    const std::vector<std::string>& names = model_.classes();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw Error(Error::Kind::kTarget, fmt::format("there is no class \"{}\"", name));
    const auto target = static_cast<double>(found - names.begin());
    Predictions before;
    model_.learn({std::span(&row, 1), std::span(&target, 1)}, &before);
    return before.scores[0];
  }

  [[nodiscard]] double score_one(const nb::dict& features, const nb::dict& index) const {
    return predict_named(features, index, [](const Predictions& made) { return made.scores[0]; });
  }

  // The name of the class; empty before anything was learned.
  [[nodiscard]] std::optional<std::string> predict_one(const nb::dict& features, const nb::dict& index) const {
    return predict_named(features, index, [this](const Predictions& made) -> std::optional<std::string> {
      if (made.classes[0] == kNoClass) return std::nullopt;
      return model_.classes()[made.classes[0]];
    });
  }

  [[nodiscard]] nb::object report() const {
    const std::string text = locked([this] { return to_json(model_.counts(), model_.learner().report()); });
    return nb::module_::import_("json").attr("loads")(text);
  }

  // Everything in bulk that the learner has, by name, as NumPy arrays.
  [[nodiscard]] nb::dict tensors() const {
    const Archive archive = locked([this] {
      Archive saved;
      model_.learner().save(saved);
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
    const std::string bytes = locked([this] { return model_.encode(); });
    return nb::bytes(bytes.data(), bytes.size());
  }
  void save(const std::string& path) const {
    locked([&] { model_.save(path); });
  }

  void set_classes(const std::vector<std::string>& names, bool is_ordered) {
    const nb::gil_scoped_release release;
    const std::unique_lock lock(mutex_);
    model_.set_classes(names, is_ordered);
  }
  [[nodiscard]] std::vector<std::string> classes() const {
    return locked([this] { return model_.classes(); });
  }
  [[nodiscard]] std::uint32_t positive() const {
    return locked([this] { return model_.positive(); });
  }
  [[nodiscard]] std::string learner() const {
    return locked([this] { return model_.learner().name(); });
  }
  [[nodiscard]] std::string options() const {
    return locked([this] { return model_.learner().options(); });
  }
  [[nodiscard]] std::size_t features() const {
    return locked([this] { return model_.features(); });
  }

 private:
  void learn_stream(ArrayStream& stream, std::size_t features, std::span<Hook* const> hooks) {
    model_.count_features(features);
    Predictions before;
    std::size_t done = 0;
    const auto learn = [&](const Examples& examples) -> Learned {
      const std::size_t count = naming_row(stream.place(done), [&] { return model_.learn(examples, &before); });
      done += count;
      return {count, before.scores};
    };
    drive(stream, learn, hooks);
  }

  // Predicts a portion of the rows at a time: use(first, predictions).
  template <class Use>
  void predict_rows(const Rows& rows, unsigned threads, const Use& use) const {
    Pulse pulse{nb::none()};
    const nb::gil_scoped_release release;
    const std::shared_lock lock(mutex_);
    Rows::Window window(rows);
    Portion portion(rows);
    Predictions made;
    for (std::size_t first = 0; first < rows.size();) {
      const std::size_t end = std::min(rows.size(), first + portion.rows());
      window.clear();
      for (std::size_t i = first; i < end; ++i) window.add(i);
      predict_portion(window.rows(), first, made, threads);
      use(first, made);
      first = end;
      portion.adapt();
      pulse.beat(first);
    }
  }

  // An error names the first row at fault, whichever thread met one.
  void predict_portion(std::span<const Row> rows, std::size_t first, Predictions& made, unsigned threads) const {
    try {
      model_.predict(rows, made, {threads});
    } catch (const Error&) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        naming_row(first + i, [&] { model_.predict(rows.subspan(i, 1), made); });
      }
      throw;
    }
  }

  template <class Use>
  std::invoke_result_t<const Use&, const Predictions&> predict_named(const nb::dict& features, const nb::dict& index,
                                                                     const Use& use) const {
    const NamedRow named(features, index, numbers_by_name_, false);
    const Row row = named.row();
    return locked([&] {
      Predictions made;
      model_.predict(std::span(&row, 1), made);
      return use(made);
    });
  }

  template <class Action>
  std::invoke_result_t<const Action&> locked(const Action& action) const {
    const nb::gil_scoped_release release;
    const std::shared_lock lock(mutex_);
    return action();
  }

  Model model_;
  bool numbers_by_name_ = false;  // the numbers of features come from their names, not as the features do
  mutable std::shared_mutex mutex_;
};

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
          [](SharedModel& model, const Rows& rows, const ConstDoubles& targets, const OptionalIndices& order,
             const Doubles& scores, const Doubles& mistakes, const Doubles& support, const Doubles& learning_rate,
             const Doubles& sum_delta, nb::object tell) {
            model.trace(rows, targets, order, {scores, mistakes, support, learning_rate, sum_delta}, std::move(tell));
          },
          nb::arg("rows"), nb::arg("targets"), nb::arg("order").none(), nb::arg("scores"), nb::arg("mistakes"),
          nb::arg("support"), nb::arg("learning_rate"), nb::arg("sum_delta"), nb::arg("tell").none() = nb::none())
      .def("score", &SharedModel::score, nb::arg("rows"), nb::arg("out"), nb::arg("threads") = 1)
      .def("predict", &SharedModel::predict, nb::arg("rows"), nb::arg("out"), nb::arg("threads") = 1)
      .def("learn_one", &SharedModel::learn_one, nb::arg("features"), nb::arg("index"), nb::arg("name"))
      .def("score_one", &SharedModel::score_one, nb::arg("features"), nb::arg("index"))
      .def("predict_one", &SharedModel::predict_one, nb::arg("features"), nb::arg("index"))
      .def("report", &SharedModel::report)
      .def("tensors", &SharedModel::tensors)
      .def("encode", &SharedModel::encode)
      .def("__getstate__", &SharedModel::encode)
      .def("__setstate__", [](SharedModel& model, const nb::bytes& bytes) { new (&model) SharedModel(decode(bytes)); })
      .def("save", &SharedModel::save, nb::arg("path"))
      .def("set_classes", &SharedModel::set_classes, nb::arg("names"), nb::arg("is_ordered") = false)
      .def_prop_ro("classes", &SharedModel::classes)
      .def_prop_ro("positive", &SharedModel::positive)
      .def_prop_ro("learner", &SharedModel::learner)
      .def_prop_ro("options", &SharedModel::options)
      .def_prop_ro("features", &SharedModel::features);
}

}  // namespace alder::python
