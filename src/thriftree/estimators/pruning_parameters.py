"""What an estimator's parameters ask of its pruning, where it has all those of CART."""

from __future__ import annotations

from typing import Any

from thriftree.learning.pruning import Pruning


def pruning_asked_of(model: Any, method: str | None) -> Pruning:
    """Its pruning, by this method. An alpha that is a rule's name counts for cost-complexity pruning only."""
    parameters = {name: getattr(model, name) for name in ("min_gain", "validation_fraction", "random_state")}
    if not isinstance(model.alpha, str):
        parameters["alpha"] = model.alpha
    elif method == "cost_complexity":
        from thriftree.tuning.alpha import CrossValidatedAlpha  # most trees need no folds

        parameters["alpha_rule"] = CrossValidatedAlpha(model.alpha, model.cv, model.random_state)
    return Pruning(method=method, **parameters)
