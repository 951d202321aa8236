#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "alder/batch.h"
#include "alder/drive.h"
#include "alder/error.h"
#include "alder/model.h"
#include "alder/registry.h"

#include "archive/archive.h"
#include "array_stream.h"
#include "explained.h"
#include "learning.h"
#include "metrics_dict.h"
#include "named_row.h"
#include "rows.h"
#include "table.h"
#include "tensors_dict.h"

namespace alder::python {

using OptionalDoubles = std::optional<ConstDoubles>;
using OptionalIndices = std::optional<ConstIndices>;

/// A model behind a lock: several threads may predict at once, one may learn. The GIL is never held while waiting for
/// it.
class SharedModel {
 public:
  explicit SharedModel(Model model) : model_(std::move(model)) {
    const LearnerInfo* info = find_learner(model_.learner().name());
    numbers_by_name_ = info != nullptr && info->traits.numbers_matter;
    if (model_.encoding() != nullptr) keep_encoding(*model_.encoding());
  }

  // Learns the rows in the order given, from the first to the last or an error.
  void learn(const RowSource& rows, const ConstDoubles& targets, const OptionalDoubles& weights,
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
  void trace(const RowSource& rows, const ConstDoubles& targets, const OptionalIndices& order, const Curve& curve,
             nb::object tell) {
    ArrayStream stream(rows, targets, std::nullopt, order);
    if (!curve.has_room_for(stream.size())) throw nb::value_error("there is not as much room as rounds");
    Pulse pulse(std::move(tell));
    Trace trace(model_, curve);
    const nb::gil_scoped_release release;
    const std::unique_lock lock(mutex_);
    Hook* const hooks[] = {&trace, &pulse};
    learn_stream(stream, rows.features(), hooks);
  }

  // Scores, positive for the class `positive`, while a score is one number.
  void score(const RowSource& rows, const Doubles& out, unsigned threads) const {
    check_room(out.shape(0) == rows.size());
    predict_rows(rows, {threads}, [&](std::size_t first, const Predictions& made) {
      if (made.outputs != 1)
        throw Error(fmt::format("a score has {} numbers, one for each class; expected one number", made.outputs));
      std::copy(made.scores.begin(), made.scores.end(), out.data() + first);
    });
  }

  // Scores of all classes, by id.
  void scores(const RowSource& rows, const DoubleMatrix& out, unsigned threads) const {
    check_room(out.shape(0) == rows.size());
    predict_rows(rows, {threads}, [&](std::size_t first, const Predictions& made) {
      const std::size_t columns = model_.classes().size();
      check_room(out.shape(1) == columns);
      for (std::size_t i = 0; i < made.classes.size(); ++i)
        model_.scores_by_class(made, i, {out.data() + (first + i) * columns, columns});
    });
  }

  // Class ids; kNoClass before anything was learned.
  void predict(const RowSource& rows, const ClassIds& out, unsigned threads) const {
    check_room(out.shape(0) == rows.size());
    predict_rows(rows, {threads}, [&out](std::size_t first, const Predictions& made) {
      std::copy(made.classes.begin(), made.classes.end(), out.data() + first);
    });
  }

  // Probabilities of all classes, by id.
  void predict_proba(const RowSource& rows, const DoubleMatrix& out, unsigned threads) const {
    check_room(out.shape(0) == rows.size());
    predict_rows(rows, {threads, true}, [&](std::size_t first, const Predictions& made) {
      const std::size_t columns = model_.classes().size();
      check_room(out.shape(1) == columns);
      for (std::size_t i = 0; i < made.classes.size(); ++i)
        std::copy_n(row_of(made, i), columns, out.data() + (first + i) * columns);
    });
  }

  // One row of named features; names that are new get a number, which learning remembers in `index`. The class must
  // have been named before.
  void learn_one(const nb::dict& features, const nb::dict& index, const std::string& name, double weight) {
    const auto target = locked([&] {
      const std::vector<std::string>& names = model_.classes();
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end()) throw Error(Error::Kind::kTarget, fmt::format("there is no class \"{}\"", name));
      return static_cast<double>(found - names.begin());
    });
    learn_number(features, index, target, weight);
  }
  // The same with a number as target.
  void learn_number(const nb::dict& features, const nb::dict& index, double target, double weight) {
    const NamedRow named(features, index, numbers_by_name_, true);
    const Row row = named.row();
    changed([&] { model_.learn({std::span(&row, 1), std::span(&target, 1), std::span(&weight, 1)}); });
  }

