"""The class of trees to compare a tree with: one that the tree itself is in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree.certificates.objects import ObjectsOfRows
from thriftree.impurities import name_of
from thriftree.search.allowance import Allowance
from thriftree.search.cells import ObjectCells
from thriftree.search.instance import Floats, Goal, TreeClass
from thriftree.search.leaves import values

TreesToBeat: TypeAlias = Literal["auto", "pure", "tolerance", "mass", "error"]


class HasValue(Protocol):
    """A set function: F of the objects of each class in a set, counts[..., class]."""

    def value(self, counts: Any) -> Any:
        """F of each set."""


ImpurityLike: TypeAlias = HasValue | Callable[[Floats], Any]


@dataclass(frozen=True, eq=False)
class Claim:
    """The class of trees that a tree is measured against."""

    goal: Goal
    in_words: str  # continues "Every tree ..."
    # The impurity and tolerance given, if the leaves keep to them: the greedy rule's promise speaks of such
    # trees, of which pure ones are a part.
    greedy_goal: Goal | None = None


@dataclass(frozen=True, eq=False)
class LeafLimits:
    """What the caller allows a leaf to be."""

    impurity: ImpurityLike | None
    tolerance: float
    min_mass: float

    def __post_init__(self) -> None:
        if not (isinstance(self.tolerance, Real) and 0 <= self.tolerance < np.inf):
            raise ValueError(f"tolerance is {self.tolerance!r}: give a finite number >= 0")
        if not (isinstance(self.min_mass, Real) and 0 <= self.min_mass <= 1):
            raise ValueError(f"min_mass is {self.min_mass!r}: give a share of the weight from 0 to 1")
        is_function = callable(self.impurity) or hasattr(self.impurity, "value")
        if isinstance(self.impurity, type) or not (is_function or self.impurity is None):
            raise ValueError(f"impurity is {self.impurity!r}: give one such as Pairs(), or a function")
        if self.tolerance > 0 and self.impurity is None:
            raise ValueError("tolerance needs the impurity it limits: give impurity, such as Pairs()")


def claim_of(
    trees: TreesToBeat,
    limits: LeafLimits,
    objects: ObjectsOfRows,
    leaf_of: NDArray[np.intp],
    error: float,
    classes: Any,
    allowance: Allowance,
) -> Claim:
    """The class named by `trees`, or by "auto" the first that the tree is in: pure, tolerance, mass, error.

    `leaf_of` is the tree's leaf of every object; `error` the share of the weight that it gets wrong.
    """
    leaves, of = np.unique(leaf_of, return_inverse=True)
    rival = _Rival(error, objects.unavoidable, len(objects.instance.labels), len(classes))
    leaf = _Leaves(leaves, ObjectCells(objects.instance, of, len(leaves)), classes, allowance)
    if trees == "auto":
        claim = _first_that_holds(limits, leaf, rival)
    else:
        claim = _named(trees, limits, rival)
        fault = leaf.first_fault(claim.goal)
        if fault is not None:
            raise ValueError(f'trees="{trees}", but {fault}: name another class of trees, or "auto"')
    if limits.impurity is None or claim.goal.trees not in ("pure", "tolerance"):
        return claim
    goal = _named("tolerance", limits, rival).goal
    return claim if leaf.first_fault(goal) else replace(claim, greedy_goal=goal)


def unchecked_claim(
    trees: TreesToBeat, limits: LeafLimits, error: float, n_rows: int, classes: Sequence[Any]
) -> Claim:
    """The class named by `trees`, or by "auto" the trees that err no more, where limits allow no look at the
    leaves.
    """
    return _named("error" if trees == "auto" else trees, limits, _Rival(error, 0.0, n_rows, len(classes)))


@dataclass(frozen=True)
class _Rival:
    """What names a class of trees: what the tree to be beaten gets wrong, and how large the table is."""

    error: float  # share of the weight
    unavoidable: float  # part of it that no tree gets right
    n_objects: int
    n_classes: int


def _first_that_holds(limits: LeafLimits, leaf: _Leaves, rival: _Rival) -> Claim:
    candidates: list[TreeClass] = ["pure"]
    candidates += ["tolerance"] if limits.impurity is not None else []
    candidates += ["mass"] if limits.min_mass > 0 else []
    for name in candidates:
        claim = _named(name, limits, rival)
        if leaf.first_fault(claim.goal) is None:
            return claim
    return _named("error", limits, rival)


@dataclass(frozen=True, eq=False)
class _Leaves:
    number: NDArray[np.intp]  # of the node
    cells: ObjectCells
    classes: Sequence[Any]
    allowance: Allowance

    def first_fault(self, goal: Goal) -> str | None:
        """The first leaf that a tree of the goal's class does not have."""
        if goal.trees == "error":
            return None
        bad = ~self.cells.may_be_leaves(goal, self.allowance)
        if not bad.any():
            return None
        i = int(np.argmax(bad))
        inside, instance = self.cells.of == i, self.cells.instance
        counts = np.bincount(instance.labels[inside], minlength=instance.n_classes)
        held = ", ".join(f"{n} of class {self.classes[label]!r}" for label, n in enumerate(counts) if n)
        fault = f"leaf {self.number[i]} holds objects of several classes ({held})"
        if goal.trees == "tolerance":
            value = float(values(goal, counts[None].astype(np.float64))[0])
            return f"leaf {self.number[i]} ({held}) has an impurity of {value:.6g}"
        weight = float(instance.p[inside].sum())
        return fault if goal.trees == "pure" else f"{fault} and {weight:.4g} of the weight"


def _named(trees: TreeClass, limits: LeafLimits, rival: _Rival) -> Claim:
    if trees == "pure":
        return Claim(Goal("pure"), "whose leaves are pure")
    if trees == "mass":
        if limits.min_mass == 0:
            raise ValueError('trees="mass" needs min_mass > 0, the weight of leaves that need not be pure')
        return Claim(
            Goal("mass", theta=limits.min_mass),
            f"whose leaves are pure or weigh at most {limits.min_mass:.4g} of all rows",
        )
    if trees == "tolerance":
        if limits.impurity is None:
            raise ValueError('trees="tolerance" needs the impurity that is limited: give impurity')
        function = _padded(limits.impurity, rival.n_classes, rival.n_objects)
        return Claim(
            Goal("tolerance", function, tolerance=limits.tolerance),
            f"whose leaves have an impurity ({name_of(limits.impurity)}) of at most {limits.tolerance:.6g}",
        )
    return Claim(
        Goal("error", error=max(0.0, rival.error - rival.unavoidable)),
        f"that errs on at most {rival.error:.4g} of these rows by weight",
    )


def _padded(impurity: Any, n_classes: int, n_objects: int) -> Any:
    """F of counts[sets, classes], where the last classes may be left out if no object has them."""
    if hasattr(impurity, "of"):  # its limit is a share of the objects
        impurity = impurity.of(n_objects)
    value = getattr(impurity, "value", impurity)

    def function(counts: Floats) -> Floats:
        lacking = n_classes - counts.shape[1]
        return np.asarray(value(np.pad(counts, ((0, 0), (0, lacking)))), dtype=np.float64)

    return function
