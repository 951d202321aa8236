#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "alder/task.h"

namespace alder {

class Archive;

/// How often which class was taken for which, in bounded memory: a table for the first 31 classes, a hash table
/// for others. When that has 2,000 entries, only the 1,000 largest are kept; the counts of entries that come back after
/// that are lower bounds.
class Confusion {
 public:
  static constexpr std::size_t kMostListed = 1000;

  struct Entry {
    std::uint32_t actual = 0;
    std::uint32_t predicted = 0;  ///< or kNoClass
    std::uint64_t rows = 0;

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  Confusion() : small_(std::size_t{kSmall} * (kSmall + 1), 0) {}

  /// Requires actual < kMostClasses, and the same of predicted, unless that is kNoClass.
  void add(std::uint32_t actual, std::uint32_t predicted, std::uint64_t rows = 1) {
    const std::uint32_t column = predicted == kNoClass ? kSmall : predicted;
    if (actual < kSmall && (predicted < kSmall || predicted == kNoClass)) {
      small_[actual * (kSmall + 1) + column] += rows;
    } else {
      add_large(actual, predicted, rows);
    }
  }

  /// The largest entries, the largest first and at most kMostListed; of equal ones those with smaller ids come first.
  [[nodiscard]] std::vector<Entry> entries() const;
  /// Rows that are not among the entries.
  [[nodiscard]] std::uint64_t other() const;
  /// All rows.
  [[nodiscard]] std::uint64_t rows() const;

  /// Adds what another one has counted.
  void merge(const Confusion& another);

  /// Gives classes other ids: i becomes ids[i], which has every number below its size once.
  void renumber(std::span<const std::uint32_t> ids);

  /// Writes the tensors `NAME` and `NAME.other`, and back, exactly. `load` throws Error for content that `save` cannot
  /// have written.
  void save(Archive& archive, const char* name) const;
  static Confusion load(const Archive& archive, const char* name);

 private:
  static constexpr std::uint32_t kSmall = 31;

  void add_large(std::uint32_t actual, std::uint32_t predicted, std::uint64_t rows);
  [[nodiscard]] std::vector<Entry> all() const;

  std::vector<std::uint64_t> small_;  // kSmall rows; the last column is for kNoClass
  std::unordered_map<std::uint64_t, std::uint64_t> large_;
  std::uint64_t cut_ = 0;  // rows of entries that were given up
};

}  // namespace alder
