"""Write the files of tests/compat that are not there yet: trees, models, and their answers.

    python tools/make_compat_files.py

A file that exists is never written again: it stands for the release that made it.
"""

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import thriftree
from thriftree.datasets import heart_prices, load_heart
from thriftree.document import MODEL_VERSION, VERSION
from thriftree.document.follow import scalar
from thriftree.temporal.words import last_tick, temporal_of, tick_words
from thriftree.testing.random_documents import frame_of, random_document, random_rows
from thriftree.tree import Tree

FILES = Path(__file__).resolve().parent.parent / "tests" / "compat" / "files"
N_ROWS = 40


def main() -> int:
    """Write what is missing, and say of each file whether it was written or kept."""
    makers = {f"{name}_v{VERSION}": make for name, make in TREES.items()}
    makers |= {f"{name}_model_v{MODEL_VERSION}": make for name, make in MODELS.items()}
    for name, make in makers.items():
        file = FILES / f"{name}.json"
        if file.exists():
            print(f"{file.name}: kept")
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            write(make(), file)
        print(f"{file.name}: written")
    return 0


def write(made: Any, file: Path) -> None:
    """The file of a tree or a model; and its answers, for values at the cuts, missing and unseen ones."""
    document = tree_in(made).to_dict()
    dated = any("temporal" in column for column in document["columns"])
    rows = dated_rows(document) if dated else random_rows(document, 1, N_ROWS, infinite=False)
    X = table_for(made, rows)
    answers: dict[str, Any] = {"rows": rows}
    for method in ("apply", "predict", "predict_cost", "predict_proba"):
        if method != "predict_proba" or document["classes"] is not None:
            answers[method] = getattr(made, method)(X).tolist()
    text = json.dumps(answers, allow_nan=False).replace('], "', '],\n"')
    file.with_suffix(".answers").write_text(text + "\n", encoding="ascii")
    made.save(file)


def tree_in(made: Any) -> Tree:
    """The tree of a model, or the tree itself."""
    tree: Tree = made if isinstance(made, Tree) else made.tree_
    return tree


def table_for(made: Any, rows: dict[str, list[Any]]) -> Any:
    """The rows as the table that `made` was learnt from: a frame, or an array where columns have no names."""
    if isinstance(made, Tree) or hasattr(made, "feature_names_in_"):
        return frame_of(tree_in(made).to_dict(), rows)
    return np.column_stack([np.array(values, dtype=np.float64) for values in rows.values()])


def tree_of_texts() -> Tree:
    """Names, categories and classes that are hard to quote; every kind of column; branches by the number."""
    return Tree.from_dict(random_document(11, n_classes=5, n_tests=12))


def tree_of_typed_labels() -> Tree:
    """Categories and classes of every type; a test that asks only whether a value is missing."""
    document = random_document(2, n_columns=1, n_tests=0, n_classes=3, hostile=False, kinds=("number",))
    leaf = document["nodes"][0]
    document["columns"] += [
        {"name": "flag", "kind": "category", "categories": [False, True]},
        {"name": "half", "kind": "category", "categories": [{"float": -0.5}, {"float": 1.0}]},
        {"name": "whole", "kind": "ordered", "categories": [3, 1, 2]},
    ]
    document["classes"] = [0, False, {"float": 0.5}]
    document["nodes"] = [
        {
            **leaf,
            "test": {"column": 0, "kind": "ordered", "keys": [], "to": [0], **_SIDES},
            "children": [1, 6],
        },
        {**leaf, "test": _category(1, [1]), "children": [2, 3]},
        {**leaf, "label": 1},
        {**leaf, "test": _category(2, [0, 1]), "children": [4, 5]},
        {**leaf, "label": 0},
        {**leaf, "label": 2},
        {
            **leaf,
            "test": {"column": 3, "kind": "ordered", "keys": [0.5], "to": [1, 0], **_SIDES},
            "children": [7, 8],
        },
        {**leaf, "label": 2},
        {**leaf, "label": 1},
    ]
    return Tree.from_dict(document)


_SIDES: dict[str, Any] = {"missing": 1, "other": 0, "score": None}


def _category(column: int, keys: list[int]) -> dict[str, Any]:
    return {"column": column, "kind": "category", "keys": keys, "to": [1] * len(keys), **_SIDES, "missing": 0}


def tree_of_dates() -> Tree:
    """Dates, datetimes with and without a time zone, times and durations: cuts at whole ticks and between."""
    document = random_document(3, n_columns=1, n_tests=0, n_classes=2, hostile=False, kinds=("number",))
    leaf = document["nodes"][0]
    document["columns"] = [
        {"name": "born", "kind": "number", "temporal": "date"},
        {"name": "seen", "kind": "number", "temporal": "datetime"},
        {"name": "sent", "kind": "number", "temporal": "datetime", "time_zone": "Europe/Berlin"},
        {"name": "clock", "kind": "number", "temporal": "time"},
        {"name": "waited", "kind": "number", "temporal": "duration"},
    ]
    cuts = [[-700000.5, 18690.0], [1614862800000000.5], [1e17], [23400000000.0], [-0.5]]
    nodes: list[dict[str, Any]] = []
    for column, keys in enumerate(cuts):
        test = {
            "column": column,
            "kind": "ordered",
            "keys": keys,
            "to": [0] * len(keys) + [1],
            **_SIDES,
            "missing": 0,
        }
        children = [len(nodes) + 1, 2 * len(cuts) - column]
        nodes.append({**leaf, "label": 0, "test": test, "children": children})
    nodes += [{**leaf, "label": number % 2} for number in range(len(cuts) + 1)]
    return Tree.from_dict({**document, "nodes": nodes})


