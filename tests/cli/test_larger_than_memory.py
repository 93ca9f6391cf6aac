"""`thriftree fit` on Parquet files: several of them, and more than memory holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import run
from engine_tables import FEATURES, table, write_files

from thriftree import CARTClassifier, CARTRegressor, Tree
from thriftree.cli import larger

CART = ("--method", "cart", "-s", "max_leaves=6", "-s", "pruning=none")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    data.mkdir()
    return write_files(table()[[*FEATURES, "label", "weight"]], [100, 100, 250], data)


def nodes(path: Path) -> object:
    return Tree.load(path).to_dict()["nodes"]


def test_a_tree_learnt_in_parts_is_that_of_the_library(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    result = run(
        "fit", folder / "*.parquet", "--target", "label", "--weight", "weight", "--spill", *CART, "-o", path
    )
    assert (result.code, result.err) == (0, f"wrote {path}\n")
    assert "400 rows in 4 files, 3 columns" in result.out
    rows = table()
    model = CARTClassifier(max_leaves=6, max_bins=255)
    model.fit(rows[FEATURES], rows["label"], sample_weight=rows["weight"])
    assert nodes(path) == model.tree_.to_dict()["nodes"]
    assert model.tree_.to_text() in result.out


def test_a_folder_that_fits_is_read_whole_and_measured(folder: Path) -> None:
    facts = run("fit", folder, "--target", "label", "--drop", "weight", *CART, "--json").json
    assert facts["rows"] == 400
    assert facts["held_out"] is not None


def test_files_larger_than_a_share_of_memory_are_learnt_from_in_parts(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("thriftree.distributed.memory.memory_bytes", lambda: 20_000)
    arguments = ("fit", folder, "--target", "label", "--drop", "weight", *CART)
    result = run(*arguments)
    assert result.code == 0
    assert "learning out of memory, a part at a time (--in-memory reads them whole)" in result.err
    assert "nothing is held out" in result.out
    whole = run(*arguments, "--in-memory", "--json")
    assert whole.err == ""
    assert whole.json["held_out"] is not None


def test_facts_for_programs_have_the_same_names(folder: Path) -> None:
    arguments = ("fit", folder, "--target", "label", *CART, "--json")
    there = run(*arguments, "--spill").json
    here = run(*arguments, "--test-share", "0").json
    assert set(there) - {"parts"} <= set(here)
    assert there["target_kind"] == "classes"


def test_a_number_is_learnt_as_a_number(tmp_path: Path) -> None:
    rows = table()[[*FEATURES, "number"]]
    write_files(rows, [200], tmp_path)
    facts = run("fit", tmp_path, "--target", "number", *CART, "--spill", "--json").json
    model = CARTRegressor(max_leaves=6, max_bins=255).fit(rows[FEATURES], rows["number"])
    assert facts["text"] == model.tree_.to_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--spill", "--cv", "3"), "--cv needs the rows in memory"),
        (("--spill", "--test-share", "0.2"), "--test-share needs the rows in memory"),
        (("--spill", "--in-memory"), "--in-memory and --spill are two ways"),
        (("--spill", "--weight", "wieght"), "--weight names the column 'wieght'"),
        (("--spill", "--drop", "label"), "--drop names the target"),
    ],
)
def test_what_does_not_go_together_is_said(folder: Path, arguments: tuple[str, ...], said: str) -> None:
    result = run("fit", folder, "--target", "label", *CART, *arguments)
    assert result.code == 2
    assert said in result.err


@pytest.mark.parametrize("method", ["soft", "optimal", "msi", "public"])
def test_a_method_that_looks_at_single_rows_names_the_option_that_reads_them(
    method: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("fit", folder, "--target", "label", "--drop", "weight", "--method", method)
    result = run(*arguments, "--spill")
    assert result.code == 2
    assert f"--method {method} looks at single rows" in result.err
    assert "give --in-memory in the place of --spill" in result.err
    monkeypatch.setattr("thriftree.distributed.memory.memory_bytes", lambda: 20_000)
    assert "give --in-memory, or take a method that counts, such as cart" in run(*arguments).err


def test_parts_of_a_csv_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a,label\n1,x\n2,y\n")
    result = run("fit", path, "--target", "label", "--spill")
    assert (result.code, "--spill reads Parquet files" in result.err) == (2, True)


def test_progress_is_told_by_level(folder: Path) -> None:
    told: list[str] = []
    from thriftree import ParquetTable

    files = ParquetTable(folder, columns=[*FEATURES, "label"])
    with larger._told(lambda done, total, found="": told.append(found)):
        CARTClassifier(max_bins=16, max_depth=3).fit(files, "label")
    assert len(told) >= 3
    assert told[0].startswith("level 1, ")
    assert told[0].endswith(" rows/s")
