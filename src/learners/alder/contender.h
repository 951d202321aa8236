#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alder/learners.h"

#include "kernel/coordinates.h"
#include "kernel/dictionary.h"
#include "kernel/round_rows.h"
#include "learners/alder/arow.h"
#include "learners/alder/guide.h"
#include "learners/alder/head.h"

namespace alder {

/// ALDER for one kernel: the coordinates that its dictionary gives, a guide, which decides when that grows, one or more
/// predictors, which learn side by side, and a head for probabilities. In a race several of them share the dictionary
/// of the learner, each having some of its elements; later the only one left has them all.
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
  /// What is known of a row before its class.
  struct Forecast {
    AlignedVector<T> k;
    AlignedVector<T> phi;
    AlignedVector<T> z;  // if there are recent labels; otherwise it is φ
    double alpha = 0.0;
    // One number for two classes, else one for each:
    std::vector<double> guide;
    std::vector<double> logits;  // the head's, if there is one
    std::vector<double> scores;  // of all predictors, one after the other
  };

  /// Predictors are given by what they forget. `ratio` is γ of its kernel by γ of the dictionary's.
  Contender(const AlderOptions& options, std::size_t classes, const std::vector<double>& forget, double ratio = 1.0);

  [[nodiscard]] std::size_t size() const { return coordinates_.size(); }
  /// The most elements that it may have.
  [[nodiscard]] std::size_t budget() const { return budget_; }
  /// One more class, the third or a later one. A forecast made before gets scores of 0 for it.
  void add_class(Forecast& forecast);
  /// The elements of the dictionary that it has.
  [[nodiscard]] const std::vector<std::size_t>& elements() const { return elements_; }

  /// Looks at a row with these kernel values and κ(x,x). `rounds` may be null: then recent labels are as if there were
  /// none yet.
  void forecast(const KernelValues& row, double self, const RoundRows<T>* rounds, const Dictionary<T>& dictionary,
                Forecast& out);

  /// The scores that `forecast` would find for `count` rows, predictor by predictor for each row, and the logits.
  void score(const ScoredRows<T>& rows, std::size_t count, const RoundRows<T>* rounds, const Dictionary<T>& dictionary,
             std::span<double> scores, std::span<double> logits) const;

  /// What is known of the rows to come is forgotten: the block in hand ends.
  void forget_ahead() { ahead_.size = 0; }

  /// Whether the row should be in the dictionary: it is new, the margin is violated, and there is room.
  [[nodiscard]] bool wants(const Forecast& forecast, double target) const {
    return size() < budget_ && forecast.alpha > threshold_ * threshold_ &&
           margin_of(is_guided_ ? forecast.guide : std::span(forecast.scores).first(width_), target).value < 1.0;
  }
  /// The row joins as this element of the dictionary, with this κ(x,x). Returns whether it did: rounding may be all
  /// that made it look new.
  bool join(std::size_t element, double self, Forecast& forecast);
  /// All learn who violate the margin, but for predictors that are no longer `used`.
  void learn(const Forecast& forecast, double target, double weight, const std::vector<bool>& used);

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
  [[nodiscard]] const T* input(const Forecast& forecast) const {
    return recent_ > 0 ? forecast.z.data() : forecast.phi.data();
  }
  // Coordinates of the rows of a block, made together while the dictionary had this size: of the first of them on.
  struct Ahead {
    std::size_t size = 0;  // 0: there are none
    AlignedVector<T> k;
    AlignedVector<T> phi;
    std::vector<double> alphas;
  };
  std::optional<std::size_t> project(const KernelValues& row, double self, const RoundRows<T>* rounds,
                                     const Dictionary<T>& dictionary, Forecast& out);
  void project_ahead(const RoundRows<T>& rounds, const Dictionary<T>& dictionary);
  // Whether the dictionary may yet grow, if there are many classes: then the guide's scores take a third of the time.
  [[nodiscard]] bool needs_guide() const;
  // Whether a block's scores are made together. The one function of two classes changes too often for that.
  [[nodiscard]] bool scores_ahead() const { return width_ > 1 && recent_ == 0; }
  // z, if there are recent labels.
  void add_recent(const KernelValues& row, double self, const RoundRows<T>* rounds, const Dictionary<T>& dictionary,
                  const T* phi, AlignedVector<T>& z) const;
  // k, the values with its elements.
  void copy_values(const KernelValues& row, double self, const Dictionary<T>& dictionary, T* k) const;
  void copy_radial(const KernelValues& row, T* k) const;
  void copy_normalised(const KernelValues& row, double self, T* k) const;
  void resize();

  std::size_t width_ = 1;  // numbers in a score: 1 for two classes, else one for each
  std::optional<std::size_t> given_budget_;
  std::size_t budget_;
  double threshold_;
  bool is_guided_;
  double ratio_;
  std::size_t recent_;  // how many numbers of z recent labels are
  Coordinates<T> coordinates_;
  Guide<T> guide_;
  std::optional<Head<T>> head_;
  std::vector<Arow<T>> predictors_;
  std::vector<std::size_t> elements_;
  std::vector<double> scales_;  // 1/sqrt(κ(s,s)) of each
  Ahead ahead_;
};

}  // namespace alder
