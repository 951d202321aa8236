#include "learners/alder/alder.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "archive/state.h"
#include "learners/core/kind.h"
#include "rows/width.h"

namespace alder {

void list(AlderOptions& options, OptionVisitor& visit) {
  visit.automatic_kernel(options.kernel);
  visit.count("budget", options.budget, 1, "B: the most rows that are stored", 1U << 13U);
  visit.number("threshold", options.threshold, {1e-3, 1.0}, "how far a row must be from the span of those stored");
  visit.number("noise", options.noise, {1e-6, 1e6}, "r of AROW: the larger, the smaller the steps");
  visit.worth_trying({0.03, 0.1, 0.3});
  visit.number("forget", options.forget, {0.0, 1.0}, "variance regained in an update: for streams that drift");
  visit.count("race", options.race, 1, "rows after which the width is chosen at the latest");
  visit.flag("recent_labels", options.recent_labels,
             "use the last labels too, where they are known before the next row");
  visit.choice("growth", options.growth, {"guide", "predictor"}, "whose margin makes the dictionary grow");
  visit.choice("covariance", options.covariance, {"full", "diagonal"}, "of the predictor's weights");
  visit.precision(options.precision);
}

namespace {

constexpr std::size_t kWindow = 15;
constexpr std::size_t kFirstRows = 32;
// The widths are the median distance times 2 to the power of these.
constexpr int kNarrowest = -4;
constexpr int kWidest = 2;
constexpr double kForget = 1e-4;

// Of the first rows, whose distances are wanted, not their kernel values.
const double kFirstWidth = std::sqrt(0.5);

Kernel first_kernel(const AlderOptions& options) {
  return options.kernel ? *options.kernel : Kernel::gaussian(kFirstWidth);
}

// What the predictors of a contender in the race forget.
std::vector<double> forgetting(const AlderOptions& options) {
  return options.forget > 0.0 ? std::vector{options.forget} : std::vector{0.0, kForget};
}

std::string contender_name(std::size_t c) {
  return "contender" + std::to_string(c);
}

}  // namespace

template <class T>
Alder<T>::Alder(const AlderOptions& options)
    : options_(options),
      rounds_(options.recent_labels ? kWindow : 0, false),
      dictionary_(first_kernel(options), rounds_.guests()) {
  if (options_.kernel) go_on_alone(Contender<T>(options_, {options_.forget}));
}

template <class T>
void Alder<T>::go_on_alone(Contender<T> contender) {
  contenders_.clear();
  contenders_.push_back(std::move(contender));
  looks_.resize(1);
  scores_.resize(1);
  look_who_is_in();
}

// The runners are the predictors of the contenders, one contender after the other.
template <class T>
void Alder<T>::begin_race(double median) {
  const std::vector<double> forget = forgetting(options_);
  median_ = std::clamp(median, 1e-20, 1e20);
  // The narrowest kernel is the one to which rounding errors of distances matter most.
  dictionary_ = dictionary_.rebuilt(Kernel::gaussian(std::ldexp(median_, kNarrowest)), {});
  std::vector<WidthTrial> runners;
  contenders_.clear();
  for (int power = kNarrowest; power <= kWidest; ++power) {
    const double sigma = std::ldexp(median_, power);
    contenders_.emplace_back(options_, forget, std::ldexp(1.0, -2 * (power - kNarrowest)));
    for (const double amount : forget) runners.push_back({.sigma = sigma, .forgets = amount == kForget});
  }
  predictors_ = forget.size();
  looks_.resize(contenders_.size());
  scores_.resize(runners.size());
  race_.emplace(std::move(runners), options_.race);
  look_who_is_in();
}

template <class T>
void Alder<T>::look_who_is_in() {
  used_.resize(contenders_.size());
  for (std::size_t c = 0; c < contenders_.size(); ++c) {
    used_[c].resize(predictors_);
    for (std::size_t p = 0; p < predictors_; ++p) used_[c][p] = !is_racing() || race_->is_in(c * predictors_ + p);
  }
}

template <class T>
bool Alder<T>::is_in(std::size_t contender) const {
  const std::vector<bool>& used = used_[contender];
  return std::find(used.begin(), used.end(), true) != used.end();
}

// Before there is a kernel: the label of the nearest row, and 0 for the first of all.
template <class T>
double Alder<T>::nearest_label(const KernelValues& row) const {
  return row.size() == 0 ? 0.0 : std::copysign(1.0, first_labels_[row.most_similar(row.size())]);
}

template <class T>
void Alder<T>::score_block(std::span<const Row> rows, std::span<double> scores) const {
  static thread_local ScoredRows<T> scored;
  dictionary_.kernel_rows(rows, accuracy(), scored, options_.recent_labels);
  if (is_collecting()) {
    for (std::size_t r = 0; r < rows.size(); ++r) scores[r] = nearest_label(scored.values[r]);
    return;
  }
  // Of each contender the scores of all rows; then of each row those of all runners.
  static thread_local std::vector<double> made;
  static thread_local std::vector<double> of_row;
  made.resize(rows.size() * scores_.size());
  of_row.resize(scores_.size());
  const std::size_t each = rows.size() * predictors_;
  for (std::size_t c = 0; c < contenders_.size(); ++c) {
    if (is_in(c))
      contenders_[c].score(scored, rows.size(), &rounds_, dictionary_, std::span(made).subspan(c * each, each));
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < contenders_.size(); ++c) {
      std::copy_n(made.data() + c * each + r * predictors_, predictors_, of_row.data() + c * predictors_);
    }
    scores[r] = verdict(of_row);
  }
}

