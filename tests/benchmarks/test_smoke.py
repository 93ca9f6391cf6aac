"""The benchmarks still run, and refuse to time a wrong answer."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import __main__ as program
from benchmarks import answers, data, public_data, rows, sklearn_trees, text
from benchmarks.measurement import Measurement, RatioTarget, faster

ROOT = Path(__file__).parents[2]


def test_a_row_prints_an_aligned_table_and_writes_the_same_numbers_as_json(tmp_path):
    file = tmp_path / "lines.json"
    printed = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick", "--only", "regression", "--json", str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    ).stdout
    report = json.loads(file.read_text(encoding="utf-8"))
    (line,) = report["lines"]
    assert line["against"] == "scikit-learn"
    assert line["ratio"] == pytest.approx(line["theirs"] / line["ours"])
    assert line["verdict"] == ""
    assert "≥ 65×" in printed
    assert max(map(len, printed.splitlines())) <= text.WIDTH


def test_a_wrong_answer_is_named_instead_of_a_time(monkeypatch, capsys):
    class WrongRow:
        TITLE, ROWS = "a row", 10

        @staticmethod
        def run(_rows):
            answers.check_same_leaves(90, 100)
            yield faster("work", "other", 1.0, 2.0, 1.5)

    monkeypatch.setattr(program, "load", lambda _name: WrongRow)
    assert program.main(["--only", "exact"]) == 1
    printed = capsys.readouterr().out
    assert "ANSWER DIFFERS, no time reported: 90 leaves against 100" in printed
    assert "work" not in printed


@pytest.mark.parametrize(
    ("measured", "verdict"),
    [
        (faster("work", "other", 1.0, 12.0, 12), "ok"),
        (faster("work", "other", 1.0, 11.9, 12), "MISSED"),
        (Measurement("work", "itself", ratio=13.0, target=RatioTarget(12, "at_most")), "MISSED"),
        (Measurement("work", "itself", remark="not measured: no cores"), "not measured: no cores"),
    ],
)
def test_the_verdict_compares_the_ratio_with_its_target(measured, verdict):
    assert measured.verdict(judged=True) == verdict


def test_a_small_size_is_not_judged():
    assert faster("work", "other", 1.0, 2.0, 12).verdict(judged=False) == ""


def test_answers_outside_the_tolerance_are_refused():
    answers.check_same_leaves(98, 100)
    answers.check_log_loss(1.0099, 1.0)
    answers.check_same_fit("gini", 0.3, 0.3002)
    for wrong in (
        lambda: answers.check_same_leaves(103, 100),
        lambda: answers.check_log_loss(1.011, 1.0),
        lambda: answers.check_same_fit("gini", 0.3, 0.301),
        lambda: answers.check_same_accuracy(np.zeros(100), np.ones(100), np.repeat([0, 1], [51, 49])),
        lambda: answers.check_all_right("us", np.array([0, 1]), np.array([0, 0])),
    ):
        with pytest.raises(answers.AnswerDiffersError):
            wrong()


def test_shares_within_groups_are_those_of_a_loop():
    random = np.random.default_rng(0)
    groups, y = random.integers(0, 5, 60) / 7, random.integers(0, 3, 60)
    shares = answers.shares_within(groups, y, 3)
    for row in range(60):
        same = y[groups == groups[row]]
        assert shares[row] == pytest.approx([np.mean(same == label) for label in range(3)])


@pytest.mark.parametrize("make", [data.floats, data.levels, data.two_valued])
def test_every_table_is_what_scikit_learn_uses_without_converting(make):
    made = make(700, 12, 7)
    assert made.X.dtype == np.float32
    assert made.X.flags.c_contiguous
    assert np.bincount(made.y) == pytest.approx(100, abs=1)


def test_a_pure_subtree_of_scikit_learn_counts_as_one_leaf():
    tree = SimpleNamespace(  # the root's left child is pure, and divided nevertheless
        children_left=np.array([1, 2, -1, -1, -1]),
        children_right=np.array([4, 3, -1, -1, -1]),
        value=np.array([[[0.6, 0.4]], [[1, 1e-13]], [[1, 0]], [[1, 1e-13]], [[0.2, 0.8]]]),
    )
    assert sklearn_trees.n_leaves(SimpleNamespace(tree_=tree)) == 2


def test_levels_and_two_valued_columns_have_so_many_values():
    assert len(np.unique(data.levels(5000, 12, 2).X)) == data.LEVELS
    assert np.unique(data.two_valued(700, 12, 7).X).tolist() == [0, 1]


def test_every_row_of_the_folder_is_named():
    modules = {file.stem for file in Path(rows.__file__).parent.glob("*.py")} - {"__init__"}
    assert modules == set(rows.NAMES)


def test_equal_rows_of_a_public_table_become_one_object_with_the_heaviest_class(tmp_path, monkeypatch):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    table = {
        "encounter_id": [1, 2, 3, 4, 5],  # no feature
        "age": [30, 70, 30, 30, 50],
        "sex": ["m", "f", "m", "m", "f"],
        "target": ["yes", "no", "no", "yes", "no"],
    }
    pandas.DataFrame(table).to_parquet(tmp_path / "made_up.parquet")
    monkeypatch.setenv("THRIFTREE_DATA", str(tmp_path))
    made = public_data.objects("made_up", 10)
    found = {
        (tuple(x), int(y), float(w))
        for x, y, w in zip(made.X.tolist(), made.y, made.sample_weight, strict=True)
    }
    # age is 30, 50, 70; sex is m. Classes are no, yes.
    assert found == {((1, 0, 0, 1), 1, 3.0), ((0, 0, 1, 0), 0, 1.0), ((0, 1, 0, 0), 0, 1.0)}


@pytest.mark.parametrize("name", ["enhanced", "trade_off_path"])
def test_without_the_public_tables_their_rows_say_so(monkeypatch, name):
    monkeypatch.delenv("THRIFTREE_DATA", raising=False)
    (line,) = rows.load(name).run(100)
    assert line.remark == "not measured: THRIFTREE_DATA names no folder"


@pytest.mark.full
def test_worst_case_trees_are_timed_on_floats_even_without_the_public_tables(monkeypatch):
    monkeypatch.delenv("THRIFTREE_DATA", raising=False)
    *floats, last = rows.load("worst_case").run(200)
    assert [line.ratio > 0 for line in floats] == [True] * 3
    assert last.remark == "not measured: THRIFTREE_DATA names no folder"


@pytest.mark.parametrize(("name", "n_lines"), [("enhanced", 4), ("trade_off_path", 2), ("worst_case", 6)])
def test_the_rows_on_public_tables_run_on_a_few_hundred_rows(data_dir, monkeypatch, name, n_lines):
    monkeypatch.setattr(public_data, "NAMES", ("letter",))
    lines = list(rows.load(name).run(300))
    assert len(lines) == n_lines
    assert all(line.ratio > 0 for line in lines)


@pytest.mark.full
def test_scores_on_exact_columns_are_timed_after_their_answers_are_checked():
    lines = list(rows.load("exact_scores").run(300))
    timed, opened = ([line for line in lines if (line.ratio is None) == told] for told in (False, True))
    assert len(timed) == 10
    assert all(line.ratio > 0 for line in timed)
    assert [line.work for line in opened] == ["pairs opened", "pairs opened, weights"]
    assert all("gini" in line.remark and "balance" in line.remark for line in opened)


def test_msi_is_timed_beside_its_plain_algorithm():
    (line,) = rows.load("msi").run(60)
    assert line.ratio > 0


def test_predict_on_files_is_timed_after_its_answers_are_checked(monkeypatch):
    row = rows.load("streaming")
    monkeypatch.setattr(row, "_REPEATS", 1)
    lines = list(row.run(2000))
    assert [line.work.partition(",")[0] for line in lines] == [
        "csv",
        "csv",
        "parquet",
        "parquet",
        "csv",
        "parquet",
    ]
    assert all(line.ratio > 0 for line in lines)
    monkeypatch.setattr(
        row, "_probe", lambda *_arguments: {"seconds": 1.0, "process_s": 1.0, "peak_bytes": 1}
    )
    with pytest.raises((answers.AnswerDiffersError, FileNotFoundError)):
        list(row.run(2000))


def test_imports_are_timed_beside_that_of_scikit_learn():
    package, estimator = rows.load("importing").run(1)
    assert 0 < package.ours < estimator.ours
    assert package.theirs == estimator.theirs
