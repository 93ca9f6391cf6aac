// One test's score on one set of objects, from the definitions' own inputs: for tests, studies and the
// curious.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "criterion/enhanced.hpp"

namespace thriftree {

// Objects by label, weight and the test's outcome, which may be any numbers from 0 on; theta is a weight.
// Throws BadInput for lengths that differ, labels, outcomes or weights that are none, and no weight at all.
EnhancedTerms terms_of_test(std::span<const std::int32_t> labels, std::int32_t n_classes,
                            std::span<const double> weights, std::span<const std::int32_t> outcome,
                            double theta, const std::string& impurity);

}  // namespace thriftree
