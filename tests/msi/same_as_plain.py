"""A fit, and the plain algorithm on the same table."""

import numpy as np
from oracles.plain_msi import Coding, Table, build_tree

from thriftree import MSIClassifier


def stages(model):
    return list(zip(*(figures.tolist() for figures in model.history_.values()), strict=True))


def assert_same_as_plain(X, y, categorical=(), n_jobs=None, **words):
    """Categories are numbers; the plain algorithm takes their codes, which are their ranks."""
    model = MSIClassifier(categorical_features=list(categorical), n_jobs=n_jobs, **words).fit(X, y)
    coded = np.array(X, dtype=np.float64)
    for j in categorical:
        known = ~np.isnan(coded[:, j])
        coded[known, j] = np.unique(coded[known, j], return_inverse=True)[1]
    labels = np.unique(y, return_inverse=True)[1]
    plain = build_tree(Table(coded, labels, int(labels.max()) + 1, tuple(categorical)), Coding(**words))
    assert model.tree_text_ == plain.text
    assert stages(model) == plain.history
    return model
