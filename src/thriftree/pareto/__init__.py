"""The trees that no other tree beats on score, expected price, worst-case price and size."""

from thriftree.pareto.points import Frontier, FrontierPoint
from thriftree.pareto.search import frontier

__all__ = ["Frontier", "FrontierPoint", "frontier"]
