#include "learners/pomdr/pomdr_options.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "alder/error.h"

#include "learners/core/kind.h"

namespace alder {
namespace {

// round(15 ln T), the setting of the paper's experiments; at least one element.
std::size_t automatic_b0(std::uint64_t horizon) {
  return static_cast<std::size_t>(std::max(1.0, std::round(15.0 * std::log(static_cast<double>(horizon)))));
}

void check_budget(const PomdrOptions& options) {
  if (options.budget < 2 || options.budget % 2 != 0) {
    throw Error(
        fmt::format("budget is {}; expected an even number from 2 on, since half of it is removed", options.budget));
  }
  const std::uint64_t horizon = Horizon(options.horizon).value();
  const std::size_t b0 = options.b0.value_or(automatic_b0(horizon));
  if (options.budget <= b0) {
    const std::string reason =
        options.b0 ? "" : fmt::format(" (b0 is round(15 ln T) with T = {}; set b0 for a smaller budget)", horizon);
    throw Error(fmt::format("budget is {}; expected more than b0 = {}{}", options.budget, b0, reason));
  }
}

}  // namespace

void list(PomdrOptions& options, OptionVisitor& visit) {
  visit.kernel(options.kernel);
  visit.count("budget", options.budget, 2, "B: the most rows that are stored; reaching it halves them");
  visit.radius(options.radius);
  visit.count("window", options.window, 1, "M: recent rows in the optimistic gradient");
  visit.number("zeta", options.zeta, {1e-50, 1.0}, "exponent of the ALD threshold ald*T^-zeta");
  visit.worth_trying({1.0 / 2.0, 2.0 / 3.0});
  visit.number("ald", options.ald, {0.0, 1e50}, "constant of that threshold");
  visit.number("factor", options.factor, {}, "c: of the learning rate after a removal");
  visit.worth_trying({0.05, 0.1});
  visit.automatic_count("b0", options.b0, 1, "B0: rows stored when phase 1 ends; auto: 15 ln T");
  visit.horizon(options.horizon);
  visit.precision(options.precision);
}

void check(const PomdrOptions& options) {
  check_ranges(options);
  check_budget(options);
}

PomdrSchedule::PomdrSchedule(const PomdrOptions& options) : options_(options), horizon_(options.horizon) {
  follow();
}

void PomdrSchedule::begin_round(std::uint64_t t) {
  if (horizon_.reach(t)) follow();
}

void PomdrSchedule::follow() {
  // With a growing T the automatic B0 stops growing where it would meet the budget.
  b0_ = options_.b0.value_or(std::min(automatic_b0(horizon_.value()), options_.budget - 1));
  threshold_ = options_.ald * std::pow(static_cast<double>(horizon_.value()), -options_.zeta);
}

}  // namespace alder
