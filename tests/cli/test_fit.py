"""`thriftree fit`: the tree that the library would learn, its figures, and what the target is taken for."""

import csv
import re
import time
from contextlib import nullcontext

import numpy as np
import pytest
from command import HEART, HEART_DATA, PRICES, run

from thriftree import CARTClassifier, Tree
from thriftree.cli import proofs, screen
from thriftree.datasets import heart_prices, load_heart
from thriftree.learning.progress import told_of_search


def test_the_tree_is_the_one_that_the_library_learns_from_the_same_rows(tmp_path):
    path = tmp_path / "tree.json"
    result = run(
        *("fit", *HEART_DATA, "--method", "cart", "-s", "max_leaves=6", "-s", "pruning=none"),
        *("--test-share", "0", "-o", path),
    )
    assert (result.code, result.err) == (0, f"wrote {path}\n")
    X, y = load_heart()
    model = CARTClassifier(max_leaves=6, costs=heart_prices()).fit(X, y)
    tree = Tree.load(path)
    assert tree.to_text() == model.tree_.to_text()
    assert tree.to_text() in result.out
    assert f"expected price    {model.expected_cost_:.2f}" in result.out
    assert f"worst-case price  {model.worst_case_cost_:.2f}" in result.out
    assert tree.settings["estimator"] == "CARTClassifier"
    assert tree.settings["params"]["max_leaves"] == 6


def test_figures_of_held_out_rows_are_those_of_rows_that_the_tree_has_not_seen():
    facts = run("fit", *HEART_DATA, "--method", "c45", "--json").json
    assert facts["rows"] == 303
    assert 0.6 < facts["held_out"]["accuracy"] < 0.9
    assert facts["held_out"]["expected_cost"] <= facts["worst_case_cost"]
    assert facts["target_kind"] == "classes"
    again = run("fit", *HEART_DATA, "--method", "c45", "--json").json
    assert {**again["held_out"], "fit_time_s": 0} == {**facts["held_out"], "fit_time_s": 0}
    other = run("fit", *HEART_DATA, "--method", "c45", "--json", "--seed", "1").json
    assert other["text"] != facts["text"]


def test_folds_measure_a_tree_that_learnt_from_all_rows():
    facts = run("fit", *HEART_DATA, "--method", "c45", "--cv", "3", "--json").json
    assert facts["held_out"] is None
    assert 0.6 < facts["cross_validation"]["accuracy"] < 0.9
    everything = run("fit", *HEART_DATA, "--method", "c45", "--test-share", "0", "--json").json
    assert everything["text"] == facts["text"]


def test_a_budget_bounds_what_any_path_costs():
    facts = run("fit", *HEART_DATA, "--budget", "5", "--json").json
    assert facts["worst_case_cost"] <= 5
    assert facts["estimator"] == "ThriftTreeClassifier"


def test_an_expected_price_bounds_what_rows_pay_on_average():
    free, bound = (
        run("fit", *HEART_DATA, *more, "--set", "repeats=1", "--json").json
        for more in ((), ("--max-expected", "20"))
    )
    assert bound["expected_cost"] <= 20 < free["expected_cost"]


@pytest.mark.parametrize(
    ("target", "options", "kind"),
    [
        (["1.5", "2", "3", "4"] * 5, [], "numbers"),
        ([str(i) for i in range(21)], [], "numbers"),
        (["1", "2", "3", "4"] * 5, [], "classes"),
        (["1", "2", "3", "4"] * 5, ["--task", "number"], "numbers"),
        ([str(i) for i in range(21)] * 2, ["--task", "classes"], "classes"),
        (["true", "false"] * 10, [], "classes"),
        (["a", "b"] * 10, [], "classes"),
    ],
)
def test_the_target_is_a_number_if_it_has_fractions_or_many_values(file, target, options, kind):
    rows = "\n".join(f"{i % 7},{value}" for i, value in enumerate(target))
    words = ("--method", "cart", "-s", "pruning=none", "--test-share", "0", "--json")
    result = run("fit", file(f"x,y\n{rows}\n"), "--target", "y", *options, *words)
    assert result.json["target_kind"] == kind


def test_a_number_is_predicted_by_the_mean_and_measured_by_r2(file):
    rows = "\n".join(f"{i},{i % 50 / 3}" for i in range(200))
    result = run("fit", file(f"x,y\n{rows}\n"), "-t", "y", "-m", "cart")
    assert "r2 on held-out rows" in result.out
    assert "y is a number, 0 to 16.3333 (it has fractions; --task classes takes its values" in result.out


def test_rows_without_a_target_are_left_out_with_a_warning(file):
    path = file("x,y\n1,a\n2,b\n3,\n4,a\n5,b\n")
    result = run("fit", path, "-t", "y", "-m", "cart", "-s", "pruning=none", "--test-share", "0", "--json")
    assert result.json["rows"] == 4
    assert result.err == f"warning: {path}: 1 row has no 'y': left out\n"


