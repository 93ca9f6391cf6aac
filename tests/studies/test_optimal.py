"""The study of optimal trees: trees of the same leaves, and differences said as they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from studies.optimal import METHODS, OptimalScores, OptimalTask, _pruned, difference, main, measure, report


@pytest.fixture
def made_up(tmp_path):
    random = np.random.default_rng(0)
    rows = random.normal(size=(120, 3)).round(1)
    target = np.where((rows[:, 0] > 0) ^ (rows[:, 1] > 0.4), "in", "out")
    frame = pd.DataFrame(rows, columns=["a", "b", "c"]).assign(target=target)
    frame.to_parquet(tmp_path / "pima.parquet")
    return tmp_path


def test_no_tree_has_more_leaves_than_the_optimal_one(made_up):
    scores = OptimalScores(**measure(OptimalTask(made_up, "pima", 0, 2)))
    assert set(scores.test) == set(scores.leaves) == set(METHODS)
    assert max(scores.leaves.values()) == scores.leaves["optimal"]
    assert scores.proved
    assert scores.train["optimal"] >= max(scores.train.values()) - 1e-12


def test_pruned_cart_is_the_largest_of_its_sequence_that_fits(made_up):
    frame = pd.read_parquet(made_up / "pima.parquet")
    y = frame.pop("target").to_numpy()
    sizes = [_pruned(frame, y, leaves).tree_.n_leaves for leaves in range(1, 12)]
    assert all(size <= leaves for leaves, size in enumerate(sizes, 1))
    assert sizes == sorted(sizes)
    assert sizes[0] == 1


def scores_of(optimal, cart):
    figures = {"CART": cart, "pruned CART": cart, "look-ahead": optimal, "optimal": optimal}
    return OptimalScores(figures, figures, dict.fromkeys(METHODS, 4), True)


def test_the_report_says_where_it_is_ahead_and_where_behind():
    ahead = [scores_of(0.9 + at / 1000, 0.8) for at in range(4)]
    behind = [scores_of(0.7, 0.8 + at / 1000) for at in range(4)]
    unsure = [scores_of(0.8 + (-1) ** at / 10, 0.8) for at in range(4)]
    text = "\n".join(report({"one": ahead, "two": behind, "three": unsure}, 4))
    assert "ahead of CART on 1 of 3 sets (one) and behind on 1 (two)" in text
    assert difference(ahead, "CART").mean == pytest.approx(10.15)
    assert "Proved best for its tests: 12 of 12 trees." in text


def test_the_command_writes_every_figure(made_up, tmp_path, capsys):
    arguments = ["--data", str(made_up), "--sets", "pima", "--quick", "--jobs", "1"]
    assert main([*arguments, "--out", str(tmp_path / "out")]) == 0
    assert "pima" in capsys.readouterr().out
    assert len(pd.read_csv(tmp_path / "out" / "optimal.csv")) == 3 * len(METHODS)


def test_a_set_that_is_not_there_is_named(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["--data", str(tmp_path), "--sets", "sonar"])
    assert "has no sonar.parquet" in capsys.readouterr().err
