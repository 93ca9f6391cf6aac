"""The study of prices runs, says who wins, and writes what it found."""

from __future__ import annotations

import csv
import subprocess
import sys

import numpy as np
import pytest
from thoroughness import tries

from studies import price_report, price_sets
from studies.evaluation import FoldResults, FoldScore
from studies.methods import METHODS
from studies.price_sets import SOURCES, load
from thriftree.costs import TestCosts
from thriftree.tuning.estimates import Estimate

pytest.importorskip("lightgbm")
pytest.importorskip("matplotlib")
pytest.importorskip("pandas")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def made_up(tmp_path):
    """A folder as --data takes it, with a table that a cheap and a expensive test answer equally well."""
    import pyarrow

    random = np.random.default_rng(0)
    truth = random.integers(0, 2, 150)
    noisy = np.where(random.random(150) < 0.1, 1 - truth, truth)
    table = {
        "mcv": random.normal(size=150),
        "alkphos": random.choice(["low", "high"], 150).tolist(),
        "sgpt": truth + random.normal(0, 0.3, 150),
        "sgot": truth + random.normal(0, 0.3, 150),
        "gammagt": [None if i % 10 == 0 else float(v) for i, v in enumerate(random.normal(size=150))],
        "target": np.where(noisy == 1, "drinks>=3", "drinks<3").tolist(),
    }
    parquet.write_table(pyarrow.table(table), tmp_path / "bupa.parquet")
    (tmp_path / "costs").mkdir()
    lines = ["dataset,test,full_cost,discount_cost,group,delay,evidence"]
    for test, full, discount, group in [
        ("mcv", 1, 1, ""),
        ("alkphos", 1, 1, ""),
        ("sgpt", 90, 80, "A"),
        ("sgot", 5, 5, ""),
        ("gammagt", 30, 20, "A"),
    ]:
        lines.append(f"bupa,{test},{full},{discount},{group},{'delayed' if group else 'immediate'},made up")
    (tmp_path / "costs" / "test-costs.csv").write_text("\n".join(lines))
    return tmp_path


