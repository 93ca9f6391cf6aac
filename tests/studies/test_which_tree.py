"""The study "which tree": its plan, its measures, and what it makes of results."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss, roc_auc_score
from thoroughness import FULL

from studies.harness import versions
from studies.harness.record import RunRecord
from studies.harness.runs import run_study
from studies.harness.tables import divide, load_table
from studies.which_tree import __main__ as program
from studies.which_tree import kept, sets
from studies.which_tree.budgets import BUDGET_LEARNERS
from studies.which_tree.learners import CLASSIFIERS, OURS, REGRESSORS
from studies.which_tree.measures import TreeTask, budgets_of, measure, relative_hypervolume
from studies.which_tree.plan import PARTS, StudyPlan
from thriftree import CARTClassifier, TestCosts

FAST = ("CART", "C4.5", "scikit-learn", "LightGBM, one tree", "Logistic regression", "Cheapest columns")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder as --data takes it: two tables of classes, one of numbers, and prices."""
    path = tmp_path_factory.mktemp("data")
    random = np.random.default_rng(0)
    n = 120
    score = random.normal(size=n)
    frame = pd.DataFrame(
        {
            "mcv": score + random.normal(0, 0.3, n),
            "alkphos": random.choice(["low", "high"], n),
            "sgpt": np.where(random.random(n) < 0.1, np.nan, score),
            "sgot": random.normal(size=n),
            "gammagt": random.normal(size=n),
        }
    )
    frame.assign(target=np.where(score > 0, "yes", "no")).to_parquet(path / "bupa.parquet")
    three = np.digitize(score, [-0.5, 0.5]).astype(str)
    frame.assign(target=three).to_parquet(path / "iris.parquet")
    frame.assign(target=score + (frame["alkphos"] == "low")).to_parquet(path / "boston.parquet")
    (path / "costs").mkdir()
    prices = {"mcv": 1.0, "alkphos": 1.0, "sgpt": 20.0, "sgot": 5.0, "gammagt": 9.0}
    lines = [f"bupa,{test},{price},{price},,immediate,made up" for test, price in prices.items()]
    header = "dataset,test,full_cost,discount_cost,group,delay,evidence"
    (path / "costs" / "test-costs.csv").write_text("\n".join([header, *lines]))
    return path


def plan(folder, splits=2, learners=FAST):
    of_part = {"classes": ["bupa", "iris"], "numbers": ["boston"], "prices": ["bupa"]}
    return StudyPlan(folder, of_part, splits, 100, learners)


@pytest.fixture(scope="module")
def study(folder, tmp_path_factory):
    """A small study, measured once for all tests, beside its runs."""
    small = plan(folder)
    record = RunRecord(tmp_path_factory.mktemp("out") / "which_tree.jsonl")
    return kept.keep(small, run_study(measure, list(small.runs()), record), quick=True)


def test_every_run_of_the_plan_is_measured(study, folder):
    assert [run.error for run in study.runs] == [None] * len(study.runs)
    assert len(study.runs) == 2 * (
        2 * 5 + 3 + 1
    )  # splits × (sets of classes × learners + regressors + priced)
    assert study.about["sets"]["classes"]["bupa"] == {
        "rows": 100,
        "all_rows": 120,
        "columns": 5,
        "classes": 2,
    }


def test_measures_are_those_of_scikit_learn_on_the_rows_that_were_not_learned(folder):
    found = measure(TreeTask("classes", folder, "iris", 1, "CART", 100))
    table = load_table("iris", folder, max_rows=100)
    train, test = divide(table.y, 1, "classes")
    model = CARTClassifier(pruning="cost_complexity", random_state=1).fit(table.X.iloc[train], table.y[train])
    X, y = table.X.iloc[test], table.y[test]
    shares = model.predict_proba(X)
    assert found["accuracy"] == model.score(X, y)
    assert found["log_loss"] == pytest.approx(log_loss(y, shares))
    assert found["auc"] == pytest.approx(roc_auc_score(y, shares, multi_class="ovr"))
    assert found["leaves"] == model.tree_.n_leaves
    each = TestCosts(dict.fromkeys(X.columns, 1.0), pay="each")  # then a path costs as many as it has tests
    priced = CARTClassifier(pruning="cost_complexity", random_state=1, costs=each)
    priced.fit(table.X.iloc[train], table.y[train])
    assert priced.tree_.n_leaves == found["leaves"]
    assert found["questions"] == pytest.approx(priced.predict_cost(X).mean())


def test_one_learner_is_left_out_by_its_name_and_the_library_that_is_missing(folder, monkeypatch):
    known = versions.installed
    monkeypatch.setattr(versions, "installed", lambda name: None if name == "c50py" else known(name))
    small = plan(folder, learners=None)
    assert small.missing()["C5.0"] == "c50py"
    assert not any(run.key.learner == "C5.0" for run in small.runs())


def test_splits_come_one_after_the_other_and_every_key_is_known_once(folder):
    runs = list(plan(folder, 3).runs())
    splits = [run.key.split for run in runs]
    assert splits == sorted(splits)
    assert len({str(run.key) for run in runs}) == len(runs)
    fewer = StudyPlan(folder, plan(folder).of_part, 3, 50, FAST)
    assert not {str(run.key) for run in runs} & {str(run.key) for run in fewer.runs()}


def test_settings_of_a_key_are_json_and_the_versions_are_installed(folder):
    for run in plan(folder, 1, None).runs():
        assert json.loads(str(run.key))["settings"]["study"]["test_share"] == 0.3
        assert run.key.versions


