#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "alder/dataset.h"
#include "alder/pomdr.h"

namespace alder::cli {

/// The options that make a learner.
struct LearnerFlags {
  std::string learner = "pomdr";
  std::string kernel = "gaussian";
  std::string sigma = "auto";
  std::optional<double> gamma;
  int degree = 3;
  double coef0 = 1.0;
  std::string horizon = "auto";
  std::string b0 = "auto";
  std::optional<double> step;
  std::string precision = "float";
  PomdrOptions pomdr;

  void add_to(CLI::App& verb);
  /// The options that the user gave, by name: a saved model has its own.
  [[nodiscard]] std::vector<std::string> given() const;
  /// Whether the kernel's width is to be found from the first rows.
  [[nodiscard]] bool needs_width() const;
  /// `width` is σ if needs_width(); `rows` is T if it is known and not given.
  [[nodiscard]] PomdrOptions learner_options(double width, std::optional<std::uint64_t> rows) const;

 private:
  [[nodiscard]] Kernel make_kernel(double width) const;

  std::vector<CLI::Option*> options_;
};

}  // namespace alder::cli
