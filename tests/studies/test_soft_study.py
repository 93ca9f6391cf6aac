"""The study of soft trees: folds, what is kept, and a page that says what the results say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from studies.harness.record import RunKey, StudyRun
from studies.harness.tables import StudyTable
from studies.soft import soft_results
from studies.soft.page import PAGE, claims, page
from studies.soft.soft_learners import CART, CLASSIFIERS, OBLIQUE, PEER, REGRESSORS
from studies.soft.soft_results import SoftResults, results_of
from studies.soft.soft_runs import CLASS_SETS, FOLDS, SETS, fold, learners_for
from studies.which_tree import sets

FACTS = {"rows": 10, "all_rows": 20, "columns": 3, "classes": 2}


def made(scores):
    """Results of two sets and two splits: `scores[learner]` has a mean for each set."""
    names = ("bupa", "iris")
    runs = [
        (name, split, learner, {"score": each[i] + (0.01 if split else -0.01), "leaves": 4, "fit_s": 0.1})
        for learner, each in scores.items()
        for i, name in enumerate(names)
        for split in range(2)
    ]
    about = {
        **{"study": "soft trees", "max_rows": 1000, "folds": 5, "splits": dict.fromkeys(names, 2)},
        **{"last": "2026-01-02", "missing": {}, "versions": {"thriftree": "1"}},
        "sets": dict.fromkeys(names, FACTS),
    }
    return SoftResults(about, runs)


def test_the_page_is_made_from_the_results_that_are_kept():
    assert PAGE.read_text(encoding="utf-8") == page(soft_results.read())


def test_the_results_that_are_kept_are_of_ten_sets_at_least_and_of_every_learner():
    results = soft_results.read()
    assert len(results.of_kind("classes")) >= 10
    assert set(results.learners("classes")) == set(CLASSIFIERS)
    assert all(run[3].keys() >= {"score", "leaves", "fit_s"} for run in results.runs)


def test_claims_are_held_against_the_means():
    both = made({OBLIQUE: (0.9, 0.8), CART: (0.9, 0.7), PEER: (0.7, 0.9)})
    first, second = claims(both)
    assert first.holds
    assert first.measured == "on 2 of 2"
    assert second.holds
    assert second.measured.startswith("by +5.0 points on 2 sets")
    lost = made({OBLIQUE: (0.6, 0.8), CART: (0.9, 0.7), PEER: (0.7, 0.9)})
    first, second = claims(lost)
    assert not first.holds
    assert not second.holds
    assert "by −10.0 points" in second.measured
    assert "DOES NOT HOLD: it is at least as accurate as neural-trees" in page(lost)


def test_the_page_names_who_wins_where():
    text = page(made({OBLIQUE: (0.9, 0.8), CART: (0.9, 0.7), PEER: (0.7, 0.95)}))
    assert f"- Best accuracy, classes: {OBLIQUE} on bupa; {CART} on bupa; {PEER} on iris." in text
    assert "| bupa | 0.900 ± " in text


def test_folds_are_a_partition_and_those_of_another_repetition_are_others():
    y = np.array(["a", "b"] * 30, dtype=object)
    table = StudyTable("made", pd.DataFrame({"x": range(60)}), y, "classes", 60)
    parts = [fold(table, split) for split in range(2 * FOLDS)]
    for repeat in range(2):
        tested = np.concatenate([test for _, test in parts[repeat * FOLDS : (repeat + 1) * FOLDS]])
        assert sorted(tested) == list(range(60))
    assert not np.array_equal(parts[0][1], parts[FOLDS][1])
    assert all(sorted([*train, *test]) == list(range(60)) for train, test in parts)


def test_only_splits_that_every_learner_has_done_are_kept(monkeypatch):
    monkeypatch.setattr(
        sets, "load", lambda *_: StudyTable("iris", pd.DataFrame({"x": [1]}), [1], "classes", 1)
    )

    def run(split, learner):
        key = RunKey("soft trees", "iris", split, learner, {}, {"thriftree": "1"})
        return StudyRun(key, {"score": 0.5, "leaves": 2, "fit_s": 0.0}, None, None, 1.0, "2026-01-01T00")

    runs = [run(0, OBLIQUE), run(0, CART), run(1, OBLIQUE)]
    results = results_of(runs, None, ["iris"], 10)
    assert [one[1] for one in results.runs] == [0, 0]
    assert results.about["splits"] == {"iris": 1}


def test_the_sets_decide_no_default_and_every_learner_has_its_own_name():
    assert len(CLASS_SETS) == 10
    assert not any(map(sets.decides, CLASS_SETS))
    assert all(name == learner.name for name, learner in {**REGRESSORS, **CLASSIFIERS}.items())
    assert all(learners_for(name) for name in SETS)


@pytest.mark.parametrize("learner", [OBLIQUE, CART])
def test_a_learner_is_measured(learner):
    model = CLASSIFIERS[learner].make(CLASSIFIERS[learner].settings, 0)
    X = pd.DataFrame({"x": np.arange(40.0)})
    model.fit(X, np.array(["a", "b"], dtype=object)[(X["x"] > 20).to_numpy().astype(int)])
    assert model.leaves() == 2
    assert model.predict(X).tolist().count("a") == 21
