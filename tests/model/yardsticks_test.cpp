#include "alder/yardsticks.h"

#include <functional>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "alder/error.h"

#include "archive/archive.h"
#include "base/random.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::message_of;

// The definition, one row at a time, with a search for the commonest class in every row.
struct LiteralYardsticks {
  std::map<double, double> weights;
  double last = -1.0;
  std::uint64_t majority_mistakes = 0;
  std::uint64_t last_mistakes = 0;

  void add(double target, double weight) {
    double majority = -1.0;
    for (const auto& [id, sum] : weights) {
      if (majority < 0.0 || sum > weights.at(majority)) majority = id;
    }
    majority_mistakes += target != majority ? 1 : 0;
    last_mistakes += target != last ? 1 : 0;
    weights[target] += weight;
    last = target;
  }
};

Yardsticks some_yardsticks() {
  Yardsticks yardsticks;
  const std::vector<double> targets = {2, 0, 2, 2, 5, 5, 0, 2};
  const std::vector<double> weights = {1, 0.1, 2, 1, 0.25, 7, 1, 1.0 / 3};
  yardsticks.add(targets, weights);
  return yardsticks;
}

Archive saved(const Yardsticks& yardsticks) {
  Archive archive;
  yardsticks.save(archive);
  return archive;
}

TEST(Yardsticks, AStreamByHand) {
  Yardsticks yardsticks;
  EXPECT_EQ(yardsticks.majority_error(), 0.0);
  // Majority before each row: none, 1, then 0 (a tie), 1, 1, 1. The last label: none, 1, 0, 1, 1, 2.
  yardsticks.add(std::vector<double>{1, 0, 1, 1, 2, 2});
  EXPECT_EQ(yardsticks.rows(), 6U);
  EXPECT_EQ(yardsticks.majority_mistakes(), 5U);
  EXPECT_EQ(yardsticks.last_label_mistakes(), 4U);
  EXPECT_DOUBLE_EQ(yardsticks.majority_error(), 5.0 / 6.0);
  EXPECT_DOUBLE_EQ(yardsticks.last_label_error(), 4.0 / 6.0);
}

TEST(Yardsticks, AgreeWithTheDefinitionOnRandomStreams) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const std::uint64_t classes = 1 + random.below(9);
    LiteralYardsticks literal;
    Yardsticks yardsticks;
    std::uint64_t rows = 0;
    for (int batch = 0; batch < 20; ++batch) {
      std::vector<double> targets;
      std::vector<double> weights;
      for (std::uint64_t i = random.below(30); i > 0; --i) {
        targets.push_back(random.chance(0.1) ? kNoTarget : static_cast<double>(random.below(classes)));
        weights.push_back(static_cast<double>(random.below(4)) * 0.5);
        if (targets.back() == targets.back() && weights.back() > 0.0) {
          literal.add(targets.back(), weights.back());
          ++rows;
        }
      }
      yardsticks.add(targets, weights);
    }
    EXPECT_EQ(yardsticks.rows(), rows);
    EXPECT_EQ(yardsticks.majority_mistakes(), literal.majority_mistakes) << seed;
    EXPECT_EQ(yardsticks.last_label_mistakes(), literal.last_mistakes) << seed;
  }
}

TEST(Yardsticks, BatchesDoNotMatter) {
  Random random(3);
  std::vector<double> targets;
  for (int i = 0; i < 100; ++i) targets.push_back(static_cast<double>(random.below(4)));
  Yardsticks whole;
  whole.add(targets);
  Yardsticks parts;
  for (const double target : targets) parts.add(std::span<const double>(&target, 1));
  EXPECT_EQ(saved(whole).encode(), saved(parts).encode());
}

