#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace alder {

class Archive;

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
/// has made a score, and is charged
///   1 if its sign was wrong, and half of its hinge loss, which counts as 2 at most;
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

  /// What those who are in it predict together: the mean of their scores, each within ±1 and with a weight that falls
  /// by a factor e for every 1 that it is charged more than the leader. At the beginning, when the charges tell little,
  /// many have a say.
  [[nodiscard]] double vote(std::span<const double> scores) const;

  /// After a round: the scores of all runners; those of the ones that are out are not looked at.
  void after_round(std::span<const double> scores, double label, double weight = 1.0);

  /// Writes where it stands into the settings of an archive.
  void save(Archive& archive) const;
  /// Takes over what `save` wrote of a race of the same runners.
  void load(const Archive& archive);

 private:
  // The charge that decides who leads.
  [[nodiscard]] double handicapped(std::size_t runner) const;
  void find_leader();
  void leave();

  std::vector<WidthTrial> runners_;
  std::uint64_t rounds_;
  std::uint64_t round_ = 0;
  std::size_t leader_ = 0;
  std::size_t in_ = runners_.size();
};

}  // namespace alder
