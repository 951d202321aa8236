#include "kernel/round_rows.h"

#include <cmath>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "alder/error.h"

#include "archive/archive.h"
#include "kernel/support.h"

namespace alder {
namespace {

using testing::all_kernels;
using testing::kernel_value;
using testing::SparseVector;
using testing::Vector;

// The hint and the projected hint by definition, in blocks of one row and of more.
template <class T>
void check_hints(const Kernel& kernel, std::size_t kept, bool in_blocks, double tolerance) {
  RoundRows<T> rounds(kept, true);
  Dictionary<T> dictionary(kernel, rounds.scratch_rows());
  std::deque<std::pair<Vector, double>> last;
  std::vector<Vector> elements;
  const auto stream = testing::random_stream(kept, 120, 4);
  std::vector<Row> rows;
  for (const Vector& x : stream.rows) rows.push_back(Row::dense(x));
  std::size_t end = 0;  // of the block
  for (std::size_t t = 0; t < rows.size(); ++t) {
    if (t == end) {
      rounds.end_block(dictionary);
      end += in_blocks ? std::min<std::size_t>(1 + t % 8, rows.size() - t) : 1;
      rounds.begin_block(std::span(rows).subspan(t, end - t), dictionary, Accuracy::kExact);
    }
    rounds.begin(dictionary, Accuracy::kExact);
    ASSERT_EQ(rounds.row().size(), elements.size());
    const auto size = static_cast<double>(last.size());
    double mean = 0.0;
    for (const auto& [z, y] : last) mean += y * kernel_value(kernel, z, stream.rows[t]) / size;
    const AlignedVector<double> a(padded(elements.size()));
    ASSERT_NEAR(rounds.sums(rounds.row(), a).scratch_rows.value(), mean, tolerance) << kept << " " << t;
    ASSERT_EQ(rounds.sums(rounds.row(), a).elements.value(), 0.0);
    if (t % 3 == 0) {
      dictionary.append(rounds.x());
      elements.push_back(stream.rows[t]);
      rounds.joined(elements.size() - 1);
    } else if (t % 7 == 0) {
      dictionary.replace(t % elements.size(), rounds.x());
      elements[t % elements.size()] = stream.rows[t];
      rounds.joined(t % elements.size());
    }
    const auto check_projected = [&] {
      Eigen::VectorXd beta(static_cast<Eigen::Index>(elements.size()));
      double exact = 0.0;
      for (std::size_t i = 0; i < elements.size(); ++i) {
        beta[static_cast<Eigen::Index>(i)] = std::sin(static_cast<double>(i + t));
        for (const auto& [z, y] : last) {
          exact += y * beta[static_cast<Eigen::Index>(i)] * kernel_value(kernel, elements[i], z) /
                   static_cast<double>(last.size());
        }
      }
      ASSERT_NEAR(rounds.projected_hint(beta), exact, 100.0 * tolerance) << kept << " " << t;
    };
    check_projected();
    rounds.end(stream.labels[t], dictionary);
    last.emplace_back(stream.rows[t], stream.labels[t]);
    if (last.size() > kept) last.pop_front();
    ASSERT_EQ(rounds.size(), last.size());
    check_projected();
  }
}

TEST(RoundRows, HintsMatchTheDefinition) {
  for (const std::size_t kept : {0, 1, 2, 7, 8, 9, 15, 16, 17, 40}) {
    for (const bool in_blocks : {false, true}) {
      check_hints<double>(Kernel::gaussian(0.6), kept, in_blocks, 1e-14);
      check_hints<double>(Kernel::laplacian(1.5), kept, in_blocks, 1e-14);
      check_hints<double>(Kernel::polynomial(2, 1.0, 1.0), kept, in_blocks, 1e-13);
      check_hints<float>(Kernel::gaussian(0.6), kept, in_blocks, 1e-6);  // features are rounded
    }
  }
}

struct Setting {
  std::size_t kept = 15;
  bool keeps_values = false;
  Accuracy accuracy = Accuracy::kFast;
  std::size_t forgets_at = 1000000;   // the round after which values are no longer kept
  std::size_t switches_at = 1000000;  // the round from which on it is fast
};

// A learner without a mind: whether a row joins, and where, depends on the number of the round and on how far the row
// is. All that it sees is written down.
template <class T>
class Driver {
 public:
  Driver(const Kernel& kernel, const Setting& setting)
      : kernel_(kernel),
        setting_(setting),
        rounds_(std::make_unique<RoundRows<T>>(setting.kept, setting.keeps_values)),
        dictionary_(kernel, rounds_->scratch_rows()) {}

  // A block, of whose rows the first `most` have their rounds, or fewer: one that is refused is the last. Returns how
  // many had their turn.
  std::size_t block(std::span<const Row> rows, std::span<const double> labels, std::size_t most) {
    rounds_->begin_block(rows, dictionary_, accuracy());
    std::size_t count = 0;
    while (count < most && round(labels[count++])) {
    }
    rounds_->end_block(dictionary_);
    return count;
  }

