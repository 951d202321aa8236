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
  visit.automatic_count("budget", options.budget, 1,
                        "B: the most rows that are stored; auto: 200, for K classes 100 K up to 800", 1U << 13U);
  visit.number("threshold", options.threshold, {1e-3, 1.0}, "how far a row must be from the span of those stored");
  visit.number("noise", options.noise, {1e-6, 1e6}, "r of AROW: the larger, the smaller the steps");
  visit.worth_trying({0.03, 0.1, 0.3});
  visit.number("forget", options.forget, {0.0, 1.0}, "variance regained in an update: for streams that drift");
  visit.count("race", options.race, 1, "rows after which the width is chosen at the latest");
  visit.flag("recent_labels", options.recent_labels,
             "use the last labels too, where they are known before the next row");
  visit.flag("head", options.head, "learn log-odds for probabilities beside the scores");
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
      dictionary_(first_kernel(options), rounds_.scratch_rows()) {
  if (options_.kernel) go_on_alone(Contender<T>(options_, classes_, {options_.forget}));
}

template <class T>
void Alder<T>::go_on_alone(Contender<T> contender) {
  contenders_.clear();
  contenders_.push_back(std::move(contender));
  forecasts_.resize(1);
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
    contenders_.emplace_back(options_, classes_, forget, std::ldexp(1.0, -2 * (power - kNarrowest)));
    for (const double amount : forget) runners.push_back({.sigma = sigma, .forgets = amount == kForget});
  }
  predictors_ = forget.size();
  forecasts_.resize(contenders_.size());
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

// Before there is a kernel: the class of the nearest row, and nothing for the first of all.
template <class T>
void Alder<T>::score_nearest(const KernelValues& row, Outputs out) const {
  std::fill(out.scores.begin(), out.scores.end(), 0.0);
  std::fill(out.extras.begin(), out.extras.end(), 0.0);
  if (row.size() == 0) return;
  const double target = first_targets_[row.most_similar(row.size())];
  if (out.scores.size() == 1) {
    out.scores[0] = sign_of(target);
  } else {
    out.scores[static_cast<std::size_t>(target)] = 1.0;
  }
}

template <class T>
void Alder<T>::combine(std::span<const double> scores, std::span<const double> logits, Outputs out) const {
  if (is_racing()) {
    race_->vote(scores, out.scores);
    if (!out.extras.empty()) race_->mean(logits, out.extras);
  } else {
    std::copy_n(scores.begin(), out.scores.size(), out.scores.begin());
    std::copy_n(logits.begin(), out.extras.size(), out.extras.begin());
  }
}

template <class T>
void Alder<T>::score_block(std::span<const Row> rows, Outputs out) const {
  static thread_local ScoredRows<T> scored;
  dictionary_.kernel_rows(rows, accuracy(), scored, options_.recent_labels);
  const std::size_t width = outputs();
  if (is_collecting()) {
    for (std::size_t r = 0; r < rows.size(); ++r) score_nearest(scored.values[r], out.from(r, 1, width));
    return;
  }
  // Of each contender the scores of all rows; then of each row those of all runners.
  static thread_local std::vector<double> made;
  static thread_local std::vector<double> made_logits;
  static thread_local std::vector<double> scores;
  static thread_local std::vector<double> logits;
  const std::size_t of_row = predictors_ * width;  // numbers of one contender
  made.resize(contenders_.size() * rows.size() * of_row);
  made_logits.resize(out.extras.empty() ? 0 : contenders_.size() * rows.size() * width);
  scores.resize(contenders_.size() * of_row);
  logits.resize(out.extras.empty() ? 0 : scores.size());
  const auto logits_of = [&](std::size_t c) {
    return out.extras.empty() ? out.extras : std::span(made_logits).subspan(c * rows.size() * width);
  };
  for (std::size_t c = 0; c < contenders_.size(); ++c) {
    if (!is_in(c)) continue;
    contenders_[c].score(scored, rows.size(), &rounds_, dictionary_,
                         std::span(made).subspan(c * rows.size() * of_row, rows.size() * of_row), logits_of(c));
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < contenders_.size(); ++c) {
      std::copy_n(made.data() + (c * rows.size() + r) * of_row, of_row, scores.data() + c * of_row);
      for (std::size_t p = 0; p < predictors_ && !logits.empty(); ++p) {
        std::copy_n(logits_of(c).data() + r * width, width, logits.data() + (c * predictors_ + p) * width);
      }
    }
    combine(scores, logits, out.from(r, 1, width));
  }
}

