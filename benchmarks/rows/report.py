"""A report on a mixed table: its figures first, then how long it took and how large it is."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import confusion_matrix, roc_auc_score

from benchmarks.answers import AnswerDiffersError
from benchmarks.clock import cpu_time
from benchmarks.measurement import Lines, Measurement, RatioTarget, faster
from thriftree import CARTClassifier, write_report

TITLE = "a report on {rows:,} × 20 numbers and categories, two classes, prices, with missing values"
ROWS = 100_000
LEAVES = 60
LIMIT_S, LIMIT_MB = 10.0, 2.0


def run(rows: int) -> Lines:
    X, y = _table(2 * rows)
    prices = {name: 1.0 + place for place, name in enumerate(X.columns)}
    model = CARTClassifier(max_leaves=LEAVES, costs=prices).fit(X[:rows], y[:rows])
    X, y = X[rows:], y[rows:]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        timed = cpu_time(lambda: write_report(path, model, X, y, rows="held out"))
        page = path.read_text(encoding="utf-8")
    _check(page, model, X, y)
    yield faster(f"{LEAVES} leaves", "a limit of 10 s", timed.seconds, LIMIT_S, 1)
    size = len(page.encode("utf-8")) / 1e6
    target = RatioTarget(1, "at_most")
    yield Measurement("its size", "a limit of 2 MB", size, LIMIT_MB, "MB", size / LIMIT_MB, target)


def _table(rows: int) -> tuple[pd.DataFrame, Any]:
    random = np.random.default_rng(1)
    numbers = {f"number {j}": random.standard_normal(rows) for j in range(14)}
    words = np.array(["north", "south", "east", "west", "abroad"], dtype=object)
    categories = {f"region {j}": words[random.integers(0, 5, rows)] for j in range(6)}
    score = numbers["number 0"] + numbers["number 1"] * numbers["number 2"]
    score = score + (categories["region 0"] == "abroad") + random.standard_normal(rows)
    X = pd.DataFrame({**numbers, **categories})
    X.loc[random.random(rows) < 0.05, "number 0"] = np.nan
    X.loc[random.random(rows) < 0.05, "region 0"] = None
    return X, np.where(score > 0.2, "buys", "leaves")


def _check(page: str, model: CARTClassifier, X: pd.DataFrame, y: Any) -> None:
    """The page's figures are scikit-learn's and the estimator's."""
    found = re.search(r'<script type="application/json" id="facts">(.*?)</script>', page, re.DOTALL)
    if found is None:
        raise AnswerDiffersError("the page holds no facts")
    facts = json.loads(found[1])
    labels = list(model.classes_)
    area = roc_auc_score(y == labels[1], model.predict_proba(X)[:, 1])
    for what, ours, theirs in (
        ("AUC", facts["classes"]["ranking"]["auc"], area),
        ("expected price", facts["paid"]["expected"], model.predict_cost(X).mean()),
        ("confusion", facts["classes"]["counts"], confusion_matrix(y, model.predict(X), labels=labels)),
    ):
        if not np.allclose(ours, theirs, rtol=1e-9):
            raise AnswerDiffersError(f"{what} {ours} against {theirs}")
