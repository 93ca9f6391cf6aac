"""The features as an estimator takes them: names and number recorded in fit and compared afterwards.

What is wrong with a table is said by `thriftree.table.frames`; here is only what scikit-learn
asks of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import _get_feature_names, validate_data

from thriftree.table.arrays import as_array
from thriftree.table.codes import Codes
from thriftree.table.column_choice import chosen_columns
from thriftree.table.dataframes import column_names
from thriftree.table.frames import read_frame
from thriftree.table.not_in_memory import refuse_if_not_in_memory
from thriftree.table.same_columns import check_columns, differing_kinds
from thriftree.table.sparse import is_sparse


class TakesTables:
    """What scikit-learn is told of an estimator that learns from any table. Stands before its base."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def checked_features(estimator: Any, X: Any, *, reset: bool) -> Any:
    """`X`, copied only if it is lists or sparse, once its columns are recorded (reset) or found to be
    those of fit.
    """
    if isinstance(X, Codes):
        return _checked_codes(estimator, X, reset)
    if reset and type(X) is np.ndarray and X.ndim == 2 and X.size:
        record_columns(estimator, X.shape[1], None)
        return X
    refuse_if_not_in_memory(X, "X")
    if not hasattr(X, "shape"):
        if not isinstance(X, (list, tuple)):
            read_frame(X)  # refuses what is no table, with the remedy
        X = as_array(X)
    if is_sparse(X):
        X = X.tocsc()  # whose rows can be taken, as those of some sparse formats cannot
    names = column_names(X)  # refuses two columns of one name
    if len(X.shape) != 2 or 0 in X.shape:
        read_frame(X)  # raises: no table of at least one row and column
    shown = _Named(names, X.shape) if names is not None and _get_feature_names(X) is None else X
    validate_data(estimator, shown, reset=reset, skip_check_array=True)
    return X


class _Named:
    """The columns of a frame that an older scikit-learn cannot name, in the protocol that it knows."""

    def __init__(self, names: list[str], shape: tuple[int, int]) -> None:
        self._names = names
        self.shape = shape

    def __dataframe__(self) -> _Named:
        return self

    def column_names(self) -> list[str]:
        return self._names


def record_columns(estimator: Any, n_columns: int, names: list[str] | None) -> None:
    """Records the columns as scikit-learn does."""
    estimator.n_features_in_ = n_columns
    estimator.__dict__.pop("feature_names_in_", None)
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)


def _checked_codes(estimator: Any, codes: Codes, reset: bool) -> Codes:
    """Codes of a frame that was checked when it was read: its columns are recorded or compared, by name,
    number and kind.
    """
    names = [column.name for column in codes.columns]
    if reset:
        record_columns(estimator, len(names), names if codes.book.has_names else None)
        return codes
    tree = estimator.soft_tree_ if hasattr(estimator, "soft_tree_") else estimator.tree_
    learner, expected = type(estimator).__name__, tree.columns
    check_columns(names, codes.book.has_names, expected, learner)
    chosen = chosen_columns(estimator.categorical_features, names, "categorical_features")
    differing = differing_kinds(codes.columns, expected, chosen)
    if differing:
        raise ValueError(
            f"X has columns of another kind than {learner} was fitted to: {', '.join(differing)}; convert "
            "them, or name columns of categories in categorical_features"
        )
    return codes
