"""Trees of dates and the like, exported: every value takes the branch that `predict` gives it."""

import datetime as dt
import json
import sqlite3
import subprocess
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from dated_trees import KINDS, dated_tree, tree_of_one_cut
from hypothesis import given, settings
from hypothesis import strategies as st
from thoroughness import tries

from thriftree.export.sql_dialects import DIALECTS
from thriftree.temporal import DAY
from thriftree.temporal.words import count_words, tick_words

duckdb = pytest.importorskip("duckdb")

SEEDS = st.integers(0, 2**32)
ARROW = {
    "date": pa.date32(),
    "datetime": pa.timestamp("us"),
    "zoned": pa.timestamp("us", "UTC"),
    "time": pa.time64("us"),
    "duration": pa.duration("us"),
}
EPOCH = dt.datetime(1970, 1, 1)


def table_of(kind: str, values: list[int]) -> pa.Table:
    width = pa.int32() if kind == "date" else pa.int64()
    return pa.table({"t": pa.array([*values, None], width).cast(ARROW[kind])})


def python_value(kind: str, tick: int) -> Any:
    if kind == "date":
        return (EPOCH + dt.timedelta(days=tick)).date()
    if kind == "duration":
        return dt.timedelta(microseconds=tick)
    moment = EPOCH + dt.timedelta(microseconds=tick)
    if kind == "zoned":
        return moment.replace(tzinfo=dt.UTC)
    return moment.time() if kind == "time" else moment


@given(st.sampled_from(sorted(KINDS)), SEEDS)
def test_python_takes_dates_of_python(kind: str, seed: int) -> None:
    tree, values = dated_tree(kind, seed)
    module: dict[str, Any] = {}
    exec(tree.to_python(), module)
    rows = [{"t": python_value(kind, value)} for value in values]
    got = [module["predict"](row) for row in [*rows, {"t": None}, {"t": pd.NaT}, {}]]
    wanted = tree.predict(table_of(kind, values)).tolist()
    assert got == [*wanted, wanted[-1], wanted[-1]]
    assert got[: len(rows)] == [tree.explain(row).label for row in rows]
    if kind != "duration":
        texts = [str(row["t"]) for row in rows]
        assert [module["predict"]({"t": text}) for text in texts] == wanted[:-1]
    with pytest.raises(TypeError, match="'t' takes"):
        module["predict"]({"t": 5})


def test_python_refuses_what_predict_refuses() -> None:
    module: dict[str, Any] = {}
    exec(dated_tree("date", 1)[0].to_python(), module)
    for wrong in (dt.datetime(2021, 3, 4, 12), dt.datetime(2021, 3, 4, tzinfo=dt.UTC), "soon"):
        with pytest.raises(ValueError, match=r"'t' takes dates|Invalid isoformat"):
            module["predict"]({"t": wrong})
    assert module["predict"]({"t": dt.datetime(2021, 3, 4)}) == module["predict"]({"t": dt.date(2021, 3, 4)})
    exec(dated_tree("datetime", 1)[0].to_python(), module)
    with pytest.raises(ValueError, match="finer than a microsecond"):
        module["predict"]({"t": pd.Timestamp("2021-03-04 00:00:00.000000001")})


@settings(max_examples=tries(60, 25))
@given(st.sampled_from(["date", "datetime", "zoned", "time"]), SEEDS, st.sampled_from(["ansi", "duckdb"]))
def test_duckdb_answers_as_predict(kind: str, seed: int, dialect: str) -> None:
    tree, values = dated_tree(kind, seed)
    rows = table_of(kind, values)
    with duckdb.connect() as database:
        database.register("rows", rows)
        query = tree.to_sql(table="rows", dialect=dialect)
        got = database.execute(f"SELECT prediction FROM (\n{query}\n)").fetchall()
    assert [row[0] for row in got] == tree.predict(rows).tolist()


@settings(max_examples=tries(60, 25))
@given(SEEDS)
def test_sqlite_answers_as_predict_where_dates_are_texts(seed: int) -> None:
    tree, values = dated_tree("date", seed)
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE rows (t TEXT)")
        texts = [tick_words(KINDS["date"], value) for value in values]
        cells = [*((text,) for text in texts), *((f"{text} 00:00:00",) for text in texts), (None,)]
        database.executemany("INSERT INTO rows VALUES (?)", cells)
        got = [row[-1] for row in database.execute(tree.to_sql(table="rows", dialect="sqlite"))]
    wanted = tree.predict(table_of("date", values)).tolist()
    assert got == [*wanted[:-1], *wanted]
    database.close()


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_dialect_writes_what_its_parser_reads_or_refuses_the_column(dialect: str, kind: str) -> None:
    sqlglot = pytest.importorskip("sqlglot")
    reads = {"ansi": None, "sqlserver": "tsql"}.get(dialect, dialect)
    tree, _ = dated_tree(kind, 3, near=(10_000, 20_000) if kind == "date" else (10**9, 10**10))
    dates = DIALECTS[dialect].dates
    has = {
        "date": dates.date,
        "datetime": dates.naive,
        "zoned": dates.zoned,
        "time": dates.time,
        "duration": None,
    }
    if has[kind] is None:
        with pytest.raises(ValueError, match=r"column 't' holds .* make the column numbers before training"):
            tree.to_sql(dialect=dialect)
        return
    written = tree.to_sql(table="rows", dialect=dialect)
    assert sqlglot.parse_one(written, read=reads).find(sqlglot.exp.Case) is not None
    assert "0 - " not in written  # as NaN is told apart from numbers
    assert "nan" not in written.lower()


