#pragma once

#include <numeric>

#include "alder/learners.h"

#include "base/random.h"
#include "support/literal_function.h"

/// The learners that go over to linear gradient descent on features.
namespace alder::testing {

/// The largest eigenvalues of a symmetric matrix, falling, and their eigenvectors.
struct LiteralEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
  /// How far the number of them is from being another by rounding errors, and their span from being another one: the
  /// gap to the next eigenvalue, as a part of the largest one.
  double gap = 1.0;

  LiteralEigen(const Eigen::MatrixXd& matrix, std::size_t most, double tolerance) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
    const Eigen::VectorXd all = solver.eigenvalues().reverse();
    const Eigen::MatrixXd basis = solver.eigenvectors().rowwise().reverse();
    Eigen::Index rank = 0;
    while (rank < all.size() && static_cast<std::size_t>(rank) < most && all[rank] > tolerance * all[0]) ++rank;
    values = all.head(rank);
    vectors = basis.leftCols(rank);
    if (rank < all.size() && all[0] > 0.0) {
      gap = rank == 0 ? 0.0 : (all[rank - 1] - std::max(0.0, all[rank])) / all[0];
    } else if (rank > 0) {
      gap = all[rank - 1] / all[0];
    }
  }
};

/// A⁺ by the singular values, those below `tolerance` of the largest being 0.
struct LiteralInverse {
  Eigen::MatrixXd matrix;
  double condition = 1.0;  ///< the smallest singular value that is not 0, as a part of the largest one
  bool is_whole = true;    ///< whether there is no singular value of 0

  LiteralInverse(const Eigen::MatrixXd& a, double tolerance) {
    matrix = Eigen::MatrixXd::Zero(a.cols(), a.rows());
    if (a.size() == 0) return;
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Eigen::VectorXd& values = svd.singularValues();
    Eigen::VectorXd inverse = Eigen::VectorXd::Zero(values.size());
    for (Eigen::Index i = 0; i < values.size(); ++i) {
      is_whole = values[i] > tolerance * values[0];
      if (!is_whole) break;
      inverse[i] = 1.0 / values[i];
      condition = values[i] / values[0];
    }
    matrix = svd.matrixV() * inverse.asDiagonal() * svd.matrixU().transpose();
  }
};

/// z(x) = (cos u_iᵀx, sin u_iᵀx)/sqrt(D). The frequencies of feature j are D normals drawn from the seed and j, times
/// 1/σ for the Gaussian kernel, and for the Laplacian one times γ/|n_i|.
class LiteralFourier {
 public:
  LiteralFourier(const FogdOptions& o, std::size_t features) : u_(o.frequencies, Vector(features)) {
    const auto normals = [&](std::uint64_t number) {
      LearnerRandom random(SplitMix64(o.seed + SplitMix64(number)())());
      std::vector<double> drawn;
      for (std::size_t i = 0; i < o.frequencies; ++i) drawn.push_back(random.normal());
      return drawn;
    };
    const std::vector<double> divisors = normals(std::uint64_t{1} << 32U);
    for (std::size_t j = 0; j < features; ++j) {
      const std::vector<double> drawn = normals(j);
      for (std::size_t i = 0; i < o.frequencies; ++i) {
        const bool is_gaussian = o.kernel.kind() == Kernel::Kind::kGaussian;
        u_[i][j] = drawn[i] / o.kernel.sigma() / (is_gaussian ? 1.0 : std::fabs(divisors[i]));
      }
    }
  }
  [[nodiscard]] Eigen::VectorXd zero() const { return Eigen::VectorXd::Zero(static_cast<Eigen::Index>(2 * u_.size())); }
  [[nodiscard]] Eigen::VectorXd of(const Vector& x) const {
    Eigen::VectorXd z = zero();
    for (std::size_t i = 0; i < u_.size(); ++i) {
      z[static_cast<Eigen::Index>(2 * i)] = std::cos(dot(u_[i], x));
      z[static_cast<Eigen::Index>(2 * i + 1)] = std::sin(dot(u_[i], x));
    }
    return z / std::sqrt(static_cast<double>(u_.size()));
  }

 private:
  std::vector<Vector> u_;
};

/// w ← w − η g z(x), g being the slope of the loss.
class LiteralFogd final : public LiteralLearner {
 public:
  LiteralFogd(const FogdOptions& options, std::size_t features)
      : o_(options), map_(options, features), w_(map_.zero()) {}
  [[nodiscard]] std::size_t size() const override { return 0; }
  [[nodiscard]] std::optional<double> norm() const override { return w_.norm(); }

 protected:
  double round(const Vector& x, double y) override {
    const Eigen::VectorXd z = map_.of(x);
    const double score = w_.dot(z);
    const double slope = slope_of(o_.loss, score, y);
    if (slope != 0.0) w_ += step_of(o_.loss, slope, literal_rate(o_.step.value(), o_.horizon, t()), 1.0) * z;
    return score;
  }

