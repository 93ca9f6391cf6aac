"""Checks that hold for every estimator of the library, run on each that discovery finds.

A check takes an estimator class, makes so many tables of its own and raises AssertionError; its name says
what it holds.
`all_estimators()` and `all_checks()` are what a test parametrises over, so that a new estimator is tested
before its author thinks of it.
"""

# ruff: noqa: D103  (the names of the checks are sentences)

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils.validation import has_fit_parameter

import thriftree
from thriftree.registry import NEURAL_ESTIMATORS, SOFT_ESTIMATORS
from thriftree.testing.makers import SmallTable, small_table, spread_table

Check = Callable[[type[BaseEstimator], int], None]
N_TABLES = 8  # with weights, missing values and categories, alone and together; four have all pairs of them

# Checks that cannot hold for an estimator, each with its reason.
EXPECTED_FAILURES = {
    "MSIClassifier": {
        "check_an_integer_weight_is_a_repetition": "rows have no weights: compressed rows are a set of rows",
        "check_the_order_of_columns_decides_ties_only": "how rows compress depends on the order of columns",
        "check_constant_columns_change_nothing": "constant columns are compressed too: all rows cost more",
    },
}


#: Parameters of those that take long, by which they learn the same way in less time.
QUICKER: dict[str, dict[str, Any]] = {
    "OptimalTreeClassifier": {"max_depth": 2},
    "OptimalTreeRegressor": {"max_depth": 2},
}


def all_estimators() -> list[type[BaseEstimator]]:
    """Every public estimator class that learns a `tree_`, by name."""
    others = {*SOFT_ESTIMATORS, *NEURAL_ESTIMATORS}
    return [item for item in _public_estimators() if item.__name__ not in others]


def soft_estimators() -> list[type[BaseEstimator]]:
    """Every public estimator class that learns a `soft_tree_`, by name."""
    return [item for item in _public_estimators() if item.__name__ in SOFT_ESTIMATORS]


def neural_estimators() -> list[type[BaseEstimator]]:
    """Every public estimator class that learns a network in front of a `soft_tree_`, by name."""
    return [item for item in _public_estimators() if item.__name__ in NEURAL_ESTIMATORS]


def _public_estimators() -> list[type[BaseEstimator]]:
    public = (getattr(thriftree, name) for name in sorted(thriftree.__all__))
    return [item for item in public if inspect.isclass(item) and issubclass(item, BaseEstimator)]


def estimators_with(word: str) -> list[type[BaseEstimator]]:
    """Those that have this parameter, of the constructor or of `fit`."""
    found = all_estimators()
    return [cls for cls in found if word in cls().get_params() or has_fit_parameter(cls(), word)]


def all_checks() -> list[Check]:
    """Every check of this module, in the order it is written."""
    return [
        function for name, function in globals().items() if name.startswith("check_") and callable(function)
    ]


def expected_failure(cls: type[BaseEstimator], check: Check) -> str | None:
    """Why this check cannot hold for this estimator; None if it must."""
    return EXPECTED_FAILURES.get(cls.__name__, {}).get(check.__name__)


def check_the_tree_is_the_same_on_one_and_four_threads(
    cls: type[BaseEstimator], n_tables: int = N_TABLES
) -> None:
    for table in _tables(cls, n_tables):
        assert _structure(_fitted(cls, table, n_jobs=1)) == _structure(_fitted(cls, table, n_jobs=4))


def check_a_clone_learns_the_same_tree(cls: type[BaseEstimator], n_tables: int = N_TABLES) -> None:
    for table in _tables(cls, n_tables):
        model = _fitted(cls, table)
        again = clone(model)
        assert not hasattr(again, "tree_")
        again.fit(table.X, table.y, **_weights(again, table))
        assert _structure(model) == _structure(again)


