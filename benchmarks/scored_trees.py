"""Trees of the same rows by different scores: checked against CART's, and timed by the node."""

from __future__ import annotations

import numpy as np

from benchmarks.answers import AnswerDiffersError
from benchmarks.clock import Timed
from thriftree import _core


def check_same_tests(ours: _core.Tree, theirs: _core.Tree) -> None:
    """With λ = inf the enhanced tree is CART's."""
    for name in ("column", "keys", "children", "label"):
        if not np.array_equal(getattr(ours, name), getattr(theirs, name)):
            raise AnswerDiffersError(
                f"λ = inf gives {ours.n_nodes} nodes and CART {theirs.n_nodes}: {name} differs"
            )


def microseconds_a_node(grown: Timed[_core.Tree]) -> float:
    """CPU time of growing, by the nodes grown."""
    return 1e6 * grown.seconds / grown.result.n_nodes