template <class T>
void Alder<T>::round(const Row& /*row*/, double target, double weight, Outputs out) {
  rounds_.begin(dictionary_, accuracy());  // the last thing that can reject the row
  const bool was_racing = is_racing();
  if (is_collecting()) {
    collect(target, weight, out);
  } else {
    forecast(rounds_.x(), rounds_.row(), false);
    combine(scores_, logits_, out);
    learn_row(rounds_.x(), target, weight, false);
  }
  rounds_.end(sign_of(target), dictionary_);
  if (is_collecting() && first_targets_.size() == kFirstRows) learn_first_rows();
  if (was_racing && !is_racing()) finish_race();
}

template <class T>
void Alder<T>::collect(double target, double weight, Outputs out) {
  const KernelValues& row = rounds_.row();
  score_nearest(row, out);
  for (std::size_t i = 0; i < row.size(); ++i) first_squares_.push_back(row.exponent(i));
  first_targets_.push_back(target);
  first_weights_.push_back(weight);
  classes_ = std::max(classes_, static_cast<std::size_t>(target) + 1);
  dictionary_.append_scratch(rounds_.scratch(), rounds_.x());
  rounds_.joined(dictionary_.size() - 1);
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
    forecast(x, row, true);
    learn_row(x, first_targets_[i], first_weights_[i], true);
    if (was_racing && !is_racing()) finish_race();  // a race may be shorter than the first rows
  }
  first_targets_ = {};
  first_weights_ = {};
}

// What the contenders make of a row before its class is known.
template <class T>
void Alder<T>::forecast(const PreparedRow<T>& x, const KernelValues& row, bool is_replay) {
  const std::size_t width = outputs();
  scores_.resize(contenders_.size() * predictors_ * width);
  logits_.resize(options_.head ? scores_.size() : 0);
  for (std::size_t c = 0; c < contenders_.size(); ++c) {
    if (!is_in(c)) continue;
    Forecast& made = forecasts_[c];
    contenders_[c].forecast(row, x.self(), is_replay ? nullptr : &rounds_, dictionary_, made);
    std::copy(made.scores.begin(), made.scores.end(), scores_.data() + c * predictors_ * width);
    for (std::size_t p = 0; p < predictors_ && options_.head; ++p) {
      std::copy(made.logits.begin(), made.logits.end(), logits_.data() + (c * predictors_ + p) * width);
    }
  }
}

template <class T>
void Alder<T>::add_class() {
  ++classes_;
  for (std::size_t c = 0; c < contenders_.size(); ++c) contenders_[c].add_class(forecasts_[c]);
}

// Learns the row of the latest forecast.
template <class T>
void Alder<T>::learn_row(const PreparedRow<T>& x, double target, double weight, bool is_replay) {
  const bool is_new = target >= static_cast<double>(classes_);
  if (is_new) add_class();
  std::optional<std::size_t> joined;
  charges_.assign(contenders_.size() * predictors_, 0.0);
  for (std::size_t c = 0; c < contenders_.size(); ++c) {
    if (!is_in(c)) continue;
    Contender<T>& contender = contenders_[c];
    Forecast& made = forecasts_[c];
    for (std::size_t p = 0; p < predictors_ && is_racing() && !is_new; ++p) {
      const auto scores = std::span(made.scores).subspan(p * outputs(), outputs());
      charges_[c * predictors_ + p] = Race::charge(margin_of(scores, target));
    }
    if (contender.wants(made, target) && contender.join(dictionary_.size(), x.self(), made)) {
      joined = dictionary_.size();
    }
    contender.learn(made, target, weight, used_[c]);
  }
  if (joined) {
    dictionary_.append(x);
    if (!is_replay) rounds_.joined(*joined);
  }
  if (is_racing()) {
    race_->after_round(charges_, weight);
    if (is_racing()) look_who_is_in();  // who has won is looked at when the others are gone
  }
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
  if (!is_collecting()) report.details.push_back({"budget", std::uint64_t{contenders_.front().budget()}});
  report.bytes = sizeof(*this) + dictionary_.bytes() + rounds_.bytes();
  for (const Contender<T>& contender : contenders_) report.bytes += contender.bytes();
}

