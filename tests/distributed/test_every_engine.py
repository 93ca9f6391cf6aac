"""Every engine gives the tree that the same rows give in memory, and answers about its rows as they would."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from engine_tables import CUTS, ENGINES, FEATURES, content, fit_here, fit_in_parts, table
from sklearn.metrics import r2_score
from thoroughness import FULL

from thriftree import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    EnhancedTreeClassifier,
    ID3Classifier,
    ThriftTreeClassifier,
)
from thriftree.distributed import parquet_table

LEARNERS: dict[str, tuple[Any, str]] = {
    "bins": (lambda: CARTClassifier(max_bins=16, max_leaves=12), "label"),
    "exact": (lambda: CARTClassifier(max_leaves=12), "label"),
    "exact numbers": (lambda: CARTRegressor(max_depth=4), "number"),
    "by depth": (lambda: CARTClassifier(max_bins=32, max_depth=5, class_weight="balanced"), "label"),
    "numbers": (lambda: CARTRegressor(max_bins=32, max_depth=4), "number"),
    "multiway": (lambda: C45Classifier(max_bins=16), "label"),
    "information": (lambda: ID3Classifier(max_bins=8, max_depth=3), "label"),
    "objects": (lambda: EnhancedTreeClassifier(max_bins=4, max_depth=4), "label"),
    "pruned by folds": (
        lambda: CARTClassifier(max_bins=16, pruning="cost_complexity", alpha="cv", cv=3, random_state=0),
        "label",
    ),
    "chosen": (lambda: ThriftTreeClassifier(max_bins=8, cv=3, random_state=0), "label"),
}
SLOW = ("chosen", "pruned by folds", "information")


@pytest.fixture(autouse=True)
def parts_stay_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files this small would be read together."""
    monkeypatch.setattr(parquet_table, "PART_BYTES", 1)


def cases() -> list[Any]:
    """Each learner on each engine in the full run, each learner, each division and each engine in the plain
    run; not all with all.
    """
    names = list(LEARNERS) if FULL else [name for name in LEARNERS if name not in SLOW]
    cuts = list(CUTS)
    everything = [
        (engine, names[(i + j) % len(names)], cuts[j % len(cuts)], "weight" if (i + j) % 2 else None)
        for i, engine in enumerate(ENGINES)
        for j in range(len(names) if FULL else len(cuts))
    ]
    return [pytest.param(*case, id="-".join(map(str, case)).replace(" ", "_")) for case in everything]


@pytest.mark.parametrize(("engine", "learner", "cuts", "weight"), cases())
def test_the_tree_is_that_of_the_same_rows_in_memory(
    engine: str, learner: str, cuts: str, weight: str | None, tmp_path: Path
) -> None:
    make, target = LEARNERS[learner]
    frame = table()
    local = fit_here(make(), frame, target, weight)
    there = fit_in_parts(make(), ENGINES[engine](frame, CUTS[cuts], tmp_path, target, weight))
    assert local.tree_.n_leaves > 2
    assert content(there) == content(local)


@pytest.mark.parametrize("engine", ENGINES)
def test_answers_are_those_about_rows_in_memory(engine: str, tmp_path: Path) -> None:
    frame = table()
    model = fit_here(CARTClassifier(max_bins=16, max_depth=4), frame, "label", None)
    X = ENGINES[engine](frame, CUTS["seven"], tmp_path, "label", None)[0]
    for method in ("predict", "predict_proba", "predict_log_proba", "predict_cost", "apply"):
        answers = getattr(model, method)(X)
        if engine == "dask":
            answers = answers.compute()
        expected = getattr(model, method)(frame[FEATURES])
        assert np.asarray(answers).tolist() == expected.tolist()
    numbers = fit_here(CARTRegressor(max_depth=3), frame, "number", None)
    found = numbers.predict(X)
    found = found.compute() if engine == "dask" else found
    assert np.asarray(found).tolist() == numbers.predict(frame[FEATURES]).tolist()


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("cuts", ["one", "seven"])
@pytest.mark.parametrize("engine", ENGINES)
def test_scores_are_those_of_rows_in_memory(
    engine: str, cuts: str, weight: str | None, tmp_path: Path
) -> None:
    frame = table()
    weights = None if weight is None else frame[weight]
    for target, model in (("label", CARTClassifier(max_depth=2)), ("number", CARTRegressor(max_depth=2))):
        folder = tmp_path / target
        folder.mkdir()
        fit_here(model, frame, target, None)
        given = ENGINES[engine](frame, CUTS[cuts], folder, target, weight)
        expected = model.score(frame[FEATURES], frame[target], weights)
        assert 0.5 < expected < 1
        assert model.score(*given) == pytest.approx(expected, rel=1e-12)


def test_scores_of_parts_are_asked_for_with_names_or_arrays(tmp_path: Path) -> None:
    frame = table()
    model = fit_here(CARTClassifier(max_depth=2), frame, "label", None)
    X, y, _ = ENGINES["files"](frame, CUTS["two"], tmp_path, "label", None)
    expected = model.score(frame[FEATURES], frame["label"])
    assert model.score(X, y) == model.score(X, frame["label"]) == pytest.approx(expected)
    with pytest.raises(ValueError, match="y: the ParquetTable has no column 'lable'; did you mean 'label'"):
        model.score(X, "lable")


@pytest.mark.parametrize(
    ("rows", "score"), [([3.0, 3.0], 0.0), ([1.5, 1.5], 1.0), ([], None)], ids=["wrong", "right", "none"]
)
def test_scores_of_one_value_are_scikit_learns(
    rows: list[float], score: float | None, tmp_path: Path
) -> None:
    """No spread: all or nothing; no rows: a sentence."""
    model = CARTRegressor().fit(pd.DataFrame({"a": [0.0, 1.0], "b": 0.0, "c": "x"}), [1.5, 1.5])
    there = pd.DataFrame({"a": 0.0, "b": 0.0, "c": "x", "number": np.array(rows, float)}, range(len(rows)))
    X, y, _ = ENGINES["files"](there, [], tmp_path, "number", None)
    if score is None:
        with pytest.raises(ValueError, match="no rows of positive weight"):
            model.score(X, y)
    else:
        assert model.score(X, y) == r2_score(rows, [1.5, 1.5]) == score


@pytest.mark.parametrize("engine", ENGINES)
def test_a_column_that_is_not_there_is_named(engine: str, tmp_path: Path) -> None:
    X, _, _ = ENGINES[engine](table(), CUTS["two"], tmp_path, "label", None)
    with pytest.raises(ValueError, match="no column 'lable'"):
        CARTClassifier(max_bins=16).fit(X, "lable")


@pytest.mark.parametrize("engine", ["files", "dataset", "duckdb"])
def test_a_target_that_is_no_name_is_refused(engine: str, tmp_path: Path) -> None:
    X, _, _ = ENGINES[engine](table(), CUTS["two"], tmp_path, "label", None)
    with pytest.raises(TypeError, match="y must be the name of a column"):
        CARTClassifier(max_bins=16).fit(X, np.zeros(400))
