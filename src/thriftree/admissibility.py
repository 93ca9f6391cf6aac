"""Is a function of one's own admissible as the impurity of a worst-case tree? Tried on many sets of objects.

What is tried are sets, so a function that passes may still break a rule on a set that was not: the check
finds mistakes, it proves nothing. The impurities of `thriftree.impurities` need no check.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement
from math import comb
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
SetFunction: TypeAlias = Callable[[Floats], Floats]  # counts[sets, classes] -> F[sets]

_MOST_SETS: Final = 4000  # small sets that are tried, all up to some number of objects
_RANDOM_SETS: Final = 300
_MOST_PAIRS: Final = 60
_SLACK: Final = 1e-9  # relative: F may be computed with rounding
_DOUBLINGS: Final = 30
_BENDING: Final = 0.1  # of the exponent at each doubling, three times in a row: no power grows so


def check_admissible(function: SetFunction, n_classes: int) -> None:
    """Tries the five properties of paper 001, section 3, on small sets and on random larger ones.

    Parameters
    ----------
    function : counts[n_sets, n_classes] -> values[n_sets]
        F of sets that have so many objects of each class.
    n_classes : int

    Raises
    ------
    ValueError
        If one fails; it names the property and the sets.

    >>> import numpy as np
    >>> check_admissible(lambda counts: counts[:, 0] * counts[:, 1], 2)
    >>> check_admissible(lambda counts: counts.sum(axis=1) - counts.max(axis=1), 2)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: the impurity is not supermodular: (1, 0) more add 1 to (0, 1), but 0 to the larger (1, 1); ...
    """
    tried = _Tried(function, n_classes)
    random = np.random.default_rng(0)  # always the same
    small, large = _small_sets(n_classes), _large_sets(n_classes, random)
    sets = np.concatenate([small, large])
    values = tried.values(sets)
    elsewhere = tried.values(sets[::-1])[::-1]
    moved = np.abs(elsewhere - values) > _SLACK * np.abs(values)
    tried.refuse(moved, "the same wherever a set stands among others", sets, values)
    tried.refuse(values < -_SLACK * np.abs(values).max(initial=1.0), "non-negative", sets, values)
    pure = (sets > 0).sum(axis=1) <= 1
    tried.refuse(pure & (np.abs(values) > _SLACK), "zero on a set of one class", sets, values)
    one = np.eye(n_classes)
    for i, j in _pairs(n_classes, random):
        _check_nested(tried, small, one[i], one[j])
    _check_nested(tried, large, _large_sets(n_classes, random), _large_sets(n_classes, random))
    _check_growth(tried)


class _Tried:
    """The function under test, and how its failures are told."""

    def __init__(self, function: SetFunction, n_classes: int) -> None:
        self.function, self.n_classes = function, n_classes

    def values(self, sets: Floats) -> Floats:
        """F of each set, once it is known to be a finite number a set."""
        values = np.asarray(self.function(sets.copy()), dtype=np.float64)
        if values.shape != (len(sets),):
            raise ValueError(
                f"the impurity returned shape {values.shape} for {len(sets)} sets: it must take "
                "counts[n_sets, n_classes] and return values[n_sets]"
            )
        self.refuse(~np.isfinite(values), "a finite number", sets, values)
        return values

    def refuse(self, bad: NDArray[np.bool_], what: str, sets: Floats, values: Floats) -> None:
        """Raises for the first bad set, if there is one."""
        if bad.any():
            first = int(np.argmax(bad))
            self.fail(f"is not {what}: it is {values[first]:g} at {shown(sets[first])}")

    def fail(self, what: str) -> None:
        """Raises with the place where the rules are."""
        raise ValueError(f"the impurity {what}; see docs/guide/worst_case.md for what an impurity must be")


def shown(counts: Floats) -> str:
    """The objects of each class, as a reader would write them."""
    return f"({', '.join(f'{n:g}' for n in counts)})"


def _check_nested(tried: _Tried, sets: Floats, some: Floats, more: Floats) -> None:
    """Monotone when `some` objects join the sets, supermodular when `more` join before and after them. Single
    objects decide both properties for all sets that they can make.
    """
    larger = sets + some
    value, of_larger = tried.values(sets), tried.values(larger)
    falls = of_larger < value - _SLACK * np.abs(value)
    if falls.any():
        at = int(np.argmax(falls))
        tried.fail(
            f"is not monotone: it falls from {value[at]:g} at {shown(sets[at])} to {of_larger[at]:g} at "
            f"{shown(larger[at])}"
        )
    of_all = tried.values(larger + more)
    before, after = tried.values(sets + more) - value, of_all - of_larger
    wrong = after < before - _SLACK * np.abs(of_all)
    if wrong.any():
        at = int(np.argmax(wrong))
        joining = np.broadcast_to(more, sets.shape)[at]
        tried.fail(
            f"is not supermodular: {shown(joining)} more add {before[at]:g} to {shown(sets[at])}, but "
            f"{after[at]:g} to the larger {shown(larger[at])}"
        )


def _check_growth(tried: _Tried) -> None:
    """log F = O(log n): while the objects double, the exponent of the power that F follows settles."""
    even = np.ones(tried.n_classes)
    sizes = 2.0 ** np.arange(_DOUBLINGS)
    values = tried.values(sizes[:, np.newaxis] * even)
    positive = values > 0
    if positive.sum() < 5:
        return
    exponents = np.diff(np.log2(values[positive]))
    bends = np.diff(exponents)[-3:]
    if (bends > _BENDING).all():
        tried.fail(
            f"grows faster than any power of the number of objects: where they double to "
            f"{shown(sizes[-1] * even)}, it grows {2.0 ** exponents[-1]:g} times, and more each time"
        )


def _small_sets(n_classes: int) -> Floats:
    """All sets of few objects, the empty one first."""
    most = 2
    while most < 40 and comb(n_classes + most + 1, n_classes) <= _MOST_SETS:
        most += 1
    members = [
        chosen for size in range(most + 1) for chosen in combinations_with_replacement(range(n_classes), size)
    ]
    return np.array([np.bincount(chosen, minlength=n_classes) for chosen in members], dtype=np.float64)


def _large_sets(n_classes: int, random: np.random.Generator) -> Floats:
    """Random sets of up to thousands of objects, some classes absent."""
    sizes = np.exp(random.uniform(0, np.log(5000), (_RANDOM_SETS, n_classes)))
    return np.floor(sizes) * (random.random((_RANDOM_SETS, n_classes)) < 0.8)


def _pairs(n_classes: int, random: np.random.Generator) -> list[tuple[int, int]]:
    """Pairs of classes, each with itself: all, or of many a choice in which every class is first once."""
    everything = list(combinations_with_replacement(range(n_classes), 2))
    if len(everything) <= _MOST_PAIRS:
        return everything
    second = random.integers(0, n_classes, n_classes)
    return [(i, i) for i in range(n_classes)] + list(enumerate(second.tolist()))
