#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "alder/dataset.h"
#include "alder/kernel.h"

namespace alder {

/// How `HindsightSolver` is to go about it.
struct HindsightOptions {
  double radius = 25.0;     ///< U, the radius of the ball
  double tolerance = 1e-3;  ///< stops when the loss is certain to this part of it, or of one row's if that is more
  /// Rows of the kernel matrix that are kept, in bytes.
  std::size_t cache = std::size_t{1} << 29U;
  unsigned threads = 0;        ///< 0: as many as there are cores
  std::function<bool()> stop;  ///< asked now and then whether to end early; what was found by then is returned
};

/// The best function f of the ball ‖f‖ <= U for rows that are all known: the least Σ max(0, 1 − y f(x)).
struct Hindsight {
  double loss = 0.0;                 ///< that of the f found: the least loss is at most this
  double certain = 0.0;              ///< and at least this, the value of a dual problem; never negative
  double norm = 0.0;                 ///< ‖f‖
  std::vector<double> coefficients;  ///< a, so that f = Σ a_i κ(x_i,·)
  std::size_t support = 0;           ///< how many of them are not 0
  std::uint64_t steps = 0;           ///< coefficients changed on the way, in this and earlier solutions

  [[nodiscard]] double gap() const { return loss - certain; }
};

/// Finds that f for a growing number of rows: a solution begins with the one before. What it returns is certified: the
/// least loss lies between two numbers that are computed from f alone, however it was found.
///
/// Costs O(n) memory and the cache; a kernel row O(nnz·n), of which there are a few for every row that ends with a
/// coefficient. Not for several threads at once; it has threads of its own.
class HindsightSolver {
 public:
  /// Throws Error for a radius or a tolerance that is not positive.
  HindsightSolver(const Kernel& kernel, const HindsightOptions& options);
  HindsightSolver(const HindsightSolver&) = delete;
  HindsightSolver& operator=(const HindsightSolver&) = delete;
  ~HindsightSolver();

  /// One more row. Throws Error for a row that is not finite or a target that is not class 0 or 1, and is then
  /// unchanged.
  void append(const Example& example);
  [[nodiscard]] std::size_t size() const;
  /// The best f for the rows appended so far.
  Hindsight solve();

 private:
  class Problem;
  std::unique_ptr<Problem> problem_;
};

/// The same for the rows of a dataset.
Hindsight best_in_hindsight(const Dataset& dataset, const Kernel& kernel, const HindsightOptions& options);

}  // namespace alder
