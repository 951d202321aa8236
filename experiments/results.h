#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "experiments/settings.h"
#include "experiments/suite.h"

namespace alder {

/// The first line of a results file: the suite, the version, the machine, the learners' defaults.
Json head_of(const Suite& suite);

/// What tells a line from all others of its file: its kind, data set, learner, settings, seed, width.
std::string key_of(const Json& line);

/// A results file (docs/bench.md): lines are added as they come, and are on the disk then. Several threads may
/// use it at once.
class Results {
 public:
  /// Goes on with the file if it is there: its lines count as added, but for a last one that was cut off. Throws Error
  /// if it is no results file, or one whose first line is not `head`. An empty path: nothing is written. What is no
  /// regular file (a pipe, a device), and standard output, whose path is "-", is only written to.
  Results(std::string path, const Json& head);
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;
  ~Results();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// The line with that key, if it was added.
  [[nodiscard]] std::optional<Json> find(const std::string& key) const;
  /// Adds a line whose key is new. Throws Error if it cannot be written; the file is then as before.
  void add(const Json& line);
  /// Writes the file once more: after the first line those of these keys, in this order, then all others.
  void arrange(const std::vector<std::string>& keys);

 private:
  void read(const Json& head);
  void open();
  void write(const std::string& text);
  [[noreturn]] void fail() const;

  mutable std::mutex mutex_;
  std::string path_;
  std::string head_;
  std::map<std::string, std::string> lines_;  // by key
  bool is_regular_ = true;
  int file_ = -1;
};

}  // namespace alder
