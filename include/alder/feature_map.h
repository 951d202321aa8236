#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "alder/dataset.h"
#include "alder/kernel.h"
#include "alder/precision.h"
#include "alder/row.h"

namespace alder {

/// Turns a row x of any features into a fixed number of features z(x) with z(x)ᵀz(x') ≈ κ(x, x'): what a linear method
/// learns of z, it learns of the kernel.
///
/// Thread safety: `map` needs the object for itself.
class FeatureMap {
 public:
  FeatureMap() = default;
  FeatureMap(const FeatureMap&) = delete;
  FeatureMap& operator=(const FeatureMap&) = delete;
  virtual ~FeatureMap() = default;

  /// The length of z.
  [[nodiscard]] virtual std::size_t features() const = 0;

  /// Writes z(row) to `out`, which has room for features() numbers. Throws Error for a bad row or room.
  void map(const Row& row, std::span<double> out);

 protected:
  virtual void map_checked(const Row& row, std::span<double> out) = 0;
};

/// Random Fourier features (Rahimi and Recht 2007), as in FOGD: the cosines and then the sines of `frequencies` random
/// projections; 2·frequencies features, whose inner products err by about 1/sqrt(frequencies). For Gaussian and
/// Laplacian kernels. The same seed gives the same features, in whatever order rows and columns come.
std::unique_ptr<FeatureMap> make_fourier_features(const Kernel& kernel, std::size_t frequencies, std::uint64_t seed = 1,
                                                  Precision precision = Precision::kFloat);

/// Nyström features (Williams and Seeger 2001), as in NOGD: the kernel seen from the given rows, at least one, reduced
/// to `rank` directions (empty: all). Exact on those rows when nothing is reduced.
std::unique_ptr<FeatureMap> make_nystrom_features(const Kernel& kernel, const Dataset& rows,
                                                  std::optional<std::size_t> rank = std::nullopt,
                                                  Precision precision = Precision::kFloat);

/// The features of SkeGD (Zhang and Liao 2019): from two randomised sketches of the Gram matrix of the given rows. A
/// row is compared with 0.15 of them only. At most `rank` features (empty: all that the sketches give).
std::unique_ptr<FeatureMap> make_sketch_features(const Kernel& kernel, const Dataset& rows,
                                                 std::optional<std::size_t> rank = std::nullopt, std::uint64_t seed = 1,
                                                 Precision precision = Precision::kFloat);

}  // namespace alder