  // Goes on as a new one.
  void save_and_load() {
    Archive archive;
    dictionary_.save(archive, "rows");
    rounds_->save(archive, dictionary_);
    rounds_ = std::make_unique<RoundRows<T>>(setting_.kept, setting_.keeps_values);
    dictionary_ = Dictionary<T>(kernel_, rounds_->scratch_rows());
    dictionary_.load(archive, "rows");
    rounds_->load(archive, t_, dictionary_);
  }

  std::vector<double> log;

 private:
  // Whether the row was not refused.
  bool round(double label) {
    try {
      rounds_->begin(dictionary_, accuracy());
    } catch (const Error&) {
      log.push_back(-77.0);
      return false;
    }
    write_down();
    std::mt19937_64 engine(t_);
    std::uint64_t kind = engine() % 8;
    if (rounds_->x().norm() > 1e5 && engine() % 8 != 0) kind = 7;  // most far rows do not join, so that others are fast
    const std::size_t size = dictionary_.size();
    if (kind < 4) {
      dictionary_.append(rounds_->x());
      rounds_->joined(size);
    } else if (kind == 4 && size > 0) {
      const std::size_t element = engine() % size;
      dictionary_.replace(element, rounds_->x());
      rounds_->joined(element);
    }
    if (kind % 4 == 0 && dictionary_.size() > 50) {
      dictionary_.truncate(23);
      rounds_->truncated(23);
    }
    write_hint();
    if (t_ == setting_.forgets_at) {
      rounds_->forget_values();
      setting_.keeps_values = false;
    }
    rounds_->end(label, dictionary_);
    ++t_;
    write_hint();
    return true;
  }

  [[nodiscard]] Accuracy accuracy() const { return t_ >= setting_.switches_at ? Accuracy::kFast : setting_.accuracy; }

  void write_down() {
    const KernelValues& row = rounds_->row();
    const std::size_t size = dictionary_.size();
    log.push_back(static_cast<double>(row.size()));
    if (row.size() != size) return;
    for (std::size_t i = 0; i < size; ++i) log.push_back(row.kernel(i));
    AlignedVector<double> a(padded(size));
    for (std::size_t i = 0; i < size; ++i) a[i] = std::sin(static_cast<double>(i + t_));
    const KernelValues::Sums sums = rounds_->sums(row, a);
    for (const double number : {sums.elements.sum, sums.elements.shift, sums.scratch_rows.sum, sums.scratch_rows.shift,
                                rounds_->x().norm(), rounds_->x().self()}) {
      log.push_back(number);
    }
    if (size > 0) log.push_back(static_cast<double>(row.most_similar(size)));
    write_hint();
  }
  void write_hint() {
    if (!setting_.keeps_values) return;
    Eigen::VectorXd beta(static_cast<Eigen::Index>(dictionary_.size()));
    for (Eigen::Index i = 0; i < beta.size(); ++i) beta[i] = std::cos(static_cast<double>(i));
    log.push_back(rounds_->projected_hint(beta));
  }

