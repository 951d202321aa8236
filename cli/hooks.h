#pragma once

#include <functional>
#include <string>

#include "alder/model.h"
#include "alder/yardsticks.h"

#include "output.h"
#include "signals.h"

namespace alder::cli {

/// Writes a line for every round: round,label,score,lambda,size,norm. As long as there are two classes, the label is -1
/// or 1 and the score positive for 1; then it is the name of the class, and the score that of the predicted class. Of
/// numbers it is the number.
class Trace final : public Hook {
 public:
  /// If the run `has_other_results`, such as a model to be saved, it goes on without a trace when the reader of
  /// standard output has gone away; otherwise that ends it with a ReaderGone.
  Trace(const std::string& path, const Model& model, bool has_other_results);
  [[nodiscard]] std::uint64_t due() const override { return 1; }
  bool after(const Examples& learned, const Predictions& made) override;
  void close();

 private:
  // Calls `write` unless the reader has gone away.
  template <class Write>
  void while_read(const Write& write);
  [[nodiscard]] std::string label_of(double number, const Predictions& made) const;

  const Model& model_;
  Output output_;
  bool has_other_results_;
  bool is_read_ = true;
  Report report_;  // of the latest round
};

/// Saves every so many rows.
class Checkpoint final : public Hook {
 public:
  Checkpoint(std::uint64_t every, std::function<void()> save) : every_(every), left_(every), save_(std::move(save)) {}
  [[nodiscard]] std::uint64_t due() const override { return left_; }
  bool after(const Examples& learned, const Predictions& made) override;

 private:
  std::uint64_t every_;
  std::uint64_t left_;
  std::function<void()> save_;
};

/// Stops when a signal asks for it.
class StopAtSignal final : public Hook {
 public:
  bool after(const Examples& /*learned*/, const Predictions& /*made*/) override { return Signals::caught() == 0; }
};

/// Counts what the predictions of one pass are worth; the model counts those of all.
class Measure final : public Hook {
 public:
  explicit Measure(Task task) : metrics_(task) {}
  bool after(const Examples& learned, const Predictions& made) override {
    metrics_.add(made, learned.targets, learned.weights);
    return true;
  }
  [[nodiscard]] const Metrics& metrics() const { return metrics_; }

 private:
  Metrics metrics_;
};

/// Counts what dumb predictors would have done, of classes or of numbers.
class CountYardsticks final : public Hook {
 public:
  explicit CountYardsticks(Task task) : task_(task) {}
  bool after(const Examples& learned, const Predictions& /*made*/) override {
    if (task_ == Task::kRegression) {
      of_numbers_.add(learned.targets, learned.weights);
    } else {
      of_classes_.add(learned.targets, learned.weights);
    }
    return true;
  }
  [[nodiscard]] const Yardsticks& of_classes() const { return of_classes_; }
  [[nodiscard]] const NumberYardsticks& of_numbers() const { return of_numbers_; }

 private:
  Task task_;
  Yardsticks of_classes_;
  NumberYardsticks of_numbers_;
};

}  // namespace alder::cli
