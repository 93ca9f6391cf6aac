// When a node is a leaf: small rules in one list, which the loop asks.
#pragma once

#include <memory>
#include <vector>

#include "criterion/declared_parameter.hpp"
#include "criterion/score.hpp"
#include "grow/growth.hpp"

namespace thriftree {

class StopRule {
 public:
  virtual ~StopRule() = default;
  // Is the node a leaf, whatever a test could gain?
  virtual bool ends(const GrowthNode& node, const Growth& growth) const {
    (void)node, (void)growth;
    return false;
  }
  // Is the node a leaf because its test, the best there is, gains too little? (It has one.)
  virtual bool refuses(const GrowthNode& node, const Growth& growth) const {
    (void)node, (void)growth;
    return false;
  }
};

class StopRules {
 public:
  void add(std::unique_ptr<StopRule> rule) { rules_.push_back(std::move(rule)); }
  bool end(const GrowthNode& node, const Growth& growth) const;
  bool refuse(const GrowthNode& node, const Growth& growth) const;

 private:
  std::vector<std::unique_ptr<StopRule>> rules_;
};

// A rule with its parameter. To add one: write its file, and add one line to the table in
// stop_rule_registry.cpp. Options, bindings and the estimators' checks read the parameter from here.
struct StopRuleEntry {
  DeclaredParameter parameter;  // the default stops nothing
  std::unique_ptr<StopRule> (*make)(double value) = nullptr;
};

const std::vector<StopRuleEntry>& stop_rule_entries();

// The rules of a fit: nothing left to tell apart, the score is satisfied, and those whose parameter was
// given. `score` must outlive them. Throws BadInput, which names the parameter, for one that no rule
// has, and for a value that is not valid.
StopRules make_stop_rules(const ParameterValues& values, const Score& score);

}  // namespace thriftree
