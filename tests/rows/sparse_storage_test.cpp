// Dictionaries whose columns are stored in pieces, beside others that stay as they were.
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

constexpr std::size_t kFeatures = 20000;
constexpr std::size_t kPerRow = 40;
constexpr std::size_t kFillers = 16;  // scratch rows with all features: whole columns cost little beside these
constexpr std::size_t kScratchRows = 32;

template <class T>
class Twins {
 public:
  explicit Twins(const Kernel& kernel) : kernel_(kernel), sparse_(kernel, kScratchRows), dense_(kernel, kScratchRows) {
    const Vector filler(kFeatures, 0.001);
    for (std::size_t g = 0; g < kFillers; ++g) dense_.put_scratch(g, query<T>(Row::dense(filler), kernel));
  }

  PreparedRow<T> random_query() {
    return query<T>(random_sparse(engine_, 0, kFeatures, 1 + engine_() % (2 * kPerRow)).row(), kernel_);
  }
  void append() {
    both([&, x = random_query()](auto& d) { d.append(x); });
  }
  void step() {
    const auto x = random_query();
    const std::size_t size = sparse_.size();
    const std::size_t place = engine_() % size;
    const std::size_t scratch = kFillers + engine_() % (kScratchRows - kFillers);
    switch (engine_() % 4) {
      case 0:
        both([&](auto& d) { d.replace(place, x); });
        break;
      case 1:
        if (engine_() % 10 == 0) both([&](auto& d) { d.truncate(size - size / 3); });
        break;
      case 2:
        both([&](auto& d) { d.append(x); });
        break;
      default:
        if (is_there_[scratch]) {
          both([&](auto& d) { d.drop_scratch(scratch); });
        } else {
          both([&](auto& d) { d.put_scratch(scratch, x); });
        }
        is_there_[scratch] = !is_there_[scratch];
    }
  }
  void check() {
    auto x = random_query();
    if (engine_() % 3 == 0) x = sparse_.query(engine_() % sparse_.size());  // one that is near something
    if (engine_() % 3 == 0) x = query<T>(random_sparse(engine_, kFeatures / 2, kFeatures, kPerRow).row(), kernel_);
    for (const Accuracy accuracy : {Accuracy::kFast, Accuracy::kExact}) {
      sparse_.kernel_row(x, accuracy, a_);
      dense_.kernel_row(x, accuracy, b_);
      expect_same_bits(a_, b_, kFillers, kScratchRows);
    }
  }
  void check_elements() {
    for (std::size_t i = 0; i < sparse_.size(); ++i) ASSERT_EQ(sparse_.element(i), dense_.element(i)) << i;
    EXPECT_EQ(sparse_.selfs(), dense_.selfs());
    Archive a;
    Archive b;
    sparse_.save(a, "rows");
    dense_.save(b, "rows");
    EXPECT_EQ(a.encode(), b.encode());
  }
  // The blocks of scratch row rows, which have ways of their own.
  void check_blocks() {
    std::vector<std::size_t> places;
    for (std::size_t g = kFillers; g < kScratchRows; ++g) {
      if (!is_there_[g] && places.size() < 8) places.push_back(g);
    }
    std::vector<PreparedRow<T>> queries(places.size());
    std::vector<KernelValues> out_a(places.size());
    std::vector<KernelValues> out_b(places.size());
    std::vector<ScratchRow<T>> rows_a;
    std::vector<ScratchRow<T>> rows_b;
    for (std::size_t r = 0; r < places.size(); ++r) {
      queries[r] = random_query();
      both([&](auto& d) { d.put_scratch(places[r], queries[r]); });
      rows_a.push_back({places[r], &queries[r], &out_a[r]});
      rows_b.push_back({places[r], &queries[r], &out_b[r]});
    }
    for (const Accuracy accuracy : {Accuracy::kFast, Accuracy::kExact}) {
      sparse_.scratch_rows(rows_a, accuracy);
      dense_.scratch_rows(rows_b, accuracy);
      for (std::size_t r = 0; r < places.size(); ++r) expect_same_bits(out_a[r], out_b[r], kFillers, kScratchRows);
    }
    for (const std::size_t place : places) both([&](auto& d) { d.drop_scratch(place); });
  }
  [[nodiscard]] bool is_sparse() const { return 4 * sparse_.bytes() < dense_.bytes(); }
  [[nodiscard]] std::size_t size() const { return sparse_.size(); }
  [[nodiscard]] std::size_t bytes() const { return sparse_.bytes(); }

