"""A tree told in sentences, with the columns, classes and rows of a table where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thriftree.columns import ColumnSchema, Scalar, sorted_categories
from thriftree.costs import TestCosts
from thriftree.explain.sentences.build import document_of_sentences
from thriftree.explain.sentences.fill import with_rows


def told_document(
    text: str,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    columns: Sequence[ColumnSchema | str] | None = None,
    classes: Sequence[Scalar] | None = None,
    costs: Any = None,
) -> dict[str, Any]:
    """See `Tree.from_sentences`."""
    from thriftree.table.coding import encode
    from thriftree.tree import Tree

    if (X is None) != (y is None):
        raise ValueError("X and y go together: give both, or neither")
    prices = None
    if costs is not None:
        prices = (costs if isinstance(costs, TestCosts) else TestCosts(costs)).to_dict()
    if X is None:
        return document_of_sentences(text, columns=columns, classes=classes, prices=prices)
    targets = np.asarray(y).tolist()
    document = document_of_sentences(
        text,
        columns=encode(X).columns if columns is None else columns,
        classes=sorted_categories(dict.fromkeys(targets)) if classes is None else classes,
        prices=prices,
    )
    leaf = Tree.from_dict(document).apply(X)
    if len(targets) != len(leaf):
        raise ValueError(f"X has {len(leaf)} rows, but y has {len(targets)} values")
    weight = np.ones(len(leaf)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != leaf.shape or not (np.isfinite(weight) & (weight >= 0)).all():
        raise ValueError(f"sample_weight must be {len(leaf)} finite numbers, none below 0")
    return with_rows(document, leaf, targets, weight)
