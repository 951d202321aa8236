#include <fmt/format.h>

#include "alder/error.h"

#include "learners/core/first_rows.h"

namespace alder {
namespace {

// Those of its learner, unless that has become several.
template <class L>
auto& those_of(L& learner) {
  using Kept = std::conditional_t<std::is_const_v<L>, const Hypotheses, Hypotheses>;
  if (auto* hypotheses = dynamic_cast<Kept*>(&learner)) return *hypotheses;
  throw Error(Error::Kind::kUnsupported,
              fmt::format("{} has met more than two classes; expected two, since what it leaves behind is one function",
                          learner.name()));
}

}  // namespace

template <class Get>
std::unique_ptr<AnyHypothesis> FirstRowsWithHypotheses::taken(const Get& get) const {
  const auto of = [&get](const Learner& learner, const std::optional<Scaling>& scaling) {
    std::unique_ptr<AnyHypothesis> hypothesis = get(those_of(learner));
    if (hypothesis != nullptr && scaling) hypothesis->scale_rows(*scaling);
    return hypothesis;
  };
  if (!is_collecting()) return of(learner(), scaling());
  const Made made = make_of_rows();
  return of(*made.learner, made.scaling);
}

std::unique_ptr<AnyHypothesis> FirstRowsWithHypotheses::hypothesis() const {
  return taken([](const Hypotheses& learner) { return learner.hypothesis(); });
}

std::unique_ptr<AnyHypothesis> FirstRowsWithHypotheses::mean() const {
  return taken([](const Hypotheses& learner) { return learner.mean(); });
}

void FirstRowsWithHypotheses::begin_mean() {
  mean_from_ = rounds();
  if (!is_collecting()) those_of(changing_learner()).begin_mean();
}

void FirstRowsWithHypotheses::before_replayed(Learner& learner, std::size_t row) const {
  if (mean_from_ != row) return;
  if (auto* hypotheses = dynamic_cast<Hypotheses*>(&learner)) hypotheses->begin_mean();
}

}  // namespace alder
