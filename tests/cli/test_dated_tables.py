"""A table with dates through the whole command line."""

import datetime as dt
import re

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as parquet
import pytest
from command import refused, run
from dated_trees import tree_of_one_cut

from thriftree import Tree

QUICK = ("--method", "cart", "-s", "max_leaves=4", "--test-share", "0.3")


@pytest.fixture(scope="module")
def table() -> pa.Table:
    rng = np.random.default_rng(3)
    days = [dt.date(2019, 1, 1) + dt.timedelta(days=int(n)) for n in rng.integers(0, 1000, 300)]
    moments = [dt.datetime(2020, 1, 1) + dt.timedelta(minutes=int(n)) for n in rng.integers(0, 10**6, 300)]
    clock = [dt.time(int(h), 30) for h in rng.integers(0, 24, 300)]
    spans = [dt.timedelta(minutes=int(n)) for n in rng.integers(0, 10**5, 300)]
    late = [(day > dt.date(2020, 5, 17)) != (time.hour < 7) for day, time in zip(days, clock, strict=True)]
    gaps = [None if n == 0 else day for n, day in zip(rng.integers(0, 20, 300), days, strict=True)]
    columns = {"admitted": gaps, "seen": moments, "clock": clock, "stay": spans}
    return pa.table({**columns, "late": ["yes" if one else "no" for one in late]})


@pytest.fixture
def files(table, tmp_path):
    """The same rows as CSV, without durations, which CSV has none of, and as Parquet."""
    known = table.drop_columns(["stay"])
    pyarrow.csv.write_csv(known, tmp_path / "rows.csv")
    parquet.write_table(known, tmp_path / "rows.parquet")
    parquet.write_table(table, tmp_path / "all.parquet")
    return tmp_path


def fit(files, name: str) -> Tree:
    path = str(files / f"{name}.json")
    result = run("fit", str(files / name), "--target", "late", *QUICK, "-o", path)
    assert result.code == 0, result
    assert "admitted <= 2020-05-1" in result.out
    return Tree.load(path)


def test_csv_and_parquet_give_the_same_tree_and_the_same_answers(files):
    tree = fit(files, "rows.csv")
    assert tree == fit(files, "rows.parquet")
    assert [column.temporal.what for column in tree.columns] == ["date", "datetime", "time"]
    wanted = tree.predict(parquet.read_table(files / "rows.parquet").drop_columns(["late"])).tolist()
    for rows in ("rows.csv", "rows.parquet"):
        result = run("predict", str(files / "rows.csv.json"), str(files / rows))
        assert result.out.splitlines() == ["prediction", *wanted]


def test_durations_of_parquet_are_learnt_and_read_from_csv(files):
    assert fit(files, "all.parquet").columns[3].temporal.what == "duration"
    tree = str(files / "stay.json")
    tree_of_one_cut("duration", 3_600_000_000.0).save(tree)
    (files / "stays.csv").write_text("t,n\n01:00,1\n01:00:00.000001,1\nPT1H,1\n2 days,1\n,1\n")
    result = run("predict", tree, str(files / "stays.csv"))
    assert result.out.splitlines() == ["prediction", "0", "1", "0", "1", "0"]
    (files / "stays.csv").write_text("t\n01:00\nlong\n")
    said = "stays.csv: column 't' holds durations, but a value is 'long': it is no duration"
    assert said in refused("predict", tree, str(files / "stays.csv"))


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (
            "17.5.2020",
            "rows.csv, line 3: '17.5.2020' in the column 'admitted' is no date or datetime in ISO 8601",
        ),
        ("2020-05-17 12:00", "column 'admitted' held dates in training; now it holds datetimes"),
        (
            "2020-05-17 00:00Z",
            "line 3: '2020-05-17 00:00Z' in the column 'admitted' is no date .* without a time zone",
        ),
    ],
)
def test_a_cell_that_is_no_date_is_named(files, cell, said):
    fit(files, "rows.csv")
    (files / "rows.csv").write_text(
        f"admitted,seen,clock\n2020-01-01,2020-01-01 00:00,12:00\n{cell},2020-01-01 00:00,12:00\n"
    )
    assert re.search(said, refused("predict", str(files / "rows.csv.json"), str(files / "rows.csv")))


def test_rows_are_known_again_and_reported_whatever_the_form(files):
    fit(files, "rows.csv")
    midnights = parquet.read_table(files / "rows.parquet")
    moments = midnights["admitted"].cast(pa.timestamp("us"))
    parquet.write_table(midnights.set_column(0, "admitted", moments), files / "midnights.parquet")
    for rows in ("rows.csv", "rows.parquet", "midnights.parquet"):
        page = str(files / "report.html")
        result = run(
            "report", str(files / "rows.csv.json"), str(files / rows), "--target", "late", "-o", page
        )
        assert "the tree learnt from 210 of the 300 rows" in result.err, result
        text = (files / "report.html").read_text()
        assert "2019-01-0" in text
        assert "median 20" in text
        assert '"temporal":"date"' in text


def test_explain_and_ask_take_dates(files):
    fit(files, "rows.csv")
    tree = str(files / "rows.csv.json")
    told = run("explain", tree, str(files / "rows.csv"), "--row", "0")
    typed = run("explain", tree, "--set", "admitted=2020-07-01", "--set", "clock=12:00")
    assert "admitted is " in told.out
    assert "admitted is 2020-07-01 (> 2020-05-1" in typed.out
    asked = run("ask", tree, "--json", stdin=b"soon\n2020-07-01\n12:00\n2020-07-01 12:00\n")
    assert asked.json["answers"]["admitted"] == "2020-07-01"
    assert "'soon' is no answer to 'admitted'" in asked.err


@pytest.mark.parametrize(
    "form", ["sql", "python", "c", "javascript", "pmml", "text", "sentences", "rules", "svg"]
)
def test_a_tree_of_dates_is_exported(files, form):
    fit(files, "rows.csv")
    result = run("export", str(files / "rows.csv.json"), "--to", form)
    assert result.code == 0, result
    assert "2020-05-1" in result.out or form == "pmml"


def test_held_out_rows_are_written_with_their_dates(files):
    held = str(files / "held.csv")
    path = str(files / "tree.json")
    result = run(
        "fit", str(files / "rows.csv"), "--target", "late", *QUICK, "-o", path, "--save-held-out", held
    )
    assert result.code == 0, result
    again = pyarrow.csv.read_csv(held)
    assert again.schema.field("admitted").type == pa.date32()


def test_dates_can_be_categories_by_their_words(files):
    tree = str(files / "tree.json")
    result = run(
        *(
            "fit",
            str(files / "rows.parquet"),
            "--target",
            "late",
            "--categorical",
            "clock",
            *QUICK,
            "-o",
            tree,
        )
    )
    assert result.code == 0, result
    assert Tree.load(tree).columns[2].categories[0] == "00:30"
    wanted = (
        Tree.load(tree).predict(parquet.read_table(files / "rows.parquet").drop_columns(["late"])).tolist()
    )
    said = run("predict", tree, str(files / "rows.parquet")).out
    assert said.splitlines() == ["prediction", *wanted]
    page = str(files / "report.html")
    report = run("report", tree, str(files / "rows.parquet"), "--target", "late", "-o", page)
    assert report.code == 0, report
    assert '"00:30"' in (files / "report.html").read_text()
