"""Public tables as paper 000 prepares them, from the folder named by THRIFTREE_DATA.

Numbers are in five bins by k-means, every value is a yes-or-no column, and equal rows are one object with the
heaviest class.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.data import Array, Data
from thriftree.table.coding import encode

BINS = 5
NOT_THERE = "not measured: THRIFTREE_DATA names no folder"
NAMES = ("dota2", "diabetic", "letter")

_NOT_FEATURES = {"encounter_id", "patient_nbr"}  # of diabetic: numbers of visits and patients
_MANY = 100  # categories; more are codes of a numbered list (ICD-9), read as the numbers they are


def folder() -> Path | None:
    """Where the tables are, if they are anywhere."""
    named = os.environ.get("THRIFTREE_DATA")
    return Path(named) if named else None


@cache
def objects(name: str, rows: int) -> Data:
    """The first rows of a table as objects; their weights say how many rows each stands for."""
    source = folder()
    if source is None:
        raise RuntimeError("set THRIFTREE_DATA to the folder of the public tables")
    table = pd.read_parquet(source / f"{name}.parquet").head(rows)
    labels = np.unique(table.pop("target").astype(str), return_inverse=True)[1]
    answers = np.column_stack([answer for column in table for answer in _yes_or_no(table[column])])
    _, first, number = np.unique(np.packbits(answers, axis=1), axis=0, return_index=True, return_inverse=True)
    counts = np.zeros((len(first), int(labels.max()) + 1))
    np.add.at(counts, (number.reshape(-1), labels), 1)
    return Data(answers[first].astype(np.float32), counts.argmax(axis=1), counts.sum(axis=1))


def _yes_or_no(column: pd.Series) -> list[Array]:
    """One array of answers for each value of the column; a single one if there are two values."""
    if column.name in _NOT_FEATURES:
        return []
    if column.dtype.kind not in "if" and column.nunique() > _MANY:
        column = pd.to_numeric(column, errors="coerce")
    codes = encode(column.to_frame(), max_bins=BINS, binning="kmeans").core.codes(0)
    values = int(codes.max()) + 1
    return [codes == value for value in (range(values) if values > 2 else range(1, values))]