template <class T>
void Alder<T>::save_state(Archive& archive) const {
  save_options(options_, archive);
  dictionary_.save(archive, "support");
  rounds_.save(archive, dictionary_);
  archive.set("state", "classes", std::uint64_t{classes_});
  if (race_) {
    archive.set("state", "median", median_);
    race_->save(archive);
  } else if (is_collecting()) {
    archive.put("first.targets", first_targets_);
    archive.put("first.weights", first_weights_);
    archive.put("first.squares", first_squares_);
  }
  for (std::size_t c = 0; c < contenders_.size(); ++c) {
    if (is_in(c)) contenders_[c].save(archive, contender_name(c), used_[c]);
  }
}

template <class T>
Alder<T>::Alder(const AlderOptions& options, const Archive& archive) : Alder(options) {
  restore_rounds(archive);
  const auto classes = archive.setting<std::uint64_t>("state", "classes");
  if (classes < 2 || classes > most_classes() || classes > 2 + rounds()) throw_bad_archive("its classes are too many");
  while (classes_ < classes) is_collecting() ? void(++classes_) : add_class();
  if (!options_.kernel && rounds() >= kFirstRows) {
    begin_race(read_amount(archive, "median"));
    race_->load(archive);
    look_who_is_in();
    if (race_->is_over()) {
      const WidthTrial& winner = race_->runners()[race_->leader()];
      dictionary_ = Dictionary<T>(Kernel::gaussian(winner.sigma), rounds_.scratch_rows());
      predictors_ = 1;
      go_on_alone(Contender<T>(options_, classes_, {winner.forgets ? kForget : options_.forget}));
    }
  }
  dictionary_.load(archive, "support");
  if (is_collecting()) load_first_rows(archive);
  for (std::size_t c = 0; c < contenders_.size(); ++c) {
    if (!is_in(c)) continue;
    contenders_[c].load(archive, contender_name(c), used_[c], dictionary_);
    if (contenders_[c].size() > contenders_[c].budget()) throw_bad_archive("it has more elements than its budget");
    if (!is_racing() && contenders_[c].size() != dictionary_.size())
      throw_bad_archive("the dictionary has rows that no contender uses");
  }
  rounds_.load(archive, rounds(), dictionary_);
}

template <class T>
void Alder<T>::load_first_rows(const Archive& archive) {
  const std::size_t n = rounds();
  if (dictionary_.size() != n) throw_bad_archive("it has other rows than it has learned");
  first_targets_ = archive.get<double>("first.targets", n);
  first_weights_ = archive.get<double>("first.weights", n);
  first_squares_ = archive.get<double>("first.squares", n * (n - std::min<std::size_t>(n, 1)) / 2);
  const auto is_target = [this](double target) {
    return target >= 0.0 && target < static_cast<double>(classes_) && target == std::floor(target);
  };
  const auto is_weight = [](double weight) { return weight > 0.0 && weight <= kMostWeight; };
  const auto is_square = [](double square) { return square >= 0.0 && square <= kLargestSum; };
  if (!std::all_of(first_targets_.begin(), first_targets_.end(), is_target) ||
      !std::all_of(first_weights_.begin(), first_weights_.end(), is_weight) ||
      !std::all_of(first_squares_.begin(), first_squares_.end(), is_square)) {
    throw_bad_archive("a number of its first rows is out of range");
  }
}

template class Alder<float>;
template class Alder<double>;

std::unique_ptr<Learner> make_alder(const AlderOptions& options) {
  return make_of<Alder>(options);
}

// Version 1 knew two classes and no head, and recent labels were always inputs.
static void upgrade_alder(Archive& archive) {
  archive.set("options", "recent_labels", true);
  archive.set("options", "head", false);
  archive.set("state", "classes", std::uint64_t{2});
  const auto sizes = archive.sizes();
  if (sizes.count("first.labels") == 0) return;
  std::vector<double> targets;
  std::vector<double> weights;
  for (const double label : archive.get<double>("first.labels")) {  // −1 or +1 times the weight
    targets.push_back(class_of(label));
    weights.push_back(std::fabs(label));
  }
  archive.put("first.targets", targets);
  archive.put("first.weights", weights);
}

extern constexpr LearnerKind kAlder =
    learner_kind<Alder>("alder", "second-order learning in the coordinates of a growing dictionary; finds its width",
                        {.finds_width = true,
                         .coefficients = LearnerTraits::Coefficients::kOther,
                         .many_classes = LearnerTraits::ManyClasses::kNative},
                        upgrade_alder);

}  // namespace alder
