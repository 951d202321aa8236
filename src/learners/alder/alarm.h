#pragma once

#include <cstdint>
#include <string>

namespace alder {

class Archive;

/// Tells when a stream has changed by more than the predictors follow. Rows are counted in blocks of 400. The level is
/// the share of mistakes in all quiet blocks so far, of which the first is one. A block with b mistakes, where the
/// level makes one expect m, is not quiet if
///   b > 1.25 m  and  b − m > 3 sqrt(m (1 + 400/rows behind the level) + 1).
/// Then 200 more rows are waited for: with at most 1.25 times the expected mistakes in them the predictors have
/// recovered by themselves; else it is an alarm.
class Alarm {
 public:
  /// Counts a row. Returns whether it is an alarm now; the level then begins again.
  bool after_row(bool is_mistake);
  /// The level begins again.
  void reset() { *this = Alarm(); }

  void save(Archive& archive, const std::string& name) const;
  void load(const Archive& archive, const std::string& name);

 private:
  std::uint64_t rows_ = 0;  // behind the level
  std::uint64_t mistakes_ = 0;
  bool is_waiting_ = false;
  std::uint64_t block_rows_ = 0;  // of the block, or since waiting began
  std::uint64_t block_mistakes_ = 0;
};

/// The same for numbers: an alarm is a block of 300 rows whose mean error is above 1.25 times that of all quiet blocks
/// so far, two at least.
class ErrorAlarm {
 public:
  /// Counts a row. An error beyond three times the usual one counts for that much.
  bool after_row(double error, double usual);
  void reset() { *this = ErrorAlarm(); }

  void save(Archive& archive, const std::string& name) const;
  void load(const Archive& archive, const std::string& name);

 private:
  std::uint64_t blocks_ = 0;  // behind the level
  double errors_ = 0.0;       // their sum of means
  std::uint64_t block_rows_ = 0;
  double block_errors_ = 0.0;
};

}  // namespace alder
