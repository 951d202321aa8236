#include "learners/core/first_rows.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "alder/dataset.h"
#include "alder/error.h"
#include "alder/kernel.h"

#include "archive/kernel_settings.h"
#include "learners/core/nearest_numbers.h"
#include "learners/core/one_vs_rest.h"
#include "learners/core/scaled_parts.h"
#include "rows/prepared_row.h"
#include "rows/stored_rows.h"
#include "rows/stored_scaling.h"
#include "rows/width.h"

namespace alder {
namespace {

using OwnOptions = nlohmann::ordered_json;

constexpr char kPart[] = "first_rows";
// Pairs of rows are compared, so there cannot be too many.
constexpr std::size_t kMostFirstRows = 4096;
// A value whose square can be added up, as fitting a scaling does.
constexpr double kLargestUnscaled = 1e100;
// Widths whose squares, and those of whose ratios, are doubles.
constexpr double kNarrowestWidth = 1e-20;
constexpr double kWidestWidth = 1e20;

// Whether learners are in double.
bool is_double(const Learner& learner) {
  return OwnOptions::parse(learner.options()).value("precision", "float") == "double";
}

// Throws for a row that no learner with a radial kernel takes. To ask one would be slower: fogd draws for new features.
template <class T>
void check_norm(const Row& row) {
  static thread_local PreparedRow<T> x;
  x.borrow(row, Kernel::gaussian(1.0));
}

}  // namespace

std::unique_ptr<Learner> make_learner(const LearnerKind& kind, const OwnOptions& options) {
  OwnOptions own = options;
  const std::optional<AskedUnits> units = take_units(kind, own);
  if (!take_open(kind, own, units).any() && !units) return kind.make(own);
  if (kind.traits.has_snapshots) return std::make_unique<FirstRowsWithHypotheses>(kind, options);
  return std::make_unique<FirstRows>(kind, options);
}

static_assert(FirstRows::kForWidth % Learner::kBlock == 0 && FirstRows::kForScaling % Learner::kBlock == 0);

FirstRows::FirstRows(const LearnerKind& kind, const OwnOptions& options, std::optional<std::size_t> rows)
    : kind_(kind),
      options_(std::make_unique<OwnOptions>(options)),
      asked_(take_units(kind, *options_)),
      open_(take_open(kind, *options_, asked_)),
      rows_(open_.any() ? rows.value_or(open_.scaling ? kForScaling : kForWidth) : 0) {
  assert((rows_ > 0 || asked_) && rows_ % kBlock == 0);
  learner_ = make_with(kernel_of(1.0));
  is_double_ = is_double(*learner_);
  if (rows_ == 0) units_ = asked_->given();
}

FirstRows::~FirstRows() = default;

std::unique_ptr<Learner> FirstRows::make_with(std::optional<Kernel> kernel) const {
  if (!kernel) return kind_.make(*options_);
  OwnOptions options = *options_;
  alder::save(*kernel, options["kernel"]);
  return kind_.make(options);
}

// That of the options with a width; empty if it is not open.
std::optional<Kernel> FirstRows::kernel_of(double width) const {
  if (!open_.width) return {};
  const auto name = (*options_)["kernel"]["name"].get<std::string>();
  return find_kernel(name)->make({.sigma = width, .gamma = {}});
}

std::size_t FirstRows::most_classes() const {
  const bool can_grow = kind_.traits.many_classes == LearnerTraits::ManyClasses::kOneVsRest;
  return can_grow && task() == Task::kClassification ? kMostClasses : learner_->most_classes();
}

std::size_t FirstRows::outputs() const {
  if (!is_collecting()) return learner_->outputs();
  return classes_ > 2 ? classes_ : 1;
}

// What is learned of the nearest row; 0 if there is none.
void FirstRows::nearest(const Row& row, Outputs out) const {
  if (task() == Task::kRegression) {
    const bool is_logarithm = learner_->response(0.0) != 0.0;
    predict_by_nearest(row, first_.rows(), targets_, is_logarithm, out);
    return;
  }
  const std::span<double> scores = out.scores;
  std::fill(scores.begin(), scores.end(), 0.0);
  std::fill(out.extras.begin(), out.extras.end(), 0.0);
  double least = std::numeric_limits<double>::infinity();
  double target = kNoTarget;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const double square = squared_distance(row, first_.rows()[i]);
    if (i > 0 && !(square < least)) continue;
    least = square;
    target = targets_[i];
  }
  if (targets_.empty()) return;
  if (scores.size() == 1) {
    scores[0] = sign_of(target);
  } else {
    scores[static_cast<std::size_t>(target)] = 1.0;
  }
}

