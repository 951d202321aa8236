#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "kernel/kernel_values.h"

namespace alder {

class Archive;

/// How far rounding may take a number of a model file beyond what holds exactly, as a factor.
inline constexpr double kRounding = 1.01;

/// Whether a number can be κ(x,z), by κ(x,x) and κ(z,z): |κ(x,z)|² <= κ(x,x) κ(z,z), but for rounding.
[[nodiscard]] inline bool can_be_kernel_value(double value, double self_x, double self_z) {
  return std::fabs(value) <= kRounding * std::sqrt(self_x) * std::sqrt(self_z);
}

/// The Gram matrix of stored rows, gathered from the kernel rows of the rounds that stored them: nothing is computed
/// again.
class Gram {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }

  /// A row has been stored; `row` has its kernel values with the size() before it, `self` is that with itself.
  void append(const KernelValues& row, double self);
  /// K, symmetric.
  [[nodiscard]] Eigen::MatrixXd matrix() const;
  /// aᵀ K a, for at least size() numbers, with padding.
  [[nodiscard]] double quadratic_form(const AlignedVector<double>& a) const;
  /// Forgets everything and gives the memory back.
  void reset() { *this = Gram(); }

  /// Writes the lower triangle, row by row, as a tensor of this name.
  void save(Archive& archive, const std::string& name) const;
  /// Takes over the matrix that `save` wrote, of rows with these κ(s_i,s_i).
  void load(const Archive& archive, const std::string& name, std::span<const double> selfs);

  [[nodiscard]] std::size_t bytes() const { return triangle_.capacity() * sizeof(double); }

 private:
  std::size_t size_ = 0;
  std::vector<double> triangle_;
};

}  // namespace alder