def check_a_pickle_predicts_as_the_original(cls: type[BaseEstimator], n_tables: int = N_TABLES) -> None:
    for table in _tables(cls, n_tables):
        model = _fitted(cls, table)
        again = pickle.loads(pickle.dumps(model))
        assert _structure(model) == _structure(again)
        np.testing.assert_array_equal(_answers(model, table.X), _answers(again, table.X))


def check_a_tree_survives_its_json_form(cls: type[BaseEstimator], n_tables: int = N_TABLES) -> None:
    for table in _tables(cls, n_tables):
        tree = _fitted(cls, table).tree_
        again = type(tree).from_json(tree.to_json())
        assert tree.to_json() == again.to_json()
        np.testing.assert_array_equal(tree.apply(table.X), again.apply(table.X))


def check_an_integer_weight_is_a_repetition(cls: type[BaseEstimator], n_tables: int = N_TABLES) -> None:
    for table in _tables(cls, n_tables):
        times = np.random.default_rng(3).integers(0, 4, size=table.n_rows)
        once = SmallTable(table.X, table.y, times.astype(float), table.categorical, table.n_classes)
        rows = np.repeat(np.arange(table.n_rows), times)
        often = SmallTable(table.X[rows], table.y[rows], None, table.categorical, table.n_classes)
        # Where folds decide, a row and its repetitions must be in one: folds are given.
        a, b = (
            _fitted(cls, once, **_folds(cls, np.arange(table.n_rows))),
            _fitted(cls, often, **_folds(cls, rows)),
        )
        assert _tests(a) == _tests(b)
        np.testing.assert_allclose(_answers(a, table.X), _answers(b, table.X), rtol=1e-12)


def check_the_order_of_columns_decides_ties_only(cls: type[BaseEstimator], n_tables: int = N_TABLES) -> None:
    for seed in range(n_tables):
        table = spread_table(seed, n_classes=3 if is_classifier(cls()) else 0)
        order = np.random.default_rng(seed).permutation(table.X.shape[1])
        moved = SmallTable(table.X[:, order], table.y, None, (), table.n_classes)
        whole = (
            {"pruning": None} if "pruning" in cls().get_params() else {}
        )  # below a tie, pruning may differ too
        _assert_same_up_to_ties(_fitted(cls, table, **whole).tree_, _fitted(cls, moved, **whole).tree_, order)


def check_constant_columns_change_nothing(cls: type[BaseEstimator], n_tables: int = N_TABLES) -> None:
    for table in _tables(cls, n_tables):
        n_columns = table.X.shape[1]
        wider = np.column_stack([table.X, np.full(table.n_rows, 7.0), np.full(table.n_rows, np.nan)])
        more = SmallTable(wider, table.y, table.sample_weight, table.categorical, table.n_classes)
        assert _tests(_fitted(cls, table)) == _tests(_fitted(cls, more))
        flat = SmallTable(np.ones((table.n_rows, n_columns)), table.y, None, (), table.n_classes)
        assert _fitted(cls, flat).tree_.n_nodes == 1


def check_an_unseen_category_follows_the_heaviest_child(
    cls: type[BaseEstimator], n_tables: int = N_TABLES
) -> None:
    for seed in range(n_tables):
        table = _table(cls, seed, n_rows=40, n_columns=2)
        table = SmallTable(table.X, table.y, None, (0, 1), table.n_classes)
        model = _fitted(cls, table, **_sets_alone(cls))
        unseen = np.full((1, 2), 99.0)
        assert int(model.apply(unseen)[0]) == _heaviest_leaf(model.tree_)


def check_a_value_missing_only_at_prediction_follows_the_heaviest_child(
    cls: type[BaseEstimator], n_tables: int = N_TABLES
) -> None:
    for seed in range(n_tables):
        table = _table(cls, seed, n_rows=40, categories=True)
        model = _fitted(cls, table, **_sets_alone(cls))
        unknown = np.full((1, table.X.shape[1]), np.nan)
        assert int(model.apply(unknown)[0]) == _heaviest_leaf(model.tree_)


