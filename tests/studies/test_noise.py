"""The study of random codes: the same rows with and without them, and changes said as they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from studies.harness.tables import SplitTask, load_table
from studies.noise import (
    LEARNERS,
    N_CODES,
    NoiseScores,
    change,
    main,
    measure,
    report,
    with_noise,
)


@pytest.fixture
def made_up(tmp_path):
    random = np.random.default_rng(0)
    rows = random.normal(size=(600, 3)).round(1)
    target = np.where(rows.sum(axis=1) > 0, "in", "out")
    pd.DataFrame(rows, columns=["a", "b", "c"]).assign(target=target).to_parquet(tmp_path / "pima.parquet")
    return tmp_path


def test_the_random_column_is_all_that_is_added(made_up):
    X = load_table("pima", made_up).X
    noisy = with_noise(X, 3)
    assert list(noisy.columns) == ["a", "b", "c", "random_code"]
    assert noisy.drop(columns="random_code").equals(X)
    assert 100 < noisy["random_code"].nunique() <= N_CODES
    assert with_noise(X, 3).equals(noisy)
    assert not with_noise(X, 4).equals(noisy)


def test_free_sets_fall_for_random_codes_and_the_defaults_do_not(made_up, monkeypatch):
    carts = {name: make for name, make in LEARNERS.items() if name.startswith("CART")}
    monkeypatch.setattr("studies.noise.LEARNERS", carts)
    scores = NoiseScores(**measure(SplitTask(made_up, "pima", 0)))
    assert set(scores.plain) == set(scores.noisy) == set(carts)
    assert scores.noisy["CART, free sets"] < scores.plain["CART, free sets"] - 0.05
    assert scores.noisy["CART"] > scores.plain["CART"] - 0.02


def test_a_change_is_in_points_and_averaged_over_sets():
    def scores(noisy):
        return [NoiseScores(dict.fromkeys(LEARNERS, 0.9), dict.fromkeys(LEARNERS, share)) for share in noisy]

    by_set = {"pima": scores([0.88, 0.9]), "ilpd": scores([0.85, 0.85]), "segment": scores([0.9, 0.9])}
    assert change(by_set["pima"], "CART").mean == pytest.approx(-1)
    lines = report(by_set)
    assert lines[-1].split()[:3] == ["sets", "that", "show"]
    assert lines[-1].split()[-1] == "-3.00"
    assert lines[-2].split()[-1] == "+0.00"


def test_a_set_that_is_missing_is_named(made_up, capsys):
    with pytest.raises(SystemExit):
        main(["--data", str(made_up), "--sets", "ilpd"])
    assert "has no ilpd.parquet" in capsys.readouterr().err
