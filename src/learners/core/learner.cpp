#include "alder/learner.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "alder/error.h"

#include "archive/archive.h"
#include "simd/simd.h"
#include "simd/target.h"

namespace alder {
namespace {

// Ends a block, however its rounds end.
template <class End>
class AtEnd {
 public:
  explicit AtEnd(End end) : end_(std::move(end)) {}
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;
  ~AtEnd() { end_(); }

 private:
  End end_;
};

}  // namespace

static_assert(Learner::kBlock == simd::kTogether, "a block is as many rows as are computed together");

Learner::Learner() {
  simd::obey_environment();
}

// The scores of a row. Throws Error if there is room for other extras than there are.
std::size_t Learner::width_of(const Outputs& out) const {
  const std::size_t width = outputs();
  if (!out.extras.empty() && (extras() != width || out.extras.size() != out.scores.size())) {
    throw Error(fmt::format("there is room for {} numbers beside {} scores; expected {} a row, or none",
                            out.extras.size(), out.scores.size(), extras()));
  }
  return width;
}

void Learner::score(std::span<const Row> rows, Outputs out) const {
  const std::size_t width = width_of(out);
  if (out.scores.size() != rows.size() * width) {
    throw Error(fmt::format("there is room for {} numbers; expected {} for each of {} rows", out.scores.size(), width,
                            rows.size()));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    try {
      rows[i].check();
    } catch (const Error& error) {
      throw error.of_row(i, error.what());
    }
  }
  for (std::size_t first = 0; first < rows.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, rows.size() - first);
    try {
      score_block(rows.subspan(first, count), out.from(first, count, width));
    } catch (const Error&) {
      score_singly(rows, first, out.from(first, 1, width));
      throw;
    }
  }
}

// Finds the row of a block that cannot be scored, and throws what is wrong with it.
void Learner::score_singly(std::span<const Row> rows, std::size_t first, Outputs out) const {
  for (std::size_t i = first; i < std::min(rows.size(), first + kBlock); ++i) {
    try {
      score_block(rows.subspan(i, 1), out);
    } catch (const Error& error) {
      throw error.of_row(i, error.what());
    }
  }
}

double Learner::score(const Row& row) const {
  double score = 0.0;
  this->score(std::span(&row, 1), std::span(&score, 1));
  return score;
}

std::size_t Learner::learn(const Examples& examples, Outputs out) {
  const std::size_t width = width_of(out);
  const std::size_t count = examples.size();
  if (examples.targets.size() != count || (!examples.weights.empty() && examples.weights.size() != count) ||
      out.scores.size() != count * width) {
    throw Error(
        fmt::format("there are {} rows, {} targets, {} weights and room for {} scores; expected as many targets "
                    "as rows, as many weights or none, and {} scores a row",
                    count, examples.targets.size(), examples.weights.size(), out.scores.size(), width));
  }
  std::size_t done = 0;
  while (done < count && outputs() == width) {
    try {
      done += learn_block(examples.from(done, count - done), out.from(done, count - done, width));
    } catch (const Error&) {
      if (done == 0) throw;
      break;  // thrown again when it is the first of a call
    }
  }
  return done;
}

// Learns the first of the examples, up to the next multiple of kBlock rounds: so blocks do not depend on the cuts.
std::size_t Learner::learn_block(const Examples& examples, Outputs out) {
  const std::size_t width = outputs();
  const std::size_t most = std::min<std::size_t>(examples.size(), kBlock - rounds_ % kBlock);
  const std::size_t count = count_sound(examples, most);
  if (count == 0) {  // the first has the weight 0
    score_block(examples.rows.first(1), out.from(0, 1, width));
    return 1;
  }
  const AtEnd end([this] { end_block(); });
  begin_block(examples.rows.first(count));
  std::size_t done = 0;
  while (done < count && outputs() == width) {
    try {
      round(examples.rows[done], examples.targets[done], examples.weight(done), out.from(done, 1, width));
    } catch (const Error&) {
      if (done == 0) throw;
      break;
    }
    ++done;
    ++rounds_;
  }
  return done;
}

// How many of the first examples can be learned: up to a bad one, or one with the weight 0. Throws if the first is bad.
std::size_t Learner::count_sound(const Examples& examples, std::size_t most) const {
  for (std::size_t i = 0; i < most; ++i) {
    try {
      check(examples, i);
    } catch (const Error&) {
      if (i == 0) throw;
      return i;
    }
    if (examples.weight(i) == 0.0) return i;
  }
  return most;
}

void Learner::check(const Examples& examples, std::size_t i) const {
  examples.rows[i].check();
  const double weight = examples.weight(i);
  if (!(weight >= 0.0 && weight <= kMostWeight)) {
    throw Error(fmt::format("the weight is {}; expected a number from 0 to {}", weight, kMostWeight));
  }
  const double target = examples.targets[i];
  if (task() == Task::kRegression) {
    if (!std::isfinite(target))
      throw Error(Error::Kind::kTarget, fmt::format("the target is {}; expected a finite number", target));
    check_number(target);
  } else {
    // Of two classes one may be met first; others come one after the other. A row that is not learned may have any.
    const double last = static_cast<double>(
        weight > 0.0 ? std::min(most_classes() - 1, std::max<std::size_t>(2, outputs())) : kMostClasses - 1);
    if (!(target >= 0.0 && target <= last && target == std::floor(target))) {
      const std::string why = why_two_classes();
      throw Error(Error::Kind::kTarget, fmt::format("the target is {}; expected a class from 0 to {}{}{}", target, last,
                                                    why.empty() ? "" : ", since ", why));
    }
  }
  if (weight != 0.0 && weight != 1.0 && !takes_weights()) {
    throw Error(Error::Kind::kUnsupported,
                fmt::format("the weight is {}; expected 0 or 1, since {} has no place for weights", weight, name()));
  }
}

Report Learner::report() const {
  Report out;
  report(out);
  return out;
}

void Learner::report(Report& out) const {
  out.support = 0;
  out.bytes = 0;
  out.norm.reset();
  out.learning_rate.reset();
  out.details.clear();
  describe(out);
  out.rounds = rounds_;
}

std::string Learner::options() const {
  Archive archive;
  save_state(archive);
  return archive.object_text("options");
}

void Learner::save(Archive& archive) const {
  archive.set_text("learner", name());
  archive.set("state", "rounds", rounds_);
  save_state(archive);
}

void Learner::restore_rounds(const Archive& archive) {
  rounds_ = archive.setting<std::uint64_t>("state", "rounds");
  constexpr std::uint64_t kMostRounds = std::uint64_t{1} << 62U;
  if (rounds_ > kMostRounds) throw_bad_archive("it has learned more rows than there can be");
}

}  // namespace alder
