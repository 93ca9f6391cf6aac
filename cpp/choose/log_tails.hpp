// Logarithms of p-values: of those too small for a float64, and of those too near to 1, as well.
#pragma once

namespace thriftree {

// log P(chi-squared > statistic) with so many degrees of freedom; 0 without one.
double log_p_of_chi2(double statistic, double freedom);

// log P(F > statistic) with these degrees of freedom, both positive; -inf for an infinite statistic.
double log_p_of_f(double statistic, double between, double within);

}  // namespace thriftree
