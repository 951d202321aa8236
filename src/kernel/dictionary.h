#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "alder/kernel.h"
#include "alder/row.h"

#include "kernel/feature_blocks.h"
#include "kernel/kernel_row.h"
#include "kernel/query.h"

namespace alder {

class Archive;

/// How exactly a dictionary of floats computes a kernel row. (One of doubles is always exact.)
enum class Accuracy {
  kFast,   ///< float arithmetic wherever its rounding is harmless
  kExact,  ///< double arithmetic on the stored numbers: for the ALD test, which looks at differences of 1e-10
};

/// Rows laid out feature by feature, the element index contiguous, so that one pass over the columns of a row's
/// features yields its kernel values with all elements.
template <class T>
class Dictionary {
 public:
  explicit Dictionary(const Kernel& kernel) : kernel_(kernel) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }

  /// Adds the row as element size().
  void append(const Query<T>& row);
  /// Puts the row in the place of an element.
  void replace(std::size_t element, const Query<T>& row);
  /// Keeps the first `count` elements.
  void truncate(std::size_t count);

  /// κ(row, s_i) for every element. Allocates only when the dictionary has outgrown `out`.
  void kernel_row(const Query<T>& row, Accuracy accuracy, KernelRow& out) const;

  /// κ(s_i, s_i).
  [[nodiscard]] double self(std::size_t i) const { return kernel_.value(norms_[i], norms_[i], norms_[i]); }
  /// That of all elements.
  [[nodiscard]] std::vector<double> selfs() const;
  /// An element's features and values, as they are stored.
  [[nodiscard]] std::vector<std::pair<FeatureIndex, T>> element(std::size_t i) const;

  /// An element as a row, to be stored elsewhere.
  [[nodiscard]] Query<T> query(std::size_t i) const;

  /// Writes the elements as tensors name.starts, name.features and name.values (compressed sparse rows).
  void save(Archive& archive, const std::string& name) const;
  /// Appends the elements that `save` wrote to an empty dictionary.
  void load(const Archive& archive, const std::string& name);

  [[nodiscard]] std::size_t bytes() const;

 private:
  // The features that the row shares with any element: their columns, and the row's values.
  struct Shared;

  template <class A>
  void compute(const Shared& shared, const AlignedVector<A>& norms, A norm, AlignedVector<A>& dots,
               KernelRow& out) const;
  void fill(std::size_t element, const Query<T>& row);
  void clear(std::size_t element);
  [[nodiscard]] bool float_is_enough(const Query<T>& row) const;

  Kernel kernel_;
  std::size_t size_ = 0;
  FeatureBlocks<T> blocks_;
  // One entry per slot of the blocks, empty or 0 from size() on:
  std::vector<std::vector<FeatureIndex>> elements_;  // the features of each element
  AlignedVector<double> norms_;                      // ‖s_i‖²
  AlignedVector<float> float_norms_;                 // the same to go with float dot products
  double largest_norm_ = 0.0;
};

}  // namespace alder
