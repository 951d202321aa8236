// A learner with as many outputs as classes goes through Model: classes may come at any time, wherever batches are cut.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "alder/error.h"
#include "alder/model.h"

namespace alder {
namespace {

// A perceptron with a weight vector for each class met; two classes share one, as in every learner.
class ManyClasses final : public Learner {
 public:
  [[nodiscard]] std::string name() const override { return "many"; }
  [[nodiscard]] std::size_t outputs() const override { return weights_.size() <= 2 ? 1 : weights_.size(); }
  [[nodiscard]] std::size_t most_classes() const override { return 100; }
  [[nodiscard]] const std::vector<std::vector<double>>& weights() const { return weights_; }

 protected:
  void score_block(std::span<const Row> rows, Outputs out) const override {
    for (std::size_t r = 0; r < rows.size(); ++r) score(rows[r], out.scores.subspan(r * outputs(), outputs()));
  }
  void round(const Row& row, double target, double /*weight*/, Outputs out) override {
    score(row, out.scores);
    const auto number = static_cast<std::size_t>(target);
    while (weights_.size() <= number) weights_.emplace_back(2);
    std::size_t rival = number == 0 ? 1 : 0;
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      if (k != number && value(k, row) > value(rival, row)) rival = k;
    }
    if (rival >= weights_.size() || value(number, row) > value(rival, row)) return;
    for (std::size_t j = 0; j < row.size(); ++j) {
      weights_[number][j] += row.value(j);
      weights_[rival][j] -= row.value(j);
    }
  }
  void describe(Report& report) const override { report.support = weights_.size(); }
  void save_state(Archive& /*archive*/) const override {}

 private:
  [[nodiscard]] double value(std::size_t k, const Row& row) const {
    double sum = 0.0;
    for (std::size_t j = 0; k < weights_.size() && j < row.size(); ++j) sum += weights_[k][j] * row.value(j);
    return sum;
  }
  using Learner::score;
  void score(const Row& row, std::span<double> out) const {
    if (out.size() == 1) {
      out[0] = value(1, row) - value(0, row);
    } else {
      for (std::size_t k = 0; k < out.size(); ++k) out[k] = value(k, row);
    }
  }

  std::vector<std::vector<double>> weights_;
};

// Points on a circle, by sector; the sectors 2 and 3 come late. Ids are in another order than the classes are met.
struct Sectors {
  std::vector<double> numbers;
  std::vector<Row> rows;
  std::vector<double> ids;

  Sectors() {
    constexpr std::size_t kRows = 60;
    constexpr double kIds[] = {2, 0, 3, 1};
    for (std::size_t i = 0; i < kRows; ++i) {
      const std::size_t classes = i < 20 ? 2 : i < 45 ? 3 : 4;
      const std::size_t sector = i * 7 % classes;
      const double angle = 1.5 * static_cast<double>(sector) + 0.01 * static_cast<double>(i);
      numbers.push_back(std::cos(angle));
      numbers.push_back(std::sin(angle));
      ids.push_back(kIds[sector]);
    }
    for (std::size_t i = 0; i < kRows; ++i) rows.push_back(Row::dense(std::span(numbers).subspan(2 * i, 2)));
  }
};

struct Learnt {
  std::vector<std::vector<double>> scores;  // by row
  std::vector<std::uint32_t> classes;
  std::vector<std::vector<double>> weights;
  std::uint64_t mistakes = 0;
};

// Learns in batches that end where `cuts` says.
Learnt learn(const Sectors& data, const std::vector<std::size_t>& cuts) {
  auto learner = std::make_unique<ManyClasses>();
  const ManyClasses& many = *learner;
  Model model(std::move(learner));
  model.set_classes({"a", "b", "c", "d"});
  Learnt learnt;
  Predictions before;
  std::size_t done = 0;
  for (const std::size_t cut : cuts) {
    while (done < cut) {
      const Examples left = {std::span(data.rows).subspan(done, cut - done),
                             std::span(data.ids).subspan(done, cut - done)};
      const std::size_t count = model.learn(left, &before);
      EXPECT_GE(count, 1U);
      EXPECT_EQ(before.scores.size(), count * before.outputs);
      for (std::size_t i = 0; i < count; ++i) {
        const auto from = before.scores.begin() + static_cast<std::ptrdiff_t>(i * before.outputs);
        learnt.scores.emplace_back(from, from + static_cast<std::ptrdiff_t>(before.outputs));
        learnt.classes.push_back(before.classes[i]);
      }
      done += count;
    }
  }
  learnt.weights = many.weights();
  learnt.mistakes = model.metrics().mistakes();
  return learnt;
}

TEST(ManyClassesModel, TheWidthOfScoresFollowsTheClassesLearned) {
  const Sectors data;
  const Learnt learnt = learn(data, {60});
  ASSERT_EQ(learnt.scores.size(), 60U);
  EXPECT_EQ(learnt.scores[0].size(), 1U);
  EXPECT_EQ(learnt.scores[20].size(), 1U);  // a third class is about to be learned, or was not yet
  EXPECT_EQ(learnt.scores[44].size(), 3U);
  EXPECT_EQ(learnt.scores[59].size(), 4U);
  EXPECT_EQ(learnt.classes[0], kNoClass);
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < 60; ++i) wrong += static_cast<double>(learnt.classes[i]) != data.ids[i] ? 1 : 0;
  EXPECT_EQ(learnt.mistakes, wrong);
  EXPECT_LT(wrong, 30U);
}

