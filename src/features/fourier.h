#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "alder/kernel.h"

#include "rows/feature_table.h"
#include "rows/prepared_row.h"
#include "simd/aligned.h"

namespace alder {

class Archive;

/// Random Fourier features (Rahimi and Recht 2007) of a kernel κ(x,z) = k(x − z):
///   z(x) = (cos u_iᵀx, sin u_iᵀx)_{i<D} / sqrt(D),   z(x)ᵀz(x') ≈ κ(x,x'),
/// the frequencies u_i being drawn from the Fourier transform of k: for the Gaussian kernel N(0, σ⁻²I), for the
/// Laplacian kernel exp(−γ‖x−z‖) the multivariate Cauchy distribution, γN(0, I)/|n| with one normal n per frequency.
///
/// The frequencies of a feature are drawn from the seed and the feature's number, so they do not depend on the order in
/// which features appear, and the dimension need not be known. Those of the first features met are kept, up to 64 MiB;
/// those of any further ones are drawn again whenever needed.
template <class T>
class FourierMap {
 public:
  /// Requires a radial kernel and at least one frequency.
  FourierMap(const Kernel& kernel, std::size_t frequencies, std::uint64_t seed);

  [[nodiscard]] std::size_t frequencies() const { return frequencies_; }
  /// The length of z: the cosines, padded with zeros to padded(D), then the sines likewise.
  [[nodiscard]] std::size_t length() const { return 2 * padded(frequencies_); }

  /// Draws and keeps the frequencies of features that are met for the first time.
  void meet(const PreparedRow<T>& x);
  /// z(x).
  void map(const PreparedRow<T>& x, AlignedVector<double>& z) const;

  /// gradient[j] += ∂(wᵀz(x))/∂x_f for f = features[j]; `z` is z(x).
  void add_gradient(const AlignedVector<double>& w, const AlignedVector<double>& z,
                    std::span<const FeatureIndex> features, std::span<double> gradient) const;

  /// Writes which features have been met, as the tensor `features`.
  void save(Archive& archive) const;
  /// Draws the frequencies of those features again.
  void load(const Archive& archive);

  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Scratch;

  // The normals of a feature. Times the scales they are its frequencies, which may be beyond a float.
  void draw(FeatureIndex feature, AlignedVector<T>& column) const;
  void keep(FeatureIndex feature);
  [[nodiscard]] bool float_is_enough(const PreparedRow<T>& x) const;
  template <class A>
  void compute(const Scratch& scratch, AlignedVector<A>& phases, AlignedVector<double>& z) const;

  Kernel kernel_;
  std::size_t frequencies_;
  std::uint64_t seed_;
  std::vector<double> scales_;             // of each frequency: what its normals are multiplied by
  FeatureTable table_;                     // feature -> its place in the next two
  std::vector<FeatureIndex> features_;     // in the order in which they were met
  std::vector<AlignedVector<T>> columns_;  // the normals of each, padded with zeros
};

/// Throws Error unless the kernel is Gaussian or Laplacian.
void check_fourier_kernel(const Kernel& kernel);

}  // namespace alder
