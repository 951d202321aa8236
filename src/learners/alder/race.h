#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "learners/alder/mixture.h"

namespace alder {

class Archive;
struct Margin;

/// A candidate that is tried in a race, and how it stands there.
struct Runner {
  std::string transform = "raw";  ///< of the features
  bool is_scaled = false;         ///< whether features have learned scales
  std::string kernel = "gaussian";
  double sigma = 0.0;        ///< the width of the kernel
  double handicap = 0.0;     ///< in standard deviations of its charge
  double charge = 0.0;       ///< what its mistakes and losses count for; the least leads
  double spread = 0.0;       ///< if charges are compared in pairs: how far they are from the common ones, squared
  std::uint64_t rounds = 0;  ///< how many rounds it was in the race
  bool is_out = false;
};

/// Them all, as JSON text: a list of objects with the names above.
std::string race_json(const std::vector<Runner>& race);

/// Writes runners into settings state.key of an archive, and reads them.
void save_runners(const std::vector<Runner>& runners, const char* key, Archive& archive);
std::vector<Runner> load_runners(const Archive& archive, const char* key);

/// How a race goes.
struct RaceRules {
  std::uint64_t rounds = 1;        ///< how many it lasts at most
  std::size_t finalists = 1;       ///< how many are left then
  double discount = 0.999;         ///< what was charged before is worth so much after each round
  std::uint64_t first_look = 300;  ///< the first round after which one may be eliminated
  std::uint64_t between_looks = 50;
  /// Whether there are at most 6 after 300 rounds, 5 after 600 and 4 after 1200, or later: not before leaders were
  /// charged 60, 120 and 240 in these rounds, since mistakes are what tells candidates apart.
  bool is_narrowing = false;
  bool has_equal_votes = false;
  /// Whether a charge is compared with the common one of the same round, since charges differ more from round to round
  /// than between candidates; that is so for numbers.
  bool is_paired = false;
};

/// Which of several candidates is the best so far. In every round each of those that are still in it has scored the
/// row, and is charged
///   1 if it predicted another class, and half of its hinge loss, which counts as 2 at most.
/// The one with the least charge leads, but for its handicap, in standard deviations of a charge c, sqrt(c + 1).
///
/// With s and s' the charges of a candidate and of the leader, the difference of the two is, if they are equally good,
/// s − s' within sqrt(s + s') most of the time. Who is behind by three times as much is eliminated; at the last round
/// all but the finalists are.
///
/// Charges of numbers (RaceRules::is_paired) are compared in pairs: with V the sum of the squared differences of a
/// runner's charges from those of what all predict together, the difference is within sqrt(V + V') most of the time.
class Race {
 public:
  /// The runners come with nothing but their settings.
  Race(std::vector<Runner> runners, const RaceRules& rules);

  [[nodiscard]] const std::vector<Runner>& runners() const { return runners_; }
  [[nodiscard]] const RaceRules& rules() const { return rules_; }
  [[nodiscard]] std::uint64_t round() const { return round_; }
  [[nodiscard]] std::size_t leader() const { return leader_; }
  [[nodiscard]] bool is_in(std::size_t runner) const { return !runners_[runner].is_out; }
  [[nodiscard]] std::size_t left() const { return left_; }
  [[nodiscard]] bool is_over() const { return left_ <= 1 || round_ >= rules_.rounds; }
  /// Eliminates all but the best `most`.
  void keep(std::size_t most);
  /// Those that are in it, the best `most` of them, in their order.
  [[nodiscard]] std::vector<std::size_t> best(std::size_t most) const;

  /// What those who are in it predict together: the mean of their scores, cut as `add_cut` does, with a weight that
  /// falls by a factor e for every 1 that one is charged more than the leader. At the beginning, when the charges tell
  /// little, many have a say. Those of all runners come one after the other; `out` receives as many as one has.
  void vote(std::span<const double> scores, std::span<double> out) const;
  /// The weight of each runner in that, 0 for those who are out; they add up to 1.
  [[nodiscard]] std::vector<double> shares() const;
  /// The directions in the scores of a runner of a number that has the directions `after` in the vote.
  [[nodiscard]] Directions before_vote(std::size_t runner, std::span<const double> scores,
                                       const Directions& after) const;
  /// The plain mean of other numbers, with the same weights.
  void mean(std::span<const double> numbers, std::span<double> out) const;

  /// What a round counts for, for one who scored the right class with this margin.
  static double charge(const Margin& margin);
  /// After a round: what all runners are charged; those who are out are not. `common` is what is charged for what they
  /// predicted together.
  void after_round(std::span<const double> charges, double weight = 1.0, double common = 0.0);

  /// Writes where it stands, rules and runners included, into the settings of an archive.
  void save(Archive& archive) const;
  static Race load(const Archive& archive);

 private:
  // The charge that decides who leads.
  [[nodiscard]] double handicapped(std::size_t runner) const;
  // How much the say of a runner who is in it is worth; `least` is the leader's charge.
  [[nodiscard]] bool is_behind(const Runner& runner, const Runner& best) const;
  [[nodiscard]] double say(std::size_t runner, double least) const;
  void find_leader();
  void eliminate();

  std::vector<Runner> runners_;
  RaceRules rules_;
  std::uint64_t round_ = 0;
  double charged_ = 0.0;  // to those that led
  std::size_t leader_ = 0;
  std::size_t left_;
};

}  // namespace alder
