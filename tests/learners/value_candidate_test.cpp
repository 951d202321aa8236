#include "learners/alder/value_candidate.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "archive/archive.h"

namespace alder {
namespace {

// A function of three features whose noise depends on the first; `turn` rows later it is another one.
struct ValueStream {
  explicit ValueStream(std::size_t count, std::size_t turn, std::uint64_t seed = 3)
      : values(count, std::vector<double>(3)) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    for (std::size_t t = 0; t < count; ++t) {
      std::vector<double>& x = values[t];
      for (double& value : x) value = normal(engine);
      const double sign = t < turn ? 1.0 : -1.0;
      targets.push_back(20.0 + 3.0 * x[0] + sign * 4.0 * std::sin(2.0 * x[1]) +
                        (x[0] > 0.0 ? 1.0 : 0.1) * normal(engine) + (t % 61 == 60 ? 100.0 : 0.0));
      weights.push_back(t % 7 == 0 ? 2.5 : 1.0);
    }
    for (const auto& x : values) rows.push_back(Row::dense(x).as_checked());
  }

  std::vector<std::vector<double>> values;
  std::vector<Row> rows;
  std::vector<double> targets;
  std::vector<double> weights;
};

constexpr std::pair<double, double> kValueRates[] = {{1.0, 0.0},   {0.1, 0.0},   {0.01, 0.0},
                                                     {0.01, 1e-4}, {0.01, 1e-3}, {0.01, 1e-2}};

// What the header of ValueCandidate says of the same inputs, with predictors of its own.
template <class T>
struct LiteralMixture {
  explicit LiteralMixture(const TargetFrame& f) : frame(&f), charges(std::size(kValueRates)) {
    for (const auto& [noise, forget] : kValueRates) predictors.push_back(std::make_unique<Rls<T>>(noise, forget));
  }
  void resize(std::size_t n) {
    for (const auto& predictor : predictors) predictor->resize(n);
  }
  [[nodiscard]] std::size_t top() const {
    return static_cast<std::size_t>(std::min_element(charges.begin(), charges.end()) - charges.begin());
  }
  void look(const T* z) {
    looks.clear();
    mean = variance = 0.0;
    double sum = 0.0;
    for (const double charge : charges) sum += std::exp(charges[top()] - charge);
    for (std::size_t p = 0; p < predictors.size(); ++p) {
      looks.push_back(predictors[p]->look(z, ~std::size_t{0}));
      mean += std::exp(charges[top()] - charges[p]) / sum * frame->cut(looks[p].score);
    }
    for (std::size_t p = 0; p < predictors.size(); ++p) {
      const double apart = frame->cut(looks[p].score) - mean;
      variance += std::exp(charges[top()] - charges[p]) / sum * (predictors[p]->variance(looks[p]) + apart * apart);
    }
  }
  void learn(const T* z, double target, double weight, double alpha) {
    for (std::size_t p = 0; p < predictors.size(); ++p) {
      const double predicted = frame->cut(looks[p].score);
      charges[p] = 0.995 * charges[p] + weight * frame->charge(target - predicted);
      looks[p].spread += alpha;
      predictors[p]->learn(z, target, predicted, looks[p], weight, ~std::size_t{0});
    }
  }
  void settle() {
    const std::size_t best = top();
    std::size_t other = predictors.size();
    for (std::size_t p = 0; p < predictors.size(); ++p) {
      const bool is_other_kind = (predictors[p]->forget() > 0.0) != (predictors[best]->forget() > 0.0);
      if (is_other_kind && (other == predictors.size() || charges[p] < charges[other])) other = p;
    }
    std::vector<std::unique_ptr<Rls<T>>> kept;
    std::vector<double> left;
    for (std::size_t p = 0; p < predictors.size(); ++p) {
      if (p != best && p != other) continue;
      kept.push_back(std::move(predictors[p]));
      left.push_back(charges[p]);
    }
    predictors = std::move(kept);
    charges = left;
  }

