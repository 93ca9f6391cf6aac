#include "grow/nothing_left.hpp"
#include "grow/stop_rule.hpp"
#include "run/control.hpp"

namespace thriftree {

#define THRIFTREE_STOP_RULES(X) \
  X(max_depth_entry)            \
  X(min_mass_entry)             \
  X(min_decrease_entry)

#define DECLARE(entry) StopRuleEntry entry();
THRIFTREE_STOP_RULES(DECLARE)
#undef DECLARE

const std::vector<StopRuleEntry>& stop_rule_entries() {
#define LIST(entry) entry(),
  static const std::vector<StopRuleEntry> entries{THRIFTREE_STOP_RULES(LIST)};
#undef LIST
  return entries;
}

StopRules make_stop_rules(const ParameterValues& values, const Score& score) {
  StopRules rules;
  rules.add(make_nothing_left());
  std::size_t n_known = 0;
  std::string names;
  for (const StopRuleEntry& entry : stop_rule_entries()) {
    const ParameterValues checked = checked_values({entry.parameter}, values);
    if (auto rule = entry.make(checked.at(entry.parameter.name))) rules.add(std::move(rule));
    n_known += values.count(entry.parameter.name);
    names += (names.empty() ? "" : ", ") + entry.parameter.name;
  }
  if (n_known < values.size()) throw BadInput("stop rules have the parameters " + names + ", and no other");
  rules.add(make_score_satisfied(score));
  return rules;
}

}  // namespace thriftree