def dated_rows(document: dict[str, Any]) -> dict[str, list[Any]]:
    """Values at and beside the cuts of a tree of dates, as texts, and missing ones."""
    rng = np.random.default_rng(0)
    rows: dict[str, list[Any]] = {}
    for number, column in enumerate(document["columns"]):
        keys = [
            key
            for node in document["nodes"]
            if "test" in node and node["test"]["column"] == number
            for key in node["test"]["keys"]
        ]
        temporal = temporal_of(column)
        assert temporal is not None
        texts = [tick_words(temporal, last_tick(key) + beside) for key in keys for beside in (-1, 0, 1)]
        rows[column["name"]] = [
            None if place == len(texts) else texts[place]
            for place in rng.integers(0, len(texts) + 1, N_ROWS).tolist()
        ]
    return rows


def tree_with_prices() -> Tree:
    """Every rule of prices: steps, outcomes, a group, known, delayed."""
    document = random_document(5, n_columns=6, n_tests=14, n_classes=2, hostile=False)
    names = [column["name"] for column in document["columns"]]
    prices = [_price(column, 1.5 + 2 * j) for j, column in enumerate(document["columns"])]
    document["prices"] = {
        "prices": prices,
        "groups": [{"name": "together", "setup": 4.0, "members": names[1:4]}],
        "pay": "once",
        "known": names[5:],
        "delayed": names[3:5],
        "delayed_scope": "delayed",
    }
    document["settings"] = {"estimator": "by hand", "params": {"depth": [1, None, {"deep": True}]}}
    return Tree.from_dict(document)


def _price(column: dict[str, Any], amount: float) -> dict[str, Any]:
    if column["kind"] == "number":
        return {"feature": column["name"], "up_to": [0.0, 1.0], "prices": [amount, amount / 2, amount * 2]}
    if column["kind"] == "category":
        first = scalar(column["categories"][0])
        outcomes = [{"value": first, "price": amount}, {"value": "never seen", "price": 2 * amount}]
        return {"feature": column["name"], "outcomes": outcomes}
    return {"feature": column["name"], "price": amount}


def shrunk_tree() -> Tree:
    """Probabilities that are shrunk, some of them only as far as the label stays the largest."""
    return Tree.from_dict(
        random_document(8, n_tests=12, n_classes=3, hostile=False, shrunk=False)
    ).with_shrinkage(400)


def shrunk_numbers() -> Tree:
    """A numeric target that is shrunk, with a leaf that a person gave its number."""
    tree = Tree.from_dict(random_document(9, n_tests=6, n_classes=0, hostile=False, shrunk=False))
    leaf = int(tree.core.n_nodes - 1)
    return tree.with_shrinkage(25.0).relabel(leaf, 12.5)


def linear_leaves() -> Tree:
    """A numeric target whose leaves are linear, most of them."""
    return Tree.from_dict(
        random_document(3, n_tests=6, n_classes=0, hostile=False, shrunk=False, linear=True)
    )


def one_leaf() -> Tree:
    """A tree without a test, for a number."""
    return Tree.from_dict(random_document(3, n_columns=1, n_tests=0, n_classes=0, hostile=False))


def on_heart(name: str, **parameters: Any) -> Callable[[], Any]:
    """Makes a maker of a model of the heart table, with its prices."""

    def make() -> Any:
        X, y = load_heart()
        target = y if name.endswith("Classifier") else np.where(y == "present", 1.0, 0.0)
        return getattr(thriftree, name)(costs=heart_prices(), **parameters).fit(X, target)

    return make


def cart_on_array() -> Any:
    """A model of an array without names: integer labels, weights by label, costs of mistakes."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)).round(2), rng.integers(0, 3, 90)
    mistakes = np.array([[0, 1, 2], [1, 0, 1.5], [4, 1, 0]])
    parameters: dict[str, Any] = {
        "class_weight": {0: 1.0, 1: 2, 2: 0.5},
        "error_costs": mistakes,
        "costs": [1, 2.5, 3],
    }
    return thriftree.CARTClassifier(max_leaves=6, smoothing=0.5, random_state=3, **parameters).fit(X, y)


TREES: dict[str, Callable[[], Any]] = {
    "texts": tree_of_texts,
    "typed_labels": tree_of_typed_labels,
    "dates": tree_of_dates,
    "prices": tree_with_prices,
    "one_leaf": one_leaf,
    "shrunk": shrunk_tree,
    "shrunk_numbers": shrunk_numbers,
    "linear_leaves": linear_leaves,
}
MODELS: dict[str, Callable[[], Any]] = {
    "cart": on_heart("CARTClassifier", max_leaves=7, pruning="cost_complexity", alpha=0.005),
    "cart_on_array": cart_on_array,
    "regressor": on_heart("CARTRegressor", max_leaves=6),
    "thrift": on_heart("ThriftTreeClassifier", cv=2, repeats=1, random_state=0, budget=120),
    "enhanced": on_heart("EnhancedTreeClassifier", trade_off="auto", random_state=0, max_leaves=7),
    "worst_case": on_heart(
        "WorstCaseTreeClassifier", impurity=thriftree.Powers(3), certificate=True, max_leaves=7
    ),
    "chaid": on_heart("CHAIDClassifier", max_depth=2),
    "msi": on_heart("MSIClassifier"),
    "shrunk": on_heart("ThriftTreeClassifier", cv=2, repeats=1, random_state=0, shrinkage="cv"),
    "shrunk_regressor": on_heart("CARTRegressor", max_leaves=6, shrinkage=10.0),
    "linear_regressor": on_heart("CARTRegressor", max_leaves=6, leaves="linear", random_state=0),
}


if __name__ == "__main__":
    sys.exit(main())
