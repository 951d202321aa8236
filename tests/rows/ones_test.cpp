// Dictionaries of rows that have nothing but ones, which are stored as bytes, beside others that are stored as floats.
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "archive/archive.h"
#include "kernel/dictionary.h"
#include "kernel/support.h"

namespace alder {
namespace {

using testing::expect_same_bits;
using testing::query;
using testing::random_sparse;
using testing::SparseVector;
using testing::Vector;

constexpr std::size_t kScratchRows = 32;
constexpr std::size_t kOdd = 20;  // the scratch row of the second twin that has something else

class Twins {
 public:
  Twins(const Kernel& kernel, std::size_t features)
      : kernel_(kernel), features_(features), ones_(kernel, kScratchRows), plain_(kernel, kScratchRows) {
    plain_.put_scratch(kOdd, query<float>(Row::dense(Vector{0.5}), kernel));
  }

  SparseVector binary(std::size_t count) {
    SparseVector x = random_sparse(engine_, 0, features_, count);
    std::fill(x.values.begin(), x.values.end(), 1.0);
    return x;
  }
  void step() {
    const auto x = query<float>(binary(1 + engine_() % 40).row(), kernel_);
    const std::size_t scratch = engine_() % 16;
    const std::size_t size = ones_.size();
    switch (engine_() % 5) {
      case 0:
        if (size > 0) both([&, place = engine_() % size](auto& d) { d.replace(place, x); });
        break;
      case 1:
        if (engine_() % 10 == 0) both([&](auto& d) { d.truncate(size - size / 3); });
        break;
      case 2:
      case 3:
        both([&](auto& d) { d.append(x); });
        break;
      default:
        if (is_there_[scratch]) both([&](auto& d) { d.drop_scratch(scratch); });
        both([&](auto& d) { d.put_scratch(scratch, x); });
        is_there_[scratch] = true;
    }
  }
  // Rows like those that are stored, with too many ones for a byte, and with other values.
  void check() {
    check(binary(1 + engine_() % 40));
    check(binary(600));
    check(random_sparse(engine_, 0, features_, 30));
    SparseVector negative = binary(10);
    negative.values.back() = -1.0;
    check(negative);
    check(SparseVector(Vector()));
  }
  void check(const SparseVector& row) {
    const auto x = query<float>(row.row(), kernel_);
    for (const Accuracy accuracy : {Accuracy::kFast, Accuracy::kExact}) {
      ones_.kernel_row(x, accuracy, a_);
      plain_.kernel_row(x, accuracy, b_);
      expect_same_bits(a_, b_, 0, 16);
    }
  }
  void check_elements() const {
    for (std::size_t i = 0; i < ones_.size(); ++i) ASSERT_EQ(ones_.element(i), plain_.element(i)) << i;
    Archive a;
    Archive b;
    ones_.save(a, "rows");
    plain_.save(b, "rows");
    EXPECT_EQ(a.encode(), b.encode());
  }
  template <class Body>
  void both(const Body& body) {
    body(ones_);
    body(plain_);
  }
  [[nodiscard]] const Dictionary<float>& ones() const { return ones_; }
  [[nodiscard]] const Dictionary<float>& plain() const { return plain_; }
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }

 private:
  std::mt19937_64 engine_{3};
  Kernel kernel_;
  std::size_t features_;
  Dictionary<float> ones_;
  Dictionary<float> plain_;
  std::vector<bool> is_there_ = std::vector<bool>(16);
  KernelValues a_;
  KernelValues b_;
};

TEST(Ones, KernelRowsAreTheSameToTheBit) {
  for (const Kernel& kernel : testing::all_kernels()) {
    Twins twins(kernel, 300);
    for (int t = 0; t < 500; ++t) {
      twins.step();
      if (t % 5 == 0) twins.check();
      ASSERT_FALSE(::testing::Test::HasFatalFailure()) << kernel.name() << " " << t;
    }
    twins.check_elements();
  }
}

TEST(Ones, TakeLessMemory) {
  Twins twins(Kernel::gaussian(2.0), 300);
  for (int t = 0; t < 500; ++t) twins.step();
  EXPECT_LT(3 * twins.ones().bytes(), 2 * twins.plain().bytes());
}

TEST(Ones, AreLeftWhenAnotherValueComes) {
  for (const bool is_scratch : {false, true}) {
    Twins twins(Kernel::gaussian(2.0), 300);
    for (int t = 0; t < 200; ++t) twins.step();
    const auto other = query<float>(Row::dense(Vector{1.0, 0.0, 2.0}), twins.kernel());
    twins.both([&](auto& d) { is_scratch ? d.put_scratch(25, other) : d.append(other); });
    for (int t = 0; t < 200; ++t) {
      twins.step();
      twins.check();
    }
    twins.check_elements();
    EXPECT_EQ(twins.ones().bytes() > twins.plain().bytes() / 2, true);
  }
}

TEST(Ones, BecomePiecesWhenThereAreManyFeatures) {
  Twins twins(Kernel::gaussian(2.0), 2000000);
  for (int t = 0; t < 3000; ++t) {
    twins.step();
    if (t % 100 == 0) twins.check();
    ASSERT_FALSE(::testing::Test::HasFatalFailure()) << t;
  }
  twins.check_elements();
  EXPECT_LT(twins.ones().bytes(), 20000000U);
}

}  // namespace
}  // namespace alder
