#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "alder/batch.h"
#include "alder/error.h"
#include "alder/input.h"
#include "alder/model.h"
#include "alder/yardsticks.h"

#include "hooks.h"
#include "progress.h"
#include "training.h"
#include "warnings.h"

namespace alder::cli {

/// One pass of a model over rows: what happens on the way, and at the end.
class Session {
 public:
  /// `rows` is how many will be learned, if that is known, else 0. All must outlive this.
  Session(const TrainingOptions& options, const Input& input, Model& model, std::uint64_t rows, std::uint64_t seed,
          std::function<double()> done);

  /// Learns the rows; `waited` gives the seconds spent waiting for them, so far.
  Run learn(Stream& rows, const std::function<double()>& waited);
  /// Saves the model, if it was asked for, with what is known of its input by now.
  void save();
  /// Says which function is kept, and what it is worth on the rows held out, if there are any; their classes are called
  /// so.
  void judge(Run& run, Stream* heldout, const std::vector<std::string>& classes) const;

  /// Does what may fail after rows were learned. The model is saved then, too, and the Error says where.
  template <class Action>
  void or_save(const Action& action) {
    try {
      action();
    } catch (const Error& error) {
      save_after(error);
      throw;
    } catch (...) {
      if (model_.learner().rounds() > 0) save();
      throw;
    }
  }

 private:
  void save_after(const Error& error);

  const TrainingOptions& options_;
  const Input& input_;
  Model& model_;
  CountYardsticks yardsticks_;
  StreamChecks checks_;
  Measure measure_;
  std::optional<Batch> batch_;
  std::optional<Trace> trace_;
  std::optional<Progress> progress_;
  std::optional<Checkpoint> checkpoint_;
  StopAtSignal stop_;
};

}  // namespace alder::cli
