// The rules of every fit, which have no parameter.
#pragma once

#include "grow/stop_rule.hpp"

namespace thriftree {

// One class, one object, or no column that varies.
std::unique_ptr<StopRule> make_nothing_left();
// The score says that the node is good enough; it must outlive the rule.
std::unique_ptr<StopRule> make_score_satisfied(const Score& score);

}  // namespace thriftree