  const TargetFrame* frame;
  std::vector<std::unique_ptr<Rls<T>>> predictors;
  std::vector<double> charges;
  std::vector<typename Rls<T>::Look> looks;
  double mean = 0.0;
  double variance = 0.0;
};

struct ValueCase {
  bool recent_labels = false;
  bool by_novelty = false;
  std::size_t budget = 60;
  std::size_t block = 8;
};

template <class T>
class ValueDrive {
 public:
  ValueDrive(const ValueCase& what, const ValueStream& stream)
      : what_(what),
        options_(options_of(what)),
        geometry_({}, LinearInputs::fit(std::span(stream.rows).first(100), true), Kernel::gaussian(1.5), 0),
        frame_(fitted(stream)),
        candidate_(options_, frame_, geometry_, 0.5),
        literal_(frame_) {
    if (what.by_novelty) candidate_.grow_by_novelty();
    literal_.resize(before() + candidate_.size());
  }

  void run(const ValueStream& stream, std::size_t first, std::size_t last) {
    for (std::size_t begin = first; begin < last; begin += what_.block) {
      const std::size_t end = std::min(last, begin + what_.block);
      geometry_.begin_block(std::span(stream.rows).subspan(begin, end - begin));
      for (std::size_t t = begin; t < end && !::testing::Test::HasFatalFailure(); ++t) row(stream, t);
      geometry_.end_block();
      candidate_.forget_ahead();
    }
  }
  [[nodiscard]] ValueCandidate<T>& candidate() { return candidate_; }
  [[nodiscard]] LiteralMixture<T>& literal() { return literal_; }
  [[nodiscard]] int refused() const { return refused_; }

  // What the candidate makes of rows that it does not learn: scores, then deviations.
  [[nodiscard]] std::vector<double> scores(const ValueCandidate<T>& candidate, std::span<const Row> rows) const {
    ScoredRows<T> scored;
    std::vector<T> inputs;
    geometry_.look(rows, scored, inputs);
    std::vector<double> made(2 * rows.size());
    const std::span<double> all(made);
    candidate.score(geometry_, scored, inputs, rows.size(), all.first(rows.size()), all.subspan(rows.size()));
    return made;
  }
  void check_archive(const ValueStream& stream) const {
    Archive archive;
    candidate_.save(archive, "c");
    const Archive read = Archive::decode(archive.encode());
    ValueCandidate<T> loaded(options_, frame_, geometry_, 0.5);
    loaded.load(read, "c", geometry_);
    Archive again;
    loaded.save(again, "c");
    ASSERT_EQ(again.encode(), archive.encode());
    ASSERT_EQ(loaded.rate(), candidate_.rate());
    const auto rows = std::span(stream.rows).first(8);
    ASSERT_EQ(scores(loaded, rows), scores(candidate_, rows));
  }

 private:
  static AlderOptions options_of(const ValueCase& what) {
    AlderOptions options;
    options.loss = Loss::of(Loss::Kind::kSquared);
    options.budget = what.budget;
    options.recent_labels = what.recent_labels;
    return options;
  }
  static TargetFrame fitted(const ValueStream& stream) {
    TargetFrame frame;
    frame.fit(std::span(stream.targets).first(32));
    return frame;
  }
  [[nodiscard]] std::size_t before() const { return (what_.recent_labels ? 2 : 0) + geometry_.linear_inputs().size(); }

