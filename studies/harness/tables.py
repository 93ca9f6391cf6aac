"""Where a study's tables come from, how many of their rows it takes, and how it divides them.

A table is named by

- `iris`: the file iris.parquet of the study's folder, whose column `target` is the label;
- `path/to/table.csv` or `.parquet`: a file, whose column `target`, or else its last, is the label;
- `bundled:wine`: a set that comes with scikit-learn (breast_cancer, diabetes, digits, iris, wine), or our
  `bundled:heart`;
- `openml:credit-g` or `openml:credit-g:1`: a set of OpenML, with its version; fetched when asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

TARGET = "target"
MOST_ROWS = 10_000  # unless a study is told otherwise
TEST_SHARE = 0.3
SAMPLE_SEED = 0

Kind = Literal["classes", "numbers"]
Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class StudyTable:
    """Features and labels; of a large table some rows."""

    name: str
    X: pd.DataFrame
    y: NDArray[Any]  # texts for classes, floats for numbers
    kind: Kind
    all_rows: int  # of the table, before the limit

    @property
    def facts(self) -> dict[str, int]:
        """What a report says of it."""
        known = {"rows": len(self.y), "all_rows": self.all_rows, "columns": int(self.X.shape[1])}
        return known | ({"classes": len(np.unique(self.y))} if self.kind == "classes" else {})


@dataclass(frozen=True)
class SplitTask:
    """One split of one table, for whatever a study does with it."""

    folder: Path
    data: str
    split: int


@cache
def load_table(
    source: str,
    folder: Path | None = None,
    kind: Kind = "classes",
    left_out: tuple[str, ...] = (),
    max_rows: int | None = MOST_ROWS,
) -> StudyTable:
    """The table of that name (see above), read once a process; rows whose label is missing are left out.

    Of more than `max_rows` rows as many are drawn, always the same, and stay in their order.
    """
    frame, label = _read(source, folder)
    frame = frame[frame[label].notna()]
    all_rows = len(frame)
    if max_rows is not None and all_rows > max_rows:
        kept = np.random.default_rng(SAMPLE_SEED).choice(all_rows, max_rows, replace=False)
        frame = frame.iloc[np.sort(kept)]
    frame = frame.reset_index(drop=True)
    target = frame.pop(label)
    y = target.astype(str).to_numpy(dtype=object) if kind == "classes" else target.to_numpy(dtype=np.float64)
    return StudyTable(source, frame.drop(columns=list(left_out)), y, kind, all_rows)


def divide(y: NDArray[Any], split: int, kind: Kind, test_share: float = TEST_SHARE) -> tuple[Rows, Rows]:
    """The training and the test rows of one split, the same for every learner; by class, where every class
    has two rows at least.
    """
    by_class = None
    if kind == "classes":
        counts = np.unique(y, return_counts=True)[1]
        n_test = int(np.ceil(test_share * len(y)))
        if counts.min() >= 2 and len(counts) <= min(n_test, len(y) - n_test):
            by_class = y
    train, test = train_test_split(
        np.arange(len(y)), test_size=test_share, random_state=split, stratify=by_class
    )
    return train, test


def _read(source: str, folder: Path | None) -> tuple[pd.DataFrame, str]:
    """A whole table and the name of its label."""
    if source.startswith("bundled:"):
        return _bundled(source.removeprefix("bundled:"))
    if source.startswith("openml:"):
        return _openml(source.removeprefix("openml:"))
    path = Path(source)
    if path.suffix not in (".csv", ".parquet"):
        if folder is None:
            raise ValueError(f"{source!r} is no file: name the folder that has {source}.parquet")
        path = folder / f"{source}.parquet"
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing: --data must name the folder that holds it")
    frame = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    return frame, TARGET if TARGET in frame else str(frame.columns[-1])


def _bundled(name: str) -> tuple[pd.DataFrame, str]:
    if name == "heart":
        from thriftree.datasets import load_heart

        X, y = load_heart()
        return pd.DataFrame(X).assign(**{TARGET: np.asarray(y)}), TARGET
    from sklearn import datasets

    names = ("breast_cancer", "diabetes", "digits", "iris", "wine")
    if name not in names:
        raise ValueError(f"no bundled set {name!r}: there are {', '.join((*names, 'heart'))}")
    return getattr(datasets, f"load_{name}")(as_frame=True).frame, TARGET


def _openml(name: str) -> tuple[pd.DataFrame, str]:
    from sklearn.datasets import fetch_openml

    name, _, version = name.partition(":")
    found = fetch_openml(name, version=int(version) if version else "active", as_frame=True, parser="auto")
    label = found.target.name
    return found.data.assign(**{label: found.target}), label
