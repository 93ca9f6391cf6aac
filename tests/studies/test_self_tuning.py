"""The study of self-tuning trees runs, says whether the paper's claims hold, and can be resumed."""

from __future__ import annotations

import csv
import subprocess
import sys
from dataclasses import asdict

import numpy as np
import pytest
from sklearn.model_selection import KFold, cross_val_score, train_test_split
from sklearn.tree import DecisionTreeClassifier
from thoroughness import tries

from studies.harness.kept import KeptRun
from studies.harness.record import StudyRun
from studies.self_tuning import report as self_tuning_report
from studies.self_tuning import results, synthetic
from studies.self_tuning.__main__ import main
from studies.self_tuning.claims import PAPER_RIVALS, Total, can_be_judged, judge, statements
from studies.self_tuning.methods import (
    EVERY_METHOD,
    LEAF_ROWS,
    METHODS,
    TREATMENTS,
    ScikitTree,
    nodes_and_depth,
)
from studies.self_tuning.results import DivisionResults, DivisionScore, DivisionTask, gather
from studies.self_tuning.sets import SOURCES, LabelledSet, division, load
from thriftree import MSIClassifier
from thriftree.table.dataframes import column_names

pytest.importorskip("matplotlib")
pytest.importorskip("pandas")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    """A folder as --data takes it: numbers, a column of names, and a set of two files."""
    import pyarrow

    folder = tmp_path_factory.mktemp("data")
    random = np.random.default_rng(0)

    def write(name, n_rows, **names):
        columns = {f"c{j}": random.normal(size=n_rows).round(2) for j in range(3)}
        names = {column: random.choice(values, n_rows) for column, values in names.items()}
        odd = random.random(n_rows) < 0.1
        truth = (columns["c0"] + columns["c1"] > 0.3) ^ odd
        for values in names.values():
            truth ^= values == "infant"
        table = {**{key: value.tolist() for key, value in names.items()}, **columns}
        parquet.write_table(
            pyarrow.table({**table, "target": np.where(truth, "yes", "no").tolist()}),
            folder / f"{name}.parquet",
        )

    write("wdbc", 240)
    write("abalone", 200, sex=["male", "female", "infant"])
    write("wine-quality-red", 120)
    write("wine-quality-white", 80)
    return folder