  Kernel kernel_;
  Setting setting_;
  std::unique_ptr<RoundRows<T>> rounds_;
  Dictionary<T> dictionary_;
  std::size_t t_ = 0;
};

struct Stream {
  std::vector<SparseVector> sparse;
  std::vector<Vector> dense;
  std::vector<Row> rows;
  std::vector<double> labels;
};

enum Trouble : unsigned { kNone = 0, kFar = 1, kOutOfRange = 2, kSaves = 4, kCutShort = 8 };

// Every third row is sparse, the others are dense; troubles are rare enough for whole blocks in between.
Stream make_stream(unsigned troubles, const Kernel& kernel, std::size_t features) {
  std::mt19937_64 engine(5);
  auto made = testing::random_stream(21, 300, features);
  Stream stream;
  stream.labels = made.labels;
  for (std::size_t t = 0; t < made.rows.size(); ++t) {
    Vector& x = made.rows[t];
    if ((troubles & kFar) != 0 && engine() % 25 == 0) x[0] = kernel.is_radial() ? 1e3 : 1e16;
    if ((troubles & kOutOfRange) != 0 && engine() % 20 == 0) x[0] = engine() % 2 == 0 ? 1e160 : -1e160;
    stream.sparse.emplace_back(x);
    stream.dense.push_back(x);
  }
  for (std::size_t t = 0; t < made.rows.size(); ++t) {
    stream.rows.push_back(t % 3 == 0 ? stream.sparse[t].row() : Row::dense(stream.dense[t]));
  }
  return stream;
}

// One run row by row, and one in blocks of all sizes, some of which end early.
template <class T>
void check_same(const Kernel& kernel, const Setting& setting, unsigned troubles, std::size_t features = 6) {
  const Stream stream = make_stream(troubles, kernel, features);
  Driver<T> plain(kernel, setting);
  Driver<T> together(kernel, setting);
  std::mt19937_64 engine(6);
  const auto rows = std::span(stream.rows);
  const auto labels = std::span(stream.labels);
  for (std::size_t t = 0; t < rows.size();) {
    if ((troubles & kSaves) != 0 && engine() % 6 == 0) together.save_and_load();
    const std::size_t count = std::min<std::size_t>(engine() % 3 == 0 ? 1 + engine() % 8 : 8, rows.size() - t);
    const std::size_t most = (troubles & kCutShort) != 0 && engine() % 4 == 0 ? engine() % (count + 1) : count;
    const std::size_t done = together.block(rows.subspan(t, count), labels.subspan(t, count), most);
    for (const std::size_t end = t + done; t < end; ++t) plain.block(rows.subspan(t, 1), labels.subspan(t, 1), 1);
    ASSERT_EQ(plain.log, together.log) << kernel.name() << " kept " << setting.kept << " before round " << t;
    plain.log.clear();
    together.log.clear();
  }
}

template <class T>
void check_all(unsigned troubles) {
  for (const Kernel& kernel : all_kernels()) {
    for (const std::size_t kept : {0, 1, 8, 15, 24}) {
      check_same<T>(kernel, {kept, false, Accuracy::kFast}, troubles);
      check_same<T>(kernel, {kept, false, Accuracy::kExact}, troubles);
      check_same<T>(kernel, {kept, true, Accuracy::kExact}, troubles);
      if (::testing::Test::HasFatalFailure()) return;
    }
    check_same<T>(kernel, {15, false, Accuracy::kFast}, troubles, 300);
    check_same<T>(kernel, {15, true, Accuracy::kExact}, troubles, 300);
  }
}

TEST(RoundRows, RowsInBlocksGiveTheSameBits) {
  check_all<float>(kNone);
  check_all<double>(kNone);
}
TEST(RoundRows, BlocksMayEndEarly) {
  check_all<float>(kCutShort);
  check_all<double>(kCutShort);
}
TEST(RoundRows, FarRowsInABlockGiveTheSameBits) {
  check_all<float>(kFar | kCutShort);
  check_all<double>(kFar | kCutShort);
}
TEST(RoundRows, RowsOutOfRangeInABlockAreRejectedInTheirTurn) {
  check_all<float>(kOutOfRange);
  check_all<double>(kOutOfRange);
}
TEST(RoundRows, SavedAndLoadedBetweenBlocksTheyGoOnWithTheSameBits) {
  check_all<float>(kSaves | kCutShort);
  check_all<double>(kSaves | kCutShort | kFar);
}
TEST(RoundRows, NarrowKernelsGiveTheSameBits) {
  check_same<float>(Kernel::gaussian(0.05), {15, false, Accuracy::kFast}, kCutShort);
  check_same<float>(Kernel::gaussian(0.01), {15, false, Accuracy::kFast}, kCutShort | kFar);
  check_same<double>(Kernel::laplacian(0.001), {15, false, Accuracy::kFast}, kCutShort | kFar);
}

// As when a learner's first phase ends: in the middle of a block, at every place of the ring.
template <class T>
void check_switch(unsigned troubles) {
  for (const Kernel& kernel : all_kernels()) {
    for (std::size_t t = 60; t < 90; ++t) {
      check_same<T>(kernel, {15, true, Accuracy::kExact, t, t + 1}, troubles);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}
TEST(RoundRows, AccuracyMayChangeInTheMiddleOfABlock) {
  check_switch<float>(kNone);
  check_switch<double>(kFar);
}
// Exact rounds do not mind far rows; fast ones do, so those after the change must not see one whose turn has not come.
TEST(RoundRows, AccuracyMayChangeInTheMiddleOfABlockThatEndsWithAFarRow) {
  for (const Kernel& kernel : all_kernels()) {
    auto stream = make_stream(kNone, kernel, 6);
    Vector far = stream.dense[6];
    far[0] = kernel.is_radial() ? 1e3 : 1e16;
    stream.rows[6] = Row::dense(far);
    const Setting setting = {15, true, Accuracy::kExact, 2, 3};
    Driver<float> plain(kernel, setting);
    Driver<float> together(kernel, setting);
    const auto rows = std::span(stream.rows);
    const auto labels = std::span(stream.labels);
    EXPECT_EQ(together.block(rows.first(8), labels.first(8), 8), 8U);
    for (std::size_t t = 0; t < 8; ++t) plain.block(rows.subspan(t, 1), labels.subspan(t, 1), 1);
    EXPECT_EQ(plain.log, together.log) << kernel.name();
  }
}
TEST(RoundRows, ValuesMayBeForgottenInTheMiddleOfABlock) {
  for (std::size_t t = 60; t < 90; ++t) {
    check_same<double>(Kernel::gaussian(0.6), {15, true, Accuracy::kExact, t}, kNone);
    ASSERT_FALSE(::testing::Test::HasFatalFailure()) << t;
  }
}

}  // namespace
}  // namespace alder
