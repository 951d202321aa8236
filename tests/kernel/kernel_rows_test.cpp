// Kernel values of several rows at once are those of each alone, to the bit.
#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "alder/error.h"

#include "kernel/dictionary.h"
#include "kernel/support.h"

namespace alder {
namespace {

using testing::all_kernels;
using testing::expect_same_bits;
using testing::query;
using testing::random_sparse;
using testing::SparseVector;

// How rows are stored: whole columns, pieces of columns, or lists of ones.
enum class Layout { kWhole, kPieces, kOnes };

constexpr Layout kLayouts[] = {Layout::kWhole, Layout::kPieces, Layout::kOnes};

SparseVector random_row(std::mt19937_64& engine, Layout layout) {
  switch (layout) {
    case Layout::kWhole:
      return random_sparse(engine, 0, 12, 30);
    case Layout::kPieces:
      return random_sparse(engine, 0, 3000, 12);
    case Layout::kOnes:
      break;
  }
  SparseVector x = random_sparse(engine, 0, 200, 10);
  std::fill(x.values.begin(), x.values.end(), 1.0);
  return x;
}

void make_far(SparseVector& x, const Kernel& kernel) {
  if (!x.values.empty()) x.values[0] = kernel.is_radial() ? 1e3 : 1e16;
}

template <class T>
void check_same(const Dictionary<T>& dictionary, const std::vector<SparseVector>& rows, Accuracy accuracy,
                bool with_scratch_rows, std::size_t scratch_rows, ScoredRows<T>& scored) {
  std::vector<Row> views;
  for (const SparseVector& x : rows) views.push_back(x.row());
  dictionary.kernel_rows(views, accuracy, scored, with_scratch_rows);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const PreparedRow<T> x = query<T>(views[r], dictionary.kernel());
    KernelValues alone;
    dictionary.kernel_row(x, accuracy, alone);
    expect_same_bits(scored.values[r], alone, 0, with_scratch_rows ? scratch_rows : 0);
    ASSERT_EQ(scored.rows[r].norm(), x.norm());
    ASSERT_EQ(scored.rows[r].self(), x.self());
    if (::testing::Test::HasFatalFailure()) return;
  }
}

template <class T>
void check_layout(Layout layout, const Kernel& kernel, bool has_far_elements) {
  constexpr std::size_t kScratchRows = 16;
  std::mt19937_64 engine(41);
  Dictionary<T> dictionary(kernel, kScratchRows);
  ScoredRows<T> scored;  // used again and again
  for (int step = 0; step < 60; ++step) {
    for (std::size_t count = 1; count <= 8; ++count) {
      if (count % 3 == 0 && step % 2 == 0) continue;
      std::vector<SparseVector> rows;
      for (std::size_t r = 0; r < count; ++r) {
        rows.push_back(random_row(engine, layout));
        if (step % 5 == 1 && r == count / 2) rows.back() = SparseVector(testing::Vector());  // nothing listed
        if (step % 5 == 2 && r % 3 == 0) rows.back() = random_sparse(engine, 5000, 50, 3);   // nothing known
        if (step % 5 == 3 && r % 3 == 1) rows.back() = random_row(engine, Layout::kPieces);
        if (step % 4 == 3 && r % 4 == 2) make_far(rows.back(), kernel);
        if (step % 20 == 19) make_far(rows.back(), kernel);
      }
      for (const Accuracy accuracy : {Accuracy::kFast, Accuracy::kExact}) {
        check_same(dictionary, rows, accuracy, step % 2 == 0, kScratchRows, scored);
        ASSERT_FALSE(::testing::Test::HasFatalFailure()) << kernel.name() << " step " << step << " rows " << count;
      }
    }
    SparseVector x = random_row(engine, layout);
    if (has_far_elements && step % 30 == 29) make_far(x, kernel);
    const PreparedRow<T> stored = query<T>(x.row(), kernel);
    if (step % 3 == 0) {
      const std::size_t scratch = static_cast<std::size_t>(step) / 3 % kScratchRows;
      if (step / 3 >= static_cast<int>(kScratchRows)) dictionary.drop_scratch(scratch);
      dictionary.put_scratch(scratch, stored);
    }
    dictionary.append(stored);
  }
}

template <class T>
void check_all_layouts() {
  for (const Kernel& kernel : all_kernels()) {
    for (const Layout layout : kLayouts) {
      for (const bool has_far_elements : {false, true}) {
        check_layout<T>(layout, kernel, has_far_elements);
        ASSERT_FALSE(::testing::Test::HasFatalFailure()) << "layout " << static_cast<int>(layout);
      }
    }
  }
}

TEST(KernelRowCache, OfFloatsAreThoseOfEachRowAlone) {
  check_all_layouts<float>();
}
TEST(KernelRowCache, OfDoublesAreThoseOfEachRowAlone) {
  check_all_layouts<double>();
}

// A scratch row may be far from the origin, which makes the values of rounds exact; those of scores stay as they were.
TEST(KernelRowCache, WithoutScratchRowsDoNotDependOnThem) {
  for (const Kernel& kernel : all_kernels()) {
    for (const Layout layout : kLayouts) {
      std::mt19937_64 engine(42);
      Dictionary<float> quiet(kernel, 16);
      Dictionary<float> visited(kernel, 16);
      ScoredRows<float> expected;
      ScoredRows<float> found;
      for (int step = 0; step < 40; ++step) {
        const PreparedRow<float> x = query<float>(random_row(engine, layout).row(), kernel);
        quiet.append(x);
        visited.append(x);
        SparseVector scratch = random_row(engine, Layout::kPieces);
        if (step % 3 != 2) make_far(scratch, kernel);
        const std::size_t place = static_cast<std::size_t>(step) % 16;
        if (step >= 16) visited.drop_scratch(place);
        visited.put_scratch(place, query<float>(scratch.row(), kernel));
        std::vector<SparseVector> rows;
        std::vector<Row> views;
        for (std::size_t r = 0; r < 8; ++r) rows.push_back(random_row(engine, layout));
        for (const SparseVector& row : rows) views.push_back(row.row());
        for (const Accuracy accuracy : {Accuracy::kFast, Accuracy::kExact}) {
          quiet.kernel_rows(views, accuracy, expected);
          visited.kernel_rows(views, accuracy, found);
          for (std::size_t r = 0; r < 8; ++r) {
            expect_same_bits(found.values[r], expected.values[r]);
            ASSERT_FALSE(::testing::Test::HasFatalFailure()) << kernel.name() << " step " << step;
          }
        }
      }
    }
  }
}

TEST(KernelRowCache, RefuseARowOutOfRange) {
  const Kernel kernel = Kernel::gaussian(1.0);
  Dictionary<float> dictionary(kernel);
  std::mt19937_64 engine(43);
  std::vector<SparseVector> rows;
  for (std::size_t r = 0; r < 8; ++r) rows.push_back(random_row(engine, Layout::kWhole));
  for (const SparseVector& x : rows) dictionary.append(query<float>(x.row(), kernel));
  ScoredRows<float> scored;
  for (std::size_t bad = 0; bad < 8; ++bad) {
    std::vector<SparseVector> some = rows;
    some[bad] = SparseVector(testing::Vector{1e39});
    std::vector<Row> views;
    for (const SparseVector& x : some) views.push_back(x.row());
    EXPECT_THROW(dictionary.kernel_rows(views, Accuracy::kFast, scored), Error);
    EXPECT_NO_THROW(dictionary.kernel_rows(std::span(views).first(bad), Accuracy::kFast, scored));
  }
}

}  // namespace
}  // namespace alder
