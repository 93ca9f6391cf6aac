"""The demo data that ships with the package: the Cleveland heart-disease table and the prices of its tests.

Sources are named in `thriftree/data/SOURCES.md`.
"""

from __future__ import annotations

import csv
from importlib.resources import as_file, files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree.costs import TestCosts
from thriftree.table.making_frames import Backend, make_frame

HEART_TARGET = "heart_disease"
HEART_NUMBERS = (
    "age",
    "resting_blood_pressure",
    "cholesterol",
    "max_heart_rate",
    "st_depression",
    "major_vessels",
)


def load_heart(as_frame: bool | Backend = True) -> tuple[Any, NDArray[np.str_]]:
    """Heart disease in 303 patients: a table `X` of 13 columns, and `y`, "present" or "absent" for each row.

    `as_frame` names the library that `X` is a frame of; True takes the first that is installed of pandas,
    polars and pyarrow. False needs none of them: `X` is a dict of numpy arrays, numbers with NaN and texts
    with None for missing.

    >>> X, y = load_heart(as_frame=False)
    >>> len(X), len(y), X["chest_pain"][0]
    (13, 303, 'typical angina')
    """
    text = files("thriftree").joinpath("data", "heart.csv").read_text(encoding="utf-8")
    header, *lines = csv.reader(text.splitlines())
    cells = dict(zip(header, zip(*lines, strict=True), strict=True))
    y = np.array(cells.pop(HEART_TARGET))
    X = {name: _column(name, values) for name, values in cells.items()}
    if as_frame is False:
        kinds = {name: float if name in HEART_NUMBERS else object for name in X}
        return {name: np.array(values, dtype=kinds[name]) for name, values in X.items()}, y
    return make_frame(X, None if as_frame is True else as_frame), y


def heart_prices() -> TestCosts:
    """What the tests of `load_heart` cost, in dollars (Turney 1995).

    >>> heart_prices().groups["blood"].setup
    2.1
    """
    with as_file(files("thriftree").joinpath("data", "heart_prices.toml")) as path:
        return TestCosts.from_toml(path)


def _column(name: str, cells: tuple[str, ...]) -> list[float | None] | list[str | None]:
    if name in HEART_NUMBERS:
        return [float(cell) if cell else None for cell in cells]
    return [cell or None for cell in cells]
