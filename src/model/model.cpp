#include "alder/model.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "alder/error.h"
#include "alder/registry.h"

#include "learners/core/one_vs_rest.h"
#include "model/pipeline.h"

namespace alder {

Model::Model(std::unique_ptr<Pipeline> pipeline) : pipeline_(std::move(pipeline)) {}

Model::Model(std::unique_ptr<Learner> learner, std::optional<Scaling> scaling)
    : pipeline_(std::make_unique<Pipeline>(std::move(learner))) {
  pipeline_->scaling = std::move(scaling);
}

Model::Model(const std::string& learner, const std::string& options, std::optional<Scaling> scaling)
    : Model(make_learner(learner, options), std::move(scaling)) {}

Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

Model Model::clone() const {
  Model copy = decode(encode());
  copy.pipeline_->classes = pipeline_->classes;  // a file may give them other ids
  copy.pipeline_->metrics = pipeline_->metrics;
  copy.pipeline_->encoding = pipeline_->encoding;
  return copy;
}

const std::vector<std::string>& Model::classes() const {
  return pipeline_->classes.names();
}

Task Model::task() const {
  return pipeline_->learner->task();
}

void Model::Pipeline::expect_classes(const char* what) const {
  if (is_of_numbers()) {
    throw Error(Error::Kind::kUnsupported,
                fmt::format("{} are of classes; this model predicts numbers, by the loss of its learner", what));
  }
}

void Model::set_classes(std::vector<std::string> names, bool is_ordered) {
  pipeline_->expect_classes("names");
  pipeline_->classes.set_names(std::move(names), is_ordered);
}

std::uint32_t Model::positive() const {
  return pipeline_->classes.positive();
}

std::vector<std::uint32_t> Model::shown() const {
  return pipeline_->classes.shown();
}

void Model::set_encoding(std::shared_ptr<const Encoding> encoding) {
  Pipeline& p = *pipeline_;
  const auto same = [](const Column& a, const Column& b) { return a.name == b.name && a.kind == b.kind; };
  if (p.learner->rounds() > 0 && (p.encoding == nullptr || encoding == nullptr ||
                                  !std::equal(p.encoding->columns().begin(), p.encoding->columns().end(),
                                              encoding->columns().begin(), encoding->columns().end(), same))) {
    throw Error(Error::Kind::kUnsupported, "the columns of the rows cannot change any more: rows were learned");
  }
  p.encoding = std::move(encoding);
  if (p.encoding != nullptr) count_features(p.encoding->fixed_features());
}

const std::shared_ptr<const Encoding>& Model::encoding() const {
  return pipeline_->encoding;
}

std::string Model::feature_name(FeatureIndex feature) const {
  if (pipeline_->encoding != nullptr) return pipeline_->encoding->feature_name(feature);
  return fmt::format("feature {}", std::uint64_t{feature} + (pipeline_->is_zero_based ? 0 : 1));
}

void Model::set_zero_based(bool zero_based) {
  pipeline_->is_zero_based = zero_based;
}

bool Model::is_zero_based() const {
  return pipeline_->is_zero_based;
}

std::size_t Model::features() const {
  return pipeline_->features;
}

void Model::count_features(std::size_t features) {
  pipeline_->count_features(features);
}

void Model::learn_probabilities(bool wanted) {
  Pipeline& p = *pipeline_;
  if (wanted == p.calibration.has_value()) return;
  p.expect_classes("probabilities");
  if (p.learner->rounds() > 0) {
    throw Error(Error::Kind::kUnsupported,
                "whether probabilities are learned cannot change any more: rows were learned");
  }
  p.calibration = wanted ? std::optional<Calibration>(std::in_place) : std::nullopt;
}

bool Model::has_probabilities() const {
  return pipeline_->calibration.has_value();
}

void Model::set_threshold(std::optional<double> threshold) {
  if (threshold && !(*threshold >= 0.0 && *threshold <= 1.0))
    throw Error(fmt::format("the threshold is {}; expected a probability, 0 to 1", *threshold));
  if (threshold) pipeline_->expect_classes("thresholds");
  if (threshold && !has_probabilities())
    throw Error(Error::Kind::kUnsupported, "a threshold is one of probabilities, which this model does not learn");
  pipeline_->threshold = threshold;
}

std::optional<double> Model::threshold() const {
  return pipeline_->threshold;
}

// Of rows whose scores were made and classes named: probabilities, and what these learn from the classes.
void Model::Pipeline::calibrate(const Examples& learned, std::span<const double> scores, std::span<const double> extras,
                                std::span<double> probabilities) {
  const std::size_t width = scores.size() / learned.size();
  const std::size_t columns = probabilities.size() / learned.size();
  by_number.resize(classes_of(width));
  for (std::size_t i = 0; i < learned.size(); ++i) {
    const auto score = scores.subspan(i * width, width);
    const auto logit = extras.empty() ? extras : extras.subspan(i * width, width);
    const double number = learned.targets[i];
    const double weight = learned.weight(i);
    if (weight > 0.0 && classes.learned() >= 2 &&
        number < static_cast<double>(std::min(classes.learned(), by_number.size()))) {
      calibration->learn(score, logit, number, weight, by_number);
    } else {
      calibration->probabilities(score, logit, by_number);
    }
    if (classes.learned() > 0) spread_probabilities(by_number, probabilities.subspan(i * columns, columns));
  }
}

// What probabilities say of two classes, where a threshold was set.
void Model::Pipeline::apply_threshold(std::span<const double> probabilities, std::size_t outputs,
                                      std::span<std::uint32_t> predicted) const {
  if (!threshold || outputs != 1 || classes.learned() < 2 || classes.columns() > 2) return;
  const std::size_t columns = probabilities.size() / predicted.size();
  const std::uint32_t positive = classes.positive();
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const bool is_positive = probabilities[i * columns + positive] >= *threshold;
    predicted[i] = is_positive ? positive : classes.ids()[0] == positive ? classes.ids()[1] : classes.ids()[0];
  }
}

