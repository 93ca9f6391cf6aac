"""Dates, datetimes, times of day and durations of every library, as the numbers that trees compare."""

import datetime as dt
import io
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as parquet
import pytest

from thriftree import CARTClassifier, Tree
from thriftree.columns import ColumnSchema, Temporal
from thriftree.table.code_book import CodeBook
from thriftree.table.coding import read_codes
from thriftree.table.files import read_table
from thriftree.table.frames import read_frame

BERLIN = ZoneInfo("Europe/Berlin")
DAY = dt.timedelta(days=1)
VALUES: dict[str, list[Any]] = {
    "date": [dt.date(1, 1, 1), dt.date(1969, 12, 31), dt.date(1970, 1, 1), None, dt.date(9999, 12, 31)],
    "datetime": [
        dt.datetime(1700, 1, 1),
        dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
        dt.datetime(1970, 1, 1),
        None,
        dt.datetime(2200, 2, 3, 4, 5, 6, 7),
    ],
    "zoned": [
        dt.datetime(2021, 3, 28, 1, 59, tzinfo=BERLIN),
        dt.datetime(2021, 3, 28, 3, 0, tzinfo=BERLIN),
        dt.datetime(2021, 10, 31, 2, 30, tzinfo=BERLIN),
        None,
        dt.datetime(2021, 10, 31, 2, 30, fold=1, tzinfo=BERLIN),
    ],
    "time": [dt.time(0), dt.time(6, 30), dt.time(6, 30, 0, 1), None, dt.time(23, 59, 59, 999999)],
    "duration": [-3 * DAY, -dt.timedelta(microseconds=1), dt.timedelta(0), None, 9000 * DAY],
}
LABELS = ["a", "b", "a", "b", "b"]
TEMPORAL = {
    "date": Temporal("date"),
    "datetime": Temporal("datetime"),
    "zoned": Temporal("datetime", "Europe/Berlin"),
    "time": Temporal("time"),
    "duration": Temporal("duration"),
}
DTYPES = {
    "datetime": "datetime64[us]",
    "zoned": "datetime64[us, Europe/Berlin]",
    "duration": "timedelta64[us]",
}
ARROW = {
    "date": pa.date32(),
    "datetime": pa.timestamp("us"),
    "zoned": pa.timestamp("us", "Europe/Berlin"),
    "time": pa.time64("us"),
    "duration": pa.duration("us"),
}
POLARS = {
    "date": pl.Date(),
    "datetime": pl.Datetime("us"),
    "zoned": pl.Datetime("us", "Europe/Berlin"),
    "time": pl.Time(),
    "duration": pl.Duration("us"),
}


def tables(what: str) -> dict[str, Any]:
    """The same values as every library holds them."""
    values = VALUES[what]
    arrow = pa.table({"t": pa.array(values, ARROW[what])})
    found = {
        "objects of pandas": pd.DataFrame({"t": pd.Series(values, dtype=object)}),
        "pandas on arrow": pd.DataFrame({"t": pd.Series(arrow["t"], dtype=pd.ArrowDtype(ARROW[what]))}),
        "polars": pl.DataFrame({"t": pl.Series(values, dtype=POLARS[what])}),
        "pyarrow": arrow,
        "pyarrow in chunks": pa.concat_tables([arrow[:2], arrow[2:]]),
    }
    if what in DTYPES:
        found["pandas"] = pd.DataFrame({"t": pd.Series(values, dtype=DTYPES[what])})
    file = io.BytesIO()
    parquet.write_table(arrow, file)
    found["parquet"] = parquet.read_table(file)
    return found


def tree_of(X: Any) -> Tree:
    return CARTClassifier().fit(X, LABELS).tree_


CASES = [(what, name) for what in VALUES for name in tables(what)]


@pytest.mark.parametrize(("what", "library"), CASES)
def test_every_library_gives_the_same_tree(what: str, library: str) -> None:
    X = tables(what)[library]
    tree = tree_of(X)
    assert tree.columns == (ColumnSchema("t", "number", temporal=TEMPORAL[what]),)
    assert tree == tree_of(tables(what)["pyarrow"])
    assert tree.predict(X).tolist() == LABELS
    for other in tables(what).values():
        assert tree.predict(other).tolist() == LABELS


