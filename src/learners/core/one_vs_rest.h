#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alder/learner.h"

#include "learners/core/kind.h"

namespace alder {

/// A learner of two classes that goes on with more: a member for each class, which tells it from all others, all of the
/// same kind and options, so also of the same width.
///
/// With two classes it is the learner it was made of, to the bit. When the third comes, that learner, which tells class
/// 1 from class 0, is the member of class 1; a copy of it, with the other sign, is that of class 0; and every further
/// class gets a new learner, whose seed, if it has one, is larger by the number of the class. From then on every row is
/// learned by all members. The score of a class is half of its member's, so that s_1 − s_0 stays what it was.
class OneVsRest final : public Learner {
 public:
  /// Goes on as `learner`, of that kind, which has learned two classes at most.
  OneVsRest(const LearnerKind& kind, std::unique_ptr<Learner> learner);
  /// As it was saved, with a part "one_vs_rest". `options` are the members'.
  OneVsRest(const LearnerKind& kind, const nlohmann::ordered_json& options, const Archive& archive);

  [[nodiscard]] std::string name() const override { return members_.back()->name(); }
  [[nodiscard]] std::size_t outputs() const override { return members_.size(); }
  [[nodiscard]] std::size_t most_classes() const override { return kMostClasses; }
  [[nodiscard]] bool takes_weights() const override { return members_.back()->takes_weights(); }

  /// The stored rows are those of all members, one member after the other.
  [[nodiscard]] bool add_parts(const Row& row, std::span<const double> direction, ScoreParts& parts) const override;

  /// One learner, or from the third class on one for each. That of class 0 has been taught class 0 as its class 0, all
  /// others their class as their class 1.
  [[nodiscard]] const Learner& member(std::size_t c) const { return *members_[c]; }

 protected:
  void score_block(std::span<const Row> rows, Outputs out) const override;
  void round(const Row& row, double target, double weight, Outputs out) override;
  void describe(Report& report) const override;
  void save_state(Archive& archive) const override;

 private:
  [[nodiscard]] nlohmann::ordered_json options_of(std::size_t c, nlohmann::ordered_json options) const;
  [[nodiscard]] const Learner& first() const;
  void add_class();

  const LearnerKind& kind_;
  std::vector<std::unique_ptr<Learner>> members_;
};

/// If `learner`, of that kind, cannot take the class of the example, and the kind is one that goes on as OneVsRest, it
/// does so from now on. Nothing changes for an example that cannot be learned.
void make_room_for(const LearnerKind& kind, const Example& example, double weight, std::unique_ptr<Learner>& learner);
/// The same for a learner of any kind; does nothing for one that the registry does not know.
void make_room_for(const Example& example, double weight, std::unique_ptr<Learner>& learner);

/// A learner of that kind as it was saved, OneVsRest or not. `options` are those in the archive.
std::unique_ptr<Learner> restore_of_kind(const LearnerKind& kind, const nlohmann::ordered_json& options,
                                         const Archive& archive);

}  // namespace alder
