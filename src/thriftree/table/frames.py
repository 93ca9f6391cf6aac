"""From whatever holds a table (numpy, scipy.sparse, pandas, polars, pyarrow, lists) to plain numpy columns.

Dataframe libraries are known through narwhals only, which is imported when a frame is met.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from thriftree.table.arrays import as_array, read_array
from thriftree.table.dataframes import read_dataframe
from thriftree.table.frame import Frame
from thriftree.table.not_in_memory import refuse_if_not_in_memory
from thriftree.table.sparse import is_sparse, read_sparse


def read_frame(X: Any) -> Frame:
    """Reads X; raises the error scikit-learn would where X is no table of at least one row and column.

    A Frame is returned as it is.

    >>> read_frame([[1.5, "red"], [2.0, "blue"]]).column(1).levels
    ['red', 'blue']
    """
    if isinstance(X, Frame):
        return X
    if is_sparse(X):
        return read_sparse(X)
    refuse_if_not_in_memory(X, "X")
    if isinstance(X, Mapping):
        raise TypeError("X is a dict: make it a frame first, for example pandas.DataFrame(X)")
    return read_dataframe(X) if is_dataframe(X) else read_array(as_array(X))


def is_dataframe(X: Any) -> bool:
    """Whether X is a frame, in memory, of a library that narwhals knows."""
    if isinstance(X, (np.ndarray, list, tuple, Mapping, Frame)) or is_sparse(X):
        return False
    refuse_if_not_in_memory(X, "X")
    import narwhals as nw

    return bool(nw.dependencies.is_into_dataframe(X))
