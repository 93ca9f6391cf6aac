"""Classified tables of a folder, of large ones some rows, and one division of them: what several studies
measure on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import pandas as pd  # type: ignore[import-untyped]
from numpy.typing import NDArray

MOST_ROWS: Final = 3_000  # of a set
TEST_SHARE: Final = 0.3


@dataclass(frozen=True)
class SetDivision:
    """One division of one data set."""

    folder: Path
    data: str
    division: int

    def __str__(self) -> str:
        return f"{self.data}, division {self.division}"


@cache
def load(folder: Path, name: str) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Features and labels; of a large set some rows."""
    frame = pd.read_parquet(folder / f"{name}.parquet")
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=0)
    labels = frame.pop("target").astype(str).to_numpy()
    return frame.reset_index(drop=True), labels
