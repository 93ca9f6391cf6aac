"""Random soft trees in their JSON form, over columns that are hard on exports, and what they answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from soft_problems import random_structure

from thriftree import SoftTree
from thriftree.testing.random_documents import Columns, frame_of, random_document, random_rows


def random_soft_document(
    seed: int,
    *,
    n_gates: int = 6,
    n_columns: int = 5,
    axis: bool | None = None,
    hard: bool = False,
    linear: bool = False,
    n_classes: int | None = None,
    **options: Any,
) -> dict[str, Any]:
    """A valid one. Gates weigh one column, all, or a range that begins and ends anywhere (`axis` None)."""
    rng = np.random.default_rng([seed, 77])
    hard_tree = random_document(seed, n_columns=n_columns, n_tests=1, n_classes=n_classes, **options)
    design, widths = [], []
    for column in hard_tree["columns"]:
        missing = bool(rng.random() < 0.6)
        described: dict[str, Any] = {"missing": missing}
        if column["kind"] != "category":
            described |= {"centre": float(rng.normal()), "scale": float(rng.choice([0.0, 0.5, 1.7]))}
        design.append(described)
        widths.append((len(column["categories"]) if column["kind"] == "category" else 1) + missing)
    begins, n_terms = np.concatenate([[0], np.cumsum(widths)]).tolist(), sum(widths)
    left, right = random_structure(rng, n_gates)
    gates = []
    for g in range(n_gates):
        if axis is None:
            first = int(rng.integers(0, n_terms))
            count = int(rng.integers(0, n_terms - first + 1))
        else:
            j = int(rng.integers(0, n_columns))
            first, count = (begins[j], widths[j]) if axis else (0, n_terms)
        weights = np.where(rng.random(count) < 0.2, 0.0, rng.normal(size=count) * 2).tolist()
        gates.append(
            {"left": left[g], "right": right[g], "first": first, "weights": weights, "offset": rng.normal()}
        )
    classes = hard_tree["classes"]
    n_outputs = len(classes) if classes else 1
    return {
        "format": "thriftree-soft-tree",
        "version": 1,
        "columns": hard_tree["columns"],
        "design": design,
        "classes": classes,
        "target": None if classes else {"centre": 3.25, "deviation": 0.7},
        "prices": None,
        "sharpness": None if hard else float(rng.choice([0.3, 1.0, 40.0])),
        "gates": gates,
        "leaves": (rng.normal(size=(n_gates + 1, n_outputs)) * 3).tolist(),
        "leaf_weights": rng.normal(size=(n_gates + 1, n_outputs, n_terms)).tolist() if linear else None,
    }


def rows_for(document: dict[str, Any], seed: int, n_rows: int) -> Columns:
    """Finite rows."""
    return random_rows({**document, "nodes": []}, seed, n_rows, infinite=False)


def soft_oracle(document: dict[str, Any], rows: Columns) -> tuple[list[Any], np.ndarray, np.ndarray]:
    """Labels or numbers, probabilities or numbers as a matrix, and the probabilities of the leaves."""
    tree, frame = SoftTree.from_dict(document), frame_of(document, rows)
    labels = tree.predict(frame)
    answers = labels[:, np.newaxis] if tree.classes is None else tree.predict_proba(frame)
    leaves = tree.path_probabilities(frame)[:, tree.n_gates :]
    return (
        [tree.classes[k] for k in answers.argmax(axis=1)] if tree.classes else labels.tolist(),
        answers,
        leaves,
    )


def check_soft_agreement(
    document: dict[str, Any],
    rows: Columns,
    labels: list[Any],
    answers: Any,
    leaves: Any = None,
    *,
    within: float = 1e-12,
) -> None:
    """Fails where an export answers otherwise. Labels are compared where no other class is as probable."""
    wanted_labels, wanted, wanted_leaves = soft_oracle(document, rows)
    assert len(labels) == len(wanted_labels) > 0
    if answers is not None:
        np.testing.assert_allclose(np.asarray(answers, float), wanted, rtol=within, atol=within)
    if leaves is not None:
        np.testing.assert_allclose(np.asarray(leaves, float), wanted_leaves, rtol=0, atol=within)
    if document["classes"] is None:
        np.testing.assert_allclose(np.asarray(labels, float), wanted[:, 0], rtol=within, atol=within)
        return
    told = np.ones(len(labels), bool)
    if len(document["classes"]) > 1:
        first, second = np.sort(wanted, axis=1)[:, :-3:-1].T
        told = first - second > 10 * within
    assert told.mean() > 0.5
    for i in np.flatnonzero(told):
        assert labels[i] == wanted_labels[i], f"row {i}: {wanted_labels[i]!r} became {labels[i]!r}"
