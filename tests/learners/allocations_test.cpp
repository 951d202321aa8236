// RoundRows of a learner that has seen enough allocate nothing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "alder/learner.h"
#include "alder/learners.h"
#include "alder/registry.h"
#include "alder/row_buffer.h"
#include "alder/scaling.h"

namespace {

bool is_counting = false;
std::uint64_t allocations = 0;

void count() {
  if (is_counting) ++allocations;
}

// By a function that is not counted itself.
void* allocate(std::size_t size, std::align_val_t alignment = std::align_val_t{alignof(std::max_align_t)}) {
  count();
  void* memory = nullptr;
  if (posix_memalign(&memory, static_cast<std::size_t>(alignment), size > 0 ? size : 1) != 0) throw std::bad_alloc();
  return memory;
}

// Not inline: compilers warn of a free that they see behind a new.
[[gnu::noinline]] void release(void* memory) {
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
  return allocate(size);
}
void* operator new[](std::size_t size) {
  return allocate(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, alignment);
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, alignment);
}
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  try {
    return allocate(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete[](void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t /*size*/) noexcept {
  release(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::align_val_t /*alignment*/) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  release(memory);
}
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept {
  release(memory);
}

#ifdef ALDER_WRAPS_MALLOC
extern "C" {
void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t count, std::size_t size);
void* __real_realloc(void* memory, std::size_t size);
void* __wrap_malloc(std::size_t size) {
  count();
  return __real_malloc(size);
}
void* __wrap_calloc(std::size_t number, std::size_t size) {
  count();
  return __real_calloc(number, size);
}
void* __wrap_realloc(void* memory, std::size_t size) {
  count();
  return __real_realloc(memory, size);
}
}
#endif

namespace alder {
namespace {

constexpr std::size_t kWarmUp = 20000;
constexpr std::size_t kRounds = 2000;
constexpr std::size_t kDifferent = 500;

struct Case {
  const char* name;
  bool projects;        // phase 1 all the time; otherwise phase 2, soon
  std::size_t at_once;  // rows in a call
  bool is_sparse;
};

// Two noisy classes. Sparse rows have 1 to 20 of 60 features: memory may grow with the longest row, so all lengths are
// often met. What is to be learned in phase 1 repeats itself, so that its support set stops growing.
struct Data {
  explicit Data(const Case& c) {
    std::mt19937_64 engine(3);
    std::normal_distribution<double> normal(0.0, 0.5);
    values.resize(kWarmUp + kRounds);
    indices.resize(values.size());
    for (std::size_t t = 0; t < values.size(); ++t) {
      if (c.projects && t >= kDifferent) {
        targets.push_back(targets[t - kDifferent]);
        rows.push_back(rows[t - kDifferent]);
        continue;
      }
      targets.push_back(engine() % 2 == 0 ? 1.0 : 0.0);
      const std::uint64_t features = c.is_sparse ? 60 : 2;
      std::uint64_t left = c.is_sparse ? 1 + engine() % 20 : 2;
      for (FeatureIndex j = 0; j < features; ++j) {
        if (engine() % (features - j) >= left) continue;
        --left;
        indices[t].push_back(j);
        values[t].push_back(normal(engine) + (j == 0 ? 0.2 * sign_of(targets[t]) : 0.0));
      }
      rows.push_back(c.is_sparse ? Row::sparse(indices[t], values[t]) : Row::dense(values[t]));
    }
  }
  // Scores rows, and then learns them: so many in a call.
  void learn(Learner& learner, std::size_t begin, std::size_t end, std::size_t at_once) const {
    double scores[64] = {};
    for (std::size_t t = begin; t < end;) {
      const std::size_t count = std::min(at_once, end - t);
      learner.score(std::span(rows).subspan(t, count), std::span(scores).first(count));
      t += learner.learn(Examples{rows, targets}.from(t, count), std::span(scores).first(count));
    }
  }

  std::vector<std::vector<FeatureIndex>> indices;
  std::vector<std::vector<double>> values;
  std::vector<Row> rows;
  std::vector<double> targets;
};

class Allocations : public ::testing::TestWithParam<Case> {};

TEST_P(Allocations, HappenInNoRoundAfterEnoughOfThem) {
  const Case& c = GetParam();
  PomdrOptions options;
  options.kernel = Kernel::gaussian(c.is_sparse ? 4.0 : 1.0);
  options.budget = c.projects ? 2000 : 100;
  options.b0 = c.projects ? 1900 : 10;
  options.horizon = c.projects ? 100 : 100000;  // a coarse threshold: few elements, early on
  const Data data(c);
  const std::unique_ptr<Learner> learner = make_pomdr(options);
  const auto learn = [&](std::size_t begin, std::size_t end) { data.learn(*learner, begin, end, c.at_once); };
  learn(0, kWarmUp);
  const Report before = learner->report();
  allocations = 0;
  is_counting = true;
  learn(kWarmUp, kWarmUp + kRounds);
  is_counting = false;
  const Report after = learner->report();
  ASSERT_EQ(after.count("switch_round").has_value(), !c.projects);
  if (!c.projects) {
    ASSERT_GT(after.removals(), before.removals() + 5);
  }
  if (c.projects) {
    ASSERT_EQ(after.support, before.support);
  }
  ASSERT_GT(after.support, 5U);
  EXPECT_EQ(allocations, 0U) << "support " << before.support << " to " << after.support;
}

// The race being over by then, and the dictionary full. A fine layer goes on to grow, now and then.
TEST(AllocationsOfAlder, HappenInNoRoundAfterEnoughOfThem) {
  const Data data({"alder", false, 8, true});
  for (const char* what : {"kernel", "low", "normal"}) {
    AlderOptions options;
    options.budget = 50;
    const std::string name = what;
    if (name == "kernel") options.kernel = Kernel::gaussian(0.5);
    if (name == "low") options.effort = AlderOptions::Effort::kLow;
    const std::unique_ptr<Learner> learner = make_alder(options);
    const auto learn = [&](std::size_t begin, std::size_t end) { data.learn(*learner, begin, end, 8); };
    learn(0, kWarmUp);
    ASSERT_EQ(learner->report().support, 50U) << what;
    allocations = 0;
    is_counting = true;
    learn(kWarmUp, kWarmUp + kRounds);
    is_counting = false;
    EXPECT_LE(allocations, name == "normal" ? 100U : 0U) << what;
  }
}

// Of numbers the same. Where the last rows are kept for another race, one is longer now and then than those before it
// in its place.
TEST(AllocationsOfAlder, HappenInNoRoundOfNumbersAfterEnoughOfThem) {
  Data data({"alder", false, 8, true});
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal(0.0, 0.2);
  for (double& target : data.targets) target += normal(engine);
  for (const char* what : {"kernel", "low", "normal", "recent"}) {
    AlderOptions options;
    options.loss = Loss::of(Loss::Kind::kSquared);
    options.budget = 50;
    const std::string name = what;
    if (name == "kernel") options.kernel = Kernel::gaussian(0.5);
    if (name == "low") options.effort = AlderOptions::Effort::kLow;
    options.recent_labels = name == "recent";
    const std::unique_ptr<Learner> learner = make_alder(options);
    const auto learn = [&](std::size_t begin, std::size_t end) { data.learn(*learner, begin, end, 8); };
    learn(0, kWarmUp);
    ASSERT_EQ(learner->report().count("reopened").value_or(0), 0U) << what;
    const std::size_t support = learner->report().support;
    allocations = 0;
    is_counting = true;
    learn(kWarmUp, kWarmUp + kRounds);
    is_counting = false;
    EXPECT_EQ(learner->report().support, support) << what;
    EXPECT_LE(allocations, name == "kernel" || name == "low" ? 0U : 200U) << what;
  }
}

// A learner that has chosen its width, and scales rows in every block.
TEST(AllocationsOfFirstRows, HappenInNoRoundAfterThem) {
  for (const char* scale : {"none", "online"}) {
    const Data data({"rows", false, 0, true});
    const auto learner = make_learner(
        "pomdr", std::string(R"({"budget": 100, "b0": 10, "horizon": 100000, "scale": ")") + scale + "\"}");
    const std::vector<double>& targets = data.targets;
    std::vector<double> scores(targets.size());
    const auto learn = [&](std::size_t begin, std::size_t end) {
      while (begin < end) {
        const std::size_t count = std::min<std::size_t>(20, end - begin);
        begin +=
            learner->learn(Examples{data.rows, targets}.from(begin, count), std::span(scores).subspan(begin, count));
      }
      learner->score(std::span(data.rows).first(100), std::span(scores).first(100));
    };
    learn(0, kWarmUp);
    ASSERT_GT(learner->report().number("sigma").value_or(0.0), 0.0);
    allocations = 0;
    is_counting = true;
    learn(kWarmUp, kWarmUp + kRounds);
    is_counting = false;
    EXPECT_EQ(allocations, 0U) << scale;
  }
}

// Batches of rows, copied, widened and scaled.
TEST(AllocationsOfRowBuffer, HappenInNoBatchAfterEnoughOfThem) {
  for (const bool is_sparse : {false, true}) {
    const Data data({"rows", false, 1, is_sparse});
    const Scaling scaling = Scaling::fit(Scaling::Kind::kStandard, std::span(data.rows).first(100));
    const std::vector<float> numbers(30, 0.5F);
    RowBuffer copies;
    RowBuffer scaled;
    const auto fill = [&](std::size_t begin, std::size_t end) {
      for (std::size_t t = begin; t < end; t += 200) {
        const auto rows = std::span(data.rows).subspan(t, 200);
        copies.clear();
        for (const Row& row : rows) {
          copies.append(row);
          copies.append(numbers);
        }
        scaling.apply(rows, scaled);
      }
    };
    fill(0, kWarmUp);
    allocations = 0;
    is_counting = true;
    fill(kWarmUp, kWarmUp + kRounds);
    is_counting = false;
    EXPECT_EQ(allocations, 0U);
    EXPECT_EQ(copies.size(), 400U);
    EXPECT_EQ(scaled.size(), 200U);
  }
}

TEST(Counting, SeesAllocations) {
  allocations = 0;
  is_counting = true;
  const std::vector<double> some(100);
  const auto one = std::make_unique<double>(some[3]);
  is_counting = false;
  EXPECT_GE(allocations, 2U) << *one;
}

INSTANTIATE_TEST_SUITE_P(Pomdr, Allocations,
                         ::testing::Values(Case{"Phase1Single", true, 1, false}, Case{"Phase1Blocks", true, 8, false},
                                           Case{"Phase1SingleSparse", true, 1, true},
                                           Case{"Phase1BlocksSparse", true, 20, true},
                                           Case{"Phase2Single", false, 1, false}, Case{"Phase2Blocks", false, 8, false},
                                           Case{"Phase2SingleSparse", false, 1, true},
                                           Case{"Phase2BlocksSparse", false, 20, true}),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace alder
