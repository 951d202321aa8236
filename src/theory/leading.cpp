#include <algorithm>
#include <cmath>
#include <thread>

#include <Eigen/Core>

#include "alder/error.h"
#include "alder/theory.h"

#include "base/random.h"
#include "base/share.h"
#include "kernel/decompositions.h"
#include "theory/kernel_block.h"
#include "theory/work.h"

namespace alder {
namespace {

constexpr std::size_t kExactRows = 2000;
constexpr std::size_t kMostRows = std::size_t{1} << 17U;
// Columns for every eigenvalue, and within that as many as this work allows: 5 s of one core.
constexpr std::size_t kLeastColumns = 6;
constexpr std::size_t kMostColumns = 15;
constexpr double kMostWork = 2e10;    // rows·columns²
constexpr std::size_t kPivots = 16;   // columns that are drawn at a time
constexpr std::size_t kChunk = 2048;  // rows of one piece of work
constexpr double kLeastLeft = 1e-13;  // of the largest κ(x,x): what is left of the diagonal by rounding

using Index = Eigen::Index;

// K ≈ F Fᵀ, column by column of F. d = diag(K − F Fᵀ) >= 0 is what is not seen yet.
class PartialCholesky {
 public:
  PartialCholesky(const Dataset& dataset, const Kernel& kernel, std::size_t columns, std::uint64_t seed,
                  const Work& work)
      : dataset_(dataset),
        kernel_(kernel),
        work_(work),
        random_(seed),
        columns_(static_cast<Index>(columns)),
        factor_(static_cast<Index>(dataset.size()), columns_),
        left_(static_cast<Index>(dataset.size())) {
    PreparedRow<double> query;
    for (std::size_t i = 0; i < dataset.size(); ++i) {
      query.borrow(dataset[i].row, kernel);
      left_[static_cast<Index>(i)] = query.self();
    }
    least_ = kLeastLeft * left_.maxCoeff();
  }

  // Returns false if it was stopped.
  bool compute() {
    while (size_ < columns_ && left_.maxCoeff() > least_) {
      if (!extend()) return false;
    }
    return true;
  }

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(size_); }
  [[nodiscard]] double unseen() const { return left_.sum(); }

  // The eigenvalues of F Fᵀ are those of FᵀF; empty if it was stopped.
  std::vector<double> eigenvalues(std::size_t count) {
    std::vector<Eigen::MatrixXd> products(chunks());
    const bool all = on_chunks([&](std::size_t chunk, Index begin, Index rows) {
      const auto part = factor_.block(begin, 0, rows, size_);
      products[chunk].setZero(size_, size_);
      products[chunk].selfadjointView<Eigen::Lower>().rankUpdate(part.transpose());
    });
    if (!all) return {};
    for (std::size_t chunk = 1; chunk < products.size(); ++chunk) {
      products[0] += products[chunk];
      products[chunk].resize(0, 0);
    }
    const Eigen::VectorXd rising = alder::eigenvalues(products[0]);
    std::vector<double> values;
    for (Index i = size_; i-- > 0 && values.size() < count;) values.push_back(std::max(0.0, rising[i]));
    return values;
  }

 private:
  [[nodiscard]] std::size_t chunks() const { return (dataset_.size() + kChunk - 1) / kChunk; }

  // work(chunk, first row, rows) for all chunks, on all threads; false if it was stopped.
  template <class Body>
  bool on_chunks(const Body& body) {
    const auto piece = [&](std::size_t chunk) {
      const std::size_t begin = chunk * kChunk;
      body(chunk, static_cast<Index>(begin), static_cast<Index>(std::min(kChunk, dataset_.size() - begin)));
    };
    // The work grows with the square of the columns; the eigenvalues in the end are a third of it.
    const double part = static_cast<double>(size_) / static_cast<double>(columns_);
    return share(chunks(), threads_of(work_), piece, [&](std::size_t) { return watched(work_, 0.6 * part * part); });
  }

  // Different rows, each drawn with a probability in proportion to what is left of it.
  std::vector<std::size_t> draw_pivots() {
    const std::size_t wanted = std::min(kPivots, static_cast<std::size_t>(columns_ - size_));
    std::vector<double> points(wanted);
    const double sum = left_.sum();
    for (double& point : points) point = sum * random_.uniform();
    std::sort(points.begin(), points.end());
    std::vector<std::size_t> pivots;
    double passed = 0.0;
    std::size_t next = 0;
    for (Index i = 0; i < left_.size() && next < wanted; ++i) {
      passed += left_[i];
      if (passed <= points[next]) continue;
      if (left_[i] > least_) pivots.push_back(static_cast<std::size_t>(i));
      while (next < wanted && points[next] < passed) ++next;
    }
    if (pivots.empty()) {
      Index largest = 0;
      left_.maxCoeff(&largest);
      pivots.push_back(static_cast<std::size_t>(largest));
    }
    return pivots;
  }

