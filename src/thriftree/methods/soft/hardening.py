"""A soft tree read hard: gates as steps, and leaves that hold what rows say of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree.methods.soft import start
from thriftree.methods.soft.design import Floats
from thriftree.methods.soft.soft_tree import SoftTree


def hardened(tree: SoftTree, X: Any, target: NDArray[Any], weight: Floats) -> SoftTree:
    """The gates of `tree` at infinite sharpness, and constant leaves: of classes (`target` has their numbers)
    the blurred shares of the rows there, of numbers the mean. A leaf that no row reaches answers as before,
    at the mean row where it was linear.
    """
    steps = tree.with_sharpness(np.inf)
    leaf = steps.path_probabilities(X)[:, tree.n_gates :].argmax(axis=1)
    outputs = np.array(tree.leaf_offsets)
    for one in np.unique(leaf).tolist():
        inside = leaf == one
        if tree.classes is None:
            mean = np.average(target[inside], weights=weight[inside])
            outputs[one] = (mean - tree.centre) / tree.deviation if tree.deviation else 0.0
        else:
            counts = np.bincount(target[inside], weight[inside], minlength=len(tree.classes))
            outputs[one] = start.logits(counts.astype(np.float64))
    gates = tree.parameters[: int((tree.count + 1).sum())]
    return replace(steps, parameters=np.concatenate([gates, outputs.ravel()]), linear=False)
