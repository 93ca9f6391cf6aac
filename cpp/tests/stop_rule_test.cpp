// Stop rules, found by their registry.
#include "grow/stop_rule.hpp"

#include <cmath>
#include <string>

#include "criterion/score_registry.hpp"
#include "grow_table.hpp"
#include "refused.hpp"
#include "run/control.hpp"
#include "testing.hpp"

using namespace thriftree;
using namespace thriftree::testing;

namespace {

// A root and a child, of 10 and 4 rows, that could be divided.
Growth two_nodes() {
  Growth growth;
  growth.nodes.resize(2);
  const auto columns = std::make_shared<const std::vector<std::uint32_t>>(1, 0U);
  for (std::size_t i = 0; i < 2; ++i) {
    GrowthNode& node = growth.nodes[i];
    node.depth = static_cast<int>(i);
    node.columns = columns;
    node.totals.rows = node.totals.objects = i == 0 ? 10 : 4;
    node.totals.weight = node.totals.total = i == 0 ? 10 : 4;
    node.totals.sums = {node.totals.total / 2, node.totals.total / 2};
    node.choice = Choice{};
    node.choice->decrease = 0.1;
  }
  growth.total = growth.sample_total = 10;
  return growth;
}

std::unique_ptr<Score> gini_score() {
  std::mt19937 random(1);
  return make_score({}, random_classes(random, 10, 2, false));
}

}  // namespace

TEST(the_default_of_every_stop_rule_stops_nothing) {
  const Growth growth = two_nodes();
  for (const StopRuleEntry& entry : stop_rule_entries())
    CHECK(entry.make(entry.parameter.default_value) == nullptr);
  const auto score = gini_score();
  const StopRules rules = make_stop_rules({}, *score);
  for (const GrowthNode& node : growth.nodes) CHECK(!rules.end(node, growth) && !rules.refuse(node, growth));
}

TEST(a_value_that_is_no_number_is_refused_with_the_name_of_its_parameter) {
  const auto score = gini_score();
  for (const StopRuleEntry& entry : stop_rule_entries()) {
    std::string message;
    try {
      make_stop_rules({{entry.parameter.name, std::nan("")}}, *score);
    } catch (const BadInput& error) {
      message = error.what();
    }
    CHECK(message.find(entry.parameter.name + " must") == 0);
  }
}

TEST(a_value_outside_the_declared_range_is_refused) {
  const auto score = gini_score();
  const auto is_refused = [&](const ParameterValues& values) {
    return refused([&] { make_stop_rules(values, *score); });
  };
  CHECK(is_refused({{"max_depth", -2}}) && is_refused({{"max_depth", 1.5}}) &&
        !is_refused({{"max_depth", -1}}));
  CHECK(is_refused({{"min_mass", 1.1}}) && is_refused({{"min_mass", -0.1}}) &&
        !is_refused({{"min_mass", 1}}));
  CHECK(is_refused({{"max_weight", 1}}));
}

TEST(a_node_ends_or_its_test_is_refused_by_the_rule_whose_bound_it_reaches) {
  const auto score = gini_score();
  const Growth growth = two_nodes();
  const GrowthNode &root = growth.nodes[0], &child = growth.nodes[1];
  const auto ends = [&](const ParameterValues& values, const GrowthNode& node) {
    return make_stop_rules(values, *score).end(node, growth);
  };
  CHECK(ends({{"max_depth", 1}}, child) && !ends({{"max_depth", 1}}, root));
  CHECK(ends({{"max_depth", 0}}, root));
  CHECK(ends({{"min_mass", 0.4}}, child) && !ends({{"min_mass", 0.39}}, child));
  const StopRules least = make_stop_rules({{"min_decrease", 0.05}}, *score);
  CHECK(!least.end(child, growth) && least.refuse(child, growth) && !least.refuse(root, growth));
}

TEST(a_node_ends_where_nothing_is_left_to_tell_apart) {
  const auto score = gini_score();
  const StopRules rules = make_stop_rules({}, *score);
  Growth growth = two_nodes();
  growth.nodes[1].totals.pure = true;
  CHECK(rules.end(growth.nodes[1], growth));
  growth = two_nodes();
  growth.nodes[1].totals.objects = 1;
  CHECK(rules.end(growth.nodes[1], growth));
  growth = two_nodes();
  growth.nodes[1].columns = std::make_shared<const std::vector<std::uint32_t>>();
  CHECK(rules.end(growth.nodes[1], growth));
}

TEST(a_node_ends_where_the_score_is_satisfied) {
  std::mt19937 random(2);
  ScoreRequest request;
  request.score = "worst_case";
  request.values = {{"tolerance", 4}};
  request.set_function = [] { return make_pairs(); };
  const auto score = make_score(request, random_classes(random, 10, 2, false));
  const StopRules rules = make_stop_rules({}, *score);
  const Growth growth = two_nodes();  // 25 pairs and 4
  CHECK(!rules.end(growth.nodes[0], growth) && rules.end(growth.nodes[1], growth));
}
