// Eigenvalues and eigenvectors of a symmetric matrix, the same on every CPU: no library whose kernels depend
// on the machine decides a tree.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "run/control.hpp"

namespace thriftree {

struct Eigen {
  std::vector<double> values;  // in no particular order
  std::vector<double>
      vectors;  // vectors[i * n + k] is the i-th component of the k-th vector; each has length 1
};

// `matrix` holds n * n numbers. Householder's reduction to three diagonals, then implicit QL steps.
Eigen eigen_of_symmetric(std::span<const double> matrix, int n, const std::function<void()>& poll);

}  // namespace thriftree
