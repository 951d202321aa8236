// Save, load and go on gives the same bits as never having stopped.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "alder/dataset.h"

#include "archive/archive.h"
#include "learners/core/registry.h"
#include "support/any_options.h"
#include "support/dense.h"
#include "support/learning.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::learn_one;
using testing::Tally;

std::string encoded(const Learner& learner) {
  Archive archive;
  learner.save(archive);
  return archive.encode();
}

std::unique_ptr<Learner> restored(const std::string& bytes) {
  return restore_learner(Archive::decode(bytes));
}

RC_GTEST_PROP(PomdrResume, AnySplitGivesTheSameBits, ()) {
  PomdrOptions options = testing::small_budget();
  options.precision = *rc::gen::element(Precision::kFloat, Precision::kDouble);
  if (*rc::gen::arbitrary<bool>()) options.horizon.reset();
  const auto whole = make_pomdr(options);
  auto split = make_pomdr(options);
  const auto stream = testing::random_stream(*rc::gen::inRange<std::uint64_t>(0, 1000000), 200, 5);
  for (std::size_t t = 0; t < 200; ++t) {
    if (*rc::gen::inRange(0, 20) == 0) {
      const std::string bytes = encoded(*split);
      split = restored(bytes);
      RC_ASSERT(encoded(*split) == bytes);
    }
    const Row row = Row::dense(stream.rows[t]);
    RC_ASSERT(learn_one(*whole, row, stream.labels[t]) == learn_one(*split, row, stream.labels[t]));
  }
  RC_ASSERT(encoded(*whole) == encoded(*split));
}

TEST(PomdrResume, EveryPhaseOfALongRunCanBeSplit) {
  const Dataset data = Dataset::read(*make_generated("checkerboard", 3000, 5));
  PomdrOptions options;
  options.kernel = Kernel::gaussian(0.1);
  options.horizon = data.size();
  const auto whole = make_pomdr(options);
  auto split = make_pomdr(options);
  Tally whole_tally;
  Tally split_tally;
  for (std::size_t t = 0; t < data.size(); ++t) {
    if (t % 97 == 0) split = restored(encoded(*split));
    ASSERT_EQ(whole_tally.learn(*whole, data[t]), split_tally.learn(*split, data[t])) << t;
  }
  EXPECT_GE(whole->report().removals(), 2U);
  EXPECT_EQ(whole_tally.mistakes(), split_tally.mistakes());
  EXPECT_EQ(whole_tally.hinge_loss(), split_tally.hinge_loss());
  EXPECT_EQ(whole->report().count("switch_round"), split->report().count("switch_round"));
}

TEST(PomdrResume, AnUntouchedLearnerCanBeSaved) {
  const auto learner = restored(encoded(*make_pomdr({})));
  EXPECT_EQ(learner->report().rounds, 0U);
  EXPECT_EQ(learner->name(), "pomdr");
}

// A hostile file has a right checksum. Changing any one number or tensor of a sound one gives an Error or a learner
// that still works.
TEST(PomdrResume, ContradictoryContentIsRefusedOrHarmless) {
  PomdrOptions options;
  options.b0 = 20;
  options.budget = 40;
  options.kernel = Kernel::gaussian(0.3);
  const auto stream = testing::random_stream(1, 300, 4);
  for (const std::size_t rounds : {10, 300}) {
    const auto learner = make_pomdr(options);
    for (std::size_t t = 0; t < rounds; ++t) learn_one(*learner, Row::dense(stream.rows[t]), stream.labels[t]);
    Archive sound;
    learner->save(sound);
    int refused = 0;
    const auto try_out = [&](const Archive& archive) {
      try {
        const auto loaded = restored(archive.encode());
        for (std::size_t t = 0; t < 100; ++t) learn_one(*loaded, Row::dense(stream.rows[t]), stream.labels[t]);
      } catch (const Error&) {
        ++refused;
      }
    };
    for (const char* tensor : {"support.starts", "halving.most_similar"}) {
      for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0}}) {
        Archive archive = sound;
        auto numbers = archive.get<std::uint64_t>(tensor);
        numbers.push_back(value);
        archive.put(tensor, numbers);
        try_out(archive);
        numbers.assign(numbers.size() - 1, value);
        archive.put(tensor, numbers);
        try_out(archive);
      }
    }
    for (const char* tensor : {"coefficients", "basis", "halving.gram", "window.labels", "window.support_values"}) {
      for (const double value : {0.0, -1.0, 1e308, std::nan("")}) {
        Archive archive = sound;
        auto numbers = archive.get<double>(tensor);
        for (double& number : numbers) number = value;
        archive.put(tensor, numbers);
        try_out(archive);
        numbers.push_back(value);
        archive.put(tensor, numbers);
        try_out(archive);
      }
    }
    const auto flat = sound.settings().flatten();
    for (const auto& [pointer, old] : flat.items()) {
      for (const auto& value :
           {nlohmann::ordered_json(0), nlohmann::ordered_json(-1), nlohmann::ordered_json(1e308),
            nlohmann::ordered_json(~std::uint64_t{0}), nlohmann::ordered_json("text"), nlohmann::ordered_json()}) {
        Archive archive = sound;
        archive.settings()[nlohmann::ordered_json::json_pointer(pointer)] = value;
        try_out(archive);
      }
    }
    EXPECT_GT(refused, 50);
  }
}

}  // namespace
}  // namespace alder