template <class T>
double Alder<T>::round(const Row& /*row*/, double label, double weight) {
  rounds_.begin(dictionary_, accuracy());  // the last thing that can reject the row
  const bool was_racing = is_racing();
  const double score =
      is_collecting() ? collect(label, weight) : learn_row(rounds_.x(), rounds_.row(), label, weight, false);
  rounds_.end(label, dictionary_);
  if (is_collecting() && first_labels_.size() == kFirstRows) learn_first_rows();
  if (was_racing && !is_racing()) finish_race();
  return score;
}

template <class T>
double Alder<T>::collect(double label, double weight) {
  const KernelValues& row = rounds_.row();
  const double score = nearest_label(row);
  for (std::size_t i = 0; i < row.size(); ++i) first_squares_.push_back(row.exponent(i));
  first_labels_.push_back(weight * label);
  dictionary_.append_guest(rounds_.guest(), rounds_.x());
  rounds_.joined(dictionary_.size() - 1);
  return score;
}

template <class T>
void Alder<T>::learn_first_rows() {
  rounds_.forget_ahead(dictionary_);
  const Dictionary<T> first = dictionary_;
  std::vector<double> squares;
  std::swap(squares, first_squares_);
  begin_race(median_root(squares));
  KernelValues row;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const PreparedRow<T> x = first.query(i);
    dictionary_.kernel_row(x, Accuracy::kFast, row);
    const bool was_racing = is_racing();
    learn_row(x, row, std::copysign(1.0, first_labels_[i]), std::fabs(first_labels_[i]), true);
    if (was_racing && !is_racing()) finish_race();  // a race may be shorter than the first rows
  }
  first_labels_ = {};
}

template <class T>
double Alder<T>::learn_row(const PreparedRow<T>& x, const KernelValues& row, double label, double weight,
                           bool is_replay) {
  std::optional<std::size_t> joined;
  for (std::size_t c = 0; c < contenders_.size(); ++c) {
    if (!is_in(c)) continue;
    Contender<T>& contender = contenders_[c];
    Look& look = looks_[c];
    contender.look(row, x.self(), is_replay ? nullptr : &rounds_, dictionary_, look);
    std::copy(look.scores.begin(), look.scores.end(), scores_.begin() + static_cast<std::ptrdiff_t>(c * predictors_));
    if (contender.wants(look, label) && contender.join(dictionary_.size(), x.self(), look)) {
      joined = dictionary_.size();
    }
    contender.learn(look, label, weight, used_[c]);
  }
  const double score = verdict(scores_);
  if (joined) {
    dictionary_.append(x);
    if (!is_replay) rounds_.joined(*joined);
  }
  if (is_racing()) {
    race_->after_round(scores_, label, weight);
    if (is_racing()) look_who_is_in();  // who has won is looked at when the others are gone
  }
  return score;
}

