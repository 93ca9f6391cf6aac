"""Which files a ParquetTable reads, in which order and in which parts, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from thriftree import CARTClassifier, ParquetTable, ThriftTreeClassifier, frontier
from thriftree.distributed import parquet_table
from thriftree.distributed.engines import parts_of
from thriftree.learning import limits
from thriftree.table.files.problems import TableFileError


def write(path: Path, **columns: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    parquet.write_table(pa.table(columns), path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    write(data / "b.parquet", a=[3.0, 4.0], y=["u", "v"])
    write(data / "a.parquet", a=[1.0, 2.0], y=["v", "u"])
    write(data / "c.parquet", a=pa.array([], pa.float64()), y=pa.array([], pa.string()))
    (data / "_SUCCESS").write_bytes(b"")
    (data / "notes.txt").write_text("not a table")
    return data


def values(table: ParquetTable, column: str = "a") -> list[Any]:
    return [value for rows in table.batches() for value in rows.column(column).to_pylist()]


def test_files_of_a_folder_come_in_order_of_their_names(folder: Path) -> None:
    table = ParquetTable(folder)
    assert [Path(path).name for path in table.files] == ["a.parquet", "b.parquet", "c.parquet"]
    assert values(table) == [1.0, 2.0, 3.0, 4.0]
    assert table.shape == (4, 2)


def test_a_file_a_pattern_and_a_list_are_taken(folder: Path) -> None:
    assert values(ParquetTable(str(folder / "b.parquet"))) == [3.0, 4.0]
    assert values(ParquetTable(str(folder / "[ab].parquet"))) == [1.0, 2.0, 3.0, 4.0]
    assert values(ParquetTable([folder / "b.parquet", folder / "a.parquet"])) == [3.0, 4.0, 1.0, 2.0]


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(folder: Path) -> None:
    write(folder / "[x].parquet", a=[9.0], y=["u"])
    assert values(ParquetTable(str(folder / "[x].parquet"))) == [9.0]


def test_columns_that_are_named_are_read_in_that_order(folder: Path) -> None:
    table = ParquetTable(folder, columns=["y", "a"])
    assert table.column_names == ["y", "a"]
    with pytest.raises(TableFileError, match=r"a\.parquet: the column .?z.? is missing"):
        ParquetTable(folder, columns=["z"]).column_names  # noqa: B018


def test_row_groups_are_read_together_up_to_a_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "groups.parquet"
    parquet.write_table(pa.table({"a": list(range(100))}), path, row_group_size=10)
    assert [part.n_rows for part in ParquetTable(path).parts] == [100]
    monkeypatch.setattr(parquet_table, "PART_BYTES", 400)
    parts = ParquetTable(path).parts
    assert len(parts) > 1
    assert [group for part in parts for _, groups in part.pieces for group in groups] == list(range(10))
    assert values(ParquetTable(path)) == list(range(100))


def test_types_that_hold_each_other_are_one_column(tmp_path: Path) -> None:
    write(tmp_path / "d" / "0.parquet", a=pa.array([1, 2], pa.int32()), s=pa.nulls(2))
    write(tmp_path / "d" / "1.parquet", a=[0.5, None], s=["x", None])
    table = ParquetTable(tmp_path / "d")
    assert values(table) == [1.0, 2.0, 0.5, None]
    assert values(table, "s") == [None, None, "x", None]


@pytest.mark.parametrize("first", [0, 1])
def test_texts_and_dictionaries_of_texts_are_one_column(tmp_path: Path, first: int) -> None:
    plain, coded = ["x", None, "y"], pa.array(["z", "x", None]).dictionary_encode()
    write(tmp_path / "d" / f"{first}.parquet", a=plain)
    write(tmp_path / "d" / f"{1 - first}.parquet", a=coded)
    write(tmp_path / "d" / "2.parquet", a=pa.nulls(1))
    expected = [*plain, "z", "x", None] if first == 0 else ["z", "x", None, *plain]
    assert values(ParquetTable(tmp_path / "d")) == [*expected, None]


def test_a_dictionary_with_an_order_is_not_taken_for_texts(tmp_path: Path) -> None:
    ordered = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["S", "L"]), ordered=True)
    write(tmp_path / "d" / "0.parquet", a=ordered)
    write(tmp_path / "d" / "1.parquet", a=["S", "L"])
    with pytest.raises(TableFileError, match=r"1\.parquet: the column .a. holds string and in .*0\.parquet"):
        ParquetTable(tmp_path / "d").shape  # noqa: B018


def test_types_that_differ_are_refused_by_file_and_column(tmp_path: Path) -> None:
    write(tmp_path / "d" / "0.parquet", a=[1.0])
    write(tmp_path / "d" / "1.parquet", a=["one"])
    with pytest.raises(TableFileError, match=r"1\.parquet: the column .a. holds string and in .*0\.parquet"):
        ParquetTable(tmp_path / "d").shape  # noqa: B018


def test_a_column_that_a_file_lacks_or_adds_is_named_with_the_file(tmp_path: Path) -> None:
    write(tmp_path / "d" / "0.parquet", a=[1.0], b=[1.0])
    write(tmp_path / "d" / "1.parquet", a=[1.0])
    with pytest.raises(TableFileError, match=r"1\.parquet: the column .b. is missing"):
        ParquetTable(tmp_path / "d").shape  # noqa: B018
    write(tmp_path / "d" / "1.parquet", a=[1.0], b=[2.0], c=[1.0])
    with pytest.raises(TableFileError, match=r"1\.parquet: the column .c. is not in .*0\.parquet"):
        ParquetTable(tmp_path / "d").shape  # noqa: B018


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    for path, said in [
        (tmp_path / "nowhere", "no such file or folder"),
        (str(tmp_path / "*.parquet"), "no file has a name like this"),
        (tmp_path, r"no file that ends in \.parquet"),
        ([tmp_path / "nowhere.parquet"], "no such file"),
        ([], "list of Parquet files is empty"),
        ("", "the path is empty"),
    ]:
        with pytest.raises(TableFileError, match=said):
            ParquetTable(path).shape  # noqa: B018


@pytest.mark.parametrize("path", [None, 1, [1], b"x", [None], np.array([1])], ids=str)
def test_what_is_no_path_is_refused(path: Any) -> None:
    with pytest.raises(TypeError, match="ParquetTable takes a path or a list of paths, not"):
        ParquetTable(path).shape  # noqa: B018


@pytest.mark.parametrize("columns", ["ab", b"a", 1, [1], [], [["a"]]], ids=str)
def test_columns_that_are_no_list_of_names_are_refused(columns: Any) -> None:
    with pytest.raises(TypeError, match="columns must be a list of names of columns, not"):
        ParquetTable("data", columns=columns)


def test_a_column_is_named_once_and_has_one_role(folder: Path) -> None:
    with pytest.raises(ValueError, match="columns names 'a' twice"):
        ParquetTable(folder, columns=["a", "b", "a"])
    table = ParquetTable(folder)
    with pytest.raises(ValueError, match="y and sample_weight are both the column 'a': name two columns"):
        CARTClassifier().fit(table, "a", sample_weight="a")


def test_a_damaged_text_is_refused_by_its_part(tmp_path: Path) -> None:
    write(tmp_path / "0.parquet", a=["good", "text"] * 9, y=[0, 1] * 9)
    whole = (tmp_path / "0.parquet").read_bytes()
    assert b"good" in whole
    (tmp_path / "0.parquet").write_bytes(whole.replace(b"good", b"g\xff\xffd"))
    with pytest.raises(ValueError, match=r"part 0: .*codec can't decode byte"):
        CARTClassifier().fit(ParquetTable(tmp_path), "y")


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1 nothing of the kind")
    with pytest.raises(TableFileError, match=r"x\.parquet: not a Parquet file, or a damaged one"):
        ParquetTable(tmp_path).shape  # noqa: B018


def test_a_table_of_the_target_alone_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "0.parquet", y=["u", "v"])
    with pytest.raises(ValueError, match="no column beside 'y'"):
        CARTClassifier().fit(ParquetTable(tmp_path), "y")


def test_it_says_what_it_is(folder: Path) -> None:
    assert repr(ParquetTable("data", columns=["a"])) == "ParquetTable('data', columns=['a'])"


def fitted_within(X: Any, y: str, time_limit_s: float) -> Any:
    return CARTClassifier(time_limit_s=time_limit_s).fit(X, y)


@pytest.mark.parametrize("in_time", [0, 1, 2, 5])  # parts, of three that are read twice
@pytest.mark.parametrize("learn", [fitted_within, frontier], ids=["fit", "frontier"])
def test_a_table_that_is_not_read_in_time_is_refused_before_the_next_part(
    learn: Any, in_time: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for k in range(3):
        write(tmp_path / f"{k}.parquet", a=np.random.default_rng(k).random(300), y=["u", "v", "u"] * 100)
    monkeypatch.setattr(parquet_table, "PART_BYTES", 1)
    read, clock = [], [0.0]

    def reading(self: ParquetTable, *given: Any) -> Any:
        read.append(given)
        if len(read) > in_time:
            clock[0] = 1e6
        return as_ever(self, *given)

    as_ever = ParquetTable.read
    monkeypatch.setattr(ParquetTable, "read", reading)
    monkeypatch.setattr(limits, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    with pytest.raises(
        TimeoutError, match=r"time_limit_s ended while the table was read.*: raise it, or fit on"
    ):
        learn(ParquetTable(tmp_path), "y", time_limit_s=100.0)
    assert len(read) <= in_time + 4  # one is read, two wait for it, and the target's kind was asked before


def test_a_limit_that_is_not_reached_while_reading_holds_for_growing_alone(tmp_path: Path) -> None:
    """Parts that are asked again while the tree grows look at no clock: the tree so far is kept."""
    rng = np.random.default_rng(0)
    write(tmp_path / "0.parquet", a=rng.random(2000), y=rng.integers(0, 2, 2000))
    parts = parts_of(ParquetTable(tmp_path), "y")
    assert parts is not None

    def late() -> None:
        raise TimeoutError

    with parts.watched(late), pytest.raises(TimeoutError):
        parts.map(len)
    kept = parts.keep(lambda part: part.y)
    with parts.watched(late):
        assert [len(y) for y in kept.map(np.asarray)] == [2000]
    assert [len(y) for y in parts.map(lambda part: part.y)] == [2000]


@pytest.mark.parametrize("learner", [CARTClassifier, ThriftTreeClassifier])
def test_a_fit_gives_back_what_it_kept(learner: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "rows.parquet", x=[1, 2, 3, 4] * 5, y=["a", "a", "b", "b"] * 5)
    given = ParquetTable(tmp_path)
    kind, closed = type(parts_of(given, "y")), []
    close = kind.close
    monkeypatch.setattr(kind, "close", lambda parts: (closed.append(parts), close(parts)))
    learner().fit(given, "y")
    assert closed


def test_a_part_is_read_from_its_own_files_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_table, "PART_BYTES", 1)
    for number in range(3):
        write(tmp_path / "d" / f"{number}.parquet", a=[float(number)])
    table = ParquetTable(tmp_path / "d")
    assert [[Path(path).stem for path, _ in part.pieces] for part in table.parts] == [["0"], ["1"], ["2"]]
    # One chunk is what numpy takes without a copy.
    assert [table.read(part).column("a").num_chunks for part in table.parts] == [1, 1, 1]
