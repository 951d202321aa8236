#pragma once

#include <span>

#include "kernel/expansion.h"
#include "kernel/round_rows.h"

namespace alder {

/// An expansion that grows by the rows of its learner's rounds; those of a block are computed together.
template <class T>
class OnlineExpansion {
 public:
  explicit OnlineExpansion(const Kernel& kernel, Accuracy accuracy = Accuracy::kFast)
      : accuracy_(accuracy), rounds_(0, false), f_(kernel, rounds_.scratch_rows()) {}

  [[nodiscard]] const Expansion<T>& function() const { return f_; }
  /// To change coefficients; elements come and go only by the functions below, which keep the rows ahead right.
  [[nodiscard]] Expansion<T>& function() { return f_; }
  [[nodiscard]] std::size_t size() const { return f_.size(); }

  /// f of rows, at most RowBlock<T>::kRows of them; changes nothing, and may run on several threads at once.
  void values(std::span<const Row> rows, std::span<double> out) const {
    static thread_local ScoredRows<T> scored;
    f_.values(rows, accuracy_, scored, out);
  }

  /// Adds factor·f(row), as Expansion::add_parts.
  void add_parts(const Row& row, double factor, ScoreParts& parts) const {
    f_.add_parts(row, accuracy_, factor, parts);
  }

  /// As those of Learner.
  void begin_block(std::span<const Row> rows) { rounds_.begin_block(rows, f_.rows(), accuracy_); }
  void end_block() { rounds_.end_block(f_.rows()); }

  /// Begins the round of the next row x of the block, and returns f(x). Throws Error for a row out of range, and is
  /// then as before.
  double begin() {
    rounds_.begin(f_.rows(), accuracy_);
    return add(rounds_.row().weighted_sum(f_.coefficients()), {});
  }
  /// x, and the kernel values κ(s_i, x).
  [[nodiscard]] const PreparedRow<T>& x() const { return rounds_.x(); }
  [[nodiscard]] const KernelValues& row() const { return rounds_.row(); }
  /// f += coefficient·κ(x,·), x joining the support set.
  void append(double coefficient) {
    f_.append_scratch(rounds_.scratch(), rounds_.x(), coefficient);
    rounds_.joined(f_.size() - 1);
  }
  /// Puts x in the place of s_i.
  void replace(std::size_t i, double coefficient) {
    f_.replace(i, rounds_.x(), coefficient);
    rounds_.joined(i);
  }
  /// Ends the round.
  void end() { rounds_.end(0.0, f_.rows()); }

  [[nodiscard]] std::size_t bytes() const { return f_.bytes() + rounds_.bytes(); }

 private:
  Accuracy accuracy_;
  RoundRows<T> rounds_;
  Expansion<T> f_;
};

}  // namespace alder
