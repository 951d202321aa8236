#include "alder/explanation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "alder/score_parts.h"

#include "kernel/kernel_parts.h"
#include "learners/core/scaled_parts.h"
#include "model/pipeline.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;

// Rows that are predicted at once.
constexpr std::size_t kVariantsAtOnce = 128;
// Of a learner that does not tell its derivatives, by how much a value is moved to either side, as a part of it or
// of 1.
constexpr double kDifference = 1e-4;

// The features of a row that are not 0, ascending; of too many those with the largest values.
std::vector<FeatureIndex> features_of(const Row& row) {
  std::vector<std::size_t> places;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (row.value(j) != 0.0) places.push_back(j);
  }
  if (places.size() > Explanation::kMostFeatures) {
    std::stable_sort(places.begin(), places.end(), [&row](std::size_t a, std::size_t b) {
      return std::fabs(row.value(a)) > std::fabs(row.value(b));
    });
    places.resize(Explanation::kMostFeatures);
    std::sort(places.begin(), places.end());
  }
  std::vector<FeatureIndex> features;
  features.reserve(places.size());
  for (const std::size_t place : places) features.push_back(row.feature(place));
  return features;
}

// The number that is explained, made of the scores that a model gives.
class Score {
 public:
  Score(const Model& model, std::vector<double> direction) : model_(model), direction_(std::move(direction)) {}

  [[nodiscard]] double of(const Predictions& made, std::size_t i) const {
    double sum = 0.0;
    for (std::size_t c = 0; c < direction_.size(); ++c) sum += direction_[c] * made.scores[i * direction_.size() + c];
    return sum;
  }

  // That of the row with other values, one of its features at a time; `value_of` gives it by place and value. The
  // features ascend, and all are the row's.
  template <class ValueOf>
  [[nodiscard]] std::vector<double> changed(const Row& row, std::span<const FeatureIndex> features,
                                            const ValueOf& value_of) const {
    std::vector<double> scores;
    RowBuffer rows;
    Predictions made;
    std::size_t place = 0;
    for (std::size_t j = 0; j < features.size(); ++j) {
      while (row.feature(place) != features[j]) ++place;
      const RowBuffer::Room room = rows.room(row.size());
      std::copy_n(row.values(), row.size(), room.values.data());
      room.values[place] = value_of(j, row.value(place));
      if (row.is_sparse()) std::copy_n(row.indices(), row.size(), room.indices.data());
      rows.append_written(row.is_sparse() ? Row::sparse(room.indices.data(), room.values.data(), row.size())
                                          : Row::dense(room.values.first(row.size())));
      if (rows.size() < kVariantsAtOnce && j + 1 < features.size()) continue;
      model_.predict(rows.rows(), made);
      for (std::size_t i = 0; i < rows.size(); ++i) scores.push_back(of(made, i));
      rows.clear();
    }
    return scores;
  }

  // Its derivatives, by differences.
  [[nodiscard]] std::vector<double> slopes(const Row& row, std::span<const FeatureIndex> features) const {
    const auto step = [](double value) { return kDifference * std::max(1.0, std::fabs(value)); };
    const auto above = changed(row, features, [&](std::size_t, double value) { return value + step(value); });
    const auto below = changed(row, features, [&](std::size_t, double value) { return value - step(value); });
    const std::vector<double> values = values_of(row, features);
    std::vector<double> slopes;
    for (std::size_t j = 0; j < features.size(); ++j) {
      slopes.push_back((above[j] - below[j]) / (2.0 * step(values[j])));
    }
    return slopes;
  }

 private:
  const Model& model_;
  std::vector<double> direction_;
};

// Of the classes of one row, as the learner numbers them, that with the largest score, the first of equal ones, and
// that with the next largest. Scores that are cut are equal: of these rivals the most probable one is taken.
std::pair<std::size_t, std::size_t> leaders(const Predictions& made, std::span<const std::uint32_t> ids) {
  const auto first =
      static_cast<std::size_t>(std::max_element(made.scores.begin(), made.scores.end()) - made.scores.begin());
  const auto probability = [&](std::size_t c) { return made.probabilities.empty() ? 0.0 : made.probabilities[ids[c]]; };
  std::size_t rival = first == 0 ? 1 : 0;
  for (std::size_t c = rival + 1; c < made.outputs; ++c) {
    if (c == first || made.scores[c] < made.scores[rival]) continue;
    if (made.scores[c] > made.scores[rival] || probability(c) > probability(rival)) rival = c;
  }
  return {first, rival};
}

