"""The one door to the rules of prices: the core has them (cpp/price), each written once.

`PriceRules` are prices and flags as data, `Prices` answers what paths and trees pay by them, and `PathState`
is what a path has paid for.
"""

from thriftree._core import OutcomePrices, PathState, PriceRules, Prices, within_budget
from thriftree._core import TreePrice as PricedNodes

__all__ = ["OutcomePrices", "PathState", "PriceRules", "PricedNodes", "Prices", "within_budget"]
