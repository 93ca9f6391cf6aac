"""The study of the worst case runs, says whether the paper's findings hold, and writes what it found."""

from __future__ import annotations

import csv
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from oracles.greedy_tree import Problem, class_counts, grow, object_prices
from oracles.ngi import instance
from oracles.set_functions import hinged_pairs, powers

from studies.worst_case import report as worst_case_report
from studies.worst_case.curves import curves, hinges
from studies.worst_case.findings import (
    HINGED,
    IMPURITIES,
    POWERS,
    WITHOUT_OFFSET,
    Point,
    compare,
    error_at,
    max_costs,
    verdict,
)
from studies.worst_case.sets import (
    LEVELS,
    MISSING,
    SOURCES,
    ObjectSet,
    coded,
    load,
    merge,
    nearest_level,
    quarters,
)

pytest.importorskip("matplotlib")
pytest.importorskip("pandas")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def made_up(tmp_path_factory):
    """A folder as --data takes it: numbers, categories with gaps, a numeric target, and prices."""
    import pyarrow

    folder = tmp_path_factory.mktemp("data")
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, 80)
    numbers = {f"band{j}": truth * (j == 0) + random.normal(0, 0.6, 80) for j in range(3)}
    parquet.write_table(
        pyarrow.table({**numbers, "target": np.where(truth == 1, "mine", "rock").tolist()}),
        folder / "sonar.parquet",
    )
    votes = {f"vote{j}": random.choice(["y", "n", None], 60).tolist() for j in range(5)}
    parties = ["left" if vote == "y" else "right" for vote in votes["vote0"]]
    parquet.write_table(pyarrow.table({**votes, "target": parties}), folder / "house-votes-84.parquet")
    rooms = random.integers(0, 30, 60)
    parquet.write_table(
        pyarrow.table({"rooms": rooms, "target": 3.0 * rooms + random.normal(size=60)}),
        folder / "boston.parquet",
    )
    tests = ["mcv", "alkphos", "sgpt", "sgot", "gammagt"]
    columns = {test: random.integers(0, 9, 70).astype(float) for test in tests}
    parquet.write_table(
        pyarrow.table({**columns, "target": (columns["sgpt"] > 4).astype(int)}), folder / "bupa.parquet"
    )
    (folder / "costs").mkdir()
    lines = ["dataset,test,full_cost,discount_cost,group,delay,evidence"]
    lines += [f"bupa,{test},{5 + j},{5 + j},,immediate,made up" for j, test in enumerate(tests)]
    (folder / "costs" / "test-costs.csv").write_text("\n".join(lines))
    return folder