  // The name of the class; empty before anything was learned.
  [[nodiscard]] std::optional<std::string> predict_one(const nb::dict& features, const nb::dict& index) const {
    return predict_named(features, index, {}, [this](const Predictions& made) -> std::optional<std::string> {
      if (made.classes[0] == kNoClass) return std::nullopt;
      return model_.classes()[made.classes[0]];
    });
  }

  // The probabilities of the classes by their names.
  [[nodiscard]] nb::dict predict_proba_one(const nb::dict& features, const nb::dict& index) const {
    const auto made = predict_named(features, index, {1, true}, [this](const Predictions& predictions) {
      return std::pair(model_.classes(), predictions.probabilities);
    });
    nb::dict out;
    for (std::size_t id = 0; id < made.first.size(); ++id) out[nb::cast(made.first[id])] = made.second[id];
    return out;
  }

  [[nodiscard]] nb::object report() const {
    const std::string text = locked([this] { return to_json(model_.counts(), model_.learner().report()); });
    return nb::module_::import_("json").attr("loads")(text);
  }

  // Pairs of a feature, counted from 0, and its share.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, double>> importances() const {
    const auto found = locked([this] { return model_.learner().importances(); });
    std::vector<std::pair<std::uint32_t, double>> pairs;
    for (const FeatureShare& one : found) pairs.emplace_back(one.feature, one.share);
    return pairs;
  }

  // Why rows are predicted as they are: a dict for each, with class ids, and features and stored rows counted from 0.
  [[nodiscard]] nb::list explain(const RowSource& rows, std::size_t top) const {
    nb::list out;
    const auto window = rows.predict_window(encoding_.get());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      window->clear();
      window->add(i);
      out.append(explanation_dict(
          locked([&] { return naming_row(i, [&] { return alder::explain(model_, window->rows()[0], {top}); }); })));
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    return out;
  }

  // What the predictions made before learning were worth: numbers by their names, "recall" by id, None for a class
  // without rows, and "confusion" as tuples (actual id, predicted id or None, rows).
  [[nodiscard]] nb::dict metrics() const {
    const Metrics metrics = locked([this] { return model_.metrics(); });
    return metrics_dict(metrics);
  }

  // Everything in bulk that the learner has, by name, as NumPy arrays.
  [[nodiscard]] nb::dict tensors() const {
    const Archive archive = locked([this] {
      Archive saved;
      model_.learner().save(saved);
      return saved;
    });
    return tensors_dict(archive);
  }

  [[nodiscard]] nb::bytes encode() const {
    const std::string bytes = locked([this] { return model_.encode(); });
    return nb::bytes(bytes.data(), bytes.size());
  }
  void save(const std::string& path) const {
    locked([&] { model_.save(path); });
  }

