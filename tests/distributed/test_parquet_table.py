"""Which files a ParquetTable reads, in which order and in which parts, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from thriftree import CARTClassifier, ParquetTable, ThriftTreeClassifier
from thriftree.distributed import parquet_table
from thriftree.distributed.engines import parts_of
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
    ]:
        with pytest.raises(TableFileError, match=said):
            ParquetTable(path).shape  # noqa: B018


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