 private:
  template <class Body>
  void both(const Body& body) {
    body(sparse_);
    body(dense_);
  }

  std::mt19937_64 engine_{11};
  Kernel kernel_;
  Dictionary<T> sparse_;
  Dictionary<T> dense_;
  bool is_there_[kScratchRows] = {};
  KernelValues a_;
  KernelValues b_;
};

template <class T>
void check_kernel(const Kernel& kernel) {
  Twins<T> twins(kernel);
  for (int i = 0; i < 400; ++i) {
    twins.append();
    if (i % 10 == 0) {
      twins.check();  // before, at and after the change
      twins.check_blocks();
    }
    ASSERT_FALSE(::testing::Test::HasFatalFailure()) << kernel.name() << " append " << i;
  }
  ASSERT_TRUE(twins.is_sparse());
  for (int step = 0; step < 400; ++step) {
    twins.step();
    twins.check();
    if (step % 20 == 0) twins.check_blocks();
    ASSERT_FALSE(::testing::Test::HasFatalFailure()) << kernel.name() << " step " << step;
  }
  ASSERT_TRUE(twins.is_sparse());
  twins.check_elements();
}

TEST(SparseStorage, GaussianRowsAreTheSameToTheBit) {
  check_kernel<float>(Kernel::gaussian(3.0));
  check_kernel<double>(Kernel::gaussian(3.0));
}
TEST(SparseStorage, NarrowGaussianRowsAreTheSameToTheBit) {
  check_kernel<float>(Kernel::gaussian(0.2));
}
TEST(SparseStorage, LaplacianRowsAreTheSameToTheBit) {
  check_kernel<float>(Kernel::laplacian(2.0));
  check_kernel<double>(Kernel::laplacian(2.0));
  check_kernel<float>(Kernel::laplacian_l1(5.0));
  check_kernel<double>(Kernel::laplacian_l1(5.0));
}
TEST(SparseStorage, PolynomialRowsAreTheSameToTheBit) {
  check_kernel<float>(Kernel::polynomial(3, 0.5, 1.0));
  check_kernel<double>(Kernel::polynomial(3, 0.5, 1.0));
}
TEST(SparseStorage, LinearRowsAreTheSameToTheBit) {
  check_kernel<float>(Kernel::linear());
  check_kernel<double>(Kernel::linear());
}

// A stream in which every row has features of its own: memory follows what is stored.
TEST(SparseStorage, MemoryFollowsWhatIsStoredAndNotWhatWasSeen) {
  const Kernel kernel = Kernel::gaussian(1.0);
  std::mt19937_64 engine(12);
  Dictionary<float> dictionary(kernel, 16);
  std::size_t bytes = 0;
  for (std::size_t t = 0; t < 20000; ++t) {
    const auto x =
        query<float>(random_sparse(engine, static_cast<FeatureIndex>(1000 * t), 1000, kPerRow).row(), kernel);
    if (dictionary.size() < 400) {
      dictionary.append(x);
    } else {
      dictionary.replace(t % 400, x);
    }
    if (t >= 16) dictionary.drop_scratch(t % 16);
    dictionary.put_scratch(t % 16, x);
    if (t == 4000) bytes = dictionary.bytes();
  }
  EXPECT_LE(bytes, std::size_t{12} << 20U);  // of 16,640 values: pieces of 64 bytes, and a table of 4 MiB
  EXPECT_LE(dictionary.bytes(), 2 * bytes);
}

}  // namespace
}  // namespace alder
