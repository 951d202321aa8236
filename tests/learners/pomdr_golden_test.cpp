// Round by round against traces of the paper's authors' own implementation.
#include <charconv>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "alder/dataset.h"
#include "alder/input.h"
#include "alder/pomdr.h"

#include "io/input_file.h"
#include "support/learning.h"
#include "support/shared.h"

namespace alder {
namespace {

using testing::learn_one;
using testing::Tally;

struct Golden {
  const char* rows;
  const char* trace;
  double sigma;
  double zeta;
  double factor;
  std::size_t budget;
  bool real;  // cut from a real data set: not in the repository

  friend std::ostream& operator<<(std::ostream& out, const Golden& golden) { return out << golden.trace; }
};

constexpr double kTwoThirds = 2.0 / 3.0;
constexpr Golden kGolden[] = {
    {"rings-2000.libsvm", "rings-2000.sigma0.5.csv", 0.5, kTwoThirds, 0.1, 400, false},
    {"blobs-3000.libsvm", "blobs-3000.sigma1.csv", 1.0, kTwoThirds, 0.1, 260, false},
    {"a9a-5000.libsvm.xz", "a9a-5000.sigma4.csv.xz", 4.0, 0.5, 0.1, 400, true},
    {"a9a-5000.libsvm.xz", "a9a-5000.sigma32.csv.xz", 32.0, 0.5, 0.1, 400, true},
    {"magic04-5000.libsvm.xz", "magic04-5000.sigma0.5.csv.xz", 0.5, kTwoThirds, 0.05, 400, true},
    {"mushrooms-4000.libsvm.xz", "mushrooms-4000.sigma2.csv.xz", 2.0, kTwoThirds, 0.1, 400, true},
    {"mnist12-1500.libsvm.xz", "mnist12-1500.sigma4.csv.xz", 4.0, kTwoThirds, 0.1, 400, true},
    {"mnist12-1500.libsvm.xz", "mnist12-1500.sigma0.5.csv.xz", 0.5, kTwoThirds, 0.1, 400, true},
};

struct Line {
  double score;
  double lambda;
  double size;
  double norm;
};

// The lines `round,score,lambda,size,norm` below the heading.
std::vector<Line> read_trace(const std::string& path) {
  std::string text;
  std::vector<char> buffer(1 << 16);
  const auto source = open_bytes(path);
  for (std::size_t n = source->read(buffer); n > 0; n = source->read(buffer)) text.append(buffer.data(), n);
  std::vector<Line> lines;
  const char* at = text.data() + text.find('\n') + 1;
  const char* end = text.data() + text.size();
  while (at < end) {
    double numbers[5] = {};
    for (double& number : numbers) {
      const auto result = std::from_chars(at, end, number);
      EXPECT_EQ(result.ec, std::errc()) << path;
      at = result.ptr + 1;  // behind the comma or the newline
    }
    lines.push_back({numbers[1], numbers[2], numbers[3], numbers[4]});
  }
  return lines;
}

class PomdrGolden : public ::testing::TestWithParam<Golden> {
 protected:
  void SetUp() override {
    const Golden& golden = GetParam();
    const auto find = [&golden](const std::string& name) {
      return golden.real ? testing::shared_file("golden/" + name) : testing::golden_file(name);
    };
    const std::string rows = find(golden.rows);
    const std::string trace = find(golden.trace);
    ALDER_NEEDS_SHARED(rows, golden.rows);
    ALDER_NEEDS_SHARED(trace, golden.trace);
    const auto input = open_input({rows});
    data_ = Dataset::read(*input);
    sort_classes(data_, input->classes());
    trace_ = read_trace(trace);
    ASSERT_EQ(trace_.size(), data_.size());
  }

  [[nodiscard]] std::unique_ptr<Learner> learner(Precision precision) const {
    PomdrOptions options;
    options.kernel = Kernel::gaussian(GetParam().sigma);
    options.zeta = GetParam().zeta;
    options.factor = GetParam().factor;
    options.budget = GetParam().budget;
    options.horizon = data_.size();
    options.precision = precision;
    return make_pomdr(options);
  }

  Dataset data_;
  std::vector<Line> trace_;
};

TEST_P(PomdrGolden, DoubleAgreesInEveryRound) {
  constexpr double kTolerance = 1e-8;
  const auto pomdr = learner(Precision::kDouble);
  for (std::size_t t = 0; t < data_.size(); ++t) {
    const Example example = data_[t];
    const double score = learn_one(*pomdr, example);
    if (t == 0) continue;  // not scored by the authors' code
    const Report report = pomdr->report();
    const Line& line = trace_[t];
    // Scores are sums of terms up to the radius, so theirs is the scale of rounding errors, except where all terms are
    // tiny (kernel values near e^(−200)).
    const double scale = std::fabs(line.score) < 1e-20 ? std::fabs(line.score) : std::max(1.0, std::fabs(line.score));
    ASSERT_NEAR(score, line.score, kTolerance * scale) << "round " << t + 1;
    ASSERT_NEAR(*report.learning_rate, line.lambda, kTolerance * line.lambda) << "round " << t + 1;
    ASSERT_EQ(report.support, static_cast<std::size_t>(line.size)) << "round " << t + 1;
    ASSERT_NEAR(report.norm.value(), line.norm, kTolerance * line.norm) << "round " << t + 1;
  }
}

TEST_P(PomdrGolden, FloatMakesTheSameMistakesButForTwoInAThousand) {
  const auto pomdr = learner(Precision::kFloat);
  Tally tally;
  std::size_t mistakes = 0;
  for (std::size_t t = 0; t < data_.size(); ++t) {
    const Example example = data_[t];
    tally.learn(*pomdr, example);
    const double score = t == 0 ? 0.0 : trace_[t].score;
    if (class_of(score) != example.target) ++mistakes;
  }
  EXPECT_NEAR(static_cast<double>(tally.mistakes()), static_cast<double>(mistakes),
              0.002 * static_cast<double>(data_.size()));
}

std::string test_name(const ::testing::TestParamInfo<Golden>& info) {
  std::string name = info.param.trace;
  name = name.substr(0, name.find(".csv"));
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Traces, PomdrGolden, ::testing::ValuesIn(kGolden), test_name);

}  // namespace
}  // namespace alder