def test_budgets_go_from_the_cheapest_test_to_all_of_them(folder):
    priced = sets.load_priced("bupa", folder)
    budgets = budgets_of(priced)
    assert (budgets[0], budgets[-1]) == (pytest.approx(1.0), pytest.approx(36.0))
    ratios = np.divide(budgets[1:], budgets[:-1])
    assert ratios == pytest.approx([ratios[0]] * 5)


def test_made_prices_are_the_same_everywhere_and_whole_from_1_to_10(folder):
    made = sets.load_priced("iris", folder)
    assert not made.real
    assert made.costs.prices == {"mcv": 10.0, "alkphos": 9.0, "sgpt": 9.0, "sgot": 6.0, "gammagt": 2.0}


# The slowest is in the full run; tests/estimators holds its budgets in every run.
@pytest.mark.parametrize(
    "learner",
    [pytest.param(name, marks=[pytest.mark.full] * (name == "ThriftTree")) for name in BUDGET_LEARNERS],
)
def test_no_learner_pays_more_than_its_budget_and_none_is_free_of_charge(folder, learner):
    found = measure(TreeTask("prices", folder, "bupa", 0, learner, 100))
    assert all(price <= budget for price, budget in zip(found["price"], found["budgets"], strict=True))
    assert found["accuracy"][-1] > 0.8  # with everything to be had, the answer is found
    assert found["mean_accuracy"] == pytest.approx(np.mean(found["accuracy"]))
    assert 0 < found["hypervolume"] <= 1


def test_the_relative_hypervolume_is_0_without_tests_and_1_for_everything_right_for_nothing():
    assert relative_hypervolume([0.0], [0.6], 10.0, 0.6) == 0
    assert relative_hypervolume([0.0], [1.0], 10.0, 0.6) == 1
    assert relative_hypervolume([5.0, 0.0], [1.0, 0.8], 10.0, 0.6) == pytest.approx(0.75)


def test_the_halves_were_named_beforehand():
    assert list(sets.ALL_CLASSES) == sorted(sets.ALL_CLASSES)
    assert [name for name in sets.ALL_CLASSES if sets.decides(name)] == list(sets.ALL_CLASSES[::2])
    assert len(sets.CLASSES) >= 20
    assert not sets.decides("bundled:wine")


def test_the_shared_folder_has_every_set(data_dir):
    files = {path.stem for path in data_dir.glob("*.parquet")}
    assert set(sets.ALL_CLASSES) == files - {"abalone-reg", "boston"}
    for name in sets.NUMBERS:
        assert sets.load(name, "numbers", data_dir).y.dtype == np.float64
    for name in (*sets.REAL_PRICES, *sets.MADE_PRICES):
        assert sets.load_priced(name, data_dir).everything > 0


def test_quick_is_six_sets_and_two_splits(folder):
    quick = StudyPlan.quick(folder)
    assert sum(len(quick.of_part[part]) for part in PARTS) == 6
    assert quick.splits == 2


def test_the_program_goes_on_where_it_was_and_prints_its_tables(folder, tmp_path, capsys):
    arguments = ["--data", str(folder), "--out", str(tmp_path), *["--max-rows", "100", "--splits", "1"]]
    arguments += ["--jobs", "1", "--limit", "0"]  # in this process
    more = ["bundled:wine"] if FULL else []
    chosen = ["--sets", "bupa", "numbers=boston", *more, "--learners", "CART", OURS]
    assert program.main([*arguments, *chosen[:-1]]) == 0
    record = tmp_path / "which_tree.jsonl"
    before = record.read_text()
    assert program.main([*arguments, *chosen]) == 0
    assert record.read_text().startswith(before)  # it only grows
    runs = [json.loads(line) for line in record.read_text().splitlines()]
    assert {(run["data"], run["learner"]) for run in runs} == {
        *(("bupa", name) for name in ("CART", OURS)),
        *((data, name) for data in more for name in ("CART", OURS)),
        *(("boston", name) for name in ("CART", OURS)),
    }
    printed = capsys.readouterr().out
    assert "| **ThriftTree** |" in printed
    assert (
        "unknown: ThriftTree is more accurate than scikit-learn tuned: scikit-learn tuned was not measured"
        in printed
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--data", "nowhere"], "nowhere is no folder"), (["--learners", "Oracle"], "no learner 'Oracle'")],
)
def test_what_is_asked_wrongly_is_said(folder, tmp_path, capsys, arguments, message):
    known = [] if "--data" in arguments else ["--data", str(folder)]
    with pytest.raises(SystemExit):
        program.main([*known, *arguments, "--out", str(tmp_path)])
    assert message in capsys.readouterr().err


def test_ours_are_all_the_learners_of_hard_trees_in_the_registry():
    from thriftree.registry import METHODS

    for known, kind in ((CLASSIFIERS, "classifier"), (REGRESSORS, "regressor")):
        named = {learner.settings.get("estimator") for learner in known.values()} - {None}
        hard = [method for method in METHODS.values() if not method.is_soft]
        assert named == {getattr(method, kind) for method in hard} - {None}


def test_ctrl_c_says_how_far_it_came_and_how_to_go_on(folder, tmp_path, capsys, monkeypatch):
    done = []

    def interrupted(task):
        if done:
            raise KeyboardInterrupt
        done.append(task)
        return {"accuracy": 0.5}

    monkeypatch.setattr(program, "measure", interrupted)
    arguments = ["--data", str(folder), "--out", str(tmp_path), "--sets", "iris", "--splits", "2"]
    with pytest.raises(SystemExit) as ended:
        program.main([*arguments, "--learners", "CART", "--jobs", "1", "--limit", "0"])
    assert ended.value.code == 130
    assert "Interrupted with 1 of 2 runs done" in capsys.readouterr().out
