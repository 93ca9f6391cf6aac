"""What a better tree costs: the trees that no other tree beats, and error against worst-case price."""

from thriftree.tuning.frontier.error_cost import ErrorCostCurve, ErrorCostPoint
from thriftree.tuning.frontier.error_cost_search import error_cost_curve
from thriftree.tuning.frontier.points import Frontier, FrontierPoint
from thriftree.tuning.frontier.search import frontier

__all__ = [
    "ErrorCostCurve",
    "ErrorCostPoint",
    "Frontier",
    "FrontierPoint",
    "error_cost_curve",
    "frontier",
]