@pytest.mark.full
def test_everything_is_compared_and_written(made_up, tmp_path):
    command = [sys.executable, "-m", "studies.worst_case", "--data", str(made_up)]
    command += ["--out", str(tmp_path), "--sets", "sonar", "house-votes-84", "boston"]
    run = subprocess.run(
        [*command, "--certificates", "--priced", "bupa", "--seconds", "0.05"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    assert run.stderr == ""
    lines = [line for line in run.stdout.splitlines() if not line.startswith("Written: ")]
    assert max(map(len, lines)) <= worst_case_report.WIDTH
    for title in ("Sonar: 80 rows", "House votes: 60 rows", "Boston housing: 60 rows", "bupa: 70 rows"):
        assert title in run.stdout
    assert "The paper has 435 rows, 342 unique." in run.stdout
    assert run.stdout.count("  Finding 1 holds in ") == run.stdout.count("  Finding 2 holds in ") == 2

    rows = list(csv.DictReader((tmp_path / "worst_case.csv").read_text(encoding="utf-8").splitlines()))
    assert {(row["set"], row["impurity"]) for row in rows} == {
        (name, impurity) for name in ("sonar", "house-votes-84", "boston") for impurity in IMPURITIES
    }
    assert all(0 <= float(row["error"]) < 1 for row in rows)
    path = tmp_path / "worst_case_certificates.csv"
    certified = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    assert {row["objective"] for row in certified} == {"worst_case", "expected"}
    assert len(certified) == 12
    assert all(float(row["lower_bound"]) <= float(row["reached"]) for row in certified)
    worst = {row["tree"]: row for row in certified if row["objective"] == "worst_case"}
    assert float(worst["CART"]["reached"]) == 7  # the one test that tells the classes apart
    assert worst["GreedyTree"]["trees"] == worst["CART"]["trees"] == "pure"
    assert 0 < float(worst["GreedyTree"]["lower_bound"]) <= 7
    assert (tmp_path / "worst_case.png").read_bytes().startswith(b"\x89PNG")
    assert "</svg>" in (tmp_path / "worst_case.svg").read_text(encoding="utf-8")


def test_a_folder_without_the_data_is_named(tmp_path, capsys):
    from studies.worst_case.__main__ import main

    with pytest.raises(SystemExit):
        main(["--data", str(tmp_path), "--sets", "wdbc"])
    assert "wdbc.parquet is missing: --data must name the folder" in capsys.readouterr().err


def test_what_is_not_installed_is_said_with_the_extra_to_install(tmp_path, capsys, monkeypatch):
    from studies.worst_case.__main__ import main

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(SystemExit):
        main(["--data", str(tmp_path)])
    assert "pip install 'thriftree[studies]'" in capsys.readouterr().err


def test_a_number_goes_to_the_nearest_of_ten_levels():
    values = np.array([0.0, 0.49, 0.51, 4.4, 8.6, 9.0, np.nan, 1, 2, 3, 5, 6])
    assert nearest_level(values).tolist() == [0, 0, 1, 4, 9, 9, MISSING, 1, 2, 3, 5, 6]
    assert nearest_level(1000 * values - 5).tolist() == nearest_level(values).tolist()


def test_up_to_ten_values_keep_apart():
    assert nearest_level(np.array([0, 1, 1000, np.nan, 1])).tolist() == [0, 1, 2, MISSING, 1]
    assert len(set(nearest_level(np.geomspace(1, 1e9, LEVELS)))) == LEVELS
    assert len(set(nearest_level(np.geomspace(1, 1e9, LEVELS + 1)))) < LEVELS


def test_quarters_hold_a_fourth_each_and_a_cut_belongs_to_the_lower_one():
    target = np.arange(1, 10)
    assert quarters(target).tolist() == [0, 0, 0, 1, 1, 2, 2, 3, 3]


def test_equal_rows_are_one_object_with_their_most_common_label():
    codes = np.array([[1, 0], [0, 2], [1, 0], [1, 0], [0, 2]])
    X, y = merge(codes, np.array(["b", "b", "a", "b", "a"]))
    assert X.tolist() == [[0, 2], [1, 0]]
    assert y.tolist() == ["a", "b"]  # of equals the first


def test_a_missing_answer_is_an_answer(made_up):
    from thriftree.table.making_frames import read_parquet, without_columns

    votes = coded(without_columns(read_parquet(made_up / "house-votes-84.parquet"), ["target"]))
    assert set(np.unique(votes)) == {MISSING, 0, 1}


def test_boston_s_classes_are_quarters(made_up):
    data = load(made_up, "boston")
    assert data.n_rows == 60
    assert set(data.y.tolist()) == {0, 1, 2, 3}
    assert len(data.X) <= LEVELS


def test_the_trees_are_those_of_the_slow_greedy_tree():
    random = np.random.default_rng(3)
    X = np.unique(random.integers(0, 3, (60, 5)), axis=0)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + random.integers(0, 2, len(X))) % 3
    found = curves(ObjectSet(SOURCES["sonar"], X, y, len(X)))
    of = instance(X.tolist(), y.tolist(), [1] * len(X), [1] * 5)

    def figures(function, tolerance=0):
        problem = Problem(of, ["multiway"] * 5, function, 3, Fraction(tolerance))
        root = grow(problem)
        counts = [class_counts(of, leaf.objects, 3) for leaf in root.leaves()]
        wrong = sum(sum(by_class) - max(by_class) for by_class in counts)
        return max(object_prices(problem, root).values()), wrong / len(X), len(counts)

    n_points = 0
    for name in IMPURITIES:
        for point in found[name]:
            if name in POWERS:
                expected = figures(powers(int(name[-1])), Fraction(point.parameter))
            else:
                alpha = Fraction(point.parameter)
                expected = figures(hinged_pairs(alpha, offset=name == HINGED))
            assert (point.max_cost, point.error, point.leaves) == expected
            n_points += 1
    assert n_points > 30


def test_the_hinges_go_from_none_to_half_of_the_objects():
    shares = hinges(40)
    assert shares[0] == 0
    assert shares[-1] == pytest.approx(0.5)
    assert shares == sorted(shares)


def made_up_curves(hinged, best_powers):
    """Curves of which the given errors are those at max-cost 0, 1, 2, ..."""

    def points(errors):
        return [Point(cost, error, 0.0, 1) for cost, error in enumerate(errors)]

    worse = [error + 0.1 for error in best_powers[:-1]] + best_powers[-1:]
    return {
        **dict.fromkeys(POWERS, points(worse)),
        POWERS[2]: points(best_powers),
        HINGED: points(hinged),
        WITHOUT_OFFSET: points(hinged),
    }


def test_the_halves_are_those_of_the_max_costs_at_which_errors_differ():
    found = compare(
        made_up_curves([0.5, 0.2, 0.2, 0.15, 0.1, 0.1, 0.0], [0.5, 0.3, 0.3, 0.2, 0.05, 0.01, 0.0])
    )
    assert list(found.differences) == [1, 2, 3, 4, 5]
    assert (found.small, found.large) == ((1, 2), (4, 5))  # the middle one is in neither
    assert (found.hinged_better, found.powers_better) == (2, 2)
    assert compare(made_up_curves([0.5, 0.0], [0.5, 0.0])).differences == {}


def test_the_best_of_the_powers_is_what_hinged_pairs_are_compared_with():
    found = compare(made_up_curves([0.5, 0.25, 0.0], [0.5, 0.2, 0.0]))
    assert found.differences == {1: pytest.approx(0.05)}
    assert found.small == found.large == ()


def test_a_verdict_needs_more_than_half():
    assert [verdict(*case) for case in ((0, 0), (2, 3), (1, 2), (1, 3))] == [
        "no case",
        "holds",
        "undecided",
        "fails",
    ]


def test_a_cheaper_tree_counts_for_every_more_expensive_max_cost():
    points = [Point(0, 0.5, 0, 1), Point(2, 0.1, 0, 4), Point(3, 0.2, 0, 5)]
    assert [error_at(points, cost) for cost in range(4)] == [0.5, 0.5, 0.1, 0.1]
    assert max_costs(dict.fromkeys(IMPURITIES, points)) == range(3)


def test_the_report_says_where_each_is_better_and_sums_it_up():
    curves_found = made_up_curves([0.5, 0.2, 0.1, 0.0], [0.5, 0.3, 0.05, 0.0])
    data = ObjectSet(SOURCES["wdbc"], np.zeros((4, 2), dtype=np.int64), np.array([0, 1, 0, 1]), 9)
    text = "\n".join(worst_case_report.of_set(data, curves_found))
    assert "hinged-Pairs errs less than every Powers at max-cost 1." in text
    assert "Some Powers errs less than hinged-Pairs at max-cost 2." in text
    assert "9 rows, 4 objects, 2 tests, 2 classes" in text
    assert "does not say how many are unique" in text
    assert "20.00*" in text
    summary = "\n".join(worst_case_report.summary({"wdbc": curves_found}))
    assert "Finding 1 holds in 1 and fails in 0 of 1 data sets." in summary
    assert "Finding 2 holds in 1 and fails in 0 of 1 data sets." in summary
    same = "\n".join(worst_case_report.of_set(data, made_up_curves([0.5, 0.0], [0.5, 0.0])))
    assert "err equally at every max-cost" in same


def test_every_impurity_has_its_own_look_in_the_plot():
    from studies.worst_case.plot import LOOKS

    assert set(LOOKS) == set(IMPURITIES)
    assert len({look.colour for look in LOOKS.values()}) == len(LOOKS)
    assert len({look.marker for look in LOOKS.values()}) == len(LOOKS)


@pytest.mark.parametrize("name", SOURCES)
def test_the_public_data_sets_have_the_paper_s_rows_and_unique_objects(data_dir, name):
    data = load(data_dir, name)
    assert data.n_rows == data.source.rows
    assert data.source.objects in (None, len(data.y))
    assert len(np.unique(data.X, axis=0)) == len(data.X)
