// How a tree is to be learnt, in a few groups of parameters.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "choose/chooser.hpp"
#include "criterion/score.hpp"
#include "criterion/set_function.hpp"
#include "grow/grow.hpp"
#include "price/test_prices.hpp"
#include "table/objects.hpp"
#include "table/table.hpp"
#include "table/target.hpp"

namespace thriftree {

// What makes a test good.
struct ScoringParameters {
  std::string criterion = "gini";  // the impurity, by name
  std::string score = "impurity";
  double trade_off = 1;  // of score 'enhanced'
  double discrimination_scale = 1;
  bool weighted_pairs = false;  // of score 'impure_pairs'
  double tolerance = 0;         // of score 'worst_case'
  bool objects = false;         // rows of equal codes are one object
};

// Which tests are on offer.
struct TestParameters {
  std::vector<int> candidates;  // by column: bits of CandidateKind
  std::int64_t min_leaf_rows = 1;
  double min_leaf_share = 0;
  bool threshold_penalty = false;
  bool threshold_minimum = false;
  bool average_gain_guard = false;
  // Of tests of categories, see SubsetRules.
  double subset_smoothing = 0;
  std::int64_t subset_min_rows = 1;
  std::int64_t subset_max_categories = -1;  // -1: any number
  double subset_correction = 0;
};

// When a node stays a leaf.
struct StopParameters {
  ParameterValues rules;  // of the stop rules in the registry
  int max_leaves = -1;    // -1: none; else the tree is grown best first
};

// What tests cost.
struct PriceParameters {
  std::optional<std::vector<double>> prices;  // the same everywhere; none: all 1
  std::optional<PriceRules> rules;            // or by what a path has paid
  bool cost_benefit = false;                  // scores are divided by prices
};

// Parts of the loop that the caller brings; an empty one is made from the parameters above. Each is called
// once a tree at most.
struct OwnParts {
  std::function<std::unique_ptr<Score>(const TargetHeader& target)> score;
  std::function<std::unique_ptr<SetFunction>()> set_function;  // for score 'worst_case', which needs one
  std::function<std::unique_ptr<Chooser>(std::span<const Column> columns, Control& control)> chooser;
  std::function<std::unique_ptr<Grower>()> grower;
  std::function<std::unique_ptr<PriceModel>()> price_model;
};

struct LearnOptions {
  ScoringParameters scoring;
  TestParameters tests;
  StopParameters stopping;
  PriceParameters pricing;
  OwnParts parts;
  Start start;                      // where the tree is part of a larger one
  std::vector<double> error_costs;  // empty, or [true * n_classes + predicted]

  // A node of at most this share of the weight that is counted stays a leaf.
  double least_mass() const {
    const auto found = stopping.rules.find("min_mass");
    return found == stopping.rules.end() ? 0 : found->second / start.sample_share;
  }
  // Where objects are counted: what does each weigh? Scores of paper 000 have no class weights but in the
  // impurity. What counts objects can let all weigh 1, which is quicker. A share of the weight that a leaf
  // must keep is one of the classes' weights, as in scikit-learn: where it is asked for, all go by these.
  ObjectsWeigh objects_weigh() const {
    const std::string& score = scoring.score;
    if (tests.min_leaf_share > 0) return ObjectsWeigh::growth;
    if (score == "enhanced" || score == "impure_pairs" || score == "balance") return ObjectsWeigh::samples;
    return score == "worst_case" ? ObjectsWeigh::alike : ObjectsWeigh::growth;
  }
  // And does it matter how many rows each has?
  bool members_matter() const { return tests.min_leaf_rows > 1 || tests.subset_min_rows > 1; }
};

}  // namespace thriftree