def test_a_cut_beyond_the_years_of_an_engine_is_refused() -> None:
    tree, _ = dated_tree("date", 1, near=(-700_000, -690_000))
    assert "DATE '0" in tree.to_sql()
    with pytest.raises(
        ValueError, match=r"column 't' has the cut .* and ClickHouse has the years 1900 to 2299"
    ):
        tree.to_sql(dialect="clickhouse")
    with pytest.raises(ValueError, match="has the years 1 to 9999"):
        tree_of_one_cut("date", 1e7).to_sql()
    with pytest.raises(ValueError, match="and the times of a day only"):
        tree_of_one_cut("time", -1.0).to_sql()


@settings(max_examples=tries(40, 15))
@given(st.sampled_from(sorted(KINDS)), SEEDS)
def test_onnx_takes_the_number(kind: str, seed: int) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    tree, values = dated_tree(kind, seed)
    model = tree.to_onnx()
    listing = json.loads({entry.key: entry.value for entry in model.metadata_props}["thriftree.inputs"])
    assert listing[0]["counts"] == count_words(KINDS[kind])
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    numbers = np.array([[float(value)] for value in values] + [[np.nan]])
    assert session.run(["label"], {"t": numbers})[0].tolist() == tree.predict(table_of(kind, values)).tolist()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_sources_and_pmml_say_what_the_number_counts(kind: str) -> None:
    tree, _ = dated_tree(kind, 5)
    counts = count_words(KINDS[kind])
    assert f'double t; /* "t", {counts}; NaN: missing */' in tree.to_c()
    assert f'// "t" counts {counts}.' in tree.to_javascript()
    assert f'displayName="t, {counts}"' in tree.to_pmml()


def test_scikit_learn_takes_days_and_nothing_finer() -> None:
    tree, values = dated_tree("date", 4)
    numbers = pd.DataFrame({"t": [*map(float, values), np.nan]})
    assert tree.to_sklearn().predict(numbers).tolist() == tree.predict(table_of("date", values)).tolist()
    for kind in ("datetime", "zoned", "time", "duration"):
        with pytest.raises(ValueError, match=r"node 0 tests column 't', which holds .* are no 32-bit floats"):
            dated_tree(kind, 4)[0].to_sklearn()


@pytest.mark.full
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_javascript_takes_the_number(kind: str, require: Any, tmp_path: Any) -> None:
    for seed in range(10):
        tree, values = dated_tree(kind, seed)
        source = tmp_path / f"tree{seed}.cjs"
        given = json.dumps([*map(float, values), None])
        asked = f"\nconsole.log(JSON.stringify({given}.map((t) => predict({{ t }}))));"
        source.write_text(tree.to_javascript(form="commonjs") + asked)
        said = subprocess.run([require("node"), source], capture_output=True, text=True, check=True).stdout
        assert json.loads(said) == tree.predict(table_of(kind, values)).tolist()


def days_in_a_spreadsheet(kind: str, tick: int) -> float:
    if kind == "date":
        return tick + 25_569
    return tick / DAY + (25_569 if kind == "datetime" else 0)


@pytest.mark.parametrize("digits", [15, 17])
@pytest.mark.parametrize("kind", ["date", "datetime", "time", "duration"])
def test_spreadsheets_take_their_own_dates(kind: str, digits: int) -> None:
    spreadsheet = pytest.importorskip("spreadsheet")
    near = {"date": (61 - 25_569, 50_000), "time": (0, DAY - 1)}.get(kind, (-(10**15), 10**15))
    for seed in range(6):
        tree, values = dated_tree(kind, seed, near=near)
        if kind != "date":
            values = sorted({value // 1000 * 1000 for value in values})
        content = tree.to_excel(rows=len(values))
        book = spreadsheet.Spreadsheet(content, digits)
        for row, value in enumerate(values, start=2):
            book.book["Many rows"].cell(row, 1).value = days_in_a_spreadsheet(kind, value)
        got = [book.value("Many rows", row, 2) for row in range(2, len(values) + 2)]
        assert got == tree.predict(table_of(kind, values)).tolist()[:-1]


def test_spreadsheets_have_no_time_zones() -> None:
    with pytest.raises(ValueError, match="column 't' holds datetimes with a time zone, which a spreadsheet"):
        dated_tree("zoned", 1)[0].to_excel()
