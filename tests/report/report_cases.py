"""Trees, rows and prices for the tests of reports."""

from typing import Any

import numpy as np
import pandas as pd

from thriftree import CARTClassifier, CARTRegressor, Tree
from thriftree.document.follow import scalar
from thriftree.testing.random_documents import frame_of, random_document, random_rows


def table(seed: int, n: int, n_classes: int = 2) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers and categories with missing values, and classes that depend on them."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "dose": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(2)),
            "weeks": rng.integers(0, 30, n),
            "site": np.where(rng.random(n) < 0.05, None, rng.choice(["arm", "leg", "neck"], n)),
        }
    )
    score = X["dose"].fillna(0.5) + 0.05 * X["weeks"] + (X["site"] == "leg") + rng.normal(size=n)
    ranks = score.rank(method="first").to_numpy() - 1
    labels = np.array(["no", "yes", "maybe", "often", "never"])[:n_classes]
    return X, labels[(ranks * n_classes / n).astype(int)]


def classifier(
    seed: int = 0, n_classes: int = 2, n: int = 300, **words: Any
) -> tuple[Any, pd.DataFrame, np.ndarray]:
    """A fitted tree of some ten leaves, and rows that did not grow it."""
    X, y = table(seed, 2 * n, n_classes)
    return CARTClassifier(max_leaves=10, **words).fit(X[:n], y[:n]), X[n:], y[n:]


def regressor(seed: int = 0, n: int = 300) -> tuple[Any, pd.DataFrame, np.ndarray]:
    X, _ = table(seed, 2 * n)
    y = (
        X["dose"].fillna(0).to_numpy() * 3
        + X["weeks"].to_numpy()
        + np.random.default_rng(seed).normal(size=2 * n)
    )
    return CARTRegressor(max_leaves=10).fit(X[:n], y[:n]), X[n:], y[n:]


def weights(seed: int, n: int) -> np.ndarray:
    """Some rows do not count at all."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(n) < 0.1, 0.0, rng.uniform(0.2, 3, n))


def hostile_case(
    seed: int, n_rows: int, *, n_classes: int | None = None
) -> tuple[dict[str, Any], Any, list[Any]]:
    """A random tree with hostile names and every rule of prices, rows at and beside its cuts, and answers."""
    document = random_document(seed, n_columns=6, n_tests=10, n_classes=n_classes)
    document["prices"] = random_prices(document, seed)
    frame = frame_of(document, random_rows(document, seed, n_rows), "polars")
    answers = Tree.from_dict(document).predict(frame).tolist()
    return document, frame, answers


def random_prices(document: dict[str, Any], seed: int) -> dict[str, Any]:
    """Prices by outcome, groups, known and delayed tests, at random."""
    rng = np.random.default_rng(seed)
    names = [column["name"] for column in document["columns"]]
    group = rng.integers(-1, 2, len(names)).tolist()
    return {
        "prices": [{"feature": c["name"], **_price(c, rng)} for c in document["columns"]],
        "groups": [
            {"name": f"group {g}", "setup": _amount(rng), "members": members}
            for g in (0, 1)
            if (members := [name for name, own in zip(names, group, strict=True) if own == g])
        ],
        "pay": str(rng.choice(["once", "each"])),
        "known": [name for name in names if rng.random() < 0.15],
        "delayed": [name for name in names if rng.random() < 0.4],
        "delayed_scope": str(rng.choice(["delayed", "all"])),
    }


def _price(column: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    if rng.random() < 0.5:
        return {"price": _amount(rng)}
    if column["kind"] == "number":
        return {"up_to": [-1.0, 0.0, 2.5], "prices": [_amount(rng) for _ in range(4)]}
    return {"outcomes": [{"value": scalar(c), "price": _amount(rng)} for c in column["categories"]]}


def _amount(rng: np.random.Generator) -> float:
    return float(rng.integers(0, 2000)) / 100
