"""Pictures, drawn with matplotlib (the extra `thriftree[plot]`)."""

from thriftree.plot.critical_difference import plot_critical_difference
from thriftree.plot.error_cost import plot_error_cost
from thriftree.plot.front import plot_frontier
from thriftree.plot.growth_history import plot_growth_history
from thriftree.plot.path import plot_path
from thriftree.plot.search_history import plot_search_history
from thriftree.plot.soft_tree import plot_soft_tree
from thriftree.plot.tree import plot_tree

__all__ = [
    "plot_critical_difference",
    "plot_error_cost",
    "plot_frontier",
    "plot_growth_history",
    "plot_path",
    "plot_search_history",
    "plot_soft_tree",
    "plot_tree",
]
