"""`leaves` of the regressors: means, or linear models whose penalty and number folds choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils._param_validation import StrOptions

from thriftree.costs import as_costs
from thriftree.learning.leaf_models import LeafReading

if TYPE_CHECKING:
    from thriftree.estimators.parameters import Constraints
    from thriftree.learning.growth import Plan
    from thriftree.learning.sample import Sample
    from thriftree.tuning.linear_leaves import LinearLeaves

LEAVES_PARAMETERS: Constraints = {"leaves": [StrOptions({"constant", "linear"})]}


def has_linear_leaves(model: Any) -> bool:
    """Whether an estimator's parameters ask for linear leaves."""
    return getattr(model, "leaves", "constant") == "linear"


def linear_leaves_of(model: Any, rows: Sample, plan: Plan) -> LinearLeaves:
    """How the linear leaves of an estimator are found, by its parameters."""
    from thriftree.tuning.linear_leaves import LinearLeaves

    if model.pruning not in (None, "auto", "cost_complexity"):
        raise ValueError(
            f'leaves="linear" chooses its size with the models in place, so pruning={model.pruning!r} cannot '
            'come before it: leave pruning out, or write "cost_complexity"'
        )
    if model.shrinkage == "cv":
        raise ValueError(
            'shrinkage="cv" measures means, and the leaves are linear, which shrinkage leaves alone: give a '
            "number for the leaves without a model, or None"
        )
    costs = None if model.costs is None else as_costs(model.costs)
    is_rule = isinstance(model.alpha, str)
    return LinearLeaves(
        LeafReading.of(rows.codes.columns, costs).below(plan.start.asked),
        model.cv,
        model.random_state,
        rule=model.alpha if is_rule else "cv",
        alpha=None if is_rule else float(model.alpha),
        penalty=getattr(model, "_ridge_found", None),
    )