// Throws if the row could not be learned when the first rows are complete.
void FirstRows::check_first(const Row& row) const {
  if (!open_.scaling && !open_.width) {
    double score = 0.0;
    learner_->score_block(std::span(&row, 1), std::span(&score, 1));
    return;
  }
  if (!open_.scaling) {  // the kernel is radial
    if (is_double_) {
      check_norm<double>(row);
    } else {
      check_norm<float>(row);
    }
    return;
  }
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (std::fabs(row.value(j)) <= kLargestUnscaled) continue;
    throw Error(Error::Kind::kRow, fmt::format("feature {} is {:g}; expected a value up to {:g}, which can be scaled",
                                               row.feature(j), row.value(j), kLargestUnscaled));
  }
}

// Dense rows are kept as sparse ones, which is how they are saved.
void FirstRows::keep(const Row& row, double target, double weight) {
  const RowBuffer::Room room = first_.room(row.size());
  for (std::size_t j = 0; j < row.size(); ++j) {
    room.indices[j] = row.feature(j);
    room.values[j] = row.value(j);
  }
  first_.append_written(Row::sparse(room.indices.data(), room.values.data(), row.size()).as_checked());
  targets_.push_back(target);
  weights_.push_back(weight);
  if (learner_->task() == Task::kClassification) classes_ = std::max(classes_, static_cast<std::size_t>(target) + 1);
}

void FirstRows::drop_last() {
  const RowBuffer rows = std::move(first_);
  const std::vector<double> targets = std::move(targets_);
  const std::vector<double> weights = std::move(weights_);
  first_ = RowBuffer();
  targets_.clear();
  weights_.clear();
  classes_ = 0;
  for (std::size_t i = 0; i + 1 < targets.size(); ++i) keep(rows.rows()[i], targets[i], weights[i]);
}

FirstRows::Made FirstRows::make_of_rows() const {
  Made made;
  RowBuffer scaled;
  std::span<const Row> rows = first_.rows();
  if (open_.scaling) {
    made.scaling = Scaling::fit_first(rows);
    made.scaling->apply(rows, scaled);
    rows = scaled.rows();
  }
  if (open_.width) made.kernel = kernel_of(std::clamp(automatic_width(rows), kNarrowestWidth, kWidestWidth));
  made.learner = make_with(made.kernel);
  std::vector<double> targets = targets_;
  if (asked_) {
    made.units = asked_->of(targets_);
    for (double& target : targets) target = made.units->learned(target);
  }
  const Examples examples = {rows, targets, weights_};
  std::vector<double> scores;
  for (std::size_t i = 0; i < rows.size();) {
    before_replayed(*made.learner, i);
    make_room_for(kind_, examples[i], weights_[i], made.learner);
    scores.resize(made.learner->outputs());
    i += made.learner->learn(examples.from(i, 1), scores);
  }
  before_replayed(*made.learner, rows.size());
  return made;
}

void FirstRows::score_block(std::span<const Row> rows, Outputs out) const {
  if (is_collecting()) {
    const std::size_t width = outputs();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      check_first(rows[r]);
      nearest(rows[r], out.from(r, 1, width));
    }
    return;
  }
  if (scaling_) {
    static thread_local RowBuffer scaled;
    scaling_->apply(rows, scaled);
    rows = scaled.rows();
  }
  learner_->score_block(rows, out);
  bring_back(out.scores);
}

void FirstRows::bring_back(std::span<double> scores) const {
  if (!units_) return;
  for (double& score : scores) score = units_->score(score);
}

// While rows are collected, the nearest of them predicts: there is no kernel that parts could be made with.
bool FirstRows::add_parts(const Row& row, std::span<const double> direction, ScoreParts& parts) const {
  if (is_collecting()) return false;
  const double in_units = units_ ? direction[0] * units_->slope() : 0.0;
  const std::span<const double> its_direction = units_ ? std::span(&in_units, 1) : direction;
  const auto add = [&](const Row& its_row, ScoreParts& its_parts) {
    if (units_) its_parts.rest += direction[0] * units_->offset();
    return learner_->add_parts(its_row, its_direction, its_parts);
  };
  return scaling_ ? add_scaled_parts(*scaling_, row, parts, add) : add(row, parts);
}

void FirstRows::begin_block(std::span<const Row> rows) {
  if (is_collecting()) return;
  if (scaling_) {
    scaling_->apply(rows, scaled_);
    rows = scaled_.rows();
  }
  block_ = rows;
  is_in_block_ = true;
  learner_->begin_block(rows);
}

void FirstRows::end_block() {
  if (!is_in_block_) return;
  is_in_block_ = false;
  learner_->end_block();
}