std::size_t Model::learn(const Examples& examples, Predictions* before) {
  Pipeline& p = *pipeline_;
  Predictions& made = before != nullptr ? *before : p.made;
  if (examples.empty()) return 0;
  if (p.is_of_numbers()) return p.learn_numbers(examples, p.prepare(examples), made);
  Examples left = examples.from(0, std::min(examples.size(), Pipeline::kAtOnce));
  left.weights = p.weigh(left);
  left.targets = p.classes.numbers(left, p.numbers);
  left = p.prepare(left);
  make_room_for(left[0], left.weight(0), p.learner);
  const std::size_t width = p.learner->outputs();
  made.outputs = width;
  made.scores.resize(left.size() * width);
  p.logits.resize(p.calibration && p.learner->extras() > 0 ? left.size() * width : 0);
  const std::size_t count = p.learner->learn(left, {made.scores, p.logits});
  made.scores.resize(count * width);
  made.classes.resize(count);
  made.positive = p.classes.positive();
  const Examples learned = examples.from(0, count);
  std::size_t columns = std::max(p.classes.columns(), classes_of(width));
  for (std::size_t i = 0; i < count; ++i) {
    if (learned.weight(i) > 0.0) columns = std::max(columns, static_cast<std::size_t>(learned.targets[i]) + 1);
  }
  made.probabilities.assign(p.calibration ? count * columns : 0, std::numeric_limits<double>::quiet_NaN());
  // Until two classes are known, what is predicted of a row depends on the classes of the rows just before it.
  for (std::size_t first = 0; first < count;) {
    const std::size_t rows = p.classes.learned() < 2 ? 1 : count - first;
    const auto scores = std::span(made.scores).subspan(first * width, rows * width);
    const auto predicted = std::span(made.classes).subspan(first, rows);
    if (p.calibration) {
      const auto logits = p.logits.empty() ? std::span<double>() : std::span(p.logits).subspan(first * width);
      const auto probabilities = std::span(made.probabilities).subspan(first * columns, rows * columns);
      p.calibrate(left.from(first, rows), scores, logits, probabilities);
      p.name_classes(width, scores, predicted);
      p.apply_threshold(probabilities, width, predicted);
    } else {
      p.name_classes(width, scores, predicted);
    }
    // By the weights with which they were learned: a class whose weight is 0 was not.
    p.classes.learn(Examples{learned.rows, learned.targets, left.from(0, count).weights}.from(first, rows));
    first += rows;
  }
  // Rows that were learned count with their own weights, not with those of their classes.
  Examples counted = learned;
  if (p.class_weights.are_given()) {
    for (std::size_t i = 0; i < count; ++i) p.weights[i] = p.weights[i] > 0.0 ? learned.weight(i) : 0.0;
    counted.weights = std::span(p.weights).first(count);
  }
  p.count_features(counted);
  p.metrics.add(made, counted.targets, counted.weights);
  return count;
}

void Model::scores_by_class(const Predictions& made, std::size_t row, std::span<double> out) const {
  pipeline_->expect_classes("scores by class");
  pipeline_->classes.spread(std::span(made.scores).subspan(row * made.outputs, made.outputs), out);
}

const Metrics& Model::metrics() const {
  return pipeline_->metrics;
}

Counts Model::counts() const {
  const Counts& earlier = pipeline_->earlier;
  const MetricSums& sums = pipeline_->metrics.sums();
  return {earlier.rows + sums.rows, earlier.mistakes + sums.mistakes, earlier.hinge_loss + sums.hinge_loss};
}

const std::optional<Scaling>& Model::scaling() const {
  return pipeline_->scaling;
}

Learner& Model::learner() {
  return *pipeline_->learner;
}

const Learner& Model::learner() const {
  return *pipeline_->learner;
}

void drive(Stream& stream, Model& model, std::span<Hook* const> hooks) {
  drive(
      stream, [&](const Examples& examples, Predictions& made) { return model.learn(examples, &made); }, hooks);
}

Model Model::with_learner(std::unique_ptr<Learner> learner) const {
  auto pipeline = std::make_unique<Pipeline>(std::move(learner));
  pipeline->encoding = pipeline_->encoding;
  pipeline->is_zero_based = pipeline_->is_zero_based;
  pipeline->scaling = pipeline_->scaling;
  pipeline->classes = pipeline_->classes;
  pipeline->calibration = pipeline_->calibration;
  pipeline->quantiles = pipeline_->quantiles;
  pipeline->threshold = pipeline_->threshold;
  pipeline->class_weights = pipeline_->class_weights;
  pipeline->metrics = pipeline_->metrics;
  pipeline->earlier = pipeline_->earlier;
  pipeline->features = pipeline_->features;
  return Model(std::move(pipeline));
}

}  // namespace alder
