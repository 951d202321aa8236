#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "alder/dataset.h"

#include "experiments/settings.h"
#include "experiments/trial.h"

namespace alder {

/// What a search tries if it is told nothing: every value that the learner says is worth trying, and seven widths of a
/// radial kernel around the median distance of the first rows: times 2^−4 … 2^2. `given` is a grid as for
/// `combinations`, and comes first.
Json search_grid(const std::string& learner, const Json& given, const Dataset& data);

/// So many settings drawn from a grid. Numbers are drawn between the least and the greatest of a list, on a logarithmic
/// scale if both are positive; from whole numbers whole ones; other lists give one of their entries. Settings that
/// the learner does not take are drawn again, for a while. The same seed draws the same settings. Throws Error as
/// check_grid does.
std::vector<Json> draw_settings(const std::string& learner, const Json& grid, std::size_t count, std::uint64_t seed);

/// One stage of a search: so many settings are learned up to so many rows.
struct Rung {
  std::size_t candidates = 0;
  std::uint64_t rows = 0;
  bool operator==(const Rung&) const = default;
};

/// Successive halving (Jamieson and Talwalkar 2016), by thirds: all candidates get the first rows, the best third of
/// them goes on to three times as many, until four are left for all rows. Every stage costs about the same. Stages of
/// fewer than 500 rows are left out: they decide by luck.
std::vector<Rung> rungs(std::size_t candidates, std::uint64_t rows);

/// Settings and how far they got.
struct Candidate {
  Json settings;
  std::uint64_t rows = 0;  // learned
  std::uint64_t mistakes = 0;
  double hinge_loss = 0.0;
  std::size_t support = 0;
  double seconds = 0.0;

  [[nodiscard]] double mistake_rate() const { return static_cast<double>(mistakes) / static_cast<double>(rows); }
};

/// Where a search is.
struct SearchStatus {
  std::size_t rung = 0;  // from 0
  std::size_t done = 0;  // candidates of this rung
};

/// Tries the candidates on the rows as they come, on so many threads; a learner that goes on to the next stage goes on
/// learning where it was. Returns all candidates, the best first: those that got further, then those with fewer
/// mistakes, then with less hinge loss, then the earlier one; of those with equal mistakes and loss all but the first
/// come last among those that got as far. The number of threads changes nothing. Empty: it was
/// stopped. `watch` is called on this thread a few times a second.
std::vector<Candidate> search(const Dataset& data, const std::string& learner, const std::vector<Json>& candidates,
                              std::uint64_t seed, unsigned threads, const Stop& stop,
                              const std::function<void(const SearchStatus&)>& watch);

}  // namespace alder
