#include <algorithm>
#include <thread>

#include "alder/error.h"

#include "base/share.h"
#include "model/pipeline.h"

namespace alder {
namespace {

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

}  // namespace

void Model::Pipeline::name_classes(std::size_t outputs, std::span<double> scores,
                                   std::span<std::uint32_t> predicted) const {
  const bool is_flipped = outputs == 1 && classes.is_flipped();
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const std::span<double> score = scores.subspan(i * outputs, outputs);
    predicted[i] = classes.predicted(score);
    if (is_flipped) score[0] = 0.0 - score[0];
  }
}

void Model::Pipeline::spread_probabilities(std::span<const double> numbered, std::span<double> by_id) const {
  std::fill(by_id.begin(), by_id.end(), 0.0);
  if (classes.learned() == 1) {
    by_id[classes.ids()[0]] = 1.0;
    return;
  }
  for (std::size_t number = 0; number < std::min(numbered.size(), classes.learned()); ++number) {
    by_id[classes.ids()[number]] = numbered[number];
  }
}

Examples Model::Pipeline::prepare(const Examples& examples) {
  Examples left = examples.from(0, std::min(examples.size(), kAtOnce));
  if (!scaling) return left;
  left = left.from(0, count_sound(left.rows));
  scaling->apply(left.rows, scaled);
  left.rows = scaled.rows();
  return left;
}

void Model::Pipeline::count_features(const Examples& learned) {
  for (std::size_t i = 0; i < learned.size(); ++i) {
    const Row& row = learned.rows[i];
    // Values that a row of the weight 0 has met are met, so that the features of later ones do not depend on cuts.
    if (row.size() > 0 && (learned.weight(i) > 0.0 || encoding != nullptr))
      count_features(std::size_t{row.feature(row.size() - 1)} + 1);
  }
}

void Model::Pipeline::score(std::span<const Row> rows, unsigned threads, bool has_extras, std::vector<double>& scores,
                            const Finish& finish) const {
  const std::size_t width = learner->outputs();
  scores.resize(rows.size() * width);
  const auto score_part = [&](std::size_t first, std::size_t count) {
    static thread_local RowBuffer in_scale;
    static thread_local std::vector<double> extras;
    std::span<const Row> part = rows.subspan(first, count);
    const std::span<double> made_scores = std::span(scores).subspan(first * width, count * width);
    extras.resize(has_extras ? count * width : 0);
    try {
      if (scaling) {
        check_all(part);
        scaling->apply(part, in_scale);
        part = in_scale.rows();
      }
      learner->score(part, {made_scores, extras});
    } catch (const Error& error) {
      if (error.row() == Error::kNoRow) throw;
      throw error.of_row(first + error.row(), error.what());
    }
    finish(first, count, made_scores, extras);
  };
  const auto score_all = [&](std::size_t first, std::size_t end) {
    for (; first < end; first += kAtOnce) score_part(first, std::min(kAtOnce, end - first));
  };
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  if (threads == 1 || rows.size() < 2 * kRowsOfThread) {
    score_all(0, rows.size());
    return;
  }
  const std::size_t parts = (rows.size() + kRowsOfThread - 1) / kRowsOfThread;
  share(
      parts, threads,
      [&](std::size_t i) { score_all(i * kRowsOfThread, std::min(rows.size(), (i + 1) * kRowsOfThread)); },
      [](std::size_t) { return true; });
}

void Model::predict(std::span<const Row> rows, Predictions& out, const Wanted& wanted) const {
  const Pipeline& p = *pipeline_;
  if (wanted.probabilities) p.expect_classes("probabilities");
  if (p.is_of_numbers()) {
    p.predict_numbers(rows, out, wanted);
    return;
  }
  if (wanted.deviations || !wanted.quantiles.empty()) {
    throw Error(Error::Kind::kUnsupported, "quantiles and deviations are of numbers; this model predicts classes");
  }
  if (wanted.probabilities && !p.calibration) {
    throw Error(Error::Kind::kUnsupported, "this model has learned no probabilities; expected one that has");
  }
  const std::size_t width = p.learner->outputs();
  const std::size_t columns = std::max(p.classes.columns(), classes_of(width));
  const bool has_probabilities = wanted.probabilities || p.threshold;
  out.outputs = width;
  out.positive = p.classes.positive();
  out.classes.resize(rows.size());
  out.probabilities.assign(has_probabilities ? rows.size() * columns : 0, 0.0);
  const auto finish = [&](std::size_t first, std::size_t count, std::span<double> scores,
                          std::span<const double> logits) {
    static thread_local std::vector<double> numbered;
    const auto predicted = std::span(out.classes).subspan(first, count);
    const auto probabilities = has_probabilities
                                   ? std::span(out.probabilities).subspan(first * columns, count * columns)
                                   : std::span<double>();
    for (std::size_t i = 0; i < count && has_probabilities; ++i) {
      const auto of_row = probabilities.subspan(i * columns, columns);
      if (p.classes.learned() == 0) {
        std::fill(of_row.begin(), of_row.end(), 1.0 / static_cast<double>(columns));
        continue;
      }
      numbered.resize(classes_of(width));
      p.calibration->probabilities(scores.subspan(i * width, width),
                                   logits.empty() ? logits : logits.subspan(i * width, width), numbered);
      p.spread_probabilities(numbered, of_row);
    }
    p.name_classes(width, scores, predicted);
    if (p.threshold) p.apply_threshold(probabilities, width, predicted);
  };
  p.score(rows, wanted.threads, has_probabilities && p.learner->extras() > 0, out.scores, finish);
}

}  // namespace alder