TEST(Yardsticks, RefuseOtherTargetsAndWeightsAndStayAsTheyWere) {
  Yardsticks yardsticks = some_yardsticks();
  const std::string before = saved(yardsticks).encode();
  const auto add = [&](std::vector<double> targets, std::vector<double> weights) {
    return message_of([&] { yardsticks.add(targets, weights); });
  };
  EXPECT_EQ(add({0, 1.5}, {}), "target 1 of the batch, from 0, is 1.5; expected a class id, 0 to 1048575");
  EXPECT_NE(add({0, -1}, {}), "nothing thrown");
  EXPECT_NE(add({0, 1048576}, {}), "nothing thrown");
  EXPECT_NE(add({0, std::numeric_limits<double>::infinity()}, {}), "nothing thrown");
  EXPECT_EQ(add({0, 1}, {1}), "there are 1 weights for 2 targets; expected as many, or none");
  EXPECT_EQ(add({0, 1}, {1, -2}),
            "weight 1 of the batch, from 0, is -2; expected a finite number that is not negative");
  EXPECT_NE(add({0, 1}, {1, kNoTarget}), "nothing thrown");
  EXPECT_EQ(saved(yardsticks).encode(), before);
}

TEST(Yardsticks, GoOnExactlyWhereTheyWereSaved) {
  for (const bool empty : {true, false}) {
    Yardsticks yardsticks = empty ? Yardsticks() : some_yardsticks();
    Yardsticks loaded = Yardsticks::load(Archive::decode(saved(yardsticks).encode()));
    EXPECT_EQ(saved(loaded).encode(), saved(yardsticks).encode());
    const std::vector<double> more = {2, 0, 5, 5, 5, 1};
    yardsticks.add(more);
    loaded.add(more);
    EXPECT_EQ(saved(loaded).encode(), saved(yardsticks).encode());
  }
}

TEST(Yardsticks, RefuseContradictions) {
  const auto load_with = [](const std::function<void(Archive&)>& change) {
    Archive archive = saved(some_yardsticks());
    change(archive);
    return message_of([&] { (void)Yardsticks::load(archive); });
  };
  const std::string contradiction = "not a sound alder model: its yardsticks contradict each other";
  const auto with = [&](const char* key, auto value) {
    return load_with([&](Archive& archive) { archive.set("yardsticks", key, value); });
  };
  EXPECT_EQ(load_with([](Archive&) {}), "nothing thrown");
  EXPECT_EQ(with("rows", std::uint64_t{3}), contradiction);               // fewer than mistakes
  EXPECT_EQ(with("rows", ~std::uint64_t{0}), contradiction);              // too many to count on
  EXPECT_EQ(with("rows", std::uint64_t{0}), contradiction);               // with mistakes
  EXPECT_EQ(with("majority_mistakes", std::uint64_t{2}), contradiction);  // fewer than classes
  EXPECT_EQ(with("last_label_mistakes", std::uint64_t{2}), contradiction);
  EXPECT_EQ(with("last_label_mistakes", std::uint64_t{9}), contradiction);
  EXPECT_EQ(with("weight", 1.0), contradiction);
  EXPECT_EQ(with("weight", -1.0), contradiction);
  EXPECT_EQ(with("majority_mistaken", 1e9), contradiction);
  EXPECT_EQ(with("last_label_mistaken", 0.0), contradiction);
  EXPECT_EQ(with("last_label", std::uint64_t{1}), contradiction);  // of which there was none
  EXPECT_EQ(with("last_label", std::uint64_t{6}), "not a sound alder model: its last label is no class");
  EXPECT_NE(with("weight", std::string("much")), "nothing thrown");
  const auto with_classes = [&](std::vector<double> classes) {
    return load_with([&](Archive& archive) { archive.put("yardsticks.classes", classes); });
  };
  EXPECT_EQ(with_classes({1.1, 0, 4.3, 0, 0, 7.5}), contradiction);  // sum to more
  EXPECT_EQ(with_classes({1.1, 0, kNoTarget, 0, 0, 7.25}), contradiction);
  EXPECT_NE(with_classes({}), "nothing thrown");
  EXPECT_NE(message_of([] { (void)Yardsticks::load(Archive()); }), "nothing thrown");
}

}  // namespace
}  // namespace alder