def test_columns_can_be_dropped_with_their_prices_and_weights_count(file, tmp_path):
    with open(HEART, encoding="utf-8") as rows:
        lines = list(csv.reader(rows))
    weights = ["w", *(str(1 + i % 3) for i in range(len(lines) - 1))]
    text = "\n".join(",".join([*line, weight]) for line, weight in zip(lines, weights, strict=True))
    drop = ("--drop", "thallium_scan,major_vessels", "--drop", "resting_ecg")
    out = tmp_path / "tree.json"
    result = run(
        *("fit", file(text + "\n"), "-t", "heart_disease", "-c", PRICES, "--weight", "w", *drop),
        *("-m", "c45", "--test-share", "0", "-o", out),
    )
    assert result.code == 0
    tree = Tree.load(out)
    names = [column.name for column in tree.columns]
    assert len(names) == 10
    assert "w" not in names
    assert tree.core.weight[0] == np.sum([int(w) for w in weights[1:]])


def test_a_categorical_column_of_a_csv_file_stays_as_it_is_written(file, tmp_path):
    rows = "\n".join(f"{'01' if i % 2 else '1'},{'a' if i % 2 else 'b'}" for i in range(20))
    out = tmp_path / "tree.json"
    words = ("-m", "cart", "-s", "pruning=none", "--test-share", "0", "-o", out)
    assert run("fit", file(f"zip,y\n{rows}\n"), "-t", "y", "--categorical", "zip", *words).code == 0
    assert Tree.load(out).columns[0].categories == ("01", "1")


def test_a_limit_that_stops_learning_is_a_warning_in_one_line():
    result = run("fit", *HEART_DATA, "--time-limit", "0", "--test-share", "0", "--json")
    assert result.code == 0
    (line,) = result.err.splitlines()
    assert line.startswith("warning: ThriftTreeClassifier stopped at its time_limit_s")


def test_rows_come_from_a_pipe():
    with open(HEART, "rb") as file:
        content = file.read()
    words = ("--target", "heart_disease", "--costs", PRICES, "-m", "c45", "--json")
    piped, named = run("fit", "-", *words, stdin=content).json, run("fit", HEART, *words).json
    for facts in (piped, named):
        del facts["held_out"]["fit_time_s"]
    assert piped == named


def test_class_weights_name_classes_that_are_numbers(file, tmp_path):
    rows = "\n".join(f"{i % 7},{int(i % 3 == 0)}" for i in range(60))
    out = tmp_path / "tree.json"
    words = ("-m", "cart", "--test-share", "0", "-o", out, "-s", 'class_weight={"0": 1, "1": 5}')
    assert run("fit", file(f"x,y\n{rows}\n"), "-t", "y", *words).code == 0
    assert Tree.load(out).to_dict()["nodes"][0]["value"] == [40 * 1, 20 * 5]


def test_fit_takes_time_in_proportion_to_the_columns(tmp_path):
    """16 times the columns take about 16 times as long; the square would be 256 times."""

    def seconds(n_columns: int) -> float:
        path = tmp_path / "wide.csv"
        rows = [[(i * (j + 3)) % 7 for j in range(n_columns)] for i in range(12)]
        lines = [",".join([*map(str, row), "yes" if row[0] > 3 else "no"]) for row in rows]
        path.write_text("\n".join([",".join([*(f"c{j}" for j in range(n_columns)), "sick"]), *lines]) + "\n")
        start = time.process_time()
        assert run("fit", path, "--target", "sick", "-m", "cart", "-s", "pruning=none").code == 0
        return time.process_time() - start

    seconds(500)
    assert seconds(16_000) < 5 * 16 * seconds(1_000)


def test_an_optimal_tree_says_what_is_proved_of_it():
    words = ("--method", "optimal", "-s", "max_depth=2", "-s", "leaf_penalty=0.01", "--test-share", "0")
    facts = run("fit", *HEART_DATA, *words, "--json").json
    proof = facts["proof"]
    assert proof["status"] == "optimal"
    assert proof["objective"] == proof["lower_bound"]
    assert (proof["gap"], proof["leaf_penalty"]) == (0.0, 0.01)
    shown = run("fit", *HEART_DATA, *words)
    assert (
        f"{proof['objective']:.4f}  errors + 0.01 a leaf; proved best for {proof['proved_for']}" in shown.out
    )
    assert run("fit", *HEART_DATA, "--method", "cart", "--json").json["proof"] is None


def test_the_bar_shows_best_bound_and_gap(monkeypatch):
    shown = []
    monkeypatch.setattr(screen, "progress", lambda *_, **__: nullcontext(lambda *told: shown.append(told)))
    result = run("fit", *HEART_DATA, "--method", "optimal", "-s", "max_depth=3", "-s", "leaf_penalty=0.01")
    assert result.code == 0
    done, total, found = shown[-1]
    assert 0 <= done <= total == 100
    assert re.fullmatch(r"best 0\.\d{4}, bound 0\.\d{4}, (gap \d+\.\d%|reached: .*)", found)


@pytest.mark.parametrize(
    ("best", "bound", "state"),
    [(0.2, 0.15, "gap 25.0%"), (0.2, 0.0, "gap 100.0%"), (0.0, 0.0, "reached: looking for fewer leaves")],
)
def test_the_bar_calls_no_search_that_goes_on_a_gap_of_nothing(best, bound, state):
    shown = []
    with proofs.told_of_search(lambda *told: shown.append(told)):
        told_of_search()(0.1, best, bound)
    assert [found for _, _, found in shown] == [f"best {best:.4f}, bound {bound:.4f}, {state}"]
    assert all(done < total for done, total, _ in shown), "the clock of a full bar stands still"