@pytest.mark.full
def test_everything_is_compared_and_written(made_up, tmp_path):
    n_repeats = tries(2, 1)
    command = [sys.executable, "-m", "studies.self_tuning", "--data", str(made_up)]
    command += [
        "--out",
        str(tmp_path),
        "--sets",
        "cancer",
        "abalone",
        "--repeats",
        str(n_repeats),
        "--jobs",
        "1",
    ]
    run = subprocess.run(
        [*command, "--short-models"], capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert run.stderr == ""
    assert all(len(line) <= 110 for line in run.stdout.splitlines() if not line.startswith("Written: "))
    for words in (
        f"{n_repeats} × 70% to train, 30% to test",
        "cancer: 240 rows, 3 columns, 2 classes",
        "abalone: 200 rows, 4 columns, 2 classes",
        "Do the paper's claims about MSI hold?",
        "In total, of 2 data sets",
        "Treatments of short models",
        f"{22 * n_repeats} fits took",
    ):
        assert words in run.stdout
    with (tmp_path / "self_tuning.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * n_repeats * len(EVERY_METHOD)
    assert {row["method"] for row in rows} == set(METHODS) | {"MSI clip", "MSI literal"}
    assert all(0 <= float(row["accuracy"]) <= 1 and int(row["nodes"]) > int(row["depth"]) for row in rows)
    for name in ("self_tuning", "self_tuning_trade_off"):
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "</svg>" in (tmp_path / f"{name}.svg").read_text(encoding="utf-8")


def test_a_study_that_was_interrupted_goes_on_where_it_was(made_up, tmp_path, monkeypatch, capsys):
    measured = []

    def interrupted(task):
        if len(measured) == 3:
            raise KeyboardInterrupt
        measured.append(task)
        return {"accuracy": 0.9, "nodes": 5, "depth": 2, "seconds": 0.1 * len(measured)}

    words = ["--data", str(made_up), "--out", str(tmp_path), "--sets", "cancer", "wine", "--jobs", "1"]
    words += ["--methods", "MSI", "CART", "--repeats", "2"]
    monkeypatch.setattr(results, "measure", interrupted)
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 130
    assert "Interrupted with 3 of 8 runs done" in capsys.readouterr().out
    assert [task.repeat for task in measured] == [0, 0, 0]  # repeats come one after the other
    later = {"accuracy": 0.8, "nodes": 7, "depth": 3, "seconds": 1.0}
    monkeypatch.setattr(results, "measure", lambda task: measured.append(task) or later)
    assert main(words) == 0
    assert len(set(measured)) == len(measured) == 8
    assert {(task.data, task.method) for task in measured[3:] if task.repeat == 0} == {("wine", "CART")}
    with (tmp_path / "self_tuning.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if (row["set"], row["method"]) == ("cancer", "MSI")]
    assert [(row["repeat"], row["accuracy"]) for row in rows] == [("0", "0.9"), ("1", "0.8")]


def test_wine_is_red_and_white_together(made_up):
    data = load(made_up, "wine")
    assert data.X.shape == (200, 3)
    assert column_names(data.X) == ["c0", "c1", "c2"]
    assert len(data.y) == 200


def test_every_learner_has_the_same_rows():
    train, test = division(1000, 3)
    assert (len(train), len(test)) == (700, 300)
    assert sorted([*train, *test]) == list(range(1000))
    assert division(1000, 3)[1].tolist() == test.tolist()
    assert division(1000, 4)[1].tolist() != test.tolist()


def test_a_score_is_that_of_fitting_by_hand(made_up):
    data = load(made_up, "cancer")
    X, y = np.asarray(data.X), data.y
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=1)
    cart = DecisionTreeClassifier(min_samples_split=5, random_state=1).fit(X_train, y_train)
    score = results.measure(DivisionTask(made_up, "cancer", "sklearn", 1))
    assert score["accuracy"] == cart.score(X_test, y_test)
    assert (score["nodes"], score["depth"]) == (cart.tree_.node_count, cart.get_depth())
    msi = MSIClassifier().fit(X_train, y_train)
    score = results.measure(DivisionTask(made_up, "cancer", "MSI", 1))
    assert (score["accuracy"], score["nodes"]) == (msi.score(X_test, y_test), msi.tree_.n_nodes)


def test_tuned_cart_takes_the_leaf_size_that_is_right_most_often(made_up):
    data = load(made_up, "cancer")
    folds = KFold(5, shuffle=True, random_state=7)
    means = [
        cross_val_score(
            DecisionTreeClassifier(min_samples_leaf=rows, random_state=7), data.X, data.y, cv=folds
        ).mean()
        for rows in LEAF_ROWS
    ]
    best = LEAF_ROWS[int(np.argmax(means))]
    assert len(set(means)) > 2
    by_hand = DecisionTreeClassifier(min_samples_leaf=best, random_state=7).fit(data.X, data.y)
    tuned = ScikitTree(7, tuned=True).fit(data.X, data.y)
    assert nodes_and_depth(tuned) == (by_hand.tree_.node_count, by_hand.get_depth())


def test_scikit_learn_gets_names_as_zeros_and_ones(made_up):
    import pandas

    data = load(made_up, "abalone")
    zeros_and_ones = pandas.get_dummies(data.X)
    assert zeros_and_ones.shape[1] == 6
    by_hand = DecisionTreeClassifier(min_samples_split=5, random_state=0).fit(zeros_and_ones, data.y)
    ours = ScikitTree(0, tuned=False).fit(data.X, data.y)
    assert np.mean(ours.predict(data.X) == data.y) == pytest.approx(
        by_hand.score(zeros_and_ones, data.y), abs=0.03
    )
    assert nodes_and_depth(ours)[0] == pytest.approx(by_hand.tree_.node_count, rel=0.2)


def test_the_error_counts_the_overlap_of_training_rows():
    accuracies = np.random.default_rng(0).uniform(0.7, 0.9, 10)
    results = DivisionResults({"MSI": [DivisionScore(a, 5, 2, 0.1) for a in accuracies]})
    expected = np.sqrt(accuracies.var(ddof=1) * (1 / 10 + 3 / 7))
    assert results.of("MSI", "accuracy").error == pytest.approx(expected)
    assert np.isnan(DivisionResults({"MSI": [DivisionScore(0.8, 5, 2, 0.1)]}).of("MSI", "accuracy").error)


def made_up_results(**means):
    """Three repeats of each learner around (accuracy, nodes, depth); all move together."""
    return DivisionResults(
        {
            name.replace("_", " "): [DivisionScore(a + shift, n, d, 1.0) for shift in (-0.01, 0.0, 0.01)]
            for name, (a, n, d) in means.items()
        }
    )


def test_the_claims_are_held_against_the_best_the_tuned_and_the_smallest():
    results = made_up_results(
        MSI=(0.88, 10, 3), sklearn=(0.87, 90, 9), sklearn_tuned=(0.89, 20, 5), CHAID=(0.895, 9, 3)
    )
    found = judge(results)
    assert (found.best, found.smallest, found.shallowest) == ("CHAID", "CHAID", "CHAID")
    assert found.behind.mean == pytest.approx(0.015)
    assert found.accurate
    assert found.sure
    assert found.far_fewer_nodes  # exactly half
    assert found.beats_cart
    assert not found.fewest_nodes
    assert not found.shallower
    assert found.holds


@pytest.mark.parametrize(
    ("accuracy", "nodes", "holds"), [(0.869, 5, False), (0.88, 11, False), (0.871, 9, True)]
)
def test_the_claim_needs_accuracy_and_few_nodes_both(accuracy, nodes, holds):
    results = made_up_results(MSI=(accuracy, nodes, 1), sklearn=(0.89, 90, 9), sklearn_tuned=(0.85, 20, 5))
    assert judge(results).holds is holds


def test_other_treatments_are_no_rivals():
    results = made_up_results(
        MSI=(0.80, 5, 1), MSI_clip=(0.99, 1, 0), sklearn=(0.81, 90, 9), sklearn_tuned=(0.80, 20, 5)
    )
    assert judge(results).best == "sklearn"
    assert judge(results).smallest == "sklearn tuned"
    assert judge(results, "MSI clip").behind.mean == pytest.approx(-0.18)


def test_the_nearest_treatment_is_marked():
    shuttle = made_up_results(
        MSI=(0.90, 25, 3),
        MSI_clip=(0.90, 25, 3),
        MSI_literal=(0.5, 1, 0),
        sklearn=(0.9, 90, 9),
        sklearn_tuned=(0.9, 40, 5),
    )
    said = {one.text: one for one in statements({"shuttle": shuttle}, list(TREATMENTS))}
    assert said["nodes on shuttle"].nearest() == ["MSI", "MSI clip"]
    assert said["data sets where it is accurate"].found == {"MSI": 1, "MSI clip": 1, "MSI literal": 0}
    text = "\n".join(self_tuning_report.short_models({"shuttle": shuttle}))
    assert "how often, of 6: MSI 6, MSI clip 6, MSI literal 3." in text
    assert "25*" in text


def test_a_learner_can_be_held_against_some_of_the_others_alone():
    results = made_up_results(
        MSI=(0.88, 10, 3), sklearn=(0.87, 90, 9), sklearn_tuned=(0.95, 20, 5), CHAID=(0.89, 9, 3)
    )
    assert judge(results).best == "sklearn tuned"
    assert judge(results, against=PAPER_RIVALS).best == "CHAID"
    assert judge(results, "sklearn tuned").best == "CHAID"
    assert judge(results, "sklearn tuned").behind.mean == pytest.approx(-0.06)


def test_the_total_counts_data_sets_and_says_so_plainly():
    good = judge(made_up_results(MSI=(0.9, 10, 3), sklearn=(0.9, 80, 9), sklearn_tuned=(0.9, 40, 5)))
    bad = judge(made_up_results(MSI=(0.8, 10, 3), sklearn=(0.9, 80, 9), sklearn_tuned=(0.9, 160, 5)))
    total = Total.of([good, bad])
    assert (total.n_sets, total.accurate, total.far_fewer_nodes, total.holds) == (2, 1, 2, 1)
    assert total.behind == pytest.approx(0.05)
    assert total.node_ratio == pytest.approx(1 / 8)  # of 1/4 and 1/16
    assert self_tuning_report.verdict(total) == (
        "the claim does not hold. Far fewer nodes: 2 of 2. Within 2 points: 1. Both: 1."
    )
    assert self_tuning_report.verdict(Total.of([good])).startswith("the claim holds.")
    assert "holds in most data sets, not in all" in self_tuning_report.verdict(Total.of([good, good, bad]))


def test_what_was_not_measured_is_not_judged():
    results = made_up_results(MSI=(0.88, 10, 3), sklearn=(0.87, 90, 9))
    assert not can_be_judged(results)
    assert "cannot be judged" in "\n".join(self_tuning_report.claims({"cancer": results}))
    assert "What the paper says" not in "\n".join(self_tuning_report.short_models({"cancer": results}))


def test_the_report_marks_what_the_interval_does_not_decide():
    wild = {
        "MSI": [DivisionScore(a, 5, 1, 1.0) for a in (0.7, 0.9, 0.8)],
        "sklearn": [DivisionScore(0.81, 90, 9, 1.0)] * 3,
        "sklearn tuned": [DivisionScore(0.81, 20, 5, 1.0)] * 3,
    }
    text = "\n".join(self_tuning_report.claims({"cancer": DivisionResults(wild)}))
    assert "accurate ?" in text
    once = {name: scores[:1] for name, scores in wild.items()}
    data = LabelledSet("cancer", np.zeros((4, 2)), np.array([0, 1, 0, 1]))
    assert "nan" not in "\n".join(self_tuning_report.of_set(data, DivisionResults(once)))
    assert "nan" not in "\n".join(self_tuning_report.claims({"cancer": DivisionResults(once)}))


def test_scores_are_gathered_by_set_and_learner_in_their_order():
    scores = [DivisionScore(0.1 * i, i, i, 0.0) for i in range(4)]
    places = [(name, repeat) for name in ("cancer", "wine") for repeat in (0, 1)]
    runs = [
        KeptRun("divisions", name, repeat, "MSI", asdict(score), None)
        for (name, repeat), score in zip(places, scores, strict=True)
    ]
    every = gather(runs[::-1])
    assert every["wine"].scores["MSI"] == scores[2:]
    assert every["wine"].mean("MSI", "nodes") == 2.5


def test_a_folder_without_the_data_is_named(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["--data", str(tmp_path), "--sets", "magic"])
    assert "magic.parquet is missing: --data must name the folder" in capsys.readouterr().err


def test_what_is_not_installed_is_said_with_the_extra_to_install(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(SystemExit):
        main(["--data", str(tmp_path)])
    assert "pip install 'thriftree[studies]'" in capsys.readouterr().err


def test_every_learner_has_its_own_look_in_the_plots():
    from studies.self_tuning.plot import LOOKS

    assert set(LOOKS) == set(METHODS)
    assert len(set(LOOKS.values())) == len(LOOKS)


def test_the_synthetic_examples_print_averages_beside_the_paper_s(monkeypatch):
    monkeypatch.setattr(synthetic, "DEVIATIONS", (2.5, 3.5, 4.5))
    planned = list(synthetic.planned(2))
    runs = [StudyRun(one.key, synthetic.measure(one.task), None, None, 0.0, "") for one in planned]
    lines = list(synthetic.report(runs))
    assert any("Gaussian blobs: 6 tables at each angle" in line for line in lines)
    assert [line.split()[1] for line in lines if line.startswith("  at ")] == ["0°", "22.5°", "45°"]
    for name in TREATMENTS:
        assert sum(line[2:16].rstrip() == name and "±" in line for line in lines) == 3
    of_cart = [line.split() for line in lines if line.startswith("  sklearn ≥ 26")]
    assert [words[-1] for words in of_cart] == ["0.872"] * 3
    assert all(float(words[-2]) == pytest.approx(0.872, abs=0.04) for words in of_cart)


def test_a_clipped_surfeit_leaves_a_planted_error_alone():
    assert synthetic.planted_sizes("MSI clip", 20).count(3) >= 16


@pytest.mark.parametrize(
    ("name", "shape"),
    [("cancer", (569, 30)), ("wine", (6497, 11)), ("shuttle", (58000, 9)), ("abalone", (4177, 8))],
)
def test_the_public_data_sets_are_whole(data_dir, name, shape):
    assert load(data_dir, name).X.shape == shape
    assert len(SOURCES) == 12