@pytest.mark.full
def test_every_learner_is_compared_and_everything_is_written(made_up, tmp_path):
    out = tmp_path / "out"
    command = [sys.executable, "-m", "studies.prices", "--data", str(made_up), "--out", str(out)]
    run = subprocess.run(
        [*command, "--sets", "bupa", "--repeats", "1", "--folds", "2", "--jobs", "1"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    assert run.stderr == ""
    report, _, _ = run.stdout.partition("\nWritten: ")  # the paths are as long as they are
    assert max(map(len, report.splitlines())) <= price_report.WIDTH
    assert "\n  Not beaten on both, cheapest first: " in run.stdout
    for name in METHODS:
        assert f"\n  {name:<12}" in run.stdout
    rows = list(csv.DictReader((out / "prices.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 2 * len(METHODS)
    price = {name: np.mean([float(r["price"]) for r in rows if r["method"] == name]) for name in METHODS}
    assert price["CART/price"] < 10  # it asks the cheap test
    assert all(float(r["worst_case"]) >= float(r["price"]) - 1e-9 for r in rows)
    assert (out / "prices.png").read_bytes().startswith(b"\x89PNG")
    assert "</svg>" in (out / "prices.svg").read_text(encoding="utf-8")


def test_two_processes_find_the_same_scores_as_one(made_up, tmp_path):
    from studies.harness.record import RunRecord
    from studies.harness.runs import run_study
    from studies.prices import gather, measure, planned

    repeats = tries(2, 1)
    plan = list(planned(made_up, ["bupa"], ["CART", "C4.5"], repeats, 3))
    one, two = (
        gather(made_up, run_study(measure, plan, RunRecord(tmp_path / f"{jobs}.jsonl"), jobs=jobs), 3)
        for jobs in (1, 2)
    )
    assert one == two
    assert [len(scores) for scores in one["bupa"].scores.values()] == [3 * repeats] * 2


def test_a_folder_without_the_data_is_named(tmp_path, capsys):
    from studies.prices import main

    with pytest.raises(SystemExit):
        main(["--data", str(tmp_path), "--sets", "pima"])
    assert "pima.parquet is missing: --data must name the folder" in capsys.readouterr().err


@pytest.mark.parametrize("module", ["lightgbm", "matplotlib.figure"])
def test_what_is_not_installed_is_said_with_the_extra_to_install(tmp_path, capsys, monkeypatch, module):
    from studies.prices import main

    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(SystemExit):
        main(["--data", str(tmp_path)])
    assert "pip install 'thriftree[studies]'" in capsys.readouterr().err


def test_the_verdict_says_only_what_the_intervals_allow():
    above, below, unclear = Estimate(1, 0.1, 0.5, 1.5), Estimate(-1, 0.1, -1.5, -0.5), Estimate(0, 1, -2, 2)
    assert price_report.verdict(above, below) == "cheaper, more accurate"
    assert price_report.verdict(below, above) == "more expensive, less accurate"
    assert price_report.verdict(unclear, below) == "cheaper"
    assert price_report.verdict(unclear, unclear) == "no clear difference"


def test_the_summary_compares_our_tree_with_pruned_cart():
    def scores(accuracy, price):
        return [FoldScore(accuracy + 0.01 * i, 0.9, price + i, 20, 3) for i in range(5)]

    every = {"made up": FoldResults(5, {"CART": scores(0.7, 30), price_report.OURS: scores(0.8, 10)})}
    text = "\n".join(price_report.summary(every))
    assert f"\n  made up  {price_report.OURS}\n" in text
    assert text.endswith(
        "points +10.0 [+10.0, +10.0], price   -20.00 [  -20.00,   -20.00]: cheaper, more accurate"
    )


@pytest.mark.parametrize("name", SOURCES)
def test_the_public_data_sets_have_a_price_for_every_test(data_dir, name):
    data = load(data_dir, name)
    bound = data.costs.bind(list(data.X.columns))
    assert len(bound.names) == data.columns == len(data.costs.prices)
    assert price_sets.TARGET not in data.X.columns


def test_the_price_list_agrees_with_the_uci_files(data_dir):
    for name, uci in (("heart", "heart-disease"), ("thyroid", "ann-thyroid")):
        theirs, ours = TestCosts.from_uci(data_dir / "costs" / uci), load(data_dir, name).costs
        assert (ours.prices, ours.groups, ours.delayed) == (theirs.prices, theirs.groups, theirs.delayed)


def test_the_index_left_out_of_thyroid_is_the_quotient_of_two_tests(data_dir):
    table = parquet.read_table(data_dir / "ann-thyroid-train.parquet").to_pandas()
    quotient = table["TT4"] / table["T4U"] / 10  # both are scaled
    assert np.mean(np.abs(quotient - table["FTI"]) < 0.002) > 0.9


def test_every_learner_has_its_own_look_in_the_plot():
    from studies.price_plot import LOOKS

    assert set(METHODS) <= set(LOOKS)
    assert len(set(LOOKS.values())) == len(LOOKS)


def test_a_tree_grown_per_test_is_priced_by_the_real_rules():
    from studies.methods import GrownPerTest
    from thriftree import CARTClassifier

    X = np.repeat([0.0, 1.0, 2.0, 3.0], 5)[:, None]
    y = np.repeat(["a", "b", "a", "b"], 5)
    seen = []

    def make(costs, seed):
        seen.append(costs.pay)
        return CARTClassifier(costs=costs, random_state=seed)

    model = GrownPerTest(make, TestCosts([5.0]), 0).fit(X, y)
    assert seen == ["each"]
    assert model.tree_.depth >= 2
    assert (model.predict(X) == y).all()
    assert set(model.predict_cost(X)) == {5.0}  # asked more than once, paid once
    assert model.worst_case_cost_ == 5.0