def _sets_alone(cls: type[BaseEstimator]) -> dict[str, Any]:
    """Without tests of one against the rest, which send what was not seen to the rest."""
    return {"one_vs_rest": False} if "one_vs_rest" in cls().get_params() else {}


def _table(cls: type[BaseEstimator], seed: int, **how: Any) -> SmallTable:
    return small_table(seed, n_classes=3 if is_classifier(cls()) else 0, **how)


def _tables(cls: type[BaseEstimator], n_tables: int) -> Iterator[SmallTable]:
    """A mixed bag: with and without weights, missing values and categories."""
    for seed in range(n_tables):
        yield _table(
            cls,
            seed,
            n_rows=60,
            weighted=seed % 2 == 1,
            missing=seed % 4 > 1,
            categories=seed % 3 > 0,
            n_values=12,
        )


def _fitted(cls: type[BaseEstimator], table: SmallTable, **params: Any) -> Any:
    """A fitted estimator at its defaults, except that leaves and sets may hold one row, no seed is left open,
    and a search for the best tree is not deep.
    """
    model = cls(**params)
    offered = model.get_params()
    fixed = {
        "min_leaf": 1,
        "subset_min_rows": None,
        "random_state": 0,
        "categorical_features": list(table.categorical),
    }
    fixed |= QUICKER.get(cls.__name__, {})
    model.set_params(**{name: value for name, value in fixed.items() if name in offered})
    return model.fit(table.X, table.y, **_weights(model, table))


def _weights(model: Any, table: SmallTable) -> dict[str, Any]:
    """The weights of the rows, for an estimator that takes any."""
    return {"sample_weight": table.sample_weight} if has_fit_parameter(model, "sample_weight") else {}


def _folds(cls: type[BaseEstimator], row: Any) -> dict[str, Any]:
    """Two folds of the rows of even and odd number, for an estimator that has folds."""
    if "cv" not in cls().get_params():
        return {}
    even, odd = np.flatnonzero(row % 2 == 0), np.flatnonzero(row % 2 == 1)
    return {"cv": [(even, odd), (odd, even)]}


def _answers(model: Any, X: Any) -> Any:
    return model.predict_proba(X) if is_classifier(model) else model.predict(X)


def _structure(model: Any) -> str:
    """Everything the tree holds, as text."""
    return str(model.tree_.to_json())


def _tests(model: Any) -> list[Any]:
    """The tests alone: what is asked where, and where each answer leads."""
    core = model.tree_.core
    arrays = (core.column, core.kind, core.keys, core.to, core.children, core.missing, core.other, core.label)
    return [array.tolist() for array in arrays]


def _children(core: Any, node: int) -> list[int]:
    return list(core.children[core.child_begin[node] : core.child_begin[node + 1]])


def _heaviest_leaf(tree: Any) -> int:
    """Where a row ends that no test knows anything about: down the heaviest child, the first of equals."""
    core, node = tree.core, 0
    while core.column[node] >= 0:
        node = int(max(_children(core, node), key=lambda child: core.weight[child]))
    return node


def _assert_same_up_to_ties(tree: Any, moved: Any, order: Any) -> None:
    """Both trees ask the same at every node, or ask things of equal score; below those they may differ."""
    a, b = tree.core, moved.core
    pairs = [(0, 0)]
    while pairs:
        i, j = pairs.pop()
        assert (a.column[i] < 0) == (b.column[j] < 0), f"node {i} is a leaf in one tree only"
        if a.column[i] < 0:
            continue
        keys = a.keys[a.key_begin[i] : a.key_begin[i + 1]], b.keys[b.key_begin[j] : b.key_begin[j + 1]]
        if a.column[i] == order[b.column[j]] and np.array_equal(*keys):
            pairs += zip(_children(a, i), _children(b, j), strict=True)
        else:
            np.testing.assert_allclose(a.score[i], b.score[j], rtol=1e-9, err_msg=f"node {i}: not a tie")
