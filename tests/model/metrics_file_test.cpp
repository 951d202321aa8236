#include <functional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "alder/confusion.h"
#include "alder/error.h"
#include "alder/metrics.h"

#include "model/some_predictions.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::Batch;
using testing::message_of;
using testing::saved;
using testing::some_classes;
using testing::some_values;

const std::string kContradiction = "not a sound alder model: its metrics contradict each other";

Metrics metrics_of(const Batch& batch) {
  Metrics metrics(batch.made.values.empty() ? Task::kClassification : Task::kRegression);
  testing::add(metrics, batch);
  return metrics;
}

std::string load_changed(const Metrics& metrics, const std::function<void(Archive&)>& change) {
  Archive archive = saved(metrics);
  change(archive);
  return message_of([&] { (void)Metrics::load(archive); });
}

TEST(MetricsFile, MetricsGoOnExactlyWhereTheyWereSaved) {
  for (const auto& batch :
       {some_classes(1, 300, 2, true), some_classes(2, 3000, 60, true), some_values(3, 300, 7, true)}) {
    Metrics metrics = metrics_of(batch);
    Metrics loaded = Metrics::load(Archive::decode(saved(metrics).encode()));
    EXPECT_EQ(loaded.values(), metrics.values());
    testing::add(metrics, batch.part(10, 100));
    testing::add(loaded, batch.part(10, 100));
    EXPECT_EQ(loaded.values(), metrics.values());
    EXPECT_EQ(saved(loaded).encode(), saved(metrics).encode());
  }
  for (const Task task : {Task::kClassification, Task::kRegression}) {
    EXPECT_EQ(saved(Metrics::load(saved(Metrics(task)))).encode(), saved(Metrics(task)).encode());
  }
}

TEST(MetricsFile, ContradictionsOfClassificationAreRefused) {
  const Metrics metrics = metrics_of(some_classes(4, 100, 2, true));
  const auto with = [&](const char* key, auto value) {
    return load_changed(metrics, [&](Archive& archive) { archive.set("metrics", key, value); });
  };
  EXPECT_EQ(load_changed(metrics, [](Archive&) {}), "nothing thrown");
  EXPECT_EQ(with("task", std::string("ranking")), "not a sound alder model: the task of its metrics is unknown");
  EXPECT_NE(with("task", std::string("regression")), "nothing thrown");
  for (const std::uint64_t rows : {std::uint64_t{0}, std::uint64_t{99}, std::uint64_t{101}, ~std::uint64_t{0}}) {
    EXPECT_EQ(with("rows", rows), kContradiction) << rows;
  }
  for (const char* counter : {"mistakes", "hinge_rows", "probability_rows", "auc_rows"}) {
    EXPECT_EQ(with(counter, std::uint64_t{101}), kContradiction) << counter;
    EXPECT_NE(with(counter, -1.0), "nothing thrown") << counter;
  }
  EXPECT_EQ(with("mistakes", std::uint64_t{0}), kContradiction);
  EXPECT_EQ(with("hinge_rows", std::uint64_t{0}), kContradiction);
  for (const char* sum : {"weight", "mistaken", "hinge_loss", "probability_weight", "log_loss", "brier"}) {
    EXPECT_EQ(with(sum, -1.0), kContradiction) << sum;
    EXPECT_EQ(with(sum, 2e300), kContradiction) << sum;
    EXPECT_NE(with(sum, std::string("much")), "nothing thrown") << sum;
  }
  EXPECT_EQ(with("weight", 1.01 * metrics.sums().weight), kContradiction);
  EXPECT_EQ(with("mistaken", 0.99 * metrics.sums().mistaken), kContradiction);
  EXPECT_EQ(with("probability_weight", 0.99 * metrics.sums().probability_weight), kContradiction);
  EXPECT_NE(with("positive", std::uint64_t{2}), "nothing thrown");
}

