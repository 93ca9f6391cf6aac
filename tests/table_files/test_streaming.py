"""Tables in batches: the rows that reading whole would give, whatever the file and however it is cut."""

import datetime
import gzip
import io
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as parquet
import pytest

from thriftree import Tree
from thriftree.columns import ColumnSchema
from thriftree.table.files import CsvStyle, TableFileError, csv_blocks, stream_table, streaming
from thriftree.testing.random_documents import frame_of, random_document, random_rows

COLUMNS = (
    ColumnSchema("age", "number"),
    ColumnSchema("unused", "number"),
    ColumnSchema("zip", "category", ("01", "1", "other")),
    ColumnSchema("grade", "category", (1, 2, 3)),
    ColumnSchema("fit", "category", (False, True)),
    ColumnSchema("level", "ordered", (0.5, 1.0, 2.5)),
)
TESTED = (0, 2, 3, 4, 5)


def values(path, columns=COLUMNS, tested=TESTED, **words):
    """By tested column the values as the tree would take them: numbers, labels, or None for missing."""
    found = {columns[j].name: [] for j in tested}
    for batch in stream_table(path, columns, tested, **words):
        for j in tested:
            cells = batch.frame.column(j)
            if hasattr(cells, "values"):
                found[columns[j].name] += [None if np.isnan(v) else v for v in cells.values.tolist()]
            else:
                found[columns[j].name] += [None if c < 0 else cells.levels[c] for c in cells.codes.tolist()]
    return found


@pytest.fixture
def file(tmp_path):
    def write(text, name="rows.csv"):
        path = tmp_path / name
        path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
        return str(path)

    return write


def test_cells_are_read_as_the_trees_columns_have_them(file):
    path = file(
        "level,fit,grade,zip,age,more\n"
        "0.5,true,1,01,63,x\n"
        "1,False,2.0,1,NA,y\n"
        "2.50,TRUE,03,1.0,,z\n"
        "9,NA,many,NA,1e1,\n"
        ",,,, -3 ,\n"
    )
    assert values(path) == {
        "age": [63.0, None, None, 10.0, -3.0],
        "zip": ["01", "1", "1.0", "NA", None],
        "grade": [1, 2.0, 3, "many", None],
        "fit": [True, False, True, None, None],
        "level": [0.5, 1, 2.5, 9, None],
    }


def test_what_is_no_number_is_an_error_that_names_column_line_and_value(file):
    path = file('note,age\n"a\nb",1\nc,2\nd,about 60\n')
    with pytest.raises(
        TableFileError, match=r"line 5: 'about 60' in the column 'age' is not a number: correct"
    ):
        values(path, tested=[0])


def test_a_word_that_means_missing_is_missing_in_numbers_and_categories(file):
    found = values(file("age,zip\n?,?\n5,01\n"), tested=[0, 2], style=CsvStyle(missing=("?",)))
    assert found == {"age": [None, 5.0], "zip": [None, "01"]}


def test_only_tested_and_kept_columns_need_to_be_there(file):
    path = file("id,age\na,1\nb,2\n")
    (batch,) = stream_table(path, COLUMNS, [0], keep=["id"])
    assert batch.kept.to_pydict() == {"id": ["a", "b"]}
    assert batch.frame.names == [column.name for column in COLUMNS]
    with pytest.raises(
        TableFileError, match="the tree tests the column 'zip', which is not there; its columns are"
    ):
        values(path, tested=[0, 2])
    with pytest.raises(
        TableFileError, match="--keep names the column 'idd', which is not there; did you mean 'id'"
    ):
        list(stream_table(path, COLUMNS, [0], keep=["idd"]))


def test_a_tree_that_tests_nothing_still_counts_the_rows(file):
    assert [batch.n_rows for batch in stream_table(file("a,b\n1,2\n3,4\n"), COLUMNS, [])] == [2]


@pytest.mark.parametrize("block", [40, 64, 1000])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("quote_from", [0, 200, 10_000])
def test_rows_keep_their_order_however_the_file_is_cut_into_blocks(
    file, monkeypatch, block, ending, quote_from
):
    monkeypatch.setattr(csv_blocks, "BLOCK_BYTES", block)
    lines = ["age,zip,note"]
    for i in range(300):
        lines.append(f'{i},01,"a{ending}b"' if i >= quote_from else f"{i},01,plain")
    for end in ("", ending):
        found = values(file(ending.join(lines) + end), tested=[0, 2])
        assert found == {"age": list(map(float, range(300))), "zip": ["01"] * 300}


def test_an_error_in_a_late_block_names_its_line(file, monkeypatch):
    monkeypatch.setattr(csv_blocks, "BLOCK_BYTES", 100)
    path = file("age,b\n" + "1,2\n" * 500 + "x,2\n" + "1,2\n" * 500)
    with pytest.raises(TableFileError, match="line 502: 'x' in the column 'age'"):
        values(path, tested=[0])
    ragged = file("age,b\n" + "1,2\n" * 500 + "1,2,3\n")
    with pytest.raises(TableFileError, match="line 502: 3 cells where the header has 2"):
        values(ragged, tested=[0])


