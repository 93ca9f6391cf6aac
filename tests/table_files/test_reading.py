"""Whole tables from files: the same rows whatever the file's form, and errors that name line and remedy."""

import gzip
import io
import sys

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from thriftree.table.files import CsvStyle, TableFileError, read_table

TABLE = {"age": [63, 41, None], "pain": ["none", None, "strong"], "sick": [True, False, True]}


class Pipe(io.RawIOBase):
    """Bytes that come a few at a time and cannot be sought."""

    def __init__(self, content: bytes) -> None:
        self._rest = content

    def readable(self) -> bool:
        return True

    def readinto(self, buffer):
        part, self._rest = self._rest[: min(7, len(buffer))], self._rest[min(7, len(buffer)) :]
        buffer[: len(part)] = part
        return len(part)


@pytest.fixture
def stdin(monkeypatch):
    def give(content: bytes) -> str:
        monkeypatch.setattr(
            sys, "stdin", io.TextIOWrapper(io.BufferedReader(Pipe(content)), encoding="utf-8")
        )
        return "-"

    return give


@pytest.fixture
def file(tmp_path):
    def write(content, name="rows.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return str(path)

    return write


def arrow_bytes(open_writer) -> bytes:
    table = pa.table(TABLE)
    sink = io.BytesIO()
    with open_writer(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


CSV = b"age,pain,sick\n63,none,true\n41,,False\n,strong,TRUE\n"


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (CSV, "rows.csv"),
        (b"\xef\xbb\xbf" + CSV, "bom.csv"),
        (CSV.replace(b",", b";"), "rows.csv"),
        (CSV.replace(b",", b"\t"), "rows.txt"),
        (CSV.replace(b",", b"|"), "rows"),
        (CSV.replace(b"\n", b"\r\n"), "windows.csv"),
        (CSV[:-1], "unended.csv"),
        (CSV.replace(b"41,,", b'"41","",').replace(b"none", b'"none"'), "quoted.csv"),
        (gzip.compress(CSV, mtime=0), "rows.csv.gz"),
        (arrow_bytes(pa.ipc.new_file), "rows.arrow"),
        (arrow_bytes(pa.ipc.new_stream), "rows.stream"),
    ],
)
def test_a_table_is_the_same_whatever_form_its_file_has(file, content, name):
    assert read_table(file(content, name)).to_pydict() == TABLE


def test_parquet_is_read_from_a_file_and_refused_from_a_pipe(tmp_path, stdin):
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.table(TABLE), path)
    assert read_table(str(path)).to_pydict() == TABLE
    with pytest.raises(TableFileError, match="cannot be read from a pipe: name the file"):
        read_table(stdin(path.read_bytes()))


@pytest.mark.parametrize("content", [CSV, arrow_bytes(pa.ipc.new_file), arrow_bytes(pa.ipc.new_stream)])
def test_standard_input_is_csv_or_arrow_by_its_first_bytes(stdin, content):
    assert read_table(stdin(content)).to_pydict() == TABLE


def test_line_ends_within_quotes_belong_to_the_cell(file):
    table = read_table(file('name,note\nann,"two\nlines"\nbob,"a ""word"", quoted"\n'))
    assert table.to_pydict() == {"name": ["ann", "bob"], "note": ["two\nlines", 'a "word", quoted']}


def test_words_for_missing_are_missing_among_numbers_and_texts_among_texts(file):
    table = read_table(file("n,t\n1,NA\nNA,null\nnan,x\n,\n"))
    assert table.to_pydict() == {"n": [1, None, None, None], "t": ["NA", "null", "x", None]}


def test_a_word_that_is_said_to_mean_missing_does_so_everywhere(file):
    table = read_table(file("n,t\n1,?\n?,a\n"), style=CsvStyle(missing=("?",)))
    assert table.to_pydict() == {"n": [1, None], "t": [None, "a"]}