  // Takes in the columns of some pivots P: G = K(:,P) − F F(P,:)ᵀ, and with the Cholesky factor L of G(P,:) the new
  // columns of F are G L⁻ᵀ. Pivots that depend on those before them are left out.
  bool extend() {
    const std::vector<std::size_t> pivots = draw_pivots();
    const auto count = static_cast<Index>(pivots.size());
    Eigen::MatrixXd of_pivots(count, size_);
    for (Index j = 0; j < count; ++j) of_pivots.row(j) = factor_.row(at(pivots, j)).head(size_);
    Eigen::MatrixXd block(count, count);
    KernelBlock rows(std::span(&kernel_, 1));
    for (const std::size_t pivot : pivots) rows.append(dataset_[pivot].row);
    for (Index j = 0; j < count; ++j) {
      rows.look_at(dataset_[pivots[static_cast<std::size_t>(j)]].row);
      block.row(j) = Eigen::Map<const Eigen::RowVectorXd>(rows.values(0), count);
    }
    block.noalias() -= of_pivots * of_pivots.transpose();
    const std::vector<Index> kept = factorise(block);
    if (kept.empty()) {  // rounding: nothing more is to be had from these
      for (const std::size_t pivot : pivots) left_[static_cast<Index>(pivot)] = 0.0;
      return true;
    }
    const auto added = static_cast<Index>(kept.size());
    Eigen::MatrixXd lower(added, added);
    Eigen::MatrixXd of_kept(added, size_);
    std::vector<std::size_t> kept_pivots;
    for (Index i = 0; i < added; ++i) {
      const Index from = kept[static_cast<std::size_t>(i)];
      for (Index j = 0; j < added; ++j) lower(i, j) = block(from, kept[static_cast<std::size_t>(j)]);
      of_kept.row(i) = of_pivots.row(from);
      kept_pivots.push_back(pivots[static_cast<std::size_t>(from)]);
    }
    const bool all = on_chunks([&](std::size_t, Index begin, Index count_of_rows) {
      KernelBlock own(std::span(&kernel_, 1));
      for (const std::size_t pivot : kept_pivots) own.append(dataset_[pivot].row);
      auto columns = factor_.block(begin, size_, count_of_rows, added);
      for (Index t = 0; t < count_of_rows; ++t) {
        own.look_at(dataset_[static_cast<std::size_t>(begin + t)].row);
        columns.row(t) = Eigen::Map<const Eigen::RowVectorXd>(own.values(0), added);
      }
      columns.noalias() -= factor_.block(begin, 0, count_of_rows, size_) * of_kept.transpose();
      lower.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(columns);
      auto left = left_.segment(begin, count_of_rows);
      left = (left - columns.rowwise().squaredNorm()).cwiseMax(0.0);
    });
    for (const std::size_t pivot : kept_pivots) left_[static_cast<Index>(pivot)] = 0.0;
    size_ += added;
    return all;
  }

  static Index at(const std::vector<std::size_t>& pivots, Index j) {
    return static_cast<Index>(pivots[static_cast<std::size_t>(j)]);
  }

  // Replaces the lower half of a matrix by the Cholesky factor of those of its rows and columns that are independent;
  // returns which these are.
  std::vector<Index> factorise(Eigen::MatrixXd& matrix) const {
    std::vector<Index> kept;
    for (Index j = 0; j < matrix.rows(); ++j) {
      double pivot = matrix(j, j);
      for (const Index k : kept) pivot -= matrix(j, k) * matrix(j, k);
      if (pivot <= least_) continue;
      matrix(j, j) = std::sqrt(pivot);
      for (Index i = j + 1; i < matrix.rows(); ++i) {
        double number = matrix(i, j);
        for (const Index k : kept) number -= matrix(i, k) * matrix(j, k);
        matrix(i, j) = number / matrix(j, j);
      }
      kept.push_back(j);
    }
    return kept;
  }

  const Dataset& dataset_;
  Kernel kernel_;
  const Work& work_;
  Random random_;
  Index columns_;
  Index size_ = 0;  // columns of F that are there
  Eigen::MatrixXd factor_;
  Eigen::VectorXd left_;
  double least_ = 0.0;
};

}  // namespace

std::optional<LeadingEigenvalues> leading_eigenvalues(const Dataset& dataset, const Kernel& kernel, std::size_t count,
                                                      std::uint64_t seed, const Work& work) {
  if (count == 0) throw Error("0 eigenvalues are asked for; expected at least 1");
  LeadingEigenvalues leading;
  leading.rows = std::min(dataset.size(), kMostRows);
  if (dataset.size() <= kExactRows) {
    leading.trace = selfs_of(dataset, kernel).sum;
    if (!watched(work, 0.0)) return {};
    leading.values = kernel_spectrum(dataset, kernel);
    leading.values.resize(std::min(leading.values.size(), count));
    for (double& value : leading.values) value *= static_cast<double>(dataset.size());
    if (!watched(work, 1.0)) return {};
    return leading;
  }
  Dataset sample;
  const bool is_sample = dataset.size() > kMostRows;
  if (is_sample) {
    const std::vector<std::size_t> drawn = permutation(dataset.size(), seed);
    for (std::size_t i = 0; i < kMostRows; ++i) sample.append(dataset[drawn[i]]);
  }
  const Dataset& rows = is_sample ? sample : dataset;
  leading.trace = selfs_of(rows, kernel).sum;
  const auto affordable = static_cast<std::size_t>(std::sqrt(kMostWork / static_cast<double>(rows.size())));
  const std::size_t wanted = std::min(count, rows.size());
  const std::size_t columns = std::clamp(affordable, kLeastColumns * wanted, kMostColumns * wanted);
  PartialCholesky factor(rows, kernel, std::min(columns, rows.size()), seed, work);
  if (!factor.compute()) return {};
  if (factor.size() > 0) {
    leading.values = factor.eigenvalues(count);
    if (leading.values.empty()) return {};
  }
  leading.values.resize(std::max<std::size_t>(1, leading.values.size()));  // of a matrix of zeros: a zero
  leading.exact = false;
  leading.columns = factor.size();
  leading.unseen = factor.unseen();
  if (!watched(work, 1.0)) return {};
  return leading;
}

}  // namespace alder