TEST(ManyClassesModel, NothingDependsOnWhereBatchesAreCut) {
  const Sectors data;
  const Learnt whole = learn(data, {60});
  std::vector<std::size_t> single;
  for (std::size_t i = 1; i <= 60; ++i) single.push_back(i);
  for (std::size_t cut = 0; cut <= 60; ++cut) {
    const Learnt learnt = learn(data, cut == 0 ? single : std::vector<std::size_t>{cut, 60});
    EXPECT_EQ(learnt.scores, whole.scores) << cut;
    EXPECT_EQ(learnt.classes, whole.classes) << cut;
    EXPECT_EQ(learnt.weights, whole.weights) << cut;
    EXPECT_EQ(learnt.mistakes, whole.mistakes) << cut;
  }
}

TEST(ManyClassesModel, PredictsTheIdsThatWereLearned) {
  const Sectors data;
  Model model(std::make_unique<ManyClasses>());
  for (std::size_t pass = 0; pass < 20; ++pass) {
    for (std::size_t done = 0; done < 60;) {
      done += model.learn({std::span(data.rows).subspan(done), std::span(data.ids).subspan(done)});
    }
  }
  Predictions made;
  model.predict(data.rows, made);
  ASSERT_EQ(made.outputs, 4U);
  std::size_t right = 0;
  for (std::size_t i = 0; i < 60; ++i) right += static_cast<double>(made.classes[i]) == data.ids[i] ? 1 : 0;
  EXPECT_GE(right, 55U);
}

TEST(ManyClassesModel, ScoresOfAllClassesAreLargestForThePredictedOne) {
  const Sectors data;
  Model model(std::make_unique<ManyClasses>());
  model.set_classes({"a", "b", "c", "d", "never"});
  Predictions made;
  std::vector<double> scores(5, 7.0);
  model.predict(data.rows, made);
  model.scores_by_class(made, 0, scores);
  EXPECT_EQ(scores, std::vector<double>(5, 0.0));
  for (std::size_t done = 0; done < 60;) {  // one, two, three and four classes are known
    const std::size_t count = done == 0 ? 1 : std::min<std::size_t>(60 - done, 7);
    done += model.learn({std::span(data.rows).subspan(done, count), std::span(data.ids).subspan(done, count)});
    model.predict(data.rows, made);
    for (std::size_t i = 0; i < 60; ++i) {
      model.scores_by_class(made, i, scores);
      ASSERT_EQ(std::max_element(scores.begin(), scores.end()) - scores.begin(), made.classes[i]) << done << ' ' << i;
      std::vector<double> sorted = scores;
      std::sort(sorted.begin(), sorted.end());
      ASSERT_EQ(scores[4], sorted[0]);
      const auto above = std::upper_bound(sorted.begin(), sorted.end(), sorted[0]);
      ASSERT_DOUBLE_EQ(*above - sorted[0], 1.0);
      if (made.outputs == 1 && above + 2 == sorted.end()) {
        ASSERT_DOUBLE_EQ(sorted[4] - sorted[3], std::fabs(made.scores[i]));
      }
    }
  }
  EXPECT_EQ(made.outputs, 4U);
}

TEST(ManyClassesModel, NamesThatComeLaterMustDifferFromAllOthers) {
  Model model(std::make_unique<ManyClasses>());
  model.set_classes({"1", "", "3"});
  model.set_classes({"1", "2", "3", "4"});
  EXPECT_THROW(model.set_classes({"1", "2", "3", "4", "1.0"}), Error);
  EXPECT_THROW(model.set_classes({"1", "2", "3", "4", "5", "5"}), Error);
  EXPECT_THROW(model.set_classes({"1", "2", "3", "5"}), Error);
  EXPECT_EQ(model.classes(), (std::vector<std::string>{"1", "2", "3", "4"}));
}

}  // namespace
}  // namespace alder
