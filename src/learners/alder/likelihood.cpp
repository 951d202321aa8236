#include "learners/alder/likelihood.h"

#include <cassert>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace alder {

using Eigen::Index;
using Eigen::MatrixXf;

struct Likelihood::Room {
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Rows rows;
  MatrixXf outputs;
  Rows scaled;       // e^θ_j x_aj
  MatrixXf kernel;   // K without noise
  MatrixXf inverse;  // K⁻¹, then the weights of the derivatives of K
  MatrixXf solved;   // K⁻¹ y for each output
  Rows products;
};

Likelihood::Likelihood(std::size_t rows, std::size_t features, std::size_t outputs) : room_(std::make_unique<Room>()) {
  const auto n = static_cast<Index>(rows);
  const auto d = static_cast<Index>(features);
  room_->rows.setZero(n, d);
  room_->scaled.setZero(n, d);
  room_->outputs.setZero(n, static_cast<Index>(outputs));
}
Likelihood::~Likelihood() = default;
Likelihood::Likelihood(Likelihood&&) noexcept = default;
Likelihood& Likelihood::operator=(Likelihood&&) noexcept = default;

std::span<float> Likelihood::row(std::size_t a) {
  return {room_->rows.row(static_cast<Index>(a)).data(), static_cast<std::size_t>(room_->rows.cols())};
}
std::span<float> Likelihood::output(std::size_t k) {
  return {room_->outputs.col(static_cast<Index>(k)).data(), static_cast<std::size_t>(room_->outputs.rows())};
}

bool Likelihood::slopes(std::span<const double> parameters, std::size_t outputs, std::span<double> out) {
  Room& r = *room_;
  const Index n = r.rows.rows();
  const Index d = r.rows.cols();
  assert(parameters.size() == static_cast<std::size_t>(d) + 2 && out.size() == parameters.size() && outputs > 0);
  const auto amplitude = static_cast<float>(std::exp(parameters[static_cast<std::size_t>(d)]));
  const auto noise = static_cast<float>(std::exp(parameters[static_cast<std::size_t>(d) + 1]));
  for (Index j = 0; j < d; ++j) {
    r.scaled.col(j) = r.rows.col(j) * static_cast<float>(std::exp(parameters[static_cast<std::size_t>(j)]));
  }
  r.kernel.setZero(n, n);
  r.kernel.selfadjointView<Eigen::Lower>().rankUpdate(r.scaled);
  const Eigen::VectorXf norms = r.kernel.diagonal();
  for (Index b = 0; b < n; ++b) {
    const Index below = n - b;
    auto column = r.kernel.col(b).tail(below).array();
    column = amplitude * (-0.5F * (norms.tail(below).array() + norms[b] - 2.0F * column).max(0.0F)).exp();
    r.kernel(b, b) = amplitude;
  }
  r.kernel.triangularView<Eigen::StrictlyUpper>() = r.kernel.transpose();
  r.inverse = r.kernel;
  r.inverse.diagonal().array() += noise;
  const Eigen::LLT<Eigen::Ref<MatrixXf>> factor(r.inverse);
  if (factor.info() != Eigen::Success) return false;
  MatrixXf inverse = MatrixXf::Identity(n, n);
  factor.solveInPlace(inverse);
  const auto y = r.outputs.leftCols(static_cast<Index>(outputs));
  r.solved.noalias() = inverse * y;
  // The derivative by anything is ½ Σ_ab (K⁻¹ − mean of K⁻¹ y (K⁻¹ y)ᵀ)_ab ∂K_ab.
  inverse.noalias() -= (1.0F / static_cast<float>(outputs)) * r.solved * r.solved.transpose();
  const double trace = inverse.diagonal().cast<double>().sum();
  out[static_cast<std::size_t>(d) + 1] = 0.5 * noise * trace;
  inverse.diagonal().setZero();
  inverse.array() *= r.kernel.array();
  const Eigen::VectorXf sums = inverse.rowwise().sum();
  out[static_cast<std::size_t>(d)] = 0.5 * (amplitude * trace + sums.cast<double>().sum());
  // ∂K_ab/∂θ_j = −K_ab (z_aj − z_bj)² for z = e^θ x, and Σ_ab w_ab (z_a − z_b)² = 2 (Σ_a Σ_b w_ab z_a² − zᵀ w z).
  r.products.noalias() = inverse * r.scaled;
  for (Index j = 0; j < d; ++j) {
    const auto z = r.scaled.col(j).array();
    out[static_cast<std::size_t>(j)] = -(z * (sums.array() * z - r.products.col(j).array())).cast<double>().sum();
  }
  for (const double slope : out) {
    if (!std::isfinite(slope)) return false;
  }
  return true;
}

}  // namespace alder
