#pragma once

#include <span>

#include "kernel/expansion.h"
#include "kernel/rounds.h"

namespace alder {

/// An expansion that grows by the rows of its learner's rounds; rows that are expected are computed together.
template <class T>
class OnlineExpansion {
 public:
  explicit OnlineExpansion(const Kernel& kernel, Accuracy accuracy = Accuracy::kFast)
      : accuracy_(accuracy), rounds_(0, false), f_(kernel, rounds_.guests()) {}

  [[nodiscard]] const Expansion<T>& function() const { return f_; }
  /// To change coefficients; elements come and go only by the functions below, which keep the rows ahead right.
  [[nodiscard]] Expansion<T>& function() { return f_; }
  [[nodiscard]] std::size_t size() const { return f_.size(); }

  /// f(x); changes nothing, and may run on several threads at once.
  [[nodiscard]] double value(const Row& x) const {
    static thread_local Query<T> query;
    static thread_local KernelRow row;
    query.assign(x, f_.rows().kernel());
    return add(f_.value(query, accuracy_, row), {});
  }

  /// As Learner::prepare.
  void expect(std::span<const Row> rows) { rounds_.expect(rows, f_.rows(), accuracy_); }

  /// Begins a round with its row x, and returns f(x). Throws Error for a row out of range, and is then as before.
  double begin(const Row& x) {
    rounds_.begin(x, f_.rows(), accuracy_);
    return add(rounds_.row().weighted_sum(f_.coefficients()), {});
  }
  /// x, and the kernel values κ(s_i, x).
  [[nodiscard]] const Query<T>& x() const { return rounds_.x(); }
  [[nodiscard]] const KernelRow& row() const { return rounds_.row(); }
  /// f += coefficient·κ(x,·), x joining the support set.
  void append(double coefficient) {
    f_.append_guest(rounds_.guest(), rounds_.x(), coefficient);
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
  Rounds<T> rounds_;
  Expansion<T> f_;
};

}  // namespace alder