@pytest.mark.parametrize("what", list(VALUES))
def test_the_tree_is_that_of_the_numbers(what: str) -> None:
    numbers = {
        "date": [-719162, -1, 0, None, 2932896],
        "datetime": [-8520336000000000, -1, 0, None, 7260984306000007],
        "zoned": [1616893140000000, 1616893200000000, 1635640200000000, None, 1635643800000000],
        "time": [0, 23400000000, 23400000001, None, 86399999999],
        "duration": [-259200000000, -1, 0, None, 777600000000000],
    }[what]
    plain = tree_of(pa.table({"t": pa.array(numbers, pa.int64())})).to_dict()
    assert tree_of(tables(what)["pyarrow"]).to_dict()["nodes"] == plain["nodes"]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_the_unit_of_a_library_does_not_matter(unit: str) -> None:
    moments = [dt.datetime(2021, 3, 4, 5, 6, i) for i in range(5)]
    spans = [dt.timedelta(seconds=i) for i in range(5)]
    wanted = tree_of(pl.DataFrame({"t": moments})), tree_of(pl.DataFrame({"t": spans}))
    frames = [
        (pd.DataFrame({"t": pd.Series(moments, dtype=f"datetime64[{unit}]")}), wanted[0]),
        (pd.DataFrame({"t": pd.Series(spans, dtype=f"timedelta64[{unit}]")}), wanted[1]),
        (pa.table({"t": pa.array(moments, pa.timestamp(unit))}), wanted[0]),
        (pa.table({"t": pa.array(spans, pa.duration(unit))}), wanted[1]),
    ]
    if unit != "s":
        frames.append((pl.DataFrame({"t": moments}, schema={"t": pl.Datetime(unit)}), wanted[0]))
    for frame, tree in frames:
        assert tree_of(frame) == tree


def test_numpy_arrays_of_dates_and_durations_are_tables() -> None:
    days = np.array([["2021-03-04", "NaT"], ["2021-03-05", "1950-01-01"]], "M8[D]")
    frame = read_frame(days)
    assert [column.temporal for column in frame.columns] == [Temporal("date")] * 2  # type: ignore[union-attr]
    tree = CARTClassifier().fit(days, ["a", "b"]).tree_
    assert tree.to_text().startswith("x0 <= 2021-03-04?")
    assert tree.explain(days[1]).label == "b"
    assert tree.predict(days.astype("M8[ns]")).tolist() == ["a", "b"]
    spans = CARTClassifier().fit(np.array([[1], [3]], "m8[h]"), ["a", "b"]).tree_
    assert spans.columns[0].temporal == Temporal("duration")
    assert spans.to_text().startswith("x0 <= 02:00?")
    mixed = np.array([[np.datetime64("2021-03-04"), "x"], [np.datetime64("NaT"), "y"]], object)
    assert read_frame(mixed).column(0).temporal == Temporal("date")  # type: ignore[union-attr]


def test_periods_of_pandas_count_from_their_first_moment() -> None:
    months = pd.DataFrame({"t": pd.period_range("2021-01", periods=4, freq="M")})
    tree = CARTClassifier().fit(months, [0, 0, 1, 1]).tree_
    assert tree.columns[0].temporal == Temporal("date")
    assert tree.core.keys[0] == (18659 + 18687) / 2  # the first of February and of March
    hours = pd.DataFrame({"t": pd.period_range("2021-01-01", periods=4, freq="h")})
    assert CARTClassifier().fit(hours, [0, 0, 1, 1]).tree_.to_text().startswith("t <= 2021-01-01 01:30?")


def test_a_time_zone_is_for_showing_only() -> None:
    frame = tables("zoned")["pandas"]
    elsewhere = frame.assign(t=frame.t.dt.tz_convert("Asia/Tokyo"))
    tree, other = tree_of(frame), tree_of(elsewhere)
    assert tree.to_dict()["nodes"] == other.to_dict()["nodes"]
    assert tree.predict(elsewhere).tolist() == LABELS
    assert "+01:00" in tree.to_text() or "+02:00" in tree.to_text()
    assert "+09:00" in other.to_text()


