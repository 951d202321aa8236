#include "alder/batch.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alder/error.h"
#include "alder/registry.h"

#include "archive/archive.h"
#include "base/random.h"
#include "learners/core/hypothesis.h"

namespace alder {
namespace {

constexpr const char* kChoices[] = {"random", "last", "average"};

Hypotheses& hypotheses_of(Learner& learner) {
  if (auto* hypotheses = dynamic_cast<Hypotheses*>(&learner)) return *hypotheses;
  throw Error(Error::Kind::kUnsupported,
              fmt::format("{} keeps no hypotheses to choose from; expected {}", learner.name(),
                          fmt::join(learners_with(&LearnerTraits::has_snapshots), " or ")));
}

// A copy, which Learners do not have.
template <class T>
std::unique_ptr<AnyHypothesis> copy_of(const AnyHypothesis& hypothesis) {
  const auto* found = dynamic_cast<const Hypothesis<T>*>(&hypothesis);
  if (found == nullptr) return nullptr;
  auto copy = std::make_unique<Hypothesis<T>>(found->function(), found->origin());
  if (found->scaling()) copy->scale_rows(*found->scaling());
  return copy;
}

}  // namespace

BatchOptions::Choice BatchOptions::choice_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kChoices); ++i) {
    if (name == kChoices[i]) return static_cast<Choice>(i);
  }
  throw Error(fmt::format("there is no hypothesis \"{}\"; expected one of {}", name, fmt::join(kChoices, ", ")));
}

std::vector<std::string> BatchOptions::choice_names() {
  return {std::begin(kChoices), std::end(kChoices)};
}

class Batch::Watch {
 public:
  Watch(Learner& learner, const BatchOptions& options)
      : learner_(learner),
        hypotheses_(hypotheses_of(learner)),
        options_(options),
        random_(options.seed),
        before_(learner.rounds()) {
    if (options_.choice == BatchOptions::Choice::kAverage && options_.rows == 0) {
      throw Error("the number of rows is 0; expected that of the rows to come, since the mean begins in their middle");
    }
    prepare();
  }

  // A learner of two classes leaves one function behind. Where a third class comes, a Model lets it go on as one of
  // several (LearnerTraits::many_classes), none of which is what was asked for.
  void look_at(const Examples& learned, const Predictions& made) {
    for (std::size_t i = 0; i < learned.size(); ++i) {
      const double target = learned.targets[i];
      if (learned.weight(i) == 0.0 || std::find(classes_.begin(), classes_.end(), target) != classes_.end()) continue;
      classes_.push_back(target);
      has_many_ = has_many_ || classes_.size() > 2;
    }
    has_many_ = has_many_ || made.outputs > 1 || learner_.outputs() > 1;
    refuse_many();
  }

  void after_rounds() {
    if (learner_.rounds() - before_ == rounds_) return;  // rows of the weight 0 are none
    rounds_ = learner_.rounds() - before_;
    if (next_) drawn_ = std::move(next_);
    prepare();
  }

  [[nodiscard]] std::uint64_t due() const {
    switch (options_.choice) {
      case BatchOptions::Choice::kRandom:
        return hit_ ? *hit_ - 1 - rounds_ : looked_ - rounds_;
      case BatchOptions::Choice::kAverage:
        return rounds_ < options_.rows / 2 ? options_.rows / 2 - rounds_ : Hook::kNever;
      case BatchOptions::Choice::kLast:
        break;
    }
    return Hook::kNever;
  }

  [[nodiscard]] Chosen chosen() const {
    refuse_many();
    std::unique_ptr<AnyHypothesis> chosen;
    if (options_.choice == BatchOptions::Choice::kAverage) chosen = hypotheses_.mean();
    if (drawn_) {
      chosen = copy_of<float>(*drawn_);
      if (!chosen) chosen = copy_of<double>(*drawn_);
    }
    if (!chosen) chosen = hypotheses_.hypothesis();
    chosen->left_by(learner_);
    const HypothesisOrigin origin = chosen->origin();
    return {std::move(chosen), origin.first_round, origin.last_round};
  }

 private:
  void refuse_many() const {
    if (!has_many_) return;
    throw Error(
        Error::Kind::kUnsupported,
        fmt::format("there are more than two classes; expected two, since what {} leaves behind is one function",
                    learner_.name()));
  }

  // Before round t = rounds_ + 1.
  void prepare() {
    switch (options_.choice) {
      case BatchOptions::Choice::kRandom:
        draw();
        if (hit_ == rounds_ + 1) {
          next_ = hypotheses_.hypothesis();
          hit_.reset();
          draw();
        }
        break;
      case BatchOptions::Choice::kAverage:
        if (rounds_ == options_.rows / 2) hypotheses_.begin_mean();
        break;
      case BatchOptions::Choice::kLast:
        break;
    }
  }

  // If round t takes place, it is drawn instead of an earlier one with probability 1/t, which makes every round up to
  // any last one equally likely. Looks at most so many rounds ahead for the next one that is.
  void draw() {
    constexpr std::uint64_t kAhead = 256;
    while (!hit_ && looked_ < rounds_ + kAhead) {
      if (random_.below(++looked_) == 0) hit_ = looked_;
    }
  }

  Learner& learner_;
  Hypotheses& hypotheses_;
  BatchOptions options_;
  LearnerRandom random_;
  std::uint64_t before_;  // rounds of the learner before this
  std::uint64_t rounds_ = 0;
  std::uint64_t looked_ = 0;          // so many rounds were drawn or not
  std::optional<std::uint64_t> hit_;  // the one of them that is still to come
  std::unique_ptr<AnyHypothesis> drawn_;
  std::unique_ptr<AnyHypothesis> next_;  // of the round that comes, if it is drawn
  std::vector<double> classes_;          // met since, up to three
  bool has_many_ = false;                // more than two classes
};

Batch::Batch(Learner& learner, const BatchOptions& options) : watch_(std::make_unique<Watch>(learner, options)) {}

Batch::~Batch() = default;

std::uint64_t Batch::due() const {
  return watch_->due();
}

bool Batch::after(const Examples& learned, const Predictions& made) {
  watch_->look_at(learned, made);
  watch_->after_rounds();
  return true;
}

Batch::Chosen Batch::chosen() const {
  return watch_->chosen();
}

}  // namespace alder
