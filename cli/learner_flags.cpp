#include "learner_flags.h"

#include <charconv>

#include <fmt/format.h>

#include "alder/learner.h"

#include "verbs.h"

namespace alder::cli {
namespace {

template <class Number>
Number parse(const char* name, const std::string& text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw UsageError(fmt::format("{} is {}; expected a number or auto", name, text));
  }
  return number;
}

}  // namespace

void LearnerFlags::add_to(CLI::App& verb) {
  const auto add = [this, &verb](const char* name, auto& value, const char* text, const char* type) {
    CLI::Option* option = verb.add_option(name, value, text)->type_name(type);
    options_.push_back(option);
    return option;
  };
  add("--learner", learner, "the learner", "")->check(CLI::IsMember(learner_names()))->capture_default_str();
  add("--kernel", kernel, "gaussian, laplacian, polynomial or linear", "")
      ->check(CLI::IsMember({"gaussian", "laplacian", "polynomial", "linear"}))
      ->capture_default_str();
  auto* width = add("--sigma", sigma, "kernel width; auto: half the median distance of 500 rows", "X");
  width->capture_default_str();
  add("--gamma", gamma, "instead: gaussian exp(-gamma d^2), laplacian exp(-gamma d)", "X")->excludes(width);
  add("--degree", degree, "of the polynomial kernel", "N")->capture_default_str();
  add("--coef0", coef0, "of the polynomial kernel", "X")->capture_default_str();
  options_.push_back(add_count(verb, "--budget", pomdr.budget, "B: a support set of this size is halved"));
  add("--radius", pomdr.radius, "U: the largest norm of the hypothesis", "X")->capture_default_str();
  options_.push_back(add_count(verb, "--window", pomdr.window, "M: recent rows in the optimistic gradient"));
  add("--horizon", horizon, "T: rows to come; auto: counted if read whole, else unknown", "N")->capture_default_str();
  add("--zeta", pomdr.zeta, "exponent of the ALD threshold ald*T^-zeta", "X")->default_str("2/3");
  add("--ald", pomdr.ald, "constant of that threshold", "X")->capture_default_str();
  add("--b0", b0, "B0: support size that ends phase 1; auto: 15 ln T", "N")->capture_default_str();
  add("--factor", pomdr.factor, "c: of the learning rate after a removal", "X")->capture_default_str();
  add("--step", step, "step size of the learners that have one (not pomdr)", "X");
  add("--precision", precision, "float or double", "")
      ->check(CLI::IsMember({"float", "double"}))
      ->capture_default_str();
}

std::vector<std::string> LearnerFlags::given() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : options_) {
    if (option->count() > 0) names.push_back(option->get_name());
  }
  return names;
}

bool LearnerFlags::needs_width() const {
  return sigma == "auto" && !gamma && (kernel == "gaussian" || kernel == "laplacian");
}

Kernel LearnerFlags::make_kernel(double width) const {
  if (kernel == "linear" || kernel == "polynomial") {
    if (sigma != "auto") throw UsageError(fmt::format("the {} kernel has no --sigma", kernel));
    if (kernel == "linear" && gamma) throw UsageError("the linear kernel has no --gamma");
    return kernel == "linear" ? Kernel::linear() : Kernel::polynomial(degree, gamma.value_or(1.0), coef0);
  }
  if (gamma) return kernel == "gaussian" ? Kernel::gaussian_gamma(*gamma) : Kernel::laplacian_gamma(*gamma);
  if (sigma != "auto") width = parse<double>("--sigma", sigma);
  return kernel == "gaussian" ? Kernel::gaussian(width) : Kernel::laplacian(width);
}

PomdrOptions LearnerFlags::learner_options(double width, std::optional<std::uint64_t> rows) const {
  if (step) throw UsageError("pomdr has no --step: its learning rate adapts by itself");
  PomdrOptions options = pomdr;
  options.kernel = make_kernel(width);
  options.horizon = horizon == "auto" ? rows : parse<std::uint64_t>("--horizon", horizon);
  if (b0 != "auto") options.b0 = parse<std::size_t>("--b0", b0);
  options.precision = precision == "float" ? Precision::kFloat : Precision::kDouble;
  return options;
}

}  // namespace alder::cli
