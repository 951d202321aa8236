#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alder/examples.h"

namespace alder {

class Archive;

/// The classes of a model: their names, by id, and the numbers that the learner knows them by, which are given in the
/// order in which classes are learned.
class ClassTable {
 public:
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// As Model::set_classes.
  void set_names(std::vector<std::string> names, bool is_ordered);
  /// The ids in the order in which classes are shown and saved: a model that was loaded has them in this order.
  [[nodiscard]] std::vector<std::uint32_t> shown() const;
  /// As Model::positive.
  [[nodiscard]] std::uint32_t positive() const { return positive_; }

  /// How many classes were learned, and their ids by number.
  [[nodiscard]] std::size_t learned() const { return ids_.size(); }
  [[nodiscard]] const std::vector<std::uint32_t>& ids() const { return ids_; }
  /// The number of columns of probabilities: one more than the largest id that is known.
  [[nodiscard]] std::size_t columns() const { return std::max(names_.size(), numbers_.size()); }
  /// The learner's numbers for the ids that are the targets of examples: these themselves or, if they differ, `out`.
  /// Classes that are new get the next numbers. Ids that are none stay as they are.
  [[nodiscard]] std::span<const double> numbers(const Examples& examples, std::vector<double>& out) const;
  /// The examples were learned: their classes keep these numbers.
  void learn(const Examples& examples);

  /// The id of the class that a score means; if that class was not learned yet, another one that was, or kNoClass.
  [[nodiscard]] std::uint32_t predicted(std::span<const double> score) const;
  /// Whether positive single scores mean the class that is not positive().
  [[nodiscard]] bool is_flipped() const;

  /// As Model::scores_by_class: what a score that was shown says of each class, by id.
  void spread(std::span<const double> score, std::span<double> out) const;

  /// Writes the setting `classes`, and back.
  void save(Archive& archive) const;
  static ClassTable load(const Archive& archive);
  /// Two classes, number 0 and 1; an empty name is a class that was not met. For files of version 1.
  static ClassTable of_two(const std::string& negative, const std::string& positive);

 private:
  void find_positive();

  std::vector<std::string> names_;
  bool is_ordered_ = false;
  std::uint32_t positive_ = 1;
  std::vector<std::uint32_t> ids_;                     // by number
  std::vector<std::optional<std::uint32_t>> numbers_;  // by id
  bool is_identity_ = true;                            // every number is its id
};

}  // namespace alder
