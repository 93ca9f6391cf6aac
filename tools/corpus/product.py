"""What a recipe makes: hashes that change with any bit of it, and figures that people can read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np

from thriftree import Tree

#: What `fit` may leave behind beside the tree; each is a fact of the fits that have it.
FITTED = (
    *(
        "alpha_",
        "certificate_",
        "classes_",
        "cv_results_",
        "error_bound_",
        "feature_importances_",
        "history_",
    ),
    *("gap_", "leaf_penalty_", "lower_bound_", "objective_", "proved_for_", "status_"),
    *("impurity_", "mdl_cost_", "method_", "n_expanded_", "n_objects_", "search_results_", "settings_"),
    *("split_tests_", "tolerance_", "trade_off_", "trade_off_path_", "training_error_", "tree_text_"),
)
ANSWERS = ("apply", "predict", "predict_proba", "predict_cost")
#: So many digits count of all other facts, and of scores that numpy or scipy made: BLAS products, logarithms
#: and the like have other last digits on other processors.
DIGITS = 9


@dataclass(frozen=True)
class Product:
    """The trees of a recipe, what else must not change, and the figures of the whole."""

    trees: Sequence[Tree]
    facts: Mapping[str, Any] = field(default_factory=dict)
    expected_cost: float | None = None
    stopped_by: str | None = None

    def entry(self, rounded: bool = False) -> dict[str, Any]:
        """Its entry in the reference file; `rounded`: of the trees' scores only DIGITS digits count."""
        return {
            "sha256": _sha256("".join(_text(tree, rounded) for tree in self.trees)),
            "trees": len(self.trees),
            "nodes": sum(tree.n_nodes for tree in self.trees),
            "leaves": sum(tree.n_leaves for tree in self.trees),
            "depth": max((tree.depth for tree in self.trees), default=0),
            "expected_cost": self.expected_cost,
            "worst_case_cost": max((tree.worst_case_cost() for tree in self.trees), default=None),
            "stopped_by": self.stopped_by,
            "facts": {name: _fact(name, value) for name, value in sorted(self.facts.items())},
        }


def product_of(model: Any, X: Any = None, **facts: Any) -> Product:
    """A fitted estimator, what it answers to the rows of X (None: that is left out), and further facts."""
    found = {name: getattr(model, name) for name in FITTED if hasattr(model, name)}
    if "seconds" in found.get("history_", ()):  # when a search found what is another every time
        del found["history_"]
    answers = {name: getattr(model, name)(X) for name in ANSWERS if X is not None and hasattr(model, name)}
    return Product(
        [model.tree_], {**found, **answers, **facts}, float(model.expected_cost_), model.stopped_by_
    )


def plain(value: Any, digits: int | None = None) -> Any:
    """The value as JSON can hold it, with its floats to so many digits."""
    if is_dataclass(value) and not isinstance(value, type):
        named = {part.name: plain(getattr(value, part.name), digits) for part in fields(value)}
        return {type(value).__name__: named}
    if isinstance(value, Mapping):
        return {str(name): plain(part, digits) for name, part in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist(), digits)
    if isinstance(value, list | tuple):
        return [plain(part, digits) for part in value]
    if isinstance(value, float):
        return value if digits is None else _rounded(value, digits)
    if value is None or isinstance(value, bool | int | str):
        return value
    if callable(value):
        return value.__name__
    raise TypeError(f"a fact is of type {type(value).__name__}: say in plain() how to write it")


def _fact(name: str, value: Any) -> Any:
    """A number, a short text or None as it is; of all else a hash."""
    written = plain(value, None if name in ANSWERS else DIGITS)
    if (
        written is None
        or isinstance(written, bool | int | float)
        or (type(written) is str and len(written) < 40)
    ):
        return written
    return _sha256(json.dumps(written))[:16]


def _text(tree: Tree, rounded: bool) -> str:
    """The JSON form; or the same with rounded scores of its tests."""
    if not rounded:
        return tree.to_json()
    document = tree.to_dict()
    for node in document["nodes"]:
        if "test" in node:
            node["test"]["score"] = _rounded(node["test"]["score"], DIGITS)
    return json.dumps(document)


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else float(f"{value:.{digits}g}")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
