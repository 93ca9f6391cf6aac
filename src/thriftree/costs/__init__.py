"""What tests cost, and what a tree of tests costs.

`TestCosts` holds the prices and the rules by which they are paid, as its owner writes them. `TestCosts.bind`
fits it to the columns of one table, and `price` gives what a tree costs: per node, per leaf, per row,
expected and at worst.

    >>> from thriftree.costs import Group, TestCosts
    >>> costs = TestCosts(
    ...     {"age": 1.00, "cholesterol": 5.17, "sugar": 3.10},
    ...     groups={"blood": Group(setup=2.10, members=("cholesterol", "sugar"))},
    ... )
    >>> bound = costs.bind(["age", "cholesterol", "sugar"])
    >>> float(bound.setup[bound.group[1]] + bound.own[1])
    7.27
"""

from thriftree.costs.bound import BoundCosts
from thriftree.costs.checks import Feature
from thriftree.costs.model import Group, Steps, TestCosts, as_costs
from thriftree.costs.pricing import OutcomePrices, PathState, PriceRules, Prices, within_budget
from thriftree.costs.tree_price import PriceableTree, TreePrice, price, price_rows

__all__ = [
    "BoundCosts",
    "Feature",
    "Group",
    "OutcomePrices",
    "PathState",
    "PriceRules",
    "PriceableTree",
    "Prices",
    "Steps",
    "TestCosts",
    "TreePrice",
    "as_costs",
    "price",
    "price_rows",
    "within_budget",
]
