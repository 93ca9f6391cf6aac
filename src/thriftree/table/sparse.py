"""From scipy's sparse matrices and arrays to columns of numbers."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from thriftree.table.arrays import check_shape, plain_numbers
from thriftree.table.frame import Frame
from thriftree.table.sparse_matrix import SparseMatrix


def is_sparse(X: Any) -> bool:
    """Whether X is a sparse matrix or array of scipy."""
    sparse = sys.modules.get("scipy.sparse")  # whoever made one has imported it; that takes long
    return sparse is not None and bool(sparse.issparse(X))


def read_sparse(X: Any) -> Frame:
    """A scipy matrix or array of any sparse format. A stored NaN is missing."""
    if X.dtype.kind not in "fiub":
        raise ValueError(
            f"Complex data not supported: X has dtype {X.dtype}"
            if X.dtype.kind == "c"
            else f"X is sparse and has dtype {X.dtype}: sparse tables hold numbers"
        )
    check_shape(X.shape)
    csc = X.tocsc()
    if not csc.has_canonical_format:
        csc = csc.copy() if csc is X else csc
        csc.sum_duplicates()
    data = csc.data.astype(np.uint8) if csc.dtype.kind == "b" else plain_numbers(csc.data)
    n_rows, n_columns = X.shape
    indices, indptr = csc.indices.astype(np.int32, copy=False), csc.indptr.astype(np.int64, copy=False)
    names = [f"x{j}" for j in range(n_columns)]
    return Frame(n_rows, names, False, [], matrix=SparseMatrix(data, indices, indptr, n_rows))
