"""Which variable QUEST splits on: the one whose relation to the classes is least likely by chance.

All tests follow from the weight of each class at each value of a variable, so no row is looked at. The
variables of a node are worked out together: their values lie one variable after the other in one array.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from thriftree.estimators.log_p_values import log_p_of_chi2, log_p_of_f
from thriftree.estimators.targets import Floats

_SAME: Final = 1e-12  # logarithms closer than this, relatively, are a tie: the first column stays
_NO_SPREAD: Final = 1e-24  # a variance below this, of values from 0 to 1, is rounding


@dataclass(frozen=True)
class Variables:
    """Variables of one kind at a node, with two values and two classes or more each.

    The values of the i-th, which is column columns[i], are begin[i] up to begin[i + 1], ascending, and
    counts[value, class] is the weight of each class there.
    """

    columns: NDArray[np.intp]
    begin: NDArray[np.intp]
    counts: Floats
    values: Floats = field(default_factory=lambda: np.empty(0))  # from 0 to 1; categories have none

    @classmethod
    def categories(cls, columns: Sequence[int], lengths: Sequence[int], counts: Floats) -> Variables:
        """Categories: how many each column has, and the tables (category, class) one below the other."""
        present = counts[:, counts.any(axis=0)]
        return cls(np.asarray(columns, np.intp), np.cumsum([0, *lengths[:-1]]).astype(np.intp), present)

    @classmethod
    def numbers(
        cls, columns: Sequence[int], lengths: Sequence[int], counts: Floats, values: Floats
    ) -> Variables:
        """Numbers: as for categories, and the values as they are.

        Each variable is moved to the scale from 0 to 1: no test and no split depends on the scale, and there
        the squares of large numbers do not overflow, nor those of small ones vanish.
        """
        variables = cls.categories(columns, lengths, counts)
        low, high = values[variables.begin], values[variables.end - 1]
        room = np.where(np.maximum(-low, high) > 1e300, 0.25, 1.0)
        low, high = low * room, high * room
        scaled = (values * variables.spread(room) - variables.spread(low)) / variables.spread(high - low)
        return replace(variables, values=scaled)

    @property
    def end(self) -> NDArray[np.intp]:
        """Where the values of each variable end."""
        return np.append(self.begin[1:], len(self.counts))

    def values_of(self, column: int) -> Floats:
        """The values of a number, from 0 to 1."""
        i = int(np.flatnonzero(self.columns == column)[0])
        return self.values[self.begin[i] : self.end[i]]

    def sums(self, figures: Floats) -> Floats:
        """Of a figure for each value, the sum over the values of each variable."""
        return np.asarray(np.add.reduceat(figures, self.begin, axis=0), dtype=np.float64)

    def spread(self, figures: Floats) -> Floats:
        """A figure for each variable, repeated for each of its values."""
        return np.repeat(figures, self.end - self.begin, axis=0)


def log_p_anova(variables: Variables) -> tuple[Floats, Floats]:
    """Per variable, log p of the F test that its mean is the same in all classes; and, for Levene's test, the
    distance of each value from the mean of each class.
    """
    distance, log_p = _analysis_of_variance(variables, variables.values[:, None])
    return log_p, distance


def log_p_levene(variables: Variables, distance: Floats) -> Floats:
    """Per variable, log p of Levene's test that its spread is the same in all classes: the analysis of
    variance of the absolute distances from the class means.

    Two rows are always equally far from their mean: where no class has more, there is no test: log p is 0.
    """
    log_p = _analysis_of_variance(variables, np.abs(distance))[1]
    return np.where(variables.sums(variables.counts).max(axis=1) > 2, log_p, 0.0)


def _analysis_of_variance(variables: Variables, figure: Floats) -> tuple[Floats, Floats]:
    """Of a figure for each value (and class): its distances from the class means, and log p per variable.

    Where the rows are no more than the classes there is no test: log p is 0.
    """
    counts = variables.counts
    weight = variables.sums(counts)
    total = weight.sum(axis=1)
    class_sums = variables.sums(counts * figure)
    means = class_sums / np.where(weight > 0, weight, 1.0)
    centre = class_sums.sum(axis=1) / total
    distance = figure - variables.spread(means)
    between = (weight * (means - centre[:, None]) ** 2).sum(axis=1)
    within = variables.sums(counts * distance**2).sum(axis=1)
    groups = np.count_nonzero(weight, axis=1) - 1.0
    rest = total - groups - 1.0
    testable = (rest > 0) & (between > _NO_SPREAD * total)
    certain = testable & (within <= _NO_SPREAD * total)
    log_p = np.where(certain, -np.inf, 0.0)
    some = np.flatnonzero(testable & ~certain)
    statistic = (between[some] / groups[some]) / (within[some] / rest[some])
    log_p[some] = log_p_of_f(statistic, groups[some], rest[some])
    return distance, log_p


def log_p_chi2(variables: Variables) -> Floats:
    """Per variable, log p of Pearson's chi-squared test that its categories have one distribution of
    classes.
    """
    counts = variables.counts
    of_class = variables.sums(counts)
    total = of_class.sum(axis=1)
    of_value = counts.sum(axis=1, keepdims=True)
    expected = of_value * variables.spread(of_class / total[:, None])
    off = (counts - expected) ** 2 / np.where(expected > 0, expected, 1.0)
    freedom = (variables.end - variables.begin - 1.0) * (np.count_nonzero(of_class, axis=1) - 1.0)
    return log_p_of_chi2(variables.sums(off).sum(axis=1), freedom)


@dataclass(frozen=True)
class Selection:
    """The column selected, then the others, the most significant first."""

    order: tuple[int, ...]
    log_p: float  # of the test that decided


def select(numbers: Variables | None, categories: Variables | None, alpha: float) -> Selection:
    """Loh and Shih's choice among the variables of a node.

    The variable of least p, by analysis of variance or chi-squared, is taken if p is significant for so many
    tests (Bonferroni). Otherwise the number whose spread differs most between the classes, if that is
    significant for all tests so far. Otherwise the variable of least p all the same.
    """
    given = [kind for kind in (numbers, categories) if kind is not None]
    columns = np.concatenate([kind.columns for kind in given])
    first, distance = np.zeros(len(columns)), None
    if numbers is not None:
        first[: len(numbers.columns)], distance = log_p_anova(numbers)
    if categories is not None:
        first[len(columns) - len(categories.columns) :] = log_p_chi2(categories)
    in_order = np.argsort(columns)
    columns, first = columns[in_order], first[in_order]
    least = _first_of_least(first)
    chosen, log_p = int(columns[least]), float(first[least])
    if numbers is not None and distance is not None and log_p > log(alpha / len(columns)):
        spreads = log_p_levene(numbers, distance)
        least = _first_of_least(spreads)
        if spreads[least] <= log(alpha / (len(columns) + len(numbers.columns))):
            chosen, log_p = int(numbers.columns[least]), float(spreads[least])
    others = columns[np.argsort(first, kind="stable")]
    return Selection((chosen, *others[others != chosen].tolist()), log_p)


def _first_of_least(log_p: Floats) -> int:
    """The first of those that are as small as any, but for rounding."""
    return int(np.flatnonzero(log_p <= log_p.min() * (1 - _SAME))[0])
