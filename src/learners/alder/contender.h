#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "alder/learners.h"

#include "kernel/coordinates.h"
#include "kernel/dictionary.h"
#include "kernel/round_rows.h"
#include "learners/alder/arow.h"
#include "learners/alder/guide.h"

namespace alder {

/// ALDER for one kernel: the coordinates that its dictionary gives, a guide, which decides when that grows, and one or
/// more predictors, which learn side by side. In a race several of them share the dictionary of the learner, each
/// having some of its elements; later the only one left has them all.
///
/// A predictor's input z is φ and, if recent labels are asked for, what these say:
///   the last label, the mean label over the window W, and (1/|W|) Σ_{(x',y')∈W} y' κ(x', x).
/// In a stream without order these are noise that it learns to ignore; in one whose labels come in runs they are what
/// tells most. But then a prediction depends on the labels that came last. The guide does not see them: what they
/// explain today needs a place in the dictionary all the same.
///
/// κ is divided by sqrt(κ(x,x) κ(z,z)), so that every row has length 1; for a radial kernel that is nothing new.
template <class T>
class Contender {
 public:
  /// What is known of a row before its label.
  struct Look {
    AlignedVector<T> k;
    AlignedVector<T> phi;
    AlignedVector<T> z;  // if there are recent labels; otherwise it is φ
    double alpha = 0.0;
    double guide = 0.0;          // the guide's score
    std::vector<double> scores;  // one for each predictor
  };

  /// Predictors are given by what they forget. `ratio` is γ of its kernel by γ of the dictionary's.
  Contender(const AlderOptions& options, const std::vector<double>& forget, double ratio = 1.0);

  [[nodiscard]] std::size_t size() const { return coordinates_.size(); }
  /// The elements of the dictionary that it has.
  [[nodiscard]] const std::vector<std::size_t>& elements() const { return elements_; }

  /// Looks at a row with these kernel values and κ(x,x). `rounds` may be null: then recent labels are as if there were
  /// none yet.
  void look(const KernelValues& row, double self, const RoundRows<T>* rounds, const Dictionary<T>& dictionary,
            Look& out) const;

  /// The scores that `look` would find for `count` rows, predictor by predictor for each row.
  void score(const ScoredRows<T>& rows, std::size_t count, const RoundRows<T>* rounds, const Dictionary<T>& dictionary,
             std::span<double> scores) const;

  /// Whether the row should be in the dictionary: it is new, the margin is violated, and there is room.
  [[nodiscard]] bool wants(const Look& look, double label) const {
    return label * (is_guided_ ? look.guide : look.scores.front()) < 1.0 && look.alpha > threshold_ * threshold_ &&
           size() < budget_;
  }
  /// The row joins as this element of the dictionary, with this κ(x,x). Returns whether it did: rounding may be all
  /// that made it look new.
  bool join(std::size_t element, double self, Look& look);
  /// All learn who violate the margin, but for predictors that are no longer `used`.
  void learn(const Look& look, double label, double weight, const std::vector<bool>& used);

  /// Goes on alone: only this predictor is left, and the dictionary has only its elements, for its kernel.
  void settle(std::size_t predictor);

  [[nodiscard]] const Arow<T>& predictor(std::size_t p) const { return predictors_[p]; }

  void save(Archive& archive, const std::string& name, const std::vector<bool>& used) const;
  void load(const Archive& archive, const std::string& name, const std::vector<bool>& used,
            const Dictionary<T>& dictionary);

  [[nodiscard]] std::size_t bytes() const;

 private:
  [[nodiscard]] double recent_kernel(const KernelValues& row, double self, const RoundRows<T>& rounds,
                                     const Dictionary<T>& dictionary) const;
  [[nodiscard]] const T* input(const Look& look) const { return recent_ > 0 ? look.z.data() : look.phi.data(); }
  // z, if there are recent labels.
  void add_recent(const KernelValues& row, double self, const RoundRows<T>* rounds, const Dictionary<T>& dictionary,
                  const T* phi, AlignedVector<T>& z) const;
  // k, the values with its elements.
  void copy_values(const KernelValues& row, double self, const Dictionary<T>& dictionary, T* k) const;
  void copy_radial(const KernelValues& row, T* k) const;
  void copy_normalised(const KernelValues& row, double self, T* k) const;
  void resize();

  std::size_t budget_;
  double threshold_;
  bool is_guided_;
  double ratio_;
  std::size_t recent_;  // how many numbers of z recent labels are
  Coordinates<T> coordinates_;
  Guide<T> guide_;
  std::vector<Arow<T>> predictors_;
  std::vector<std::size_t> elements_;
  std::vector<double> scales_;  // 1/sqrt(κ(s,s)) of each
};

}  // namespace alder
