// How far the scores of a whole stream differ between instruction sets. They differ by rounding, which grows where a
// learner decides: a row at the edge of a threshold is stored with one instruction set and not with another.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "alder/dataset.h"
#include "alder/registry.h"
#include "alder/stream.h"

#include "simd/every_target.h"
#include "support/learning.h"

namespace alder {
namespace {

using testing::learn_one;

struct Difference {
  double largest = 0.0;
  std::size_t flips = 0;  // predictions of the other class
};

Difference difference(const std::vector<double>& a, const std::vector<double>& b) {
  Difference found;
  for (std::size_t t = 0; t < a.size(); ++t) {
    found.largest = std::max(found.largest, std::fabs(a[t] - b[t]));
    if (class_of(a[t]) != class_of(b[t])) ++found.flips;
  }
  return found;
}

class Agreement : public testing::EveryTarget {
 protected:
  static constexpr std::size_t kRows = 3000;

  std::vector<double> scores(const char* learner, const char* precision, const Dataset& data, std::int64_t target) {
    use(target);
    const auto made = make_learner(learner, std::string(R"({"precision": ")") + precision + R"("})");
    std::vector<double> all;
    for (std::size_t t = 0; t < data.size(); ++t) all.push_back(learn_one(*made, data[t]));
    return all;
  }
};

// Whether the vectors of a target have fused multiply-add, which rounds once where others round twice.
bool is_fused(std::int64_t target) {
  const std::string name = hwy::TargetName(target);
  return name != "SSE4" && name != "SSSE3" && name != "SSE2" && name != "SCALAR" && name != "EMU128";
}

TEST_P(Agreement, ScoresDifferByNoMoreThanIsDocumented) {
  const std::int64_t best = hwy::SupportedAndGeneratedTargets().front();
  for (const char* generator : {"checkerboard", "rings", "blobs", "hyperplane"}) {
    const Dataset data = Dataset::read(*make_generated(generator, kRows, 1));
    for (const char* learner : {"alder", "pomdr"}) {
      const Difference in_double =
          difference(scores(learner, "double", data, best), scores(learner, "double", data, GetParam()));
      EXPECT_LT(in_double.largest, 1e-9) << learner << " on " << generator;
      const Difference in_float =
          difference(scores(learner, "float", data, best), scores(learner, "float", data, GetParam()));
      const bool is_near = is_fused(best) == is_fused(GetParam());
      EXPECT_LT(in_float.largest, is_near ? 1e-4 : 0.2) << learner << " on " << generator;
      EXPECT_LE(in_float.flips, is_near ? 0U : kRows / 200) << learner << " on " << generator;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Simd, Agreement, testing::every_target(), testing::target_name);

}  // namespace
}  // namespace alder
