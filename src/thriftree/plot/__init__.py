"""Pictures, drawn with matplotlib (the extra `thriftree[plot]`)."""

from thriftree.plot.front import plot_frontier

__all__ = ["plot_frontier"]
