#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "alder/examples.h"

namespace alder {

class Archive;

/// The last rows of a stream as they came, with their targets and weights: at most a given number of them. Values of 0
/// are left out.
class RecentRows {
 public:
  explicit RecentRows(std::size_t most) : most_(most) {}

  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  void push(const Row& row, double target, double weight);
  /// Keeps no more than so many from now on.
  void limit(std::size_t most);

  /// Them all, the oldest first; views of what it holds, valid until the next change.
  struct View {
    std::vector<Row> rows;
    std::vector<double> targets;
    std::vector<double> weights;
  };
  [[nodiscard]] View view() const;

  void save(Archive& archive, const std::string& name) const;
  /// Takes over what `save` wrote of rows of that number of classes, or of numbers if it is 0.
  void load(const Archive& archive, const std::string& name, std::size_t classes);
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Slot {
    std::vector<FeatureIndex> features;
    std::vector<double> values;
    double target = 0.0;
    double weight = 1.0;
  };
  [[nodiscard]] const Slot& slot(std::size_t i) const { return slots_[(first_ + i) % slots_.size()]; }

  std::size_t most_;
  std::size_t first_ = 0;  // the oldest
  std::vector<Slot> slots_;
};

}  // namespace alder