def test_columns_asked_for_as_text_keep_their_leading_zeros(file):
    path = file("zip,n\n01,01\n1,1\n")
    assert read_table(path, as_text=["zip", "absent"]).to_pydict() == {"zip": ["01", "1"], "n": [1, 1]}


def test_numbers_whose_kind_changes_far_down_the_file_are_still_numbers(file):
    lines = "1\n" * 3_000_000 + "2.5\n"
    column = read_table(file("n\n" + lines)).column("n")
    assert column.type == pa.float64()
    assert column[-1].as_py() == 2.5


def test_a_decimal_comma_is_read_if_asked_for(file):
    table = read_table(file("a;b\n1,5;2\n"), style=CsvStyle(decimal=","))
    assert table.to_pydict() == {"a": [1.5], "b": [2]}


def test_an_encoding_is_read_if_asked_for(file):
    content = "name,n\nJosé,1\n"
    for encoding in ("latin-1", "utf-16", "cp1252"):
        style = CsvStyle(encoding=encoding)
        assert read_table(file(content.encode(encoding)), style=style).to_pydict() == {
            "name": ["José"],
            "n": [1],
        }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", r"rows.csv: the file is empty: a table begins with a line of column names"),
        (b"\n\n", r"rows.csv: the file is empty"),
        (b"a,b\n", r"there is a header but no row below it"),
        (b"a,b\n1,2\n3\n4,5\n", r"rows.csv, line 3: 1 cell where the header has 2: correct the line"),
        (b'a,b\n1,"x\ny"\n3,4,5\n', r"rows.csv, line 4: 3 cells where the header has 2"),
        (b'a,b\n1,"x\n2,3\n4,5\n', r"rows.csv: a quote opened after line 1 is never closed: close it"),
        (b"a,b,a\n1,2,3\n", r"rows.csv: the columns 1 and 3 have the same name 'a': rename one"),
        ("a,b\n1,é\n".encode("latin-1"), r"rows.csv, line 2: not UTF-8 text: .* --encoding with latin-1"),
        ("é,b\n1,x\n".encode("latin-1"), r"rows.csv, line 1: not UTF-8 text"),
        ("a,b\n1,x\n".encode("utf-16"), r"the file is UTF-16 text: say --encoding utf-16"),
        (b"PK\x03\x04....", r"a zip archive or an Excel workbook: save the table as CSV or Parquet"),
        (b"a\0b\0", r"not text, Parquet or Arrow"),
        (b"PAR1 and no more", r"a damaged Parquet file"),
        (b"ARROW1\0\0 and no more", r"a damaged Arrow file"),
    ],
)
def test_a_bad_file_is_refused_with_the_place_and_the_remedy(file, content, said):
    with pytest.raises(TableFileError, match=said) as refusal:
        read_table(file(content))
    assert "\n" not in str(refusal.value)


def test_foreign_bytes_deep_in_the_file_are_found_with_their_line(file):
    good = b"name,n\n" + b"ann,1\n" * 50_000
    with pytest.raises(TableFileError, match=r"line 50002: not UTF-8 text"):
        read_table(file(good + "é,2\n".encode("latin-1")), as_text=["name"])
    with pytest.raises(TableFileError, match=r"column 'name': not UTF-8 text"):
        read_table(file(good + "é,2\n".encode("latin-1")))


def test_a_file_that_is_not_there_and_a_folder_are_named(tmp_path):
    with pytest.raises(TableFileError, match=r"absent.csv: there is no such file"):
        read_table(str(tmp_path / "absent.csv"))
    with pytest.raises(TableFileError, match="a folder, not a file"):
        read_table(str(tmp_path))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"delimiter": ";;"}, "not one character"),
        ({"encoding": "martian"}, "'martian' is not known"),
        ({"decimal": "x"}, "not one mark"),
    ],
)
def test_a_style_that_cannot_be_is_refused(words, said):
    with pytest.raises(TableFileError, match=said):
        CsvStyle(**words)
