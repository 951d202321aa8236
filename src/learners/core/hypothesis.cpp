#include "learners/core/hypothesis.h"

#include <limits>

#include "alder/error.h"

#include "learners/core/kind.h"
#include "learners/core/scaled_parts.h"
#include "rows/stored_scaling.h"

namespace alder {
namespace {

constexpr char kFirstRows[] = "first_rows";  // what the scaling comes from

}  // namespace

void list(HypothesisOptions& options, OptionVisitor& visit) {
  visit.kernel(options.kernel);
  visit.precision(options.precision);
}

AnyHypothesis::AnyHypothesis(const Archive& archive) {
  restore_rounds(archive);
  origin_.learner = archive.setting<std::string>("state", "learner");
  origin_.first_round = archive.setting<std::uint64_t>("state", "first_round");
  origin_.last_round = archive.setting<std::uint64_t>("state", "last_round");
  (void)learner_info(origin_.learner);
  if (origin_.first_round == 0 || origin_.first_round > origin_.last_round || origin_.last_round > rounds() + 1) {
    throw_bad_archive("it is the hypothesis of rounds that there were not");
  }
  if (archive.has_part(kFirstRows)) scaling_ = load_scaling(archive, kFirstRows);
}

double AnyHypothesis::round(const Row& /*row*/, double /*label*/, double /*weight*/) {
  throw Error(Error::Kind::kUnsupported,
              "a hypothesis is a fixed function and learns no more; expected a model of a learner, which goes on");
}

void AnyHypothesis::save_state(Archive& archive) const {
  archive.set("state", "learner", origin_.learner);
  archive.set("state", "first_round", origin_.first_round);
  archive.set("state", "last_round", origin_.last_round);
  if (scaling_) save_scaling(archive, kFirstRows, *scaling_);
}

template <class T>
Hypothesis<T>::Hypothesis(const HypothesisOptions& options, const Archive& archive)
    : AnyHypothesis(archive), function_(options.kernel) {
  function_.load(archive, std::numeric_limits<std::size_t>::max());
}

template <class T>
bool Hypothesis<T>::add_parts(const Row& row, std::span<const double> direction, ScoreParts& parts) const {
  const auto add = [&](const Row& its_row, ScoreParts& its_parts) {
    function_.add_parts(its_row, Accuracy::kExact, direction[0], its_parts);
    return true;
  };
  return scaling() ? add_scaled_parts(*scaling(), row, parts, add) : add(row, parts);
}

template <class T>
void Hypothesis<T>::score_block(std::span<const Row> rows, std::span<double> scores) const {
  static thread_local ScoredRows<T> scored;
  static thread_local RowBuffer scaled;
  if (scaling()) {
    scaling()->apply(rows, scaled);
    rows = scaled.rows();
  }
  function_.values(rows, Accuracy::kExact, scored, scores);
}

template <class T>
void Hypothesis<T>::describe(Report& report) const {
  report.support = function_.size();
  report.bytes = sizeof(*this) + function_.bytes();
}

template <class T>
void Hypothesis<T>::save_state(Archive& archive) const {
  AnyHypothesis::save_state(archive);
  const auto precision = std::is_same_v<T, double> ? Precision::kDouble : Precision::kFloat;
  save_options(HypothesisOptions{function_.rows().kernel(), precision}, archive);
  function_.save(archive);
}

template class Hypothesis<float>;
template class Hypothesis<double>;

extern constexpr LearnerKind kHypothesis = {"hypothesis",
                                            "what a learner left behind",
                                            {},
                                            nullptr,
                                            nullptr,
                                            [](const nlohmann::ordered_json& options, const Archive& archive) {
                                              return make_of<Hypothesis>(options_from<HypothesisOptions>(options),
                                                                         archive);
                                            }};

}  // namespace alder
