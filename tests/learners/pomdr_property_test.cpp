// Facts that hold after every round, whatever the stream.
#include <atomic>
#include <cmath>
#include <thread>

#include <Eigen/Core>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "alder/error.h"

#include "learners/pomdr/pomdr.h"
#include "support/any_options.h"
#include "support/dense.h"
#include "support/learning.h"

namespace alder {
namespace {

using testing::dense_element;
using testing::kernel_value;
using testing::learn_one;
using testing::small_budget;
using testing::SparseVector;
using testing::Tally;
using testing::Vector;

template <class T>
std::vector<Vector> elements_of(const Pomdr<T>& pomdr) {
  std::vector<Vector> elements;
  for (std::size_t i = 0; i < pomdr.support().size(); ++i) elements.push_back(dense_element(pomdr.support(), i));
  return elements;
}

template <class T>
void check_facts(double tolerance) {
  const PomdrOptions options = small_budget();
  Pomdr<T> pomdr(options);
  Tally tally;
  const auto stream = testing::random_stream(*rc::gen::inRange<std::uint64_t>(0, 1000000), 200, 5);
  std::vector<Vector> before;
  std::uint64_t removals = 0;
  for (std::size_t t = 0; t < 200; ++t) {
    // The hypothesis is f' with the hint, which a round predicts with; `score` is f' alone.
    const Row row = Row::dense(stream.rows[t]);
    const double hinted = pomdr.hypothesis()->score(row);
    double sum = 0.0;
    double size = 1.0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const double term = pomdr.coefficients()[i] * kernel_value(options.kernel, before[i], stream.rows[t]);
      sum += term;
      size += std::fabs(term);
    }
    RC_ASSERT(std::fabs(pomdr.score(row) - sum) <= tolerance * size);
    const double score = tally.learn(pomdr, row, stream.labels[t]);
    // Of other kernels a long row changes the learning rate before it is predicted.
    RC_ASSERT((!options.kernel.is_radial() || std::fabs(score - hinted) <= tolerance * (size + options.radius)));
    const Report report = pomdr.report();
    const auto elements = elements_of(pomdr);
    const auto n = static_cast<Eigen::Index>(elements.size());

    RC_ASSERT(elements.size() < options.budget);
    RC_ASSERT(
        (std::isfinite(*report.norm) && std::isfinite(*report.learning_rate) && std::isfinite(tally.hinge_loss())));
    RC_ASSERT(*report.norm <= options.radius * (1.0 + 1e-12));

    const Eigen::MatrixXd gram = Eigen::MatrixXd::NullaryExpr(n, n, [&](Eigen::Index i, Eigen::Index j) {
      return kernel_value(options.kernel, elements[static_cast<std::size_t>(i)], elements[static_cast<std::size_t>(j)]);
    });
    const Eigen::VectorXd a = Eigen::Map<const Eigen::VectorXd>(pomdr.coefficients().data(), n);
    // Coefficients of nearly dependent elements are large and cancel; theirs is the scale of rounding errors.
    const double scale = options.radius * options.radius + a.cwiseAbs().dot(gram.cwiseAbs() * a.cwiseAbs());
    RC_ASSERT(std::fabs(a.dot(gram * a) - *report.norm * *report.norm) <= tolerance * scale);

    if (!report.count("switch_round")) {
      const Eigen::MatrixXd factor = pomdr.basis().factor().template triangularView<Eigen::Lower>();
      RC_ASSERT(factor.rows() == n);
      RC_ASSERT((factor * factor.transpose() - gram).norm() <= 1e-9 * gram.norm());
    }
    if (report.removals() > removals) {
      removals = report.removals();
      RC_ASSERT(elements.size() == options.budget / 2);
      RC_ASSERT(before.size() == options.budget - 1);
      before.resize(options.budget / 2);
      RC_ASSERT(elements == before);
      RC_ASSERT((std::fabs(*report.norm - options.radius) <= 1e-12 * options.radius || *report.norm < 1e-9));
    }
    before = elements;
  }
}

RC_GTEST_PROP(PomdrProperties, HoldInDouble, ()) {
  check_facts<double>(1e-9);
}
RC_GTEST_PROP(PomdrProperties, HoldInFloat, ()) {
  check_facts<float>(1e-5);
}

RC_GTEST_PROP(PomdrProperties, SparseRowsEqualDenseRowsToTheBit, ()) {
  PomdrOptions options = small_budget();
  options.precision = *rc::gen::element(Precision::kFloat, Precision::kDouble);
  const auto sparse = make_pomdr(options);
  const auto dense = make_pomdr(options);
  const auto stream = testing::random_stream(*rc::gen::inRange<std::uint64_t>(0, 1000000), 150, 6);
  for (std::size_t t = 0; t < 150; ++t) {
    const SparseVector x(stream.rows[t]);
    RC_ASSERT(learn_one(*sparse, x.row(), stream.labels[t]) ==
              learn_one(*dense, Row::dense(stream.rows[t]), stream.labels[t]));
  }
}

TEST(PomdrProperties, ScoresMayBeAskedForOnManyThreads) {
  PomdrOptions options;
  options.kernel = Kernel::gaussian(0.4);
  const auto learner = make_pomdr(options);
  const auto stream = testing::random_stream(8, 400, 5);
  for (std::size_t t = 0; t < 400; ++t) learn_one(*learner, Row::dense(stream.rows[t]), stream.labels[t]);
  std::vector<double> expected;
  for (const Vector& x : stream.rows) expected.push_back(learner->score(Row::dense(x)));
  std::vector<std::thread> threads;
  std::atomic<int> different = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (std::size_t t = 0; t < 400; ++t)
        different += learner->score(Row::dense(stream.rows[t])) != expected[t] ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(different, 0);
}

RC_GTEST_PROP(PomdrProperties, ARejectedRowChangesNothing, ()) {
  const PomdrOptions options = small_budget();
  const auto disturbed = make_pomdr(options);
  const auto quiet = make_pomdr(options);
  Tally disturbed_tally;
  Tally quiet_tally;
  const auto stream = testing::random_stream(*rc::gen::inRange<std::uint64_t>(0, 1000000), 100, 4);
  const double nan = std::nan("");
  const Vector not_a_number = {1.0, nan};
  const Vector too_large = {1e200, 1e39};
  const std::vector<FeatureIndex> unsorted = {2, 1};
  const Vector two = {1.0, 1.0};
  for (std::size_t t = 0; t < 100; ++t) {
    const Row good = Row::dense(stream.rows[t]);
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        RC_ASSERT_THROWS_AS(learn_one(*disturbed, Row::dense(not_a_number), 1.0), Error);
        break;
      case 1:
        RC_ASSERT_THROWS_AS(learn_one(*disturbed, Row::dense(too_large), 1.0), Error);
        break;
      case 2:
        RC_ASSERT_THROWS_AS(learn_one(*disturbed, Row::sparse(unsorted, two), 1.0), Error);
        break;
      case 3:
        RC_ASSERT_THROWS_AS(learn_one(*disturbed, good, *rc::gen::element(0.0, 2.0, -0.5, nan)), Error);
        break;
      default:
        break;
    }
    RC_ASSERT(disturbed_tally.learn(*disturbed, good, stream.labels[t]) ==
              quiet_tally.learn(*quiet, good, stream.labels[t]));
  }
  RC_ASSERT(disturbed->report().rounds == 100U);
  RC_ASSERT(disturbed_tally.mistakes() == quiet_tally.mistakes());
}

}  // namespace
}  // namespace alder
