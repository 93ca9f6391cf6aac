"""The features as an estimator takes them: names and number recorded in fit, compared afterwards, nothing
copied.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from thriftree.frames import is_frame


def checked_features(estimator: Any, X: Any, *, reset: bool) -> Any:
    """`X` as a frame or a 2-D array, with its column names and number recorded (reset) or compared."""
    if issparse(X):
        raise TypeError(
            "X is sparse, and sparse input is not supported: a tree reads every value; pass X.toarray()"
        )
    if not is_frame(X):
        X = X if isinstance(X, np.ndarray) else np.asarray(X)
        _refuse_wrong_arrays(X)
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    n_rows, n_columns = X.shape
    if n_rows == 0 and reset:
        raise ValueError(
            f"X has 0 sample(s) (shape={X.shape}) while a minimum of 1 is required: give some rows"
        )
    if n_columns == 0:
        raise ValueError(
            f"X has 0 feature(s) (shape={X.shape}) while a minimum of 1 is required: give a column"
        )
    return X


def _refuse_wrong_arrays(X: np.ndarray[Any, Any]) -> None:
    if X.dtype.kind == "c":
        raise ValueError(f"X has dtype {X.dtype}. Complex data not supported: give real numbers")
    if X.ndim == 2:
        return
    raise ValueError(
        f"Expected 2D array, got {X.ndim}D array instead. Reshape your data: "
        "X.reshape(-1, 1) makes one column, X.reshape(1, -1) one row"
    )
