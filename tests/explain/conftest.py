"""Trees with every rule of prices, in their JSON form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracles.prices import Question, flatten
from oracles.random_prices import COLUMNS, DOMAINS, random_case

from thriftree import CARTClassifier, Tree
from thriftree.datasets import heart_prices, load_heart
from thriftree.estimators.category_tests import FREE_SETS

MakeCase = Callable[[int], tuple[dict[str, Any], list[dict[str, Any]]]]


@pytest.fixture(scope="session")
def priced_case() -> MakeCase:
    """A function from a seed to a random tree with random prices, groups, known and delayed tests and
    prices by outcome, and to rows of its columns (None is missing, "mauve" is not in a code book).
    """
    return _priced_case


@pytest.fixture(scope="session")
def heart() -> Tree:
    """Six leaves for the heart table, with its prices."""
    X, y = load_heart(as_frame="pandas")
    return CARTClassifier(max_leaves=6, costs=heart_prices(), **FREE_SETS).fit(X, y).tree_


def _priced_case(seed: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    rng = np.random.default_rng(seed)
    case = random_case(rng)
    flat = flatten(case.tree)
    number = {id(node): i for i, node in enumerate(flat.nodes)}
    n_classes = int(rng.choice([0, 2, 3]))
    nodes = []
    for node in flat.nodes:
        value = rng.integers(0, 9, max(n_classes, 2)).astype(float)
        made: dict[str, Any] = {
            "rows": int(value.sum()),
            "objects": int(value.sum()),
            "weight": float(value.sum()),
        }
        made |= {"value": value.tolist(), "impurity": 0.0}
        if n_classes:
            made["label"] = int(rng.integers(n_classes))
        if isinstance(node, Question):
            keys = list(node.keys) if node.kind == "ordered" else [int(key) for key in node.keys]
            made["test"] = {"column": node.column, "kind": node.kind, "keys": keys, "to": list(node.to)}
            made["test"] |= {"missing": node.missing, "other": node.other, "score": None}
            made["children"] = [number[id(child)] for child in node.children]
        nodes.append(made)
    columns = [
        {"name": c.name, "kind": c.kind} | ({"categories": [*c.categories]} if c.categories else {})
        for c in COLUMNS
    ]
    document = {"format": "thriftree-tree", "version": 1, "columns": columns, "nodes": nodes}
    document |= {"classes": [f"class {k}" for k in range(n_classes)] or None}
    document |= {"prices": case.costs.to_dict(), "settings": None}
    return document, [_row(rng) for _ in range(12)]


def _row(rng: np.random.Generator) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for column, domain in zip(COLUMNS, DOMAINS, strict=True):
        value = domain[int(rng.integers(len(domain)))]
        if value is None or column.kind == "number":
            row[column.name] = value
        else:
            row[column.name] = "mauve" if isinstance(value, str) else column.categories[int(value)]
    return row
