"""The study of what frontiers declare: corrected scores come near what new rows say, measured ones do not."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from thoroughness import tries

from studies import declared
from studies.declared import DeclaredTask


@pytest.mark.parametrize("kind", ["majority", pytest.param("sum", marks=pytest.mark.full)])
def test_corrected_scores_are_nearer_to_those_of_new_rows(kind):
    found = [declared.declared(DeclaredTask(Path(), kind, None, i, 300)) for i in range(tries(10, 2))]
    measured, corrected = (np.mean([getattr(one, of) for one in found]) for of in ("measured", "corrected"))
    assert measured > 3
    assert abs(corrected) < measured - 1


def test_the_study_prints_a_line_for_each_table_and_writes_every_figure(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(declared, "NEW_ROWS", 500)
    words = ["--data", str(tmp_path), "--out", str(tmp_path), "--sets", "rule", "--measured-on", "quarter"]
    assert declared.main([*words, "--repeats", "2", "--made-rows", "60", "--jobs", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("| rule | a quarter | 2 |")
    with open(tmp_path / "declared.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["seed"] for row in rows] == ["0", "1"]
    assert f"{np.mean([float(row['corrected']) for row in rows]):+.2f}".replace("-", "−") in lines[2]
