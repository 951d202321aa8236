#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "alder/input.h"
#include "alder/model.h"
#include "alder/precision.h"
#include "alder/registry.h"
#include "alder/task.h"

#include "experiments/settings.h"
#include "flags.h"

namespace alder::cli {

/// The options that make a learner: its name, its kernel, and whatever options the registry says that learners have.
class LearnerFlags {
 public:
  /// `learner` is what is meant if nothing is said.
  explicit LearnerFlags(std::string learner);
  LearnerFlags(const LearnerFlags&) = delete;
  LearnerFlags& operator=(const LearnerFlags&) = delete;

  void add_to(Flags& verb);

  [[nodiscard]] const std::string& learner() const { return learner_; }
  /// Whether the user named it.
  [[nodiscard]] bool is_named() const { return name_->is_given(); }
  /// If no learner was named, this one is meant.
  void set_default(const std::string& learner) {
    if (!name_->is_given()) learner_ = learner;
  }
  /// The names of the options that the user gave: a saved model has its own.
  [[nodiscard]] std::vector<std::string> given() const;
  /// The options of the learner, for make_learner. `rows` is T if it is known and not given. Throws UsageError for an
  /// option that the learner does not have, or that is no number where one is expected, and Error if the learner or its
  /// loss is not for the task.
  [[nodiscard]] std::string options(bool scales_online, std::optional<std::uint64_t> rows, std::uint64_t seed,
                                    Task task = Task::kClassification) const;
  /// What the learner learns by its loss, if one was given, or since it learns nothing else; empty: it may be either.
  [[nodiscard]] std::optional<Task> only_task() const;
  /// Whether the kernel's width is left to the learner, and it is one that does not find it by a race of its own.
  [[nodiscard]] bool needs_width() const;
  /// Whether the kernel's width is left to the learner, and it finds that by a race of its own.
  [[nodiscard]] bool chooses_width() const;
  /// The options with this width, if needs_width(): for those who know all rows.
  [[nodiscard]] std::string options_with_width(double width, std::optional<std::uint64_t> rows,
                                               std::uint64_t seed) const;
  /// What was given, as a grid for a search (experiments/settings.h): a value with commas is a list of values to try.
  /// Throws UsageError likewise.
  [[nodiscard]] Json grid() const;

 private:
  void add_kernel(Flags& verb);
  void show_options_of(const std::string& learner);
  [[nodiscard]] bool is_given(const std::string& name) const;
  // What was given, by `parse` from the text of each option; throws UsageError for options that the learner has not.
  template <class Parse>
  [[nodiscard]] Json settings(const Parse& parse) const;

  std::string learner_;
  std::string kernel_;
  std::string sigma_ = "auto";
  std::string gamma_;
  std::vector<std::pair<std::string, std::string>> others_;  // the kernels' other parameters, by name
  std::optional<Flag> name_;
  std::map<std::string, Flag> kernel_options_;  // by name
  std::map<std::string, Flag> settings_;        // the other options
  std::map<std::string, std::string> texts_;    // their values
};

/// Of a model, for InputOptions: rows that its learner takes as they are should be numbers that it can hold.
Precision precision_of(const Model& model);

}  // namespace alder::cli
