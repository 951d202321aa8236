#include "alder/model.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "alder/error.h"
#include "alder/registry.h"

#include "base/share.h"
#include "model/pipeline.h"

namespace alder {
namespace {

// So many rows are scaled and scored at once: they stay in the nearest caches.
constexpr std::size_t kAtOnce = 64;
// It does not pay to start a thread for fewer.
constexpr std::size_t kRowsOfThread = 512;

// How many of the first rows are sound. Throws if the first is not.
std::size_t count_sound(std::span<const Row> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    try {
      rows[i].check();
    } catch (const Error&) {
      if (i == 0) throw;
      return i;
    }
  }
  return rows.size();
}

// Throws Error, with its number, if a row is not sound.
void check_all(std::span<const Row> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    try {
      rows[i].check();
    } catch (const Error& error) {
      throw error.of_row(i, error.what());
    }
  }
}

// Turns what a learner says of rows into what the model says.
void name_classes(const ClassTable& classes, std::size_t outputs, std::span<double> scores,
                  std::span<std::uint32_t> predicted) {
  const bool is_flipped = outputs == 1 && classes.is_flipped();
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const std::span<double> score = scores.subspan(i * outputs, outputs);
    predicted[i] = classes.predicted(score);
    if (is_flipped) score[0] = 0.0 - score[0];
  }
}

}  // namespace

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
  return copy;
}

const std::vector<std::string>& Model::classes() const {
  return pipeline_->classes.names();
}

void Model::set_classes(std::vector<std::string> names, bool is_ordered) {
  pipeline_->classes.set_names(std::move(names), is_ordered);
}

std::uint32_t Model::positive() const {
  return pipeline_->classes.positive();
}

std::size_t Model::features() const {
  return pipeline_->features;
}

void Model::count_features(std::size_t features) {
  pipeline_->features = std::max(pipeline_->features, features);
}

std::size_t Model::learn(const Examples& examples, Predictions* before) {
  Pipeline& p = *pipeline_;
  Examples left = examples.from(0, std::min(examples.size(), kAtOnce));
  if (left.empty()) return 0;
  left.targets = p.classes.numbers(left, p.numbers);
  if (p.scaling) {
    const std::size_t sound = count_sound(left.rows);
    left = left.from(0, sound);
    p.scaling->apply(left.rows, p.scaled);
    left.rows = p.scaled.rows();
  }
  Predictions& made = before != nullptr ? *before : p.made;
  made.outputs = p.learner->outputs();
  made.scores.resize(left.size() * made.outputs);
  const std::size_t count = p.learner->learn(left, made.scores);
  made.scores.resize(count * made.outputs);
  made.classes.resize(count);
  made.positive = p.classes.positive();
  const Examples learned = examples.from(0, count);
  // Until two classes are known, what is predicted of a row depends on the classes of the rows just before it.
  for (std::size_t first = 0; first < count;) {
    const std::size_t rows = p.classes.learned() < 2 ? 1 : count - first;
    name_classes(p.classes, made.outputs, std::span(made.scores).subspan(first * made.outputs, rows * made.outputs),
                 std::span(made.classes).subspan(first, rows));
    p.classes.learn(learned.from(first, rows));
    first += rows;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Row& row = learned.rows[i];
    if (row.size() > 0 && learned.weight(i) > 0.0) count_features(std::size_t{row.feature(row.size() - 1)} + 1);
  }
  p.metrics.add(made, learned.targets, learned.weights);
  return count;
}

void Model::predict(std::span<const Row> rows, Predictions& out, const Wanted& wanted) const {
  const Pipeline& p = *pipeline_;
  out.outputs = p.learner->outputs();
  out.positive = p.classes.positive();
  out.scores.resize(rows.size() * out.outputs);
  out.classes.resize(rows.size());
  const auto predict_part = [&](std::size_t first, std::size_t count) {
    static thread_local RowBuffer scaled;
    std::span<const Row> part = rows.subspan(first, count);
    const std::span<double> scores = std::span(out.scores).subspan(first * out.outputs, count * out.outputs);
    try {
      if (p.scaling) {
        check_all(part);
        p.scaling->apply(part, scaled);
        part = scaled.rows();
      }
      p.learner->score(part, scores);
    } catch (const Error& error) {
      if (error.row() == Error::kNoRow) throw;
      throw error.of_row(first + error.row(), error.what());
    }
    name_classes(p.classes, out.outputs, scores, std::span(out.classes).subspan(first, count));
  };
  const auto predict_all = [&](std::size_t first, std::size_t end) {
    for (; first < end; first += kAtOnce) predict_part(first, std::min(kAtOnce, end - first));
  };
  const unsigned threads = wanted.threads > 0 ? wanted.threads : std::max(1U, std::thread::hardware_concurrency());
  if (threads == 1 || rows.size() < 2 * kRowsOfThread) {
    predict_all(0, rows.size());
    return;
  }
  const std::size_t parts = (rows.size() + kRowsOfThread - 1) / kRowsOfThread;
  share(
      parts, threads,
      [&](std::size_t i) { predict_all(i * kRowsOfThread, std::min(rows.size(), (i + 1) * kRowsOfThread)); },
      [](std::size_t) { return true; });
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
  Predictions made;
  const auto learn = [&](const Examples& examples) -> Learned {
    const std::size_t count = model.learn(examples, &made);
    return {count, made.scores};
  };
  drive(stream, learn, hooks);
}

Model Model::with_learner(std::unique_ptr<Learner> learner) const {
  auto pipeline = std::make_unique<Pipeline>(std::move(learner));
  pipeline->scaling = pipeline_->scaling;
  pipeline->classes = pipeline_->classes;
  pipeline->metrics = pipeline_->metrics;
  pipeline->earlier = pipeline_->earlier;
  pipeline->features = pipeline_->features;
  return Model(std::move(pipeline));
}

}  // namespace alder
