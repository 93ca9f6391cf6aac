"""All bounds together, as `certify` computes them, never exceed the cheapest tree, found by trying all."""

from __future__ import annotations

import numpy as np
import pytest
from small_instances import CLASSES, OBJECTIVES, optimum_by_trying, random_cases
from thoroughness import tries
from to_the_end import proved

from thriftree.certificates import tightest as module


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("trees", CLASSES)
def test_no_bound_is_above_the_optimum_when_objects_are_taken_in_parts(
    trees: str, objective: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_OBJECTS", 0)  # no exact search
    monkeypatch.setattr(module, "_COVERED_AT_ONCE", 2)
    monkeypatch.setattr(module, "_PAIRED_AT_ONCE", 3)
    for rng, small, goal in random_cases(tries(60, 25), trees, seed=8):
        optimum = float(optimum_by_trying(small, goal, objective))
        nodes = [rng.permutation(len(small.labels))]
        found = proved(small.instance(), goal, objective, nodes, np.inf)
        assert max(found.by_name.values()) <= optimum + 1e-9, (found, small, goal)
        assert found.is_exact == (trees != "error")
        if found.is_exact:
            assert found.by_name[found.best] == pytest.approx(optimum)


def test_a_bound_that_the_tree_reaches_ends_the_work() -> None:
    _, small, goal = next(random_cases(1, "pure", seed=9))
    optimum = float(optimum_by_trying(small, goal, "worst_case"))
    found = proved(small.instance(), goal, "worst_case", [np.arange(len(small.labels))], optimum / 10)
    assert list(found.by_name) == ["knapsack"]
    assert found.is_exact