TEST(MetricsFile, TensorsThatContradictTheSumsAreRefused) {
  const Metrics metrics = metrics_of(some_classes(5, 100, 2, false));
  const auto change_of = [&](const std::string& name, const auto& change) {
    return load_changed(metrics, [&](Archive& archive) {
      auto numbers = archive.get<double>(name);
      change(numbers);
      archive.put(name, numbers);
    });
  };
  const std::string classes = "metrics.classes";
  using Numbers = std::vector<double>;
  EXPECT_EQ(change_of(classes, [](Numbers&) {}), "nothing thrown");
  EXPECT_EQ(change_of(classes, [](Numbers& numbers) { numbers[0] += 1.0; }), kContradiction);
  EXPECT_EQ(change_of(classes, [](Numbers& numbers) { numbers[1] += 1.0; }), kContradiction);
  EXPECT_EQ(change_of(classes, [](Numbers& numbers) { numbers[2] = numbers[0] + 1.0; }), kContradiction);
  EXPECT_EQ(change_of(classes, [](Numbers& numbers) { numbers[3] = kNoTarget; }), kContradiction);
  EXPECT_EQ(change_of(classes, [](Numbers& numbers) { numbers.resize(9, 0.0); }), kContradiction);
  EXPECT_EQ(change_of(classes, [](Numbers& numbers) { numbers.resize(3); }), kContradiction);
  EXPECT_NE(change_of(classes, [](Numbers& numbers) { numbers.pop_back(); }), "nothing thrown");
  EXPECT_EQ(change_of("metrics.auc", [](Numbers& numbers) { numbers[17] += 1.0; }), kContradiction);
  EXPECT_EQ(change_of("metrics.auc", [](Numbers& numbers) { numbers[17] = -1.0; }), kContradiction);
  EXPECT_EQ(change_of("metrics.auc", [](Numbers& numbers) { numbers[17] = kNoTarget; }), kContradiction);
  EXPECT_NE(change_of("metrics.auc", [](Numbers& numbers) { numbers.pop_back(); }), "nothing thrown");

  for (const char* name : {"metrics.reliability", "metrics.reliability.two"}) {
    const std::string bad_bins = "not a sound alder model: the bins of metrics.reliability contradict each other";
    const std::size_t width = std::string(name) == "metrics.reliability" ? 3 : 4;
    EXPECT_EQ(change_of(name, [](Numbers&) {}), "nothing thrown");
    for (std::size_t i = 0; i < width; ++i) {
      const std::size_t at = 10 * width + i;  // bin 10 has rows in both
      EXPECT_EQ(change_of(name, [&](Numbers& numbers) { numbers[at] += 50.0; }), bad_bins) << name << i;
      EXPECT_EQ(change_of(name, [&](Numbers& numbers) { numbers[at] = -1.0; }), bad_bins) << name << i;
      EXPECT_EQ(change_of(name, [&](Numbers& numbers) { numbers[at] = kNoTarget; }), bad_bins) << name << i;
    }
    EXPECT_NE(change_of(name, [](Numbers& numbers) { numbers.pop_back(); }), "nothing thrown") << name;
  }
  // More rows than had probabilities.
  const Metrics many = metrics_of(some_classes(5, 100, 3, false));
  EXPECT_EQ(load_changed(many,
                         [](Archive& archive) {
                           auto numbers = archive.get<double>("metrics.reliability");
                           for (double& number : numbers) number *= 1.01;
                           archive.put("metrics.reliability", numbers);
                         }),
            kContradiction);

  const auto with_confusion = [&](std::vector<std::uint64_t> numbers, std::uint64_t other = 0) {
    return load_changed(metrics, [&](Archive& archive) {
      archive.put("metrics.confusion", numbers);
      archive.put("metrics.confusion.other", std::vector<std::uint64_t>{other});
    });
  };
  const std::string bad_entries = "not a sound alder model: the entries of metrics.confusion contradict each other";
  EXPECT_EQ(with_confusion({0, 0, 60, 1, 1, 40}), "nothing thrown");
  EXPECT_EQ(with_confusion({0, 0, 60, 1, 1, 30}, 10), "nothing thrown");
  EXPECT_EQ(with_confusion({0, 0, 60, 1, 1, 39}), kContradiction);
  EXPECT_EQ(with_confusion({0, 0, 60, 1, 2, 40}), kContradiction);  // no such class
  EXPECT_EQ(with_confusion({0, 0, 60, 1, 1}), bad_entries);
  EXPECT_EQ(with_confusion({1, 1, 40, 0, 0, 60}), bad_entries);            // not the largest first
  EXPECT_EQ(with_confusion({0, 0, 60, 1, 1, 30, 0, 0, 10}), bad_entries);  // twice
  EXPECT_EQ(with_confusion({0, 0, 100, 1, 1, 0}), bad_entries);
  EXPECT_EQ(with_confusion({0, 0, 100, std::uint64_t{1} << 32U, 1, 1}), bad_entries);
  const std::uint64_t quarter = std::uint64_t{1} << 62U;  // four of them are 0
  EXPECT_EQ(with_confusion({0, 0, quarter, 0, 1, quarter, 1, 0, quarter, 1, 1, quarter}, 100), bad_entries);
  EXPECT_EQ(with_confusion({}, quarter + 1), bad_entries);
}

