"""Pictures, drawn with matplotlib (the extra `thriftree[plot]`)."""

from thriftree.plot.error_cost import plot_error_cost
from thriftree.plot.front import plot_frontier

__all__ = ["plot_error_cost", "plot_frontier"]