def test_a_quote_that_is_never_closed_is_refused_and_one_within_a_cell_is_not(file):
    with pytest.raises(TableFileError, match="a quote opened after line 2 is never closed"):
        values(file('age,note\n1,plain\n2,"open\n3,x\n4,y\n'), tested=[0])
    assert values(file('age,note\n1,5" pipe\n2,x\n'), tested=[0]) == {"age": [1.0, 2.0]}
    with pytest.raises(TableFileError, match="a quote opened after line 1 is never closed"):
        values(file(gzip.compress(b'age,note\n1,"open\n2,x\n'), "rows.csv.gz"), tested=[0])


def test_a_cell_of_more_than_python_reads_is_no_surprise(file):
    path = file("age,note\n1," + "x" * 200_000 + "\nold,y\n")
    with pytest.raises(TableFileError, match="'old' in the column 'age' is not a number"):
        values(path, tested=[0])


def test_standard_input_streams_and_names_the_row_of_a_bad_number(monkeypatch):
    def give(text):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text), encoding="utf-8"))

    give(b"age\n1\n2\n")
    assert values("-", tested=[0]) == {"age": [1.0, 2.0]}
    give(b"age\n1\nold\n")
    with pytest.raises(
        TableFileError, match=r"standard input, line 3: 'old' in the column 'age' is not a number"
    ):
        values("-", tested=[0])


def test_integers_of_a_parquet_file_are_matched_with_categories_that_are_texts(tmp_path):
    path = str(tmp_path / "rows.parquet")
    parquet.write_table(pa.table({"zip": [1, 7], "age": [1.5, 2.5]}), path)
    assert values(path, tested=[0, 2]) == {"age": [1.5, 2.5], "zip": ["1", "7"]}
    parquet.write_table(pa.table({"zip": [1, None, 7]}), path)
    assert values(path, tested=[2]) == {"zip": ["1", None, "7"]}
    parquet.write_table(pa.table({"zip": [1.5, 7.0]}), path)
    with pytest.raises(
        TableFileError, match="'zip' holds numbers, but the tree knows texts there, such as '01'"
    ):
        values(path, tested=[2])


def test_batches_of_a_parquet_and_an_arrow_file_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(streaming, "BATCH_ROWS", 10)
    table = pa.table({"age": np.arange(95.0)})
    parquet.write_table(table, tmp_path / "rows.parquet")
    with pa.ipc.new_file(str(tmp_path / "rows.arrow"), table.schema) as writer:
        writer.write_table(table)
    for name in ("rows.parquet", "rows.arrow"):
        batches = list(stream_table(str(tmp_path / name), COLUMNS, [0]))
        assert max(batch.n_rows for batch in batches) == 10
        assert np.concatenate([b.frame.column(0).values for b in batches]).tolist() == list(range(95))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_streamed_rows_are_answered_as_a_frame_is(tmp_path, seed, form):
    """Hostile names and categories, cuts and their neighbours, missing and unseen values."""
    document = random_document(seed, hostile=True)
    for column in document["columns"]:  # an empty text is missing in a file
        column["categories"] = column.get("categories", [])
        column["categories"] = [c if c != "" else "blank" for c in column["categories"]]
        if column["kind"] == "number":
            del column["categories"]
    tree = Tree.from_dict(document)
    rows = {
        name: [None if cell == "" else cell for cell in cells]
        for name, cells in random_rows(document, seed, 400).items()
    }
    expected = tree.predict(frame_of(document, rows))
    path = str(tmp_path / f"rows.{form}")
    table = pa.table([pa.array(cells) for cells in rows.values()], names=list(rows))
    if form == "csv":
        texts = [c.cast(pa.string()) if not pa.types.is_boolean(c.type) else c for c in table.columns]
        pyarrow.csv.write_csv(pa.table(texts, names=table.column_names), path)
    else:
        parquet.write_table(table, path)
    tested = {node["test"]["column"] for node in document["nodes"] if "test" in node}
    got = [tree.predict(batch.frame) for batch in stream_table(path, tree.columns, tested)]
    assert np.concatenate(got).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("column", "cells", "said"),
    [
        ("age", ["1", "2"], "rows.parquet: the column 'age' holds '1', but the tree knows numbers there"),
        (
            "age",
            [datetime.date(2020, 1, 1)],
            "rows.parquet: the column 'age' holds dates, but the tree knows numbers there: write it",
        ),
    ],
)
def test_a_column_of_another_kind_is_named_with_its_file(tmp_path, column, cells, said):
    path = str(tmp_path / "rows.parquet")
    parquet.write_table(pa.table({column: cells}), path)
    with pytest.raises(TableFileError, match=said):
        values(path, tested=[0])


def test_a_header_that_no_line_end_closes_is_a_table_without_rows(file):
    assert values(file("age,zip"), tested=[0, 2]) == {"age": [], "zip": []}
