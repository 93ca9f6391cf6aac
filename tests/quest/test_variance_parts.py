"""The core's sums of squares are those of the formulas in numpy, to the last digit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from thoroughness import tries

from thriftree import _core


def by_numpy(values: Any, counts: Any, begin: Any, of_distances: bool) -> tuple[Any, Any, Any]:
    """Weights of the classes, and sums of squares between and within them, as they are defined."""
    lengths = np.diff(np.append(begin, len(values)))

    def sums(figures: Any) -> Any:
        return np.add.reduceat(figures, begin, axis=0)

    weight = sums(counts)
    divisor = np.where(weight > 0, weight, 1.0)
    figure = values[:, None]
    if of_distances:
        figure = np.abs(figure - np.repeat(sums(counts * figure) / divisor, lengths, axis=0))
    means = sums(counts * figure) / divisor
    centre = (weight * means).sum(axis=1, keepdims=True) / weight.sum(axis=1)[:, None]
    between = (weight * (means - centre) ** 2).sum(axis=1)
    within = sums(counts * (figure - np.repeat(means, lengths, axis=0)) ** 2).sum(axis=1)
    return weight, between, within


@pytest.mark.parametrize("of_distances", [False, True])
def test_the_parts_are_those_of_numpy_to_the_last_digit(of_distances: bool) -> None:
    random = np.random.default_rng(3)
    for number in range(tries(400, 60)):
        n_classes = int(random.integers(2, 13))
        lengths = random.integers(1, (4, 40, 700)[number % 3], int(random.integers(1, 9)))
        begin = np.append(0, np.cumsum(lengths)[:-1])
        values = random.random(lengths.sum())
        counts = random.poisson(0.7, (len(values), n_classes)).astype(np.float64)
        if number % 2:
            counts *= random.random(counts.shape)
        counts[:, 0] += 0.5  # each value has some weight
        found = _core.variance_parts(values, counts, begin, of_distances=of_distances)
        for mine, theirs in zip(found, by_numpy(values, counts, begin, of_distances), strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_variables_without_a_value_are_refused() -> None:
    values, counts = np.zeros(3), np.ones((3, 2))
    for begin in ([0, 0], [1, 0], [0, 3], [-1, 2]):
        with pytest.raises(ValueError, match="begin must ascend"):
            _core.variance_parts(values, counts, np.array(begin))
    with pytest.raises(ValueError, match="a row for each value"):
        _core.variance_parts(values, counts[:2], np.array([0]))
