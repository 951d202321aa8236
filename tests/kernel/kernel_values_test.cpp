#include "kernel/kernel_values.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/support.h"

namespace alder {
namespace {

using testing::query;
using testing::random_vector;
using testing::Vector;

TEST(ScaledSum, AddIsThePlainSumWhereThatCanBeHeld) {
  EXPECT_DOUBLE_EQ(add({3.0, 1.0}, {2.0, 2.0}), 3.0 * std::exp(-1.0) + 2.0 * std::exp(-2.0));
  EXPECT_DOUBLE_EQ(add({3.0, 0.0}, {0.0, 0.0}), 3.0);
  EXPECT_EQ(add({0.0, 0.0}, {0.0, 0.0}), 0.0);
}

TEST(ScaledSum, ASumTooSmallForADoubleKeepsItsSign) {
  EXPECT_GT(add({1.0, 2000.0}, {-5.0, 3000.0}), 0.0);
  EXPECT_LT(add({1.0, 3000.0}, {-5.0, 2000.0}), 0.0);
  EXPECT_LT(add({1.0, 1e30}, {-5.0, 1e30}), 0.0);
}

TEST(ScaledSum, AnExactZeroNeitherHidesNorScalesTheOther) {
  // An empty sum has shift 0; the other one lies far below.
  EXPECT_LT(add({0.0, 0.0}, {-5.0, 2000.0}), 0.0);
  EXPECT_GT(add({5.0, 2000.0}, {0.0, 0.0}), 0.0);
}

// Rows at 0, 1, 2, ... on a line, seen from `at`; those below `scratch_rows` are scratch rows.
template <class T>
struct Line {
  Line(const Kernel& kernel, std::size_t scratch_rows, std::size_t size) : dictionary(kernel, scratch_rows) {
    for (std::size_t i = 0; i < scratch_rows + size; ++i) {
      const auto x = query(static_cast<double>(i));
      if (i < scratch_rows) {
        dictionary.put_scratch(i, x);
      } else {
        dictionary.append(x);
      }
    }
  }
  [[nodiscard]] PreparedRow<T> query(double at) const {
    const Vector x = {at};
    return testing::query<T>(Row::dense(x), dictionary.kernel());
  }
  [[nodiscard]] KernelValues row(double at, Accuracy accuracy) const {
    KernelValues row;
    dictionary.kernel_row(query(at), accuracy, row);
    return row;
  }
  Dictionary<T> dictionary;
};

// From kernel values that are about 1 to those of e^(−20000), which only their exponents tell apart.
template <class T>
void check_sums(Accuracy accuracy, double tolerance) {
  for (const double sigma : {10.0, 1.0, 0.3, 0.15, 0.1}) {
    for (const std::size_t size : {0, 1, 15, 16, 17, 40}) {
      const Kernel kernel = Kernel::gaussian(sigma);
      const Line<T> line(kernel, 16, size);
      for (const double at : {-3.0, 2.25, 8.5, 20.0, 60.0}) {
        const KernelValues row = line.row(at, accuracy);
        AlignedVector<double> scratch_weights(16);
        AlignedVector<double> weights(padded(size));
        for (std::size_t g = 0; g < 16; g += 3) scratch_weights[g] = g % 2 == 0 ? 1.0 : -0.3;
        for (std::size_t i = 0; i < size; ++i) weights[i] = i % 2 == 0 ? 0.7 : -1.0;
        const auto check = [&](const ScaledSum& sum, const AlignedVector<double>& w, std::size_t first) {
          double least = 1e300;
          const auto q = [&](std::size_t i) {
            const double distance = at - static_cast<double>(first + i);
            return distance * distance / (2.0 * sigma * sigma);
          };
          for (std::size_t i = 0; i < w.size(); ++i) {
            if (w[i] != 0.0) least = std::min(least, q(i));
          }
          double exact = 0.0;  // times e^(−least)
          for (std::size_t i = 0; i < w.size(); ++i) {
            if (w[i] != 0.0) exact += w[i] * std::exp(least - q(i));
          }
          // The same factor on both sides; it is 1 where sums are plain numbers.
          ASSERT_EQ(sum.sum == 0.0, exact == 0.0);
          if (exact == 0.0) return;
          ASSERT_NEAR(sum.sum * std::exp(least - sum.shift), exact, tolerance * (1.0 + least));
        };
        const KernelValues::Sums sums = row.sums(weights, scratch_weights);
        check(sums.elements, weights, 16);
        check(sums.scratch_rows, scratch_weights, 0);
        ASSERT_FALSE(::testing::Test::HasFatalFailure()) << sigma << " " << size << " " << at;
        EXPECT_EQ(row.weighted_sum(weights).sum, sums.elements.sum);
        EXPECT_EQ(row.weighted_sum(weights).shift, sums.elements.shift);
        EXPECT_EQ(row.sums(weights, {}).scratch_rows.sum, 0.0);
      }
    }
  }
}

TEST(KernelValues, SumsMatchTheDefinitionHoweverSmallTheyAre) {
  check_sums<float>(Accuracy::kFast, 1e-5);
  check_sums<float>(Accuracy::kExact, 1e-12);
  check_sums<double>(Accuracy::kFast, 1e-12);
}

TEST(KernelValues, DotIsThePlainSumOverSomeElements) {
  const Line<float> line(Kernel::gaussian(4.0), 16, 20);
  for (const Accuracy accuracy : {Accuracy::kFast, Accuracy::kExact}) {
    const KernelValues row = line.row(21.0, accuracy);
    for (const Eigen::Index count : {0, 1, 7, 20}) {
      Eigen::VectorXd weights(count);
      double exact = 0.0;
      for (Eigen::Index i = 0; i < count; ++i) {
        weights[i] = std::sin(static_cast<double>(i));
        exact += weights[i] * row.kernel(static_cast<std::size_t>(i));
      }
      EXPECT_NEAR(row.dot(weights), exact, 1e-14);
    }
  }
}

// In the arithmetic of the row, whatever the type of what is copied; T is that of the elements.
template <class T, class Out>
void check_powers(Accuracy accuracy, double tolerance) {
  const Line<T> line(Kernel::laplacian(2.0), 16, 40);
  const KernelValues row = line.row(21.3, accuracy);
  const std::vector<std::uint32_t> elements = {39, 0, 7, 7, 12, 3, 38, 21, 20, 22, 5};
  for (const double ratio : {0.01, 0.5, 1.0, 2.0, 3.7}) {
    std::vector<Out> some(elements.size());
    row.copy_powers(ratio, elements, some.data());
    std::vector<Out> all(row.size());
    row.copy_powers(ratio, row.size(), all.data());
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double exact = std::exp(-ratio * row.exponent(i));
      if (exact > 1e-19) {
        ASSERT_NEAR(all[i], exact, tolerance * exact) << ratio << " element " << i;
      } else {
        ASSERT_LE(all[i], 1.1e-19);
      }
    }
    for (std::size_t i = 0; i < elements.size(); ++i) ASSERT_EQ(some[i], all[elements[i]]) << ratio;
  }
  row.copy_powers(1.0, std::span<const std::uint32_t>(), static_cast<Out*>(nullptr));
}

TEST(KernelValues, PowersAreThoseOfTheValuesOfTheElementsThatAreNamed) {
  check_powers<float, float>(Accuracy::kFast, 1e-5);
  check_powers<float, double>(Accuracy::kFast, 1e-5);
  check_powers<float, float>(Accuracy::kExact, 1e-7);
  check_powers<float, double>(Accuracy::kExact, 1e-14);
  check_powers<double, double>(Accuracy::kFast, 1e-14);
}

// A row that takes over the value of what has joined equals one that is computed anew, also far beyond its room.
template <class T>
void check_take(const Kernel& kernel, Accuracy accuracy) {
  std::mt19937_64 engine(3);
  Dictionary<T> dictionary(kernel, 16);
  const auto stay = query<T>(Row::dense(random_vector(engine, 5)), kernel);
  dictionary.put_scratch(3, stay);
  KernelValues kept;
  KernelValues fresh;
  KernelValues joining;
  dictionary.kernel_row(stay, accuracy, kept);
  for (int step = 0; step < 200; ++step) {
    const auto x = query<T>(Row::dense(random_vector(engine, 5)), kernel);
    dictionary.kernel_row(x, accuracy, joining);
    const std::size_t size = dictionary.size();
    if (step % 4 == 3) {
      dictionary.replace(size / 2, x);
      kept.take(size / 2, joining, 3);
    } else {
      dictionary.append(x);
      kept.take(size, joining, 3);
    }
    if (step % 60 == 59) {
      dictionary.truncate(21);
      kept.truncate(21);
    }
    dictionary.kernel_row(stay, accuracy, fresh);
    testing::expect_same_bits(kept, fresh, 0, 16);
    ASSERT_FALSE(::testing::Test::HasFatalFailure()) << kernel.name() << " " << step;
  }
}

TEST(KernelValues, TakingOverWhatHasJoinedIsLikeComputingItAnew) {
  for (const Kernel& kernel : testing::all_kernels()) {
    check_take<float>(kernel, Accuracy::kFast);
    check_take<float>(kernel, Accuracy::kExact);
    check_take<double>(kernel, Accuracy::kFast);
  }
}

TEST(KernelValues, RestoredValuesAreThoseGiven) {
  const std::vector<double> values = {0.5, 0.25, 1e-300};
  KernelValues row;
  row.restore(16, values);
  ASSERT_EQ(row.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(row.kernel(i), values[i]);
  EXPECT_EQ(row.dot(Eigen::VectorXd::Ones(3)), 0.75);
}

// A row's buffers are used again for whatever comes next.
TEST(KernelValues, MayBeUsedForOneDictionaryAfterTheOther) {
  const Line<float> large(Kernel::gaussian(2.0), 16, 100);
  const Line<float> small(Kernel::gaussian(3.0), 0, 3);
  const Line<float> plain(Kernel::linear(), 32, 20);
  KernelValues used;
  for (const Line<float>* line : {&large, &small, &plain, &large, &plain, &small}) {
    for (const Accuracy accuracy : {Accuracy::kFast, Accuracy::kExact}) {
      line->dictionary.kernel_row(line->query(4.5), accuracy, used);
      testing::expect_same_bits(used, line->row(4.5, accuracy));
    }
  }
}

}  // namespace
}  // namespace alder
