#pragma once

#include <Eigen/Core>

namespace alder {

/// Decompositions of dense matrices. They take long to compile, so they are compiled once, here.

/// Of a symmetric matrix, of which the lower half is read: eigenvalues in rising order, and a column for each.
struct EigenSystem {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
EigenSystem eigen_system(const Eigen::MatrixXd& symmetric);
/// The eigenvalues alone.
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& symmetric);

/// The shortest x with the least ‖a x − b‖. Singular values below `tolerance` times the largest one are taken as 0.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b, double tolerance);
/// The same for every column of b.
Eigen::MatrixXd least_squares(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, double tolerance);

}  // namespace alder