void FirstRows::round(const Row& row, double target, double weight, Outputs out) {
  if (!is_collecting()) {
    if (target >= static_cast<double>(learner_->most_classes()) && task() == Task::kClassification) {
      learner_->end_block();
      make_room_for(kind_, {block_.front(), target}, weight, learner_);
      learner_->begin_block(block_);
    }
    learner_->round(block_.front(), units_ ? units_->learned(target) : target, weight, out);
    bring_back(out.scores);
    ++learner_->rounds_;
    block_ = block_.subspan(1);
    return;
  }
  check_first(row);
  nearest(row, out);
  keep(row, target, weight);
  if (targets_.size() < rows_) return;
  try {
    Made made = make_of_rows();
    learner_ = std::move(made.learner);
    scaling_ = std::move(made.scaling);
    units_ = made.units;
    sigma_ = made.kernel ? made.kernel->sigma() : 0.0;
  } catch (...) {
    drop_last();
    throw;
  }
  first_ = RowBuffer();
  targets_ = {};
  weights_ = {};
}

void FirstRows::describe(Report& report) const {
  learner_->describe(report);
  if (is_collecting()) report.support = targets_.size();
  if (open_.width && !is_collecting()) report.details.push_back({"sigma", sigma_});
  report.bytes += sizeof(*this) + first_.bytes() + scaled_.bytes() +
                  (targets_.capacity() + weights_.capacity()) * sizeof(double) + (scaling_ ? bytes(*scaling_) : 0);
}

void FirstRows::save_state(Archive& archive) const {
  if (is_collecting()) {
    Archive fresh;
    learner_->save_state(fresh);
    archive.set_object("options", fresh.object("options"));
    if (open_.width) archive.settings()["options"]["kernel"] = (*options_)["kernel"];
    save_plain_rows(archive, kPart, first_.rows());
    archive.put("first_rows.targets", targets_);
    archive.put("first_rows.weights", weights_);
  } else {
    learner_->save_state(archive);
  }
  if (open_.scaling) archive.set<std::string>("options", "scale", "online");
  if (asked_)
    (units_ ? AskedUnits{asked_->loss, units_->center(), units_->scale()} : *asked_)
        .write(archive.settings()["options"]);
  archive.set<std::uint64_t>(kPart, "rows", rows_);
  archive.set(kPart, "width", open_.width);
  if (scaling_) save_scaling(archive, kPart, *scaling_);
}

FirstRows::FirstRows(const LearnerKind& kind, const Archive& archive)
    : kind_(kind),
      options_(std::make_unique<OwnOptions>(archive.object("options"))),
      rows_(archive.setting<std::uint64_t>(kPart, "rows")) {
  restore_rounds(archive);
  asked_ = take_units(kind, *options_);
  if ((rows_ == 0 && !asked_) || rows_ % kBlock != 0 || rows_ > kMostFirstRows) {
    throw_bad_archive(
        fmt::format("it has {} first rows; expected a multiple of {} up to {}", rows_, kBlock, kMostFirstRows));
  }
  open_ = take_open(kind, *options_, asked_);
  const auto has_width = archive.setting<bool>(kPart, "width");
  if (is_collecting()) {
    if (has_width != open_.width || !open_.any()) throw_bad_archive("its first rows are for other options than it has");
    learner_ = make_with(kernel_of(1.0));
    is_double_ = is_double(*learner_);
    load_rows(archive);
    return;
  }
  if (open_.width) throw_bad_archive("its first rows are complete, and its kernel has no width");
  if (open_.units) throw_bad_archive("its first rows are complete, and its targets have no units");
  if (rows_ == 0 ? has_width || open_.scaling : !has_width && !open_.scaling && !asked_) {
    throw_bad_archive("its first rows are for other options than it has");
  }
  if (asked_) units_ = asked_->given();
  open_.width = has_width;
  learner_ = restore_of_kind(kind, *options_, archive);
  if (has_width) {
    sigma_ = is_missing(*options_, "kernel") ? 0.0 : load_kernel((*options_)["kernel"]).sigma();
    if (sigma_ == 0.0) throw_bad_archive("its first rows are for a width, which its kernel does not have");
  }
  if (open_.scaling) scaling_ = load_scaling(archive, kPart);
}

void FirstRows::load_rows(const Archive& archive) {
  const RowBuffer rows = load_plain_rows(archive, kPart);
  const std::size_t count = rounds();
  if (rows.size() != count) throw_bad_archive("it has other first rows than it has learned");
  const auto targets = archive.get<double>("first_rows.targets", count);
  const auto weights = archive.get<double>("first_rows.weights", count);
  const Examples examples = {rows.rows(), targets, weights};
  for (std::size_t i = 0; i < count; ++i) {
    try {
      check(examples, i);
      check_first(examples.rows[i]);
    } catch (const Error& error) {
      throw_bad_archive(fmt::format("its first row {} cannot be learned: {}", i + 1, error.what()));
    }
    if (weights[i] == 0.0) throw_bad_archive("a first row has the weight 0");
    keep(examples.rows[i], targets[i], weights[i]);
  }
}

std::unique_ptr<Learner> restore_first_rows(const LearnerKind& kind, const Archive& archive) {
  if (kind.traits.has_snapshots) return std::make_unique<FirstRowsWithHypotheses>(kind, archive);
  return std::make_unique<FirstRows>(kind, archive);
}

}  // namespace alder