// Keeps the first ones by magnitude.
template <class Effects, class Size>
void keep_top(Effects& effects, std::size_t top, const Size& size) {
  std::stable_sort(effects.begin(), effects.end(),
                   [&size](const auto& a, const auto& b) { return std::fabs(size(a)) > std::fabs(size(b)); });
  if (top > 0 && effects.size() > top) effects.resize(top);
}

}  // namespace

Explanation explain(const Model& model, const Row& row, const ExplainOptions& options) {
  const Model::Pipeline& p = *model.pipeline_;
  row.check();
  Predictions made;
  model.predict(std::span(&row, 1), made, {.threads = 1, .probabilities = p.calibration.has_value()});
  Explanation found;
  if (p.is_of_numbers()) {
    found.value = made.values[0];
  } else {
    found.predicted = made.classes[0];
  }
  if (!made.probabilities.empty() && found.predicted < made.probabilities.size()) {
    found.probability = made.probabilities[found.predicted];
  }
  // By what the classes are told apart, in the scores of the model and in those of the learner.
  std::vector<double> shown(made.outputs);
  std::vector<double> direction(made.outputs);
  if (p.is_of_numbers()) {
    shown[0] = 1.0;
    direction[0] = 1.0;
  } else if (made.outputs == 1) {
    found.towards = made.positive;
    found.against = 1 - made.positive;
    shown[0] = 1.0;
    direction[0] = p.classes.is_flipped() ? -1.0 : 1.0;
  } else {
    const auto [first, rival] = leaders(made, p.classes.ids());
    found.towards = p.classes.ids()[first];
    found.against = p.classes.ids()[rival];
    shown[first] = 1.0;
    shown[rival] = -1.0;
    direction = shown;
  }
  const Score score(model, shown);
  found.score = score.of(made, 0);

  ScoreParts parts(features_of(row));
  const auto add = [&](const Row& its_row, ScoreParts& its_parts) {
    return p.learner->add_parts(its_row, direction, its_parts);
  };
  found.has_exact_gradients = p.scaling ? add_scaled_parts(*p.scaling, row, parts, add) : add(row, parts);
  if (!found.has_exact_gradients) {
    parts.gradient = score.slopes(row, parts.features);
    parts.rest = found.score;
  }
  const std::vector<double> without = score.changed(row, parts.features, [](std::size_t, double) { return 0.0; });
  const std::vector<double> values = values_of(row, parts.features);
  for (std::size_t j = 0; j < parts.features.size(); ++j) {
    const double offset = p.encoding != nullptr ? p.encoding->offset(parts.features[j]) : 0.0;
    found.features.push_back({parts.features[j], values[j] + offset, parts.gradient[j], found.score - without[j]});
  }
  for (std::size_t i = 0; i < parts.rows.size(); ++i) {
    found.rows.push_back({i, parts.rows[i].contribution, parts.rows[i].similarity});
  }
  found.stored = parts.rows.size();
  found.rest = parts.rest;
  keep_top(found.features, options.top, [](const FeatureEffect& one) { return one.effect; });
  keep_top(found.rows, options.top, [](const RowEffect& one) { return one.contribution; });
  return found;
}

std::string to_json(const Explanation& explanation, const std::vector<std::string>& classes,
                    const std::function<std::string(FeatureIndex)>& name_of) {
  const auto name = [&classes](std::uint32_t id) {
    return id < classes.size() && !classes[id].empty() ? Json(classes[id]) : Json();
  };
  Json json;
  if (explanation.value) {
    json["value"] = *explanation.value;
  } else {
    json["predicted"] = name(explanation.predicted);
    json["towards"] = name(explanation.towards);
    json["against"] = name(explanation.against);
  }
  json["score"] = explanation.score;
  if (!explanation.value) json["probability"] = explanation.probability ? Json(*explanation.probability) : Json();
  json["rest"] = explanation.rest;
  json["stored_count"] = explanation.stored;
  json["has_exact_gradients"] = explanation.has_exact_gradients;
  json["features"] = Json::array();
  json["stored_rows"] = Json::array();
  for (const FeatureEffect& one : explanation.features) {
    Json feature = {{"feature", std::uint64_t{one.feature} + 1}};
    if (name_of) feature["name"] = name_of(one.feature);
    feature["value"] = one.value;
    feature["gradient"] = one.gradient;
    feature["effect"] = one.effect;
    json["features"].push_back(std::move(feature));
  }
  for (const RowEffect& one : explanation.rows) {
    json["stored_rows"].push_back(
        {{"row", one.row + 1}, {"contribution", one.contribution}, {"similarity", one.similarity}});
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace alder
