"""The rows that a tree learnt from: fingerprints in its file, by which `report` knows them in any table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from thriftree.cli.errors import input_errors, naming_output
from thriftree.cli.trees import is_soft

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thriftree.cli.data import Dataset
    from thriftree.tree import Tree


def save_with_rows(path: str, tree: Tree, rows: Dataset, train: NDArray[Any]) -> None:
    """Writes the tree's file, with fingerprints of the rows at `train`; of very many rows without."""
    from thriftree.document.write import to_json
    from thriftree.table.fingerprints import MAX_ROWS, fingerprints_of, fingerprints_to_text
    from thriftree.whole_files import write_whole

    document = tree.to_dict()
    if len(train) <= MAX_ROWS:
        names = [column.name for column in tree.columns]
        made = fingerprints_of(rows.X.select(names).take(train), rows.y[train])
        document["learnt_from"] = {"target": rows.target, "fingerprints": fingerprints_to_text(made)}
    with naming_output(path):
        text = json.dumps(document, allow_nan=False) + "\n" if is_soft(tree) else to_json(document)
        write_whole(path, text)


def rows_learnt_from(path: str, tree: Tree, rows: Dataset) -> NDArray[Any] | None:
    """Which rows the tree in the file learnt from; None if the file does not know."""
    from thriftree.document.files import read_document
    from thriftree.table.fingerprints import fingerprints_in_text, fingerprints_of, known_again

    with input_errors(path):
        kept = read_document(path).get("learnt_from")
        if kept is None or kept["target"] != rows.target:
            return None
        learnt_from = fingerprints_in_text(kept["fingerprints"])
    names = [column.name for column in tree.columns]
    return known_again(fingerprints_of(rows.X.select(names), rows.y), learnt_from)


def save_held_out(path: str, rows: Dataset, test: NDArray[Any]) -> None:
    """Writes the rows at `test`, with their target and weight, as a CSV, Parquet or Arrow file."""
    from thriftree.table.files import batch_writer
    from thriftree.table.files.problems import pyarrow

    pa = pyarrow()
    table = rows.X.take(test).append_column(rows.target, pa.array(rows.y[test].tolist()))
    if rows.weight is not None and rows.weight_name is not None:
        table = table.append_column(rows.weight_name, pa.array(rows.weight[test]))
    with naming_output(path), batch_writer(path, table.column_names) as writer:
        for batch in table.to_batches():
            writer.write(batch, {})
