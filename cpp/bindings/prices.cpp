// The rules of prices: what a path pays, what a tree costs.
#include "price/prices.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bindings/arrays.hpp"
#include "bindings/tree_structure.hpp"
#include "price/test_prices.hpp"
#include "price/tree_price.hpp"
#include "tree/validate.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace thriftree::bindings {

namespace {

using Columns = std::vector<std::uint32_t>;

constexpr auto kOwned = nb::rv_policy::automatic;  // arrays that own what they hold

Array<bool> to_numpy_flags(const std::vector<bool>& flags, std::size_t n) {
  std::vector<std::uint8_t> bytes(flags.begin(), flags.end());
  bytes.resize(n);
  auto kept = std::make_unique<std::vector<std::uint8_t>>(std::move(bytes));
  auto* data = reinterpret_cast<bool*>(kept->data());
  nb::capsule owner(kept.release(),
                    [](void* p) noexcept { delete static_cast<std::vector<std::uint8_t>*>(p); });
  return Array<bool>(data, {n}, owner);
}

void check_column(const PriceRules& rules, std::size_t column) {
  if (column >= rules.own.size()) throw nb::index_error("no such column");
}

void check_columns(const PriceRules& rules, const Columns& columns) {
  for (const std::uint32_t column : columns) check_column(rules, column);
}

void register_outcomes(nb::module_& m) {
  nb::class_<OutcomePrices>(m, "OutcomePrices", "Prices of one column that depend on its outcome.")
      .def_static("of_codes", &OutcomePrices::of_codes, "prices"_a, "highest"_a, "least"_a,
                  "A price for each code; highest and least count categories that have no code, too.")
      .def_static("of_steps", &OutcomePrices::of_steps, "up_to"_a, "prices"_a,
                  "prices[i] up to and including up_to[i], the last price above all of them.")
      .def_prop_ro("has_codes", &OutcomePrices::has_codes, "Outcomes are codes of categories, not numbers.")
      .def_prop_ro("highest", &OutcomePrices::highest)
      .def_prop_ro("least", &OutcomePrices::least)
      .def_prop_ro(
          "up_to", [](const OutcomePrices& self) { return to_numpy(self.up_to()); }, kOwned)
      .def_prop_ro(
          "prices", [](const OutcomePrices& self) { return to_numpy(self.prices()); }, kOwned)
      .def(
          "of",
          [](const OutcomePrices& self, nb::handle outcomes) {
            std::vector<double> prices = to_vector<double>(outcomes, "float64");
            for (double& price : prices) price = self.of(price);
            return to_numpy(std::move(prices));
          },
          "outcomes"_a,
          "The price of each: numbers, NaN missing; or codes, and any other number has no code. What has no "
          "price costs as much as the most expensive.")
      .def("highest_between", &OutcomePrices::highest_between, "low"_a, "high"_a,
           "The highest price of outcomes above low and up to high.");
}

void register_rules(nb::module_& m) {
  nb::class_<PriceRules>(m, "PriceRules", "Prices of tests, and the rules by which a path pays.")
      .def(
          "__init__",
          [](PriceRules* self, std::vector<double> own, std::vector<std::int32_t> group,
             std::vector<double> setup, std::vector<bool> known, bool pay_once, double asking, bool read,
             bool free_first, std::vector<std::vector<double>> by_code, double budget,
             std::vector<bool> delayed, bool order_all,
             std::vector<std::pair<std::uint32_t, OutcomePrices>> outcomes, std::uint32_t read_at_most) {
            Prices checked({.own = std::move(own),
                            .group = std::move(group),
                            .setup = std::move(setup),
                            .known = std::move(known),
                            .pay_once = pay_once,
                            .asking = asking,
                            .read = read,
                            .read_at_most = read_at_most,
                            .free_first = free_first,
                            .by_code = std::move(by_code),
                            .budget = budget,
                            .delayed = std::move(delayed),
                            .order_all = order_all,
                            .outcomes = std::move(outcomes)});
            new (self) PriceRules(checked.rules());
          },
          "own"_a, "group"_a, "setup"_a, "known"_a, "pay_once"_a = true, "asking"_a = 0.0, "read"_a = false,
          "free_first"_a = false, "by_code"_a = std::vector<std::vector<double>>(),
          "budget"_a = std::numeric_limits<double>::infinity(), "delayed"_a = std::vector<bool>(),
          "order_all"_a = false, "outcomes"_a = std::vector<std::pair<std::uint32_t, OutcomePrices>>(),
          "read_at_most"_a = std::numeric_limits<std::uint32_t>::max())
      .def_prop_ro(
          "own", [](const PriceRules& self) { return to_numpy(std::vector(self.own)); }, kOwned)
      .def_prop_ro(
          "group", [](const PriceRules& self) { return to_numpy(std::vector(self.group)); }, kOwned)
      .def_prop_ro(
          "setup", [](const PriceRules& self) { return to_numpy(std::vector(self.setup)); }, kOwned)
      .def_prop_ro(
          "known", [](const PriceRules& self) { return to_numpy_flags(self.known, self.own.size()); }, kOwned)
      .def_prop_ro(
          "delayed", [](const PriceRules& self) { return to_numpy_flags(self.delayed, self.own.size()); },
          kOwned)
      .def_ro("pay_once", &PriceRules::pay_once)
      .def_ro("order_all", &PriceRules::order_all)
      .def_ro("asking", &PriceRules::asking)
      .def_ro("read", &PriceRules::read)
      .def_ro("read_at_most", &PriceRules::read_at_most)
      .def_ro("free_first", &PriceRules::free_first)
      .def_ro("outcomes", &PriceRules::outcomes)
      .def(
          "for_growing",
          [](const PriceRules& self, std::vector<std::vector<double>> by_code, double budget) {
            PriceRules rules = self;
            rules.by_code = std::move(by_code);
            rules.budget = budget;
            return Prices(std::move(rules)).rules();
          },
          "by_code"_a, "budget"_a, "The same with own prices by the codes of one table, and a budget.")
      .def(
          "without_delay",
          [](const PriceRules& self) {
            PriceRules rules = self;
            rules.delayed.clear();
            return rules;
          },
          "The same where every result is there at once.")
      .def(
          "paid_once",
          [](const PriceRules& self) {
            PriceRules rules = self;
            rules.pay_once = true;
            return rules;
          },
          "The same where no feature is paid twice.")
      .def(
          "marginal",
          [](const PriceRules& rules, const Columns& path) {
            check_columns(rules, path);
            std::vector<PathStep> steps;
            for (std::uint32_t column : path) steps.push_back({column, 0});
            std::vector<double> prices(rules.own.size());
            TestPrices(rules).marginal(steps, prices);
            return prices;
          },
          "path"_a,
          "What a score divides by at each column after the columns of `path` have been tested: asking and "
          "the test; infinity beyond the budget.");
}

void register_states(nb::module_& m) {
  nb::class_<PathState>(m, "PathState", "What a path has paid for; `Prices` reads it.")
      .def(nb::init<>())
      .def(
          "__eq__",
          [](const PathState& self, nb::handle other) {
            return nb::isinstance<PathState>(other) && self == nb::cast<const PathState&>(other);
          },
          "other"_a.none())
      .def("__hash__", [](const PathState& self) { return self.hash(); });
}

double marginal(const Prices& self, const PathState& path, std::uint32_t column,
                std::optional<double> outcome) {
  check_column(self.rules(), column);
  return outcome ? self.marginal(path, column, *outcome) : self.marginal(path, column);
}

std::vector<double> marginals(const Prices& self, const PathState& path) {
  std::vector<double> prices(self.n_columns());
  for (std::size_t column = 0; column < prices.size(); ++column) prices[column] = self.marginal(path, column);
  return prices;
}

PathState ask(const Prices& self, PathState path, std::uint32_t column, Columns still_open) {
  check_column(self.rules(), column);
  check_columns(self.rules(), still_open);
  still_open.insert(still_open.begin(), column);
  self.ask(path, column, [&] { return still_open; }, [](std::size_t, const Prices::Due&) {});
  return path;
}

PathState order(const Prices& self, PathState path, const Columns& columns) {
  check_columns(self.rules(), columns);
  self.order(path, columns, [](std::size_t, const Prices::Due&) {});
  return path;
}

double between(const Prices& self, const PathState& before, const PathState& after,
               const std::map<std::uint32_t, double>& own) {
  std::vector<double> prices = self.rules().own;
  for (const auto& [column, price] : own) {
    check_column(self.rules(), column);
    prices[column] = price;
  }
  return self.between(before, after, prices);
}

// A tree and its price, so that leaves and weights are at hand.
struct PricedTree {
  PriceRules rules;
  Tree tree;  // its structure and weights only
  TreePrice price;
};

Tree structure_of(nb::handle tree) {
  const auto array = [&](const char* name) -> nb::object { return tree.attr(name); };
  Tree read = read_structure({array("parent"), array("kind"), array("column"), array("missing"),
                              array("other"), array("child_begin"), array("children"), array("key_begin"),
                              array("keys"), array("to_begin"), array("to"), array("weight")});
  for (const std::int32_t column : read.column) read.n_columns = std::max(read.n_columns, column + 1);
  validate_structure(read);
  return read;
}

PricedTree price_of(const Prices& self, nb::handle tree) {
  PricedTree priced{self.rules(), structure_of(tree), {}};
  nb::gil_scoped_release unlocked;
  priced.price = price_tree(priced.tree, self);
  return priced;
}

Array<double> of_rows(const PricedTree& self, const Vector<std::int64_t>& leaf,
                      const std::vector<std::optional<Vector<double>>>& outcomes) {
  for (const std::int64_t node : span_of(leaf)) {
    if (node < 0 || static_cast<std::size_t>(node) >= self.tree.n_nodes())
      throw nb::index_error("no such leaf");
  }
  if (outcomes.size() != self.price.n_outcomes)
    throw BadInput("outcomes must have one entry per priced column");
  std::vector<std::span<const double>> values;
  for (std::size_t slot = 0; slot < outcomes.size(); ++slot) {
    values.push_back(outcomes[slot] ? span_of(*outcomes[slot]) : std::span<const double>());
    if (values.back().size() == leaf.size()) continue;
    for (const std::int64_t node : span_of(leaf)) {
      if (self.price.times[static_cast<std::size_t>(node) * outcomes.size() + slot] > 0)
        throw BadInput("the price of column " + std::to_string(self.rules.outcomes[slot].first) +
                       " depends on its outcome: give its value in each row");
    }
  }
  return to_numpy(price_rows(self.price, self.rules, span_of(leaf), values));
}

void register_trees(nb::module_& m) {
  nb::class_<PricedTree>(m, "TreePrice", "What a tree costs, node by node.")
      .def_prop_ro(
          "paid", [](const PricedTree& self) { return to_numpy(std::vector(self.price.paid)); }, kOwned,
          "Per node: paid on arrival, at the most expensive outcomes that lead there.")
      .def_prop_ro(
          "marginal", [](const PricedTree& self) { return to_numpy(std::vector(self.price.marginal)); },
          kOwned, "Per node: what its test, and the order it may set off, adds; 0 at leaves.")
      .def_prop_ro(
          "fixed", [](const PricedTree& self) { return to_numpy(std::vector(self.price.fixed)); }, kOwned,
          "Per node: the part of `paid` that no outcome changes.")
      .def_prop_ro(
          "times",
          [](const PricedTree& self) {
            return to_numpy(std::vector(self.price.times), {self.tree.n_nodes(), self.price.n_outcomes});
          },
          kOwned, "Node x column whose price depends on the outcome: how often arriving has paid for it.")
      .def_prop_ro(
          "bought", [](const PricedTree& self) { return to_numpy(std::vector(self.price.bought)); }, kOwned,
          "Per node: for how many columns its test pays.")
      .def_prop_ro(
          "varies",
          [](const PricedTree& self) { return to_numpy_flags(self.price.varies, self.tree.n_nodes()); },
          kOwned, "Per node: whether the price of one of these depends on its outcome.")
      .def_prop_ro("worst_case", [](const PricedTree& self) { return self.price.worst_case(self.tree); })
      .def_prop_ro("expected", [](const PricedTree& self) { return self.price.expected(self.tree); })
      .def(
          "arrived",
          [](const PricedTree& self, std::int32_t node) {
            if (node < 0 || static_cast<std::size_t>(node) >= self.tree.n_nodes())
              throw nb::index_error("no such node");
            return self.price.arrived[static_cast<std::size_t>(node)];
          },
          "node"_a, "What every row that reaches the node has bought.")
      .def("of_rows", &of_rows, "leaf"_a, "outcomes"_a,
           "What each row pays, given its leaf, and its values in the columns whose price depends on them.");
}

}  // namespace

