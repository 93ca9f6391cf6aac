// A bound on the decrease of an impurity that takes few operations: for columns that cannot win.
#pragma once

#include <vector>

namespace thriftree {

// With d_k = L_k - share_k l, what class k has on the left beyond its share of the weight l that is there
// (and lacks on the right, of weight r): node.total * decrease is at most S / l + S / r, S the sum of
// factor_k d_k^2; and of these two no more than most * l and most * r. Of numbers there is one d, the sum of
// w (y - mean) on the left, and S / l, S / r are no more than the sums of w (y - mean)^2 on either side.
struct SquareBound {
  std::vector<double> share, factor;  // by class; empty for numbers
  double most = 0;
  double mean = 0;  // of numbers
};

}  // namespace thriftree
