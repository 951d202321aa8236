#include "learners/alder/recent_rows.h"

#include <deque>
#include <limits>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "alder/error.h"

#include "archive/archive.h"

namespace alder {
namespace {

struct KeptRow {
  std::map<FeatureIndex, double> values;  // but zeros
  double target = 0.0;
  double weight = 0.0;

  friend bool operator==(const KeptRow&, const KeptRow&) = default;
};

std::deque<KeptRow> kept(const RecentRows& recent) {
  std::deque<KeptRow> out;
  const RecentRows::View view = recent.view();
  for (std::size_t i = 0; i < view.rows.size(); ++i) {
    KeptRow& row = out.emplace_back();
    for (std::size_t j = 0; j < view.rows[i].size(); ++j) row.values[view.rows[i].feature(j)] = view.rows[i].value(j);
    row.target = view.targets[i];
    row.weight = view.weights[i];
  }
  return out;
}

// Pushes rows to both; dense and sparse ones take turns, some are empty, some list zeros.
struct Feed {
  void push(RecentRows& recent, std::deque<KeptRow>& literal, std::size_t most) {
    std::vector<FeatureIndex> features;
    std::vector<double> values;
    const bool is_dense = engine() % 2 == 0;
    KeptRow row;
    for (FeatureIndex j = 0; j < 6; ++j) {
      const double value = engine() % 3 == 0 ? 0.0 : static_cast<double>(engine() % 1000) - 500.0;
      if (is_dense || engine() % 2 == 0) {
        features.push_back(j);
        values.push_back(value);
        if (value != 0.0) row.values[j] = value;
      }
    }
    row.target = static_cast<double>(engine() % 3);
    row.weight = 0.5 + static_cast<double>(engine() % 4);
    recent.push(is_dense ? Row::dense(values) : Row::sparse(features, values), row.target, row.weight);
    literal.push_back(row);
    while (literal.size() > most) literal.pop_front();
  }

  std::mt19937_64 engine{8};
};

TEST(RecentRows, AreTheLastOnesInOrder) {
  for (const std::size_t most : {0, 1, 2, 7, 32}) {
    RecentRows recent(most);
    std::deque<KeptRow> literal;
    Feed feed;
    for (int t = 0; t < 100; ++t) {
      feed.push(recent, literal, most);
      ASSERT_EQ(recent.size(), literal.size());
      ASSERT_EQ(kept(recent), literal) << most << " after " << t;
    }
  }
}

TEST(RecentRows, AreTheLastOnesWhenTheirNumberChanges) {
  RecentRows recent(5);
  std::deque<KeptRow> literal;
  Feed feed;
  std::size_t most = 5;
  for (const std::size_t next : {12, 12, 3, 4, 0, 6, 1, 9}) {
    for (int t = 0; t < 8; ++t) feed.push(recent, literal, most);
    most = next;
    recent.limit(most);
    while (literal.size() > most) literal.pop_front();
    ASSERT_EQ(kept(recent), literal) << most;
  }
  for (int t = 0; t < 40; ++t) {
    feed.push(recent, literal, most);
    ASSERT_EQ(kept(recent), literal) << t;
  }
}

TEST(RecentRows, GoOnFromAnArchive) {
  for (const int rows : {0, 3, 8, 21}) {
    RecentRows recent(8);
    std::deque<KeptRow> literal;
    Feed feed;
    for (int t = 0; t < rows; ++t) feed.push(recent, literal, 8);
    Archive archive;
    recent.save(archive, "r");
    RecentRows loaded(8);
    loaded.load(Archive::decode(archive.encode()), "r", 3);
    ASSERT_EQ(kept(loaded), literal);
    for (int t = 0; t < 20; ++t) {
      feed.push(loaded, literal, 8);
      ASSERT_EQ(kept(loaded), literal);
    }
  }
}

TEST(RecentRows, RefuseForgedNumbers) {
  RecentRows recent(4);
  std::deque<KeptRow> literal;
  Feed feed;
  for (int t = 0; t < 4; ++t) feed.push(recent, literal, 4);
  Archive sound;
  recent.save(sound, "r");
  const auto load = [](const Archive& archive, std::size_t most = 4, std::size_t classes = 3) {
    RecentRows loaded(most);
    loaded.load(archive, "r", classes);
  };
  EXPECT_NO_THROW(load(sound));
  EXPECT_THROW(load(sound, 3), Error);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double target : {-1.0, 0.5, 3.0, nan}) {
    Archive forged = sound;
    forged.put("r.targets", std::vector{0.0, 1.0, target, 2.0});
    EXPECT_THROW(load(forged), Error) << target;
  }
  for (const double weight : {0.0, -1.0, 1e7, nan}) {
    Archive forged = sound;
    forged.put("r.weights", std::vector{1.0, 1.0, weight, 1.0});
    EXPECT_THROW(load(forged), Error) << weight;
  }
  Archive forged = sound;
  forged.put("r.weights", std::vector{1.0, 1.0, 1.0});
  EXPECT_THROW(load(forged), Error);
}

}  // namespace
}  // namespace alder