  void row(const ValueStream& stream, std::size_t t) {
    geometry_.begin();
    if (t % 8 == 0) {
      candidate_.begin_block();
      for (const auto& predictor : literal_.predictors) predictor->begin_block();
    }
    candidate_.forecast(geometry_, forecast_);
    const std::vector<double> scored = scores(candidate_, std::span(&stream.rows[t], 1));
    ASSERT_EQ(scored[0], forecast_.scores[0]) << t;
    ASSERT_EQ(scored[1], forecast_.extras[0]) << t;
    if (what_.recent_labels) {
      ASSERT_EQ(forecast_.z[0], static_cast<T>(frame_.last()));
      ASSERT_EQ(forecast_.z[1], static_cast<T>(frame_.recent_mean()));
    }
    literal_.look(forecast_.z.data());
    for (std::size_t p = 0; p < literal_.looks.size(); ++p) {
      ASSERT_EQ(forecast_.each[p], literal_.looks[p].score) << t << " " << p;
    }
    ASSERT_NEAR(forecast_.scores[0], literal_.mean, 1e-9) << t;
    ASSERT_NEAR(forecast_.extras[0], std::sqrt(literal_.variance), 1e-9) << t;
    const double target = frame_.inside(stream.targets[t]);
    const double alpha = forecast_.alpha;
    const bool wants = this->wants(target);
    const std::size_t size = candidate_.size();
    std::optional<std::size_t> joined;
    candidate_.learn(geometry_, forecast_, target, stream.weights[t], joined);
    geometry_.end(1.0);
    ASSERT_EQ(candidate_.size(), size + (wants ? 1 : 0)) << t;
    ASSERT_EQ(joined.has_value(), wants);
    literal_.resize(before() + candidate_.size());
    literal_.learn(forecast_.z.data(), target, stream.weights[t], wants ? alpha : 0.0);
    frame_.learn(target, target - forecast_.scores[0]);
    ASSERT_EQ(candidate_.rate(), literal_.predictors[literal_.top()]->forget());
  }
  // The rule of growth.
  bool wants(double target) {
    if (candidate_.size() >= what_.budget || forecast_.alpha <= 0.01 * 0.01) return false;
    double error = 1e300;
    for (const double score : forecast_.each) error = std::min(error, std::fabs(target - frame_.cut(score)));
    const double need = error * error * forecast_.alpha;
    const bool is_wanted = what_.by_novelty || 2 * candidate_.size() < what_.budget || need > usual_;
    needs_ += 1.0;
    usual_ += std::max(1.0 / needs_, 1.0 / 300.0) * (need - usual_);
    refused_ += is_wanted ? 0 : 1;
    return is_wanted;
  }

  ValueCase what_;
  AlderOptions options_;
  Geometry<T> geometry_;
  TargetFrame frame_;
  ValueCandidate<T> candidate_;
  LiteralMixture<T> literal_;
  typename ValueCandidate<T>::Forecast forecast_;
  double usual_ = 0.0;
  double needs_ = 0.0;
  int refused_ = 0;
};

// Before and after it is settled, and after the function has become another one.
template <class T>
void check_values(const ValueCase& what) {
  const ValueStream stream(1100, 600);
  ValueDrive<T> drive(what, stream);
  for (const std::size_t at : {0U, 8U, 104U, 520U, 760U}) {
    drive.run(stream, at == 0 ? 0 : at, at == 0 ? 8 : at == 8 ? 104 : at == 104 ? 520 : at == 520 ? 760 : 1100);
    drive.check_archive(stream);
    if (at != 520) continue;
    drive.candidate().settle();
    drive.literal().settle();
    ASSERT_EQ(drive.candidate().predictors(), 2U);
    drive.candidate().settle();  // nothing more
    ASSERT_EQ(drive.candidate().predictors(), 2U);
  }
  EXPECT_GT(2 * drive.candidate().size(), what.budget);
  EXPECT_EQ(drive.refused() > 0, !what.by_novelty);
}

TEST(ValueCandidate, IsItsDefinition) {
  check_values<double>({});
  check_values<double>({.by_novelty = true, .budget = 45});
  check_values<double>({.budget = 33, .block = 5});
}

TEST(ValueCandidate, IsItsDefinitionInFloat) {
  check_values<float>({});
  check_values<float>({.by_novelty = true, .budget = 45, .block = 3});
}

TEST(ValueCandidate, IsItsDefinitionWithRecentLabels) {
  check_values<double>({.recent_labels = true});
  check_values<float>({.recent_labels = true, .block = 3});
}

}  // namespace
}  // namespace alder
