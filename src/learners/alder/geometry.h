#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alder/row_buffer.h"

#include "kernel/dictionary.h"
#include "kernel/round_rows.h"
#include "learners/alder/linear_inputs.h"
#include "rows/transform.h"

namespace alder {

/// What distance means to some candidates of ALDER: a transform of the features, learned scales included, and a kernel
/// of the distance. It has the rows that these candidates store, and compares each row of the stream with them once for
/// all; the inputs that are linear in the features come with it.
template <class T>
class Geometry {
 public:
  /// The rows of the last `kept` rounds are kept, as RoundRows has it.
  Geometry(Transform transform, LinearInputs linear, const Kernel& kernel, std::size_t kept);

  [[nodiscard]] const Transform& transform() const { return transform_; }
  [[nodiscard]] const LinearInputs& linear_inputs() const { return linear_; }
  [[nodiscard]] const Kernel& kernel() const { return dictionary_.kernel(); }
  [[nodiscard]] const Dictionary<T>& dictionary() const { return dictionary_; }
  [[nodiscard]] const RoundRows<T>& rounds() const { return rounds_; }

  /// Rounds in blocks, as RoundRows has them.
  void begin_block(std::span<const Row> rows);
  void begin() { rounds_.begin(dictionary_, Accuracy::kFast); }
  void end(double label);
  void end_block();

  /// The linear inputs of the row of the round that is on, or of one that comes `ahead` rows later.
  [[nodiscard]] const T* linear(std::size_t ahead = 0) const {
    return inputs_.data() + (next_ + ahead) * linear_.size();
  }
  /// That row becomes an element. Returns which.
  std::size_t append();
  /// That row takes the place of an element.
  void replace(std::size_t element);

  /// Rows that are only scored: their kernel values and their linear inputs, one row after the other.
  void look(std::span<const Row> rows, ScoredRows<T>& scored, std::vector<T>& inputs) const;

  /// From now on it has another kernel of the same kind, and only these elements, in this order. To be called between
  /// rounds.
  void rebuild(const Kernel& kernel, std::span<const std::size_t> elements);

  void save(Archive& archive, const std::string& name) const;
  /// The kernel is what `save` wrote, unless it is given.
  static Geometry load(const Archive& archive, const std::string& name, std::size_t kept,
                       const std::optional<Kernel>& given);
  /// Takes over the stored rows, support.* of an archive, and those of the last rounds, window.*.
  void restore(const Archive& archive, std::uint64_t rounds);

  [[nodiscard]] std::size_t bytes() const;

 private:
  Transform transform_;
  LinearInputs linear_;
  RoundRows<T> rounds_;
  Dictionary<T> dictionary_;
  std::uint64_t count_ = 0;  // of the rounds
  // Of the block in hand:
  RowBuffer mapped_;
  std::vector<T> inputs_;
  std::size_t next_ = 0;  // the row of the round that is on
};

}  // namespace alder