 private:
  FogdOptions o_;
  LiteralFourier map_;
  Eigen::VectorXd w_;
};

/// With g the slope of the loss, f ← f − η g κ(x,·) where it is not 0 until B rows are stored; then, with the r largest
/// eigenvalues Λ of their Gram matrix and the eigenvectors V, φ(x) = Λ^(−1/2) Vᵀ k(x), w = Λ^(1/2) Vᵀ a, and w ← w − η
/// g φ(x).
class LiteralNogd final : public LiteralLearner {
 public:
  LiteralNogd(const NogdOptions& options, std::size_t rank) : o_(options), rank_(rank), f_(options.kernel) {}
  [[nodiscard]] std::size_t size() const override { return f_.size(); }
  [[nodiscard]] std::optional<double> norm() const override { return built_ ? std::optional(w_.norm()) : std::nullopt; }

 protected:
  double round(const Vector& x, double y) override {
    const double rate = literal_rate(o_.step.value(), o_.horizon, t());
    if (built_) {
      const Eigen::VectorXd phi = eigenvalues_.cwiseSqrt().cwiseInverse().asDiagonal() * eigenvectors_.transpose() *
                                  literal_kernel_row(o_.kernel, f_.x, x);
      const double score = w_.dot(phi);
      const double slope = slope_of(o_.loss, score, y);
      if (slope != 0.0) w_ += step_of(o_.loss, slope, rate, f_.kappa(x, x)) * phi;
      return score;
    }
    const double score = f_.at(x);
    const double slope = slope_of(o_.loss, score, y);
    if (slope != 0.0) {
      f_.add(x, step_of(o_.loss, slope, rate, f_.kappa(x, x)));
      if (f_.size() == o_.budget) build();
    }
    return score;
  }

 private:
  void build() {
    const LiteralEigen eigen(literal_gram(o_.kernel, f_.x), rank_, 1e-12);
    // The features are divided by the root of an eigenvalue, and the span is that of eigenvectors.
    decided_at(1e-3 * eigen.gap);
    eigenvalues_ = eigen.values;
    eigenvectors_ = eigen.vectors;
    w_ = eigenvalues_.cwiseSqrt().asDiagonal() * eigenvectors_.transpose() *
         Eigen::Map<const Eigen::VectorXd>(f_.a.data(), static_cast<Eigen::Index>(f_.size()));
    built_ = true;
  }

  NogdOptions o_;
  std::size_t rank_;
  LiteralFunction f_;
  bool built_ = false;
  Eigen::VectorXd eigenvalues_;   // Λ
  Eigen::MatrixXd eigenvectors_;  // V
  Eigen::VectorXd w_;
};

struct LiteralSketchSizes {
  std::size_t samples;  // s_b
  std::size_t columns;  // s_a
  std::size_t rank;     // of a rebuilt map
  std::uint64_t cycle;  // violations between rebuilds
};

/// Written with y for −g, g being the slope of the loss, and a violation for a round in which that is not 0:
/// f ← f + η y κ(x,·) on a violation until B rows are stored: then S_b samples columns and S_a is drawn. The next
/// violation whose k_b(x) is not 0 makes Q = Φ_ab⁺ V Σ^(1/2) from Φ_aa = S_aᵀKS_a = VΣVᵀ and Φ_ab = S_aᵀKS_b, and
/// w = f(x)φ(x)/‖φ(x)‖² + η y φ(x), φ(x) = k_b(x)Q. Later violations move w by η y φ(x). After each `cycle` of them the
/// row of the last joins K and S_a, and Q and w are made anew: w' = Q'⁺Qw.
class LiteralSkegd final : public LiteralLearner {
 public:
  LiteralSkegd(const SkegdOptions& options, const LiteralSketchSizes& sizes)
      : o_(options), sizes_(sizes), f_(options.kernel), random_(options.seed) {}
  [[nodiscard]] std::size_t size() const override { return f_.size(); }
  [[nodiscard]] std::optional<double> norm() const override { return built_ ? std::optional(w_.norm()) : std::nullopt; }
  /// How often the map was made anew.
  [[nodiscard]] std::uint64_t rebuilds() const { return rebuilds_; }

