#include "kernel/decompositions.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace alder {
namespace {

template <class B>
B solve(const Eigen::MatrixXd& a, const B& b, double tolerance) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(tolerance);
  decomposition.compute(a);
  return decomposition.solve(b);
}

}  // namespace

EigenSystem eigen_system(const Eigen::MatrixXd& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& symmetric) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
}

Eigen::VectorXd least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b, double tolerance) {
  return solve(a, b, tolerance);
}

Eigen::MatrixXd least_squares(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, double tolerance) {
  return solve(a, b, tolerance);
}

}  // namespace alder
