"""Which variable QUEST splits on: the one whose relation to the classes is least likely by chance.

All tests follow from the weight of each class at each value of a variable, so no row is looked at. The
variables of a node are worked out together: their values lie one variable after the other in one array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.learning.targets import Floats
from thriftree.methods.log_p_values import log_p_of_chi2, log_p_of_f

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
    def categories(
        cls, columns: Sequence[int], lengths: Sequence[int] | NDArray[np.int64], counts: Floats
    ) -> Variables:
        """Categories: how many each column has, and the tables (category, class) one below the other."""
        seen = counts.any(axis=0)
        present = counts if seen.all() else counts[:, seen]
        begin = np.zeros(len(lengths), np.intp)
        np.cumsum(lengths[:-1], out=begin[1:])
        return cls(np.asarray(columns, np.intp), begin, present)

    @classmethod
    def numbers(
        cls,
        columns: Sequence[int],
        lengths: Sequence[int] | NDArray[np.int64],
        counts: Floats,
        values: Floats,
    ) -> Variables:
        """Numbers: as for categories, and the values as they are.

        Each variable is moved to the scale from 0 to 1: no test and no split depends on the scale, and there
        the squares of large numbers do not overflow, nor those of small ones vanish.
        """
        variables = cls.categories(columns, lengths, counts)
        low, high = values[variables.begin], values[variables.end - 1]
        room = np.where(np.maximum(-low, high) > 1e300, 0.25, 1.0)
        if not (room == 1.0).all():
            low, high, values = low * room, high * room, values * variables.spread(room)
        scaled = (values - variables.spread(low)) / variables.spread(high - low)
        return replace(variables, values=scaled)

    @cached_property
    def end(self) -> NDArray[np.intp]:
        """Where the values of each variable end."""
        return np.append(self.begin[1:], len(self.counts))

    @cached_property
    def lengths(self) -> NDArray[np.intp]:
        """How many values each variable has."""
        return self.end - self.begin

    @cached_property
    def weight(self) -> Floats:
        """Per variable and class."""
        return self.sums(self.counts)

    def sums(self, figures: Floats) -> Floats:
        """Of a figure for each value, the sum over the values of each variable."""
        return np.asarray(np.add.reduceat(figures, self.begin, axis=0), dtype=np.float64)

    def spread(self, figures: Floats) -> Floats:
        """A figure for each variable, repeated for each of its values."""
        return np.repeat(figures, self.lengths, axis=0)


def log_p_anova(variables: Variables) -> Floats:
    """Per variable, log p of the F test that its mean is the same in all classes."""
    return _analysis_of_variance(
        *_core.variance_parts(variables.values, variables.counts, variables.begin, of_distances=False)
    )


def log_p_levene(variables: Variables) -> Floats:
    """Per variable, log p of Levene's test that its spread is the same in all classes: the analysis of
    variance of the absolute distances from the class means.

    Two rows are always equally far from their mean: where no class has more, there is no test: log p is 0.
    """
    parts = _core.variance_parts(variables.values, variables.counts, variables.begin, of_distances=True)
    return np.where(parts[0].max(axis=1) > 2, _analysis_of_variance(*parts), 0.0)


def _analysis_of_variance(weight: Floats, between: Floats, within: Floats) -> Floats:
    """Per variable, log p that a figure for each value (and class) has the same mean in all classes, by the
    weight of each class and the sums of squares between and within them.

    Where the rows are no more than the classes there is no test: log p is 0.
    """
    total = weight.sum(axis=1)
    groups = np.count_nonzero(weight, axis=1) - 1.0
    rest = total - groups - 1.0
    testable = (rest > 0) & (between > _NO_SPREAD * total)
    certain = testable & (within <= _NO_SPREAD * total)
    log_p = np.where(certain, -np.inf, 0.0)
    some = np.flatnonzero(testable & ~certain)
    statistic = (between[some] / groups[some]) / (within[some] / rest[some])
    log_p[some] = log_p_of_f(statistic, groups[some], rest[some])
    return log_p


def log_p_chi2(variables: Variables) -> Floats:
    """Per variable, log p of Pearson's chi-squared test that its categories have one distribution of
    classes.
    """
    counts = variables.counts
    of_class = variables.weight
    total = of_class.sum(axis=1)
    of_value = counts.sum(axis=1, keepdims=True)
    expected = of_value * variables.spread(of_class / total[:, None])
    off = (counts - expected) ** 2 / np.where(expected > 0, expected, 1.0)
    freedom = (variables.lengths - 1.0) * (np.count_nonzero(of_class, axis=1) - 1.0)
    return log_p_of_chi2(variables.sums(off).sum(axis=1), freedom)


def select(
    tested: Sequence[int],
    significance: Sequence[float],
    alpha: float,
    spreads: Callable[[], tuple[Sequence[int], Sequence[float]]],
) -> list[tuple[int, float]]:
    """Loh and Shih's choice among the variables of a node: the column selected with the log p that decided;
    then the others, the most significant first.

    The variable of least p, by analysis of variance or chi-squared, is taken if p is significant for so many
    tests (Bonferroni). Otherwise the number whose spread differs most between the classes, if that is
    significant for all tests so far. Otherwise the variable of least p all the same. `significance` has log p
    of the columns `tested`, ascending; `spreads` those of Levene's test, by column of numbers.
    """
    log_p = np.asarray(significance)
    least = _first_of_least(log_p)
    chosen = (tested[least], float(log_p[least]))
    if chosen[1] > log(alpha / len(tested)):
        measured, levene = spreads()
        least = _first_of_least(np.asarray(levene)) if levene else 0
        if levene and levene[least] <= log(alpha / (len(tested) + len(measured))):
            chosen = (measured[least], levene[least])
    ranks = np.argsort(log_p, kind="stable").tolist()
    others = [(tested[rank], significance[rank]) for rank in ranks]
    return [chosen, *(other for other in others if other[0] != chosen[0])]


def _first_of_least(log_p: Floats) -> int:
    """The first of those that are as small as any, but for rounding."""
    return int(np.flatnonzero(log_p <= log_p.min() * (1 - _SAME))[0])