 protected:
  double round(const Vector& x, double y) override {
    const double rate = literal_rate(o_.step.value(), o_.horizon, t());
    const Eigen::VectorXd k_b = literal_kernel_row(o_.kernel, sampled_, x);
    const double score = built_ ? w_.dot(q_.transpose() * k_b) : f_.at(x);
    const double slope = slope_of(o_.loss, score, y);
    if (slope == 0.0) return score;
    const double step = step_of(o_.loss, slope, rate, f_.kappa(x, x));
    if (built_) {
      w_ += step * q_.transpose() * k_b;
      if (++violations_ == sizes_.cycle) rebuild(x);
    } else if (f_.size() < o_.budget) {
      f_.add(x, step);
      if (f_.size() == o_.budget) draw();
    } else if (k_b.norm() > 1e-12) {
      q_ = map(std::numeric_limits<std::size_t>::max());
      built_ = true;
      const Eigen::VectorXd phi = product(q_.transpose(), k_b);
      w_ = step * phi;
      if (phi.norm() > 1e-12) w_ += score * phi / phi.squaredNorm();
    }
    return score;
  }

 private:
  std::vector<std::uint64_t> draw_different(std::size_t count, std::size_t size) {
    std::vector<std::uint64_t> numbers(size);
    std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
    for (std::size_t i = 0; i < count; ++i) std::swap(numbers[i], numbers[i + random_.below(size - i)]);
    numbers.resize(count);
    return numbers;
  }

  void draw() {
    for (const std::uint64_t i : draw_different(std::min(sizes_.samples, f_.size()), f_.size())) {
      sampled_.push_back(f_.x[i]);
      sample_.push_back(i);
    }
    for (std::size_t i = 0; i < f_.size(); ++i) draw_row();
  }

  // One more row of S_a: its columns, then their signs.
  void draw_row() {
    const std::size_t d = std::min(o_.nonzeros, sizes_.columns);
    const auto columns = draw_different(d, sizes_.columns);
    Eigen::VectorXd row = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(sizes_.columns));
    for (const std::uint64_t column : columns) {
      row[static_cast<Eigen::Index>(column)] = (random_.chance(0.5) ? 1.0 : -1.0) / std::sqrt(static_cast<double>(d));
    }
    sketch_.push_back(row);
  }

  // Q, with at most `rank` columns.
  Eigen::MatrixXd map(std::size_t rank) {
    const auto n = static_cast<Eigen::Index>(f_.size());
    Eigen::MatrixXd s_a(n, static_cast<Eigen::Index>(sizes_.columns));
    for (Eigen::Index i = 0; i < n; ++i) s_a.row(i) = sketch_[static_cast<std::size_t>(i)];
    Eigen::MatrixXd s_b = Eigen::MatrixXd::Zero(n, static_cast<Eigen::Index>(sampled_.size()));
    for (std::size_t j = 0; j < sampled_.size(); ++j) {
      s_b(static_cast<Eigen::Index>(sample_[j]), static_cast<Eigen::Index>(j)) = 1.0;
    }
    const Eigen::MatrixXd k = literal_gram(o_.kernel, f_.x);
    const Eigen::MatrixXd aa = s_a.transpose() * k * s_a;
    const Eigen::MatrixXd ab = s_a.transpose() * k * s_b;
    const LiteralEigen eigen(aa, rank, 1e-12);
    const LiteralInverse inverse(ab, 1e-10);
    // The inverse multiplies rounding errors by its condition; and where the signs of S_a have made all of K cancel,
    // there is nothing else to invert.
    decided_at(1e-5 * std::min({eigen.gap, inverse.condition, aa.norm() / k.norm(), ab.norm() / k.norm()}));
    const Eigen::MatrixXd roots = eigen.vectors * eigen.values.cwiseSqrt().asDiagonal();
    return product(inverse.matrix, roots);
  }

  // a·b, which a later division may need to be more than the rounding errors of the sums in it.
  Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    Eigen::MatrixXd c = a * b;
    const double terms = a.norm() * b.norm();
    if (terms > 0.0) decided_at(1e-5 * c.norm() / terms);
    return c;
  }

  void rebuild(const Vector& x) {
    f_.add(x, 0.0);
    draw_row();
    const Eigen::MatrixXd q = map(sizes_.rank);
    const LiteralInverse inverse(q, 1e-12);
    // Without a direction in Q' rounding errors decide what w' is there, though no score sees it.
    decided_at(inverse.is_whole ? 1e-5 * inverse.condition : 0.0);
    w_ = inverse.matrix * (q_ * w_);
    q_ = q;
    violations_ = 0;
    ++rebuilds_;
  }

  SkegdOptions o_;
  LiteralSketchSizes sizes_;
  LiteralFunction f_;
  LearnerRandom random_;
  std::vector<Vector> sampled_;
  std::vector<std::uint64_t> sample_;    // which of the stored rows they are: S_b
  std::vector<Eigen::VectorXd> sketch_;  // the rows of S_a
  bool built_ = false;
  Eigen::MatrixXd q_;
  Eigen::VectorXd w_;
  std::uint64_t violations_ = 0;
  std::uint64_t rebuilds_ = 0;
};

}  // namespace alder::testing