template <class T>
void Alder<T>::finish_race() {
  const std::size_t winner = race_->leader();
  Contender<T> contender = std::move(contenders_[winner / predictors_]);
  rounds_.forget_ahead(dictionary_);
  dictionary_ = dictionary_.rebuilt(Kernel::gaussian(race_->runners()[winner].sigma), contender.elements());
  contender.settle(winner % predictors_);
  predictors_ = 1;
  go_on_alone(std::move(contender));
}

template <class T>
const Arow<T>* Alder<T>::predictor() const {
  return is_collecting() ? nullptr : &contenders_[leader() / predictors_].predictor(leader() % predictors_);
}

template <class T>
void Alder<T>::describe(Report& report) const {
  report.support = is_collecting() ? dictionary_.size() : contenders_[leader() / predictors_].size();
  if (race_) {
    report.details.push_back({"sigma", race_->runners()[race_->leader()].sigma});
    report.details.push_back({"race", race_json(race_->runners())});
  }
  report.bytes = sizeof(*this) + dictionary_.bytes() + rounds_.bytes();
  for (const Contender<T>& contender : contenders_) report.bytes += contender.bytes();
}

template <class T>
void Alder<T>::save_state(Archive& archive) const {
  save_options(options_, archive);
  dictionary_.save(archive, "support");
  rounds_.save(archive, dictionary_);
  if (race_) {
    archive.set("state", "median", median_);
    race_->save(archive);
  } else if (is_collecting()) {
    archive.put("first.labels", first_labels_);
    archive.put("first.squares", first_squares_);
  }
  for (std::size_t c = 0; c < contenders_.size(); ++c) {
    if (is_in(c)) contenders_[c].save(archive, contender_name(c), used_[c]);
  }
}

template <class T>
Alder<T>::Alder(const AlderOptions& options, const Archive& archive) : Alder(options) {
  restore_rounds(archive);
  if (!options_.kernel && rounds() >= kFirstRows) {
    begin_race(read_amount(archive, "median"));
    race_->load(archive);
    look_who_is_in();
    if (race_->is_over()) {
      const WidthTrial& winner = race_->runners()[race_->leader()];
      dictionary_ = Dictionary<T>(Kernel::gaussian(winner.sigma), rounds_.guests());
      predictors_ = 1;
      go_on_alone(Contender<T>(options_, {winner.forgets ? kForget : options_.forget}));
    }
  }
  dictionary_.load(archive, "support");
  if (is_collecting()) load_first_rows(archive);
  for (std::size_t c = 0; c < contenders_.size(); ++c) {
    if (!is_in(c)) continue;
    contenders_[c].load(archive, contender_name(c), used_[c], dictionary_);
    if (contenders_[c].size() > options_.budget) throw_bad_archive("it has more elements than its budget");
    if (!is_racing() && contenders_[c].size() != dictionary_.size())
      throw_bad_archive("the dictionary has rows that no contender uses");
  }
  rounds_.load(archive, rounds(), dictionary_);
}

template <class T>
void Alder<T>::load_first_rows(const Archive& archive) {
  const std::size_t n = rounds();
  if (dictionary_.size() != n) throw_bad_archive("it has other rows than it has learned");
  first_labels_ = archive.get<double>("first.labels", n);
  first_squares_ = archive.get<double>("first.squares", n * (n - std::min<std::size_t>(n, 1)) / 2);
  const auto is_label = [](double label) { return std::fabs(label) > 0.0 && std::fabs(label) <= kMostWeight; };
  const auto is_square = [](double square) { return square >= 0.0 && square <= kLargestSum; };
  if (!std::all_of(first_labels_.begin(), first_labels_.end(), is_label) ||
      !std::all_of(first_squares_.begin(), first_squares_.end(), is_square)) {
    throw_bad_archive("a number of its first rows is out of range");
  }
}

template class Alder<float>;
template class Alder<double>;

std::unique_ptr<Learner> make_alder(const AlderOptions& options) {
  return make_of<Alder>(options);
}

extern constexpr LearnerKind kAlder =
    learner_kind<Alder>("alder", "second-order learning in the coordinates of a growing dictionary; finds its width",
                        {.finds_width = true, .coefficients = LearnerTraits::Coefficients::kOther},
                        // Recent labels were always inputs.
                        [](Archive& archive) { archive.set("options", "recent_labels", true); });

}  // namespace alder
