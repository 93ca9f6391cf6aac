"""Edited trees: nodes collapsed, relabelled, asked in another order, grown anew with tests of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import thriftree
from corpus import tables
from corpus.learners import CLASSIFIERS, REGRESSORS, ROUNDED
from corpus.prices import PRICES
from corpus.product import Product
from corpus.recipe import CorpusFit, Parameters
from corpus.tables import Rows

_PEOPLE = partial(tables.people, 500, 81, 0.08, 4)
_EARNINGS = partial(tables.earnings, 300, 82, 0.08)

#: A fitted model of people, with its rows, to an edit.
_EDITS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "collapse": lambda model, X, y: model.collapse(_last_test(model), X, y),
    "refit": lambda model, X, y: model.refit_below(0, X, y, max_depth=2),
    "feature": lambda model, X, y: model.refit_below(0, X, y, feature="age"),
    "cut": lambda model, X, y: model.refit_below(0, X, y, feature="age", cut=40),
    "cut of an order": lambda model, X, y: model.refit_below(0, X, y, feature="size", cut="small"),
    "groups": lambda model, X, y: model.refit_below(
        0, X, y, feature="region", groups=[["north", "west"], ["east", None]]
    ),
    "deeper": lambda model, X, y: model.refit_below(1, X, y, feature="income"),
}
_LEARNERS: dict[str, Parameters] = {
    "CARTClassifier": {"max_depth": 4, "costs": PRICES["groups"]},
    "C45Classifier": {"max_depth": 4, "pruning": None},
    "EnhancedTreeClassifier": {"max_depth": 4, "costs": PRICES["delayed"]},
    "WorstCaseTreeClassifier": {"max_depth": 4, "costs": PRICES["plain"]},
    "PUBLICClassifier": {"max_depth": 4, "min_leaf": 5},
    "CHAIDClassifier": {"max_depth": 3},
    "CARTRegressor": {"max_depth": 4, "costs": PRICES["by outcome"]},
    "EnhancedTreeRegressor": {"max_depth": 4},
}


def _last_test(model: Any) -> int:
    nodes = model.tree_.to_dict()["nodes"]
    return max(number for number, node in enumerate(nodes) if "test" in node)


def _edited(
    learner: str, parameters: Parameters, rows: Callable[[], Rows], edit: Callable[..., Any]
) -> Product:
    """The tree before and after, and what the edit measured."""
    X, y = rows()
    model = getattr(thriftree, learner)(**parameters).fit(X, y)
    done = edit(model, X, y)
    facts = {
        "action": done.action,
        "before": done.before,
        "after": done.after,
        "changed_rows": done.changed_rows,
        "feature_importances_": done.estimator.feature_importances_,
        "predict_cost": done.estimator.predict_cost(X),
    }
    return Product([model.tree_, done.tree], facts, float(done.estimator.expected_cost_))


def _of_trees() -> Product:
    """The edits that a `Tree` has without rows."""
    X, y = _PEOPLE()
    tree = thriftree.CARTClassifier(max_leaves=8, costs=PRICES["groups"]).fit(X, y).tree_
    leaf = int(tree.apply(X[:1])[0])
    edited = [tree.collapse(1), tree.relabel(leaf, "yes"), tree.reorder(0)]
    return Product([tree, *edited], {"compare": [vars(tree.compare(other, X, y).after) for other in edited]})


def _first_below(model: Any, X: Any, y: Any) -> Any:
    """The column of the first test below the root is asked first."""
    nodes = model.tree_.to_dict()["nodes"]
    root = nodes[0]["test"]["column"]
    below = [node["test"]["column"] for node in nodes[1:] if "test" in node]
    column = next(column for column in below if column != root)
    return model.reorder(0, model.tree_.columns[column].name, X, y)


def _relabelled(model: Any, X: Any, y: Any) -> Any:
    label = 12.5 if not hasattr(model, "classes_") else model.classes_[0]
    return model.relabel(int(model.apply(X[:1])[0]), label, X, y)


def recipes() -> Iterator[CorpusFit]:
    """Every edit under every kind of learner."""
    for learner, parameters in _LEARNERS.items():
        rows = _EARNINGS if learner in REGRESSORS else _PEOPLE
        given = {**CLASSIFIERS, **REGRESSORS}[learner]
        for name, edit in {**_EDITS, "reorder": _first_below, "relabel": _relabelled}.items():
            make = partial(_edited, learner, {**given, **parameters}, rows, edit)
            yield CorpusFit(f"edit/{name}/{learner}", make, rounded=learner in ROUNDED)
    yield CorpusFit("edit/trees alone", _of_trees)
