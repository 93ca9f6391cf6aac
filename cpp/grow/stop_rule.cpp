#include "grow/stop_rule.hpp"

#include <algorithm>

namespace thriftree {

bool StopRules::end(const GrowthNode& node, const Growth& growth) const {
  return std::any_of(rules_.begin(), rules_.end(),
                     [&](const auto& rule) { return rule->ends(node, growth); });
}

bool StopRules::refuse(const GrowthNode& node, const Growth& growth) const {
  return std::any_of(rules_.begin(), rules_.end(),
                     [&](const auto& rule) { return rule->refuses(node, growth); });
}

}  // namespace thriftree