  void set_classes(const std::vector<std::string>& names, bool is_ordered) {
    changed([&] { model_.set_classes(names, is_ordered); });
  }
  void learn_probabilities(bool wanted) {
    changed([&] { model_.learn_probabilities(wanted); });
  }
  [[nodiscard]] bool has_probabilities() const {
    return locked([this] { return model_.has_probabilities(); });
  }
  void set_class_weights(bool balanced, const std::map<std::string, double>& factors) {
    changed([&] { model_.set_class_weights({balanced, factors}); });
  }
  [[nodiscard]] std::pair<bool, std::map<std::string, double>> class_weights() const {
    const ClassWeights weights = locked([this] { return model_.class_weights(); });
    return {weights.balanced, weights.factors};
  }
  void set_threshold(std::optional<double> threshold) {
    changed([&] { model_.set_threshold(threshold); });
  }
  [[nodiscard]] std::optional<double> threshold() const {
    return locked([this] { return model_.threshold(); });
  }
  [[nodiscard]] std::size_t outputs() const {
    return locked([this] { return model_.learner().outputs(); });
  }
  [[nodiscard]] std::vector<std::string> classes() const {
    return locked([this] { return model_.classes(); });
  }
  [[nodiscard]] std::uint32_t positive() const {
    return locked([this] { return model_.positive(); });
  }
  [[nodiscard]] bool is_of_numbers() const {
    return locked([this] { return model_.task() == Task::kRegression; });
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

  // How the rows of tables with these columns become features from now on; before anything was learned. `kinds` has
  // those that are given, by place. `label` is the name of the labels' column; empty: it has none.
  void set_columns(const Table& table, const std::map<std::size_t, std::string>& kinds, const std::string& label) {
    Encoding encoding = table.find_encoding(kinds);
    if (!label.empty()) {
      encoding.label_name = label;
      encoding.label_place = encoding.columns().size();  // where tables have it that say nothing else
    }
    changed([&] { keep_encoding(encoding); });
  }
  // Name, kind, and why it is ignored if that was found out; empty: rows have no columns.
  using ColumnTexts = std::vector<std::tuple<std::string, std::string, std::string>>;
  [[nodiscard]] std::optional<ColumnTexts> columns() const {
    return locked([this]() -> std::optional<ColumnTexts> {
      if (encoding_ == nullptr) return std::nullopt;
      ColumnTexts texts;
      for (const Column& one : encoding_->columns())
        texts.emplace_back(one.name, column_kind_name(one.kind), one.reason);
      return texts;
    });
  }
  // Whether a matrix without columns can be learned and predicted as it is.
  [[nodiscard]] bool takes_matrices() const {
    return locked([this] { return encoding_ == nullptr || is_plain(*encoding_); });
  }
  [[nodiscard]] std::vector<std::string> feature_names() const {
    return locked([this] {
      std::vector<std::string> names;
      for (std::size_t i = 0; i < model_.features(); ++i)
        names.push_back(model_.feature_name(static_cast<FeatureIndex>(i)));
      return names;
    });
  }

  // Predicts one row of named features: use(predictions).
  template <class Use>
  std::invoke_result_t<const Use&, const Predictions&> predict_named(const nb::dict& features, const nb::dict& index,
                                                                     const Wanted& wanted, const Use& use) const {
    const NamedRow named(features, index, numbers_by_name_, false);
    const Row row = named.row();
    return locked([&] {
      Predictions made;
      model_.predict(std::span(&row, 1), made, wanted);
      return use(made);
    });
  }

  // Predicts a portion of the rows at a time: use(first, predictions).
  template <class Use>
  void predict_rows(const RowSource& rows, const Wanted& wanted, const Use& use) const {
    Pulse pulse{nb::none()};
    const nb::gil_scoped_release release;
    const std::shared_lock lock(mutex_);
    const auto window = rows.predict_window(encoding_.get());
    Portion portion(rows);
    Predictions made;
    for (std::size_t first = 0; first < rows.size();) {
      const std::size_t end = std::min(rows.size(), first + portion.rows());
      window->clear();
      for (std::size_t i = first; i < end; ++i) window->add(i);
      predict_portion(window->rows(), first, made, wanted);
      use(first, made);
      first = end;
      portion.adapt();
      pulse.beat(first);
    }
  }

 private:
  void learn_stream(ArrayStream& stream, std::size_t features, std::span<Hook* const> hooks) {
    stream.begin(encoding_.get());
    model_.count_features(features);
    std::size_t done = 0;
    const auto learn = [&](const Examples& examples, Predictions& made) {
      const std::size_t count = naming_row(stream.place(done), [&] { return model_.learn(examples, &made); });
      done += count;
      return count;
    };
    drive(stream, learn, hooks);
  }

  // A copy that learning makes grow; the model has the same one.
  void keep_encoding(const Encoding& encoding) {
    auto kept = std::make_shared<Encoding>(encoding);
    model_.set_encoding(kept);
    encoding_ = std::move(kept);
  }

  // An error names the first row at fault, whichever thread met one.
  void predict_portion(std::span<const Row> rows, std::size_t first, Predictions& made, const Wanted& wanted) const {
    try {
      model_.predict(rows, made, wanted);
    } catch (const Error&) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        naming_row(first + i, [&] { model_.predict(rows.subspan(i, 1), made); });
      }
      throw;
    }
  }

  template <class Action>
  std::invoke_result_t<const Action&> locked(const Action& action) const {
    const nb::gil_scoped_release release;
    const std::shared_lock lock(mutex_);
    return action();
  }

  template <class Action>
  void changed(const Action& action) {
    const nb::gil_scoped_release release;
    const std::unique_lock lock(mutex_);
    action();
  }

  static void check_room(bool is_enough) {
    if (!is_enough) throw Error("the array that receives results has another shape than these");
  }

  // The probabilities of row i. There are at least as many as classes: the second may have no name yet.
  static const double* row_of(const Predictions& made, std::size_t i) {
    return made.probabilities.data() + i * (made.probabilities.size() / made.classes.size());
  }

  Model model_;
  std::shared_ptr<Encoding> encoding_;  // null: rows have no columns
  bool numbers_by_name_ = false;        // the numbers of features come from their names, not as the features do
  mutable std::shared_mutex mutex_;
};

}  // namespace alder::python