def test_a_zone_that_no_file_can_name_is_shown_as_utc() -> None:
    from dateutil import tz

    local = pd.DataFrame(
        {"t": pd.to_datetime(["2021-03-04", "2021-03-05"]).tz_localize(tz.gettz("Asia/Tokyo"))}
    )
    tree = CARTClassifier().fit(local, [0, 1]).tree_
    assert tree.columns[0].temporal == Temporal("datetime", "UTC")
    assert tree.to_text().startswith("t <= 2021-03-04 03:00+00:00?")


@pytest.mark.parametrize("far", [dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999)])
def test_datetimes_far_away_are_ordered(far: dt.datetime) -> None:
    near = [far + (DAY if far.year == 1 else -DAY) * i for i in (0, 1, 2, 3)]
    for X in (pl.DataFrame({"t": near}), pd.DataFrame({"t": pd.Series(near, dtype=object)})):
        tree = CARTClassifier().fit(X, [0, 0, 1, 1]).tree_
        assert tree.predict(X).tolist() == [0, 0, 1, 1]
        assert [tree.explain({"t": value}).label for value in near] == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("X", "said"),
    [
        (
            pd.DataFrame({"t": pd.to_datetime(["2021-03-04 00:00:00.000000001"])}),
            r"finer than a microsecond.*floor",
        ),
        (pl.DataFrame({"t": [1]}).cast(pl.Duration("ns")), "finer than a microsecond"),
        (
            pd.DataFrame({"t": [dt.date(2021, 3, 4), dt.datetime(2021, 3, 4)]}, dtype=object),
            "make them all dates",
        ),
        (
            pd.DataFrame(
                {"t": [dt.datetime(2021, 3, 4), dt.datetime(2021, 3, 4, tzinfo=BERLIN)]}, dtype=object
            ),
            "with and without a time zone",
        ),
        (pd.DataFrame({"t": [dt.time(1, tzinfo=dt.UTC)]}, dtype=object), "a time of day with a time zone"),
        (np.array([[1]], "m8[M]"), "no fixed time"),
        (np.array([[2**62]], "M8[s]"), "too far away"),
        (pa.table({"t": pa.array([None], pa.month_day_nano_interval())}).slice(0, 0), "0 sample"),
    ],
)
def test_what_is_no_moment_is_refused_with_the_remedy(X: Any, said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        read_frame(X)


def test_dates_are_read_from_texts_and_midnights_are_dates() -> None:
    tree = (
        CARTClassifier()
        .fit(pl.DataFrame({"t": [dt.date(2021, 3, 4), dt.date(2021, 3, 5)]}), ["a", "b"])
        .tree_
    )
    texts = ["2021-03-04", None, "2021-03-05 00:00", "2021-03-05T00:00:00"]
    assert tree.predict(pd.DataFrame({"t": texts})).tolist() == ["a", "a", "b", "b"]
    midnights = pd.DataFrame({"t": pd.to_datetime(["2021-03-04", "2021-03-05"])})
    assert tree.predict(midnights).tolist() == ["a", "b"]
    assert tree.predict(pd.DataFrame({"t": [None, None]})).tolist() == ["a", "a"]
    of_moments = CARTClassifier().fit(midnights, ["a", "b"]).tree_
    assert of_moments.predict(pl.DataFrame({"t": [dt.date(2021, 3, 4), dt.date(2021, 3, 5)]})).tolist() == [
        "a",
        "b",
    ]


@pytest.mark.parametrize(
    ("trained", "given", "said"),
    [
        ("date", [18690.0], "held dates in training; now it holds numbers"),
        ("date", [True], "held dates in training; now it holds False"),
        ("date", ["4.3.2021"], "'4.3.2021': it is no date in ISO 8601; write it like '2021-03-04'"),
        ("date", ["2021-02-30"], "day"),
        ("date", [dt.datetime(2021, 3, 4, 12)], r"X\['t'\].dt.floor\('D'\)"),
        ("datetime", [dt.datetime(2021, 3, 4, tzinfo=BERLIN)], r"tz_localize\(None\)"),
        ("zoned", [dt.datetime(2021, 3, 4)], r"tz_localize\('Europe/Berlin'\)"),
        ("zoned", ["2021-03-04 12:00"], "it has no time zone"),
        ("time", [dt.timedelta(1)], "held times of day in training; now it holds durations"),
    ],
)
def test_a_column_that_changed_its_kind_is_refused_with_the_remedy(
    trained: str, given: list[Any], said: str
) -> None:
    tree = tree_of(tables(trained)["polars"])
    with pytest.raises(ValueError, match=said):
        tree.predict(pd.DataFrame({"t": pd.Series(given)}))
    one = given[0]
    with pytest.raises((TypeError, ValueError), match="column 't'"):
        tree.explain({"t": one})


def test_dates_where_training_had_numbers_are_refused() -> None:
    tree = CARTClassifier().fit(pd.DataFrame({"t": [1.0, 2.0]}), [0, 1]).tree_
    with pytest.raises(ValueError, match="held numbers in training; now it holds dates"):
        tree.predict(pl.DataFrame({"t": [dt.date(2021, 3, 4)]}))
    tree = tree_of(tables("date")["polars"])
    with pytest.raises(ValueError, match="held dates in training; now it holds numbers"):
        tree.predict(np.zeros((2, 1)))


def test_dates_that_are_categories_are_known_by_their_words() -> None:
    X = pl.DataFrame({"t": [dt.date(2021, 3, 4), dt.date(2021, 3, 5), None]})
    tree = CARTClassifier(categorical_features=["t"]).fit(X, [0, 1, 0]).tree_
    assert tree.columns[0] == ColumnSchema("t", "category", ("2021-03-04", "2021-03-05"))
    assert tree.predict(X).tolist() == [0, 1, 0]
    assert tree.predict(pd.DataFrame({"t": ["2021-03-04", "2021-03-05"]})).tolist() == [0, 1]
    assert tree.explain({"t": dt.date(2021, 3, 5)}).label == 1


@pytest.mark.parametrize("what", list(VALUES))
def test_code_books_know_what_numbers_are(what: str) -> None:
    codes = read_codes(tables(what)["polars"])
    assert CodeBook.from_dict(codes.book.to_dict()) == codes.book
    assert tree_of(codes) == tree_of(tables(what)["pandas on arrow"])
    again = codes.book.code(tables(what)["pyarrow"])
    assert (again.table().all_distinct() == codes.table().all_distinct()).all()
    assert tree_of(tables(what)["polars"]).predict(codes).tolist() == LABELS


@pytest.mark.parametrize(
    ("cells", "temporal"),
    [
        (["2021-03-04", "", "NA", "1950-01-01"], Temporal("date")),
        (["2021-03-04", "2021-03-05 12:30", "", ""], Temporal("datetime")),
        (["2021-03-04T12:30:01.5", "NA", "", ""], Temporal("datetime")),
        (["9999-12-31 23:59:59.5", "NA", "0001-01-01 00:00", ""], Temporal("datetime")),
        (["2021-03-04 12:30Z", "2021-03-04 12:30+02:00", "", ""], Temporal("datetime", "UTC")),
        (["9999-03-04 12:30:00.5Z", "2021-03-04 12:30+02:00", "", ""], Temporal("datetime", "UTC")),
        (["12:30", "06:15:00", "", ""], Temporal("time")),
        (["12:30:00.25", "06:15:00", "", ""], Temporal("time")),
        (["2021-03-04", "soon", "", ""], None),
        (["2021-03-04 12:30", "2021-03-04 12:30Z", "", ""], None),
        (["2021-02-30", "2021-02-28", "", ""], None),
        (["20210304", "20210305", "", ""], None),
    ],
)
def test_a_csv_column_holds_dates_if_every_cell_is_one(
    tmp_path: Any, cells: list[str], temporal: Any
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("t,n\n" + "".join(f"{cell},1\n" for cell in cells))
    column = read_frame(read_table(str(path))).column(0)
    assert getattr(column, "temporal", None) == temporal
    kept = read_frame(read_table(str(path), as_text=["t"])).column(0)
    assert "levels" in dir(kept)


def test_one_text_after_many_dates_makes_texts_of_all(tmp_path: Any) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("t,n\n" + "2021-03-04,1\n" * 900_000 + "unknown,1\n")
    assert read_table(str(path)).schema.field("t").type == pa.string()
