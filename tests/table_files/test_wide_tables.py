"""Tables of very many columns: the header is read to its end, in time that grows with the columns."""

import codecs
import time

import pytest

from thriftree.columns import ColumnSchema
from thriftree.table.files import CsvStyle, TableFileError, read_table, sources, stream_table


def wide_csv(n_columns: int, n_rows: int = 2, *, start: str = "") -> str:
    """Column j of row i holds i + j."""
    names = ",".join(f"column_{j}" for j in range(n_columns))
    return f"{start}{names}\n" + "".join(
        ",".join(str(i + j) for j in range(n_columns)) + "\n" for i in range(n_rows)
    )


@pytest.fixture
def file(tmp_path):
    def write(content, encoding="utf-8"):
        path = tmp_path / "wide.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return str(path)

    return write


@pytest.mark.parametrize("encoding", [None, "utf-16", "latin-1"])
@pytest.mark.parametrize("start", ["", "\r\n\n", '"two\nlines","a ""quote""\r\n",'])
def test_a_header_longer_than_what_is_read_first_is_read_to_its_end(file, start, encoding):
    content = wide_csv(20_000, start=start)
    if start.startswith('"'):
        header, *rows = content.removeprefix(start).splitlines()
        content = start + header + "\n" + "".join(f"7,8,{row}\n" for row in rows)
    path = file(content, encoding or "utf-8")
    table = read_table(path, style=CsvStyle(encoding=encoding))
    assert table.column_names[-20_000:] == [f"column_{j}" for j in range(20_000)]
    assert table.column(table.num_columns - 1).to_pylist() == [19_999, 20_000]
    last = ColumnSchema("column_19999", "number")
    (batch,) = stream_table(path, [last], [0], style=CsvStyle(encoding=encoding))
    assert batch.frame.column(0).values.tolist() == [19_999, 20_000]


def test_a_hundred_thousand_columns_are_read(file):
    path = file(wide_csv(100_000))
    assert read_table(path).column("column_99999").to_pylist() == [99_999, 100_000]
    (batch,) = stream_table(path, [ColumnSchema("column_99999", "number")], [0])
    assert batch.frame.column(0).values.tolist() == [99_999, 100_000]


def test_a_header_and_rows_longer_than_a_block_are_read(file):
    names = [f"{'long' * 2_500}_{j}" for j in range(600)]
    path = file(",".join(names) + "\n" + ",".join("5" for _ in names) + "\n")
    assert read_table(path).column(599).to_pylist() == [5]
    (batch,) = stream_table(path, [ColumnSchema(names[599], "number")], [0])
    assert batch.frame.column(0).values.tolist() == [5]


def test_a_long_header_without_rows_or_line_end_is_a_header(file):
    with pytest.raises(TableFileError, match="a header but no row below it"):
        read_table(file(wide_csv(20_000, n_rows=0).rstrip("\n")))


def test_of_a_file_in_bytes_only_the_first_record_and_a_little_more_is_looked_at(file):
    assert len(sources.source_of(file(wide_csv(2, n_rows=200_000))).head) < 1 << 18


def test_a_quote_that_nothing_closes_is_not_followed_for_ever(file, monkeypatch):
    monkeypatch.setattr(sources, "MAX_HEADER_BYTES", 1 << 20)
    path = file(b'"a,b\n' + b"1,2\n" * (1 << 18))
    with pytest.raises(TableFileError, match=r"the first line has no end within 1 MiB: .*a quote in it"):
        read_table(path)


def test_a_first_line_that_is_one_huge_cell_is_no_header(file):
    with pytest.raises(TableFileError, match=r"a cell of more than 131,072 characters.*--delimiter"):
        read_table(file("x" * 200_000 + "\n1\n"))


def test_a_mark_of_utf_8_before_a_long_header_is_no_part_of_a_name(file):
    assert read_table(file(codecs.BOM_UTF8 + wide_csv(20_000).encode())).column_names[0] == "column_0"


def test_reading_takes_time_in_proportion_to_the_columns(file):
    """16 times the columns take about 16 times as long; the square would be 256 times."""

    def seconds(n_columns: int) -> float:
        path = file("\n".join([",".join(f"c{j}" for j in range(n_columns)), ",".join(["text"] * n_columns)]))
        start = time.process_time()
        read_table(path)
        return time.process_time() - start

    seconds(500)
    assert seconds(24_000) < 5 * 16 * seconds(1_500)
