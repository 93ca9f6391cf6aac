"""What a tree answers to rows, by `Tree.predict` and its kin, and the comparison with an export's answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thriftree import CARTClassifier
from thriftree.table.making_frames import make_frame
from thriftree.testing.random_documents import Columns, frame_of, random_document, random_rows
from thriftree.tree import Tree

N_ROWS = 10_000


@dataclass
class Answers:
    """One answer a row; what an export cannot say stays empty and is not compared."""

    label: list[Any]
    leaf: list[int] = field(default_factory=list)
    cost: list[float] = field(default_factory=list)
    shares: list[list[float]] = field(default_factory=list)


def oracle(document: dict[str, Any], rows: Columns, smoothing: float = 0.0) -> Answers:
    """The answers of the tree itself, labels as Python values of their own type."""
    tree = Tree.from_dict(document)
    frame = frame_of(document, rows)
    return Answers(
        tree.predict(frame).tolist(),
        tree.apply(frame).tolist(),
        tree.predict_cost(frame).tolist(),
        [] if tree.classes is None else tree.predict_proba(frame, smoothing).tolist(),
    )


def check_agreement(
    document: dict[str, Any], rows: Columns, got: Answers, *, typed: bool = False, smoothing: float = 0.0
) -> None:
    """Fails with the first row that an export answers otherwise. `typed`: labels must have their type too."""
    wanted = oracle(document, rows, smoothing)
    assert len(got.label) == len(wanted.label) > 0
    for i, (mine, theirs) in enumerate(zip(wanted.label, got.label, strict=True)):
        row = {name: values[i] for name, values in rows.items()}
        assert mine == theirs, f"row {i}: predict says {mine!r}, the export {theirs!r}, of {row}"
        assert not typed or type(mine) is type(theirs), f"row {i}: {mine!r} became {theirs!r}"
    if got.leaf:
        assert got.leaf == wanted.leaf
    if got.cost:
        np.testing.assert_allclose(got.cost, wanted.cost, rtol=1e-12, atol=0)
    if got.shares:
        assert got.shares == wanted.shares


def random_case(seed: int, n_rows: int = N_ROWS, **options: Any) -> tuple[dict[str, Any], Columns]:
    """A random tree of hostile names, and rows for it."""
    document = random_document(seed, prices=seed % 2 == 0, **options)
    return document, random_rows(document, seed + 1, n_rows)


def mushrooms(n_rows: int = 400) -> tuple[dict[str, Any], Columns]:
    """A fitted tree of texts only, with names that break quoting, and rows with missing and unseen values."""
    rng = np.random.default_rng(8)
    values = {
        'odor "o"': ["almond", "it's foul", "none", "back\\slash"],
        "gill`s` [size]": ["broad", "narrow", "a -- b", "/* c */"],
        "spore\\print\ncolor": ["black", "white\nish", "żółty 🍄", "100%"],
        "order": ["a", "A", "a ", '"a"'],
    }
    drawn: Columns = {
        name: [None if rng.random() < 0.1 else str(rng.choice(pool)) for _ in range(n_rows)]
        for name, pool in values.items()
    }
    table = list(zip(*drawn.values(), strict=True))
    poisonous = [
        (odor in ("it's foul", "back\\slash") and order in ("a", '"a"')) != (spores == "white\nish")
        or gills is None
        for odor, gills, spores, order in table
    ]
    X = make_frame({name: np.array(column, object) for name, column in drawn.items()})
    y = np.where(poisonous, "don't \\eat", "edible")
    document = CARTClassifier(max_leaves=12).fit(X, y).tree_.to_dict()
    rows = {name: [*column, "unseen", "", None, column[0]] for name, column in drawn.items()}
    return document, rows


def deep_document(n_levels: int, *, from_above: bool = False) -> dict[str, Any]:
    """A tree as deep as it has tests: each takes one more value off, from above together with the missing."""
    nodes: list[dict[str, Any]] = []
    seen = {"rows": 1, "objects": 1, "weight": 1.0, "impurity": 0.0}
    for level in range(n_levels):
        here = 2 * level
        test = {"column": level % 3, "kind": "ordered", "keys": [float(level)], "to": [0, 1]}
        test |= {"missing": level // 5 % 2, "other": 0, "score": None}
        if from_above:
            test |= {"keys": [-float(level)], "to": [1, 0], "missing": 0}
        nodes += [
            {**seen, "value": [0.5, 0.5, 0.0], "label": 0, "test": test, "children": [here + 1, here + 2]},
            {**seen, "value": [0.5, 0.25, 0.25], "label": level % 3},
        ]
    nodes.append({**seen, "value": [0.0, 0.0, 1.0], "label": 2})
    columns = [{"name": name, "kind": "number"} for name in ("first", "second", "third")]
    return {
        "format": "thriftree-tree",
        "version": 1,
        "columns": columns,
        "classes": ["low", "middle", "high"],
        "nodes": nodes,
    }


def document_of_many_branches(n_branches: int) -> dict[str, Any]:
    """A tree of one test, with a branch for each category."""
    leaf = {"rows": 1, "objects": 1, "weight": 1.0, "impurity": 0.0}
    every = list(range(n_branches))
    test = {
        "column": 0,
        "kind": "category",
        "keys": every,
        "to": every,
        "missing": 1,
        "other": n_branches - 1,
    }
    document = one_leaf(None)
    document["columns"] = [{"name": "id", "kind": "category", "categories": [f"id {i}" for i in every]}]
    document["nodes"] = [
        {**leaf, "value": [0.0, 0.0], "test": test, "children": [i + 1 for i in every]},
        *({**leaf, "value": [i / 3, 0.0]} for i in every),
    ]
    return document


def one_leaf(classes: list[Any] | None) -> dict[str, Any]:
    """A tree that asks nothing."""
    leaf: dict[str, Any] = {"rows": 3, "objects": 3, "weight": 3.0, "impurity": 0.0}
    leaf |= {"value": [0.1, 0.0]} if classes is None else {"value": [3.0] * len(classes), "label": 0}
    columns = [{"name": "*/ x", "kind": "number"}]
    return {
        "format": "thriftree-tree",
        "version": 1,
        "columns": columns,
        "classes": classes,
        "nodes": [leaf],
    }
