#pragma once

#include <atomic>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "alder/dataset.h"
#include "alder/stream.h"

#include "data/support.h"
#include "experiments/bench.h"
#include "experiments/results.h"
#include "experiments/settings.h"
#include "experiments/suite.h"

/// Small suites and data sets, and benches that run them.
namespace alder::testing {

inline Stop never() {
  return [] { return false; };
}

/// True from the n-th call on, whoever calls.
class StopAfter {
 public:
  explicit StopAfter(std::int64_t calls) : left_(calls) {}
  [[nodiscard]] Stop stop() {
    return [this] { return left_.fetch_sub(1) <= 0; };
  }

 private:
  std::atomic<std::int64_t> left_;
};

inline Dataset generated(const std::string& name, std::uint64_t rows, std::uint64_t seed = 1) {
  return Dataset::read(*make_generated(name, rows, seed));
}

inline std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::vector<Json> lines_of(const std::string& path) {
  std::vector<Json> lines;
  std::istringstream text(text_of(path));
  for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
  return lines;
}

/// The lines without what differs from one time to the next.
inline std::vector<Json> timeless(std::vector<Json> lines) {
  for (Json& line : lines) line.erase("seconds");
  return lines;
}

/// Two data sets, groups that share settings, learners with and without a kernel, tuning, curves and spectra.
inline Json mini_suite() {
  return Json::parse(R"({
    "name": "mini", "seed": 5, "permutations": 3,
    "data": {
      "rings": {"generate": "rings", "rows": 130, "settings": {"sigma": 0.5}},
      "board": {"generate": "checkerboard", "rows": 90, "scale": "standard", "settings": {"sigma": 0.1, "zeta": 0.5}}
    },
    "experiments": [
      {"learners": ["pomdr"], "options": {"b0": 10, "budget": 20, "sigma": [0.1, 0.5]}, "tune": 2, "curve": true},
      {"learners": ["pomdr"], "options": {"b0": 10, "budget": 20, "sigma": [0.5, 1]}, "tune": 1},
      {"learners": ["fogd", "linear"], "options": {"step": [0.1, 1]}, "tune": 1},
      {"learners": ["bogd"], "data": ["board"], "options": {"budget": 5}, "permutations": 2, "curve": true}
    ],
    "spectrum": {"rows": 40, "sigma": [0.5, 2]}
  })");
}

/// Runs a suite to its end with a results file, which may be there already.
inline std::vector<BenchBest> run_bench(const Json& suite, const std::string& folder, const std::string& path,
                                        unsigned threads = 1) {
  const Suite parsed = parse_suite(suite.dump());
  Results results(path, head_of(parsed));
  Bench bench(parsed, folder, results);
  if (!bench.run(threads, never(), [](const BenchStatus&) {})) throw Error("it was stopped");
  return bench.best();
}

}  // namespace alder::testing
