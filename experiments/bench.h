#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "alder/dataset.h"

#include "experiments/costs.h"
#include "experiments/results.h"
#include "experiments/suite.h"
#include "experiments/trial.h"

namespace alder {

/// Where a bench is.
struct BenchStatus {
  std::size_t done = 0;  // runs, curves and spectra
  std::size_t total = 0;
  double seconds_left = 0.0;  // a guess
  std::string best;           // of the data set that is being worked on
};

/// The best settings of a learner in one experiment on one data set, over all permutations.
struct BenchBest {
  std::string data;
  std::string learner;
  Json settings;
  std::vector<Json> runs;  // lines of kind "run"
};

/// Runs a suite. All settings of a group are run on the permutations that it has for tuning; those with the fewest
/// mistakes go on to the rest. Which that are does not depend on the number of threads or their order.
class Bench {
 public:
  /// Files are looked for in `folder`. What `results` has already is not run again.
  Bench(Suite suite, std::string folder, Results& results);

  /// The data sets whose files are not there; they are left out.
  [[nodiscard]] std::vector<DataSpec> missing() const { return missing_data(suite_, folder_); }

  /// Runs all on this number of threads. Returns false if it was stopped; what was finished by then is in the results.
  /// `watch` is called on this thread a few times a second. What goes wrong in a run is thrown, when the others have
  /// stopped.
  bool run(unsigned threads, const Stop& stop, const std::function<void(const BenchStatus&)>& watch);

  /// After a run that was not stopped.
  [[nodiscard]] const std::vector<BenchBest>& best() const { return best_; }

 private:
  struct Job {
    Json line;  // as far as it is known beforehand: kind, data, learner, settings, seed, or kind, data, sigma
    std::size_t data = 0;
  };
  struct GroupState {
    Group group;
    std::size_t open = 0;                      // jobs of its present stage that are not done
    bool is_final = false;                     // whether the best settings are being run
    std::vector<std::uint64_t> mistakes = {};  // of each candidate in the tuning runs
    std::size_t winner = 0;
    std::uint64_t rounds = 0;  // of a run
  };
  struct Loaded {
    std::mutex mutex;
    bool is_there = false;
    Dataset rows;
  };

  // All of these want the lock.
  void begin();
  void submit(std::size_t group, Json line);
  void finished(std::size_t group, const Json& line);
  [[nodiscard]] std::uint64_t count_of(const Json& line, const char* name) const;
  void choose(std::size_t group);
  void start_final(std::size_t group);
  [[nodiscard]] BenchStatus status() const;

  void work(const Stop& stop);
  [[nodiscard]] bool fulfil(Job& job, const Dataset& data, const Stop& stop) const;
  const Dataset& rows_of(std::size_t data);
  [[nodiscard]] Json run_line(const char* kind, const Group& group, const Json& settings, std::uint64_t seed) const;
  void collect();

  Suite suite_;
  std::string folder_;
  Results& results_;
  std::vector<std::string> paths_;  // of the data sets' files; empty: made up
  std::vector<double> sizes_;       // see Costs
  std::vector<bool> is_there_;
  std::vector<std::unique_ptr<Loaded>> loaded_;
  std::vector<GroupState> groups_;
  std::vector<BenchBest> best_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> queue_;
  std::map<std::string, std::vector<std::size_t>> waiting_;  // by key: the groups that want a line
  std::size_t busy_ = 0;
  std::size_t done_ = 0;
  std::size_t later_ = 0;  // jobs that are not in the queue yet
  unsigned threads_ = 1;
  std::exception_ptr error_;
  Costs costs_;
  std::map<std::size_t, std::pair<double, std::string>> best_so_far_;  // by data set: mistake rate, learner
  std::size_t latest_ = 0;                                             // the data set of the latest choice
};

}  // namespace alder
