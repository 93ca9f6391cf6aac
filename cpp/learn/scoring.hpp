// From the parameters of a fit to the score of its tests.
#pragma once

#include <memory>

#include "criterion/score.hpp"
#include "learn/options.hpp"
#include "table/target.hpp"

namespace thriftree {

// The score that candidates are chosen by, on the impurity that the tree reports.
std::unique_ptr<Score> score_of(const LearnOptions& options, double trade_off, const TargetHeader& target);

}  // namespace thriftree