TEST(MetricsFile, ContradictionsOfRegressionAreRefused) {
  const Metrics metrics = metrics_of(some_values(6, 100, 0.0, true));
  const auto with = [&](const char* key, auto value) {
    return load_changed(metrics, [&](Archive& archive) { archive.set("metrics", key, value); });
  };
  EXPECT_EQ(load_changed(metrics, [](Archive&) {}), "nothing thrown");
  for (const char* sum : {"weight", "squared_error", "absolute_error", "target_spread", "interval_weight", "covered_80",
                          "covered_90", "covered_95", "width_80", "width_90", "width_95", "pinball"}) {
    EXPECT_EQ(with(sum, -1.0), kContradiction) << sum;
    EXPECT_EQ(with(sum, 2e300), kContradiction) << sum;
  }
  EXPECT_EQ(with("target_mean", 2e300), kContradiction);
  EXPECT_EQ(with("interval_rows", std::uint64_t{101}), kContradiction);
  EXPECT_EQ(with("interval_rows", std::uint64_t{0}), kContradiction);
  EXPECT_EQ(with("covered_90", 2.0 * metrics.sums().interval_weight), kContradiction);
  EXPECT_EQ(with("rows", std::uint64_t{0}), kContradiction);
  EXPECT_NE(message_of([] { (void)Metrics::load(Archive()); }), "nothing thrown");
}

TEST(Confusion, ListsTheLargestEntriesFirst) {
  Confusion confusion;
  for (const auto& [actual, predicted, rows] :
       std::vector<Confusion::Entry>{{0, 1, 2}, {5, kNoClass, 3}, {30, 31, 3}, {1000, 5, 7}, {0, 1, 1}, {31, 31, 1}}) {
    confusion.add(actual, predicted, rows);
  }
  const std::vector<Confusion::Entry> expected = {{1000, 5, 7}, {0, 1, 3}, {5, kNoClass, 3}, {30, 31, 3}, {31, 31, 1}};
  EXPECT_EQ(confusion.entries(), expected);
  EXPECT_EQ(confusion.other(), 0U);
  EXPECT_EQ(confusion.rows(), 17U);
}

TEST(Confusion, KeepsTheLargestEntriesInBoundedMemory) {
  // 90 classes: 20 large entries among 8,100 small ones.
  Random random(7);
  Confusion confusion;
  std::map<std::uint32_t, std::uint64_t> large;
  const std::uint64_t rows = 200000;
  for (std::uint64_t i = 0; i < rows; ++i) {
    if (random.chance(0.5)) {
      const auto id = static_cast<std::uint32_t>(60 + random.below(20));
      confusion.add(id, id);
      ++large[id];
    } else {
      confusion.add(static_cast<std::uint32_t>(random.below(90)), static_cast<std::uint32_t>(random.below(90)));
    }
  }
  const auto entries = confusion.entries();
  ASSERT_EQ(entries.size(), Confusion::kMostListed);
  std::uint64_t listed = 0;
  for (const auto& entry : entries) listed += entry.rows;
  EXPECT_EQ(listed + confusion.other(), rows);
  EXPECT_EQ(confusion.rows(), rows);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(entries[i].actual, entries[i].predicted);
    EXPECT_GE(entries[i].rows, large.at(entries[i].actual));
  }
  Confusion twice = confusion;
  twice.merge(confusion);
  EXPECT_EQ(twice.rows(), 2 * rows);
  EXPECT_EQ(twice.entries()[0].rows, 2 * entries[0].rows);
  Archive archive;
  confusion.save(archive, "confusion");
  EXPECT_LT(archive.sizes().at("confusion"), 3U * 3000U);
  Archive again;
  Confusion::load(archive, "confusion").save(again, "confusion");
  EXPECT_EQ(again.encode(), archive.encode());
}

}  // namespace
}  // namespace alder
