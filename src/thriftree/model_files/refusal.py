"""What to say to a value that a model file does not hold."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

_HELD = "None, texts, numbers, booleans, lists, dicts, numpy arrays, TestCosts, or an impurity of thriftree"


def refuse(value: Any, place: str) -> NoReturn:
    """Raises TypeError with the remedy."""
    raise TypeError(
        f"{place} is {_described(value)}, which a model file does not hold: {_remedy(value)}; or save the "
        "tree alone (model.tree_.save), which predicts the same"
    )


def _described(value: Any) -> str:
    if isinstance(value, int):
        return "an integer of more than 64 bits"
    name = getattr(value, "__name__", None)
    if callable(value) and isinstance(name, str):
        return f"the function {name}"
    return f"of type {type(value).__name__}"


def _remedy(value: Any) -> str:
    if isinstance(value, (np.random.RandomState, np.random.Generator)):
        return "give a number as the seed"
    if hasattr(value, "split") and hasattr(value, "get_n_splits"):
        return "give a number of folds, or a list of (training, held out) positions"
    if callable(value):
        return "loading a file runs no code, so give one of the named choices"
    if hasattr(value, "to_numpy"):
        return "give it as a numpy array, or as a dict; prices as TestCosts"
    return f"give {_HELD}"