void register_prices(nb::module_& m) {
  register_outcomes(m);
  register_rules(m);
  register_states(m);
  register_trees(m);
  m.def("within_budget", &within_budget, "amount"_a, "budget"_a, "Whether a path may cost so much.");
  nb::class_<Prices>(m, "Prices", "What paths and trees pay by some rules. Asking is in none of its prices.")
      .def(nb::init<PriceRules>(), "rules"_a)
      .def_prop_ro("rules", &Prices::rules)
      .def("marginal", &marginal, "path"_a, "column"_a, "outcome"_a = nb::none(),
           "What testing the column adds to the price of the path, at the most expensive outcome or at this "
           "one.")
      .def(
          "marginals",
          [](const Prices& self, const PathState& path) { return to_numpy(marginals(self, path)); }, "path"_a,
          "The same for every column.")
      .def(
          "least",
          [](const Prices& self, std::uint32_t column) {
            check_column(self.rules(), column);
            return self.least(column);
          },
          "column"_a, "The least that a test of the column costs beside its group's set-up.")
      .def(
          "visit",
          [](const Prices& self, PathState path, std::uint32_t column) {
            check_column(self.rules(), column);
            self.visit(path, column);
            return path;
          },
          "path"_a, "column"_a, "The path after it has tested the column.")
      .def("ask", &ask, "path"_a, "column"_a, "still_open"_a,
           "The path after the column was asked for; if that places an order, it is of what these columns "
           "need.")
      .def("order", &order, "path"_a, "columns"_a, "The path after an order of tests of these columns.")
      .def(
          "places_order",
          [](const Prices& self, const PathState& path, std::uint32_t column) {
            check_column(self.rules(), column);
            return self.places_order(path, column);
          },
          "path"_a, "column"_a, "Whether asking for the column would place an order.")
      .def("has_ordered", &Prices::has_ordered, "path"_a)
      .def(
          "bought",
          [](const Prices& self, const PathState& path) {
            Columns columns;
            for (std::uint32_t column = 0; column < self.n_columns(); ++column) {
              if (self.is_bought(path, column)) columns.push_back(column);
            }
            return columns;
          },
          "path"_a, "The columns that the path has paid for.")
      .def("between", &between, "before"_a, "after"_a, "own"_a = std::map<std::uint32_t, double>(),
           "What `after`, which holds `before`, has paid more, each column once; `own` are prices of columns "
           "whose outcome is known.")
      .def(
          "restricted",
          [](const Prices& self, const PathState& path, const Columns& columns) {
            check_columns(self.rules(), columns);
            return self.restricted(path, columns);
          },
          "path"_a, "columns"_a, "What of the path matters to tests of these columns.")
      .def("below", &Prices::below, "path"_a,
           "The rules below a path: what was bought is known, set-ups that were paid are 0.")
      .def("least_rules", &Prices::least_rules,
           "The rules of bounds: tests at their least prices, paid once and without delay.")
      .def("price", &price_of, "tree"_a, "What a tree costs: any object with a tree's arrays.");
}

}  // namespace thriftree::bindings
