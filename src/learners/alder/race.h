#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace alder {

class Archive;
struct Margin;

/// A width of the kernel that is tried.
struct WidthTrial {
  double sigma = 0.0;
  bool forgets = false;      ///< whether with a predictor that forgets
  double charge = 0.0;       ///< what its mistakes and losses count for; the least leads
  std::uint64_t rounds = 0;  ///< how many rounds it was in the race
  bool is_out = false;
};

/// Them all, as JSON text: a list of objects with the names above.
std::string race_json(const std::vector<WidthTrial>& race);

/// Which of several predictors is the best so far: the race of ALDER. In every round each predictor that is still in it
/// has scored the row, and is charged
///   1 if it predicted another class, and half of its hinge loss, which counts as 2 at most;
/// what was charged before is worth 0.1 % less after each round. The one with the least charge leads, but for two
/// handicaps, in standard deviations of a charge c, sqrt(c + 1): one for who forgets, which pays only in a stream that
/// moves, and 0.1 for every doubling of the width, since of two that are as good so far, the narrower one has more to
/// gain from what is to come.
///
/// With s and s' the charges of a predictor and of the leader, the difference of the two is, if they are equally good,
/// s − s' within sqrt(s + s') most of the time. Who is behind by three times as much leaves the race; that is looked at
/// every 50 rounds, from round 300 on. At the last round all but the leader leave.
class Race {
 public:
  /// `rounds` is how long it lasts at most. The runners come with nothing but their settings.
  Race(std::vector<WidthTrial> runners, std::uint64_t rounds) : runners_(std::move(runners)), rounds_(rounds) {}

  [[nodiscard]] const std::vector<WidthTrial>& runners() const { return runners_; }
  [[nodiscard]] std::size_t leader() const { return leader_; }
  [[nodiscard]] bool is_in(std::size_t runner) const { return !runners_[runner].is_out; }
  [[nodiscard]] bool is_over() const { return in_ <= 1; }

  /// What those who are in it predict together: the mean of their scores, with a weight that falls by a factor e for
  /// every 1 that one is charged more than the leader. At the beginning, when the charges tell little, many have a say.
  /// The one score of two classes counts as ±1 at most, and of one for each class none is more than 1 below the
  /// largest. Those of all runners come one after the other; `out` receives as many as one has.
  void vote(std::span<const double> scores, std::span<double> out) const;
  /// The plain mean of other numbers, with the same weights.
  void mean(std::span<const double> numbers, std::span<double> out) const;

  /// What a round counts for, for one who scored the right class with this margin.
  static double charge(const Margin& margin);
  /// After a round: what all runners are charged; those who are out are not.
  void after_round(std::span<const double> charges, double weight = 1.0);

  /// Writes where it stands into the settings of an archive.
  void save(Archive& archive) const;
  /// Takes over what `save` wrote of a race of the same runners.
  void load(const Archive& archive);

 private:
  // The charge that decides who leads.
  [[nodiscard]] double handicapped(std::size_t runner) const;
  // How much the say of a runner who is in it is worth; `least` is the leader's charge.
  [[nodiscard]] double say(std::size_t runner, double least) const;
  void find_leader();
  void leave();

  std::vector<WidthTrial> runners_;
  std::uint64_t rounds_;
  std::uint64_t round_ = 0;
  std::size_t leader_ = 0;
  std::size_t in_ = runners_.size();
};

}  // namespace alder
