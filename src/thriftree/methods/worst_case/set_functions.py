"""What `impurity` of a worst-case tree may be, as one thing: F with its parameters known, and the core's form
of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from thriftree import _core
from thriftree.admissibility import check_admissible
from thriftree.impurities import HingedPairs, Impurity, Pairs, Polynomial, Powers
from thriftree.learning.targets import Floats

AnyImpurity: TypeAlias = Impurity | Callable[[Floats], Floats]


def resolved(impurity: AnyImpurity | str, n_classes: int, n_objects: int) -> AnyImpurity:
    """The impurity for a table of so many classes and objects: names as objects, shares as numbers. A
    function of one's own is checked.
    """
    if impurity == "pairs":
        return Pairs()
    if isinstance(impurity, HingedPairs):
        return impurity.of(n_objects)
    if isinstance(impurity, Polynomial) and impurity.n_classes != n_classes:
        raise ValueError(
            f"impurity is a Polynomial of {impurity.n_classes} classes, but y has {n_classes}: give one "
            "exponent a class, in the order of classes_"
        )
    if isinstance(impurity, type):
        name = impurity.__name__
        raise ValueError(f"impurity is the class {name}: give one of it, such as {name}(...)")
    if not isinstance(impurity, Impurity):
        assert not isinstance(impurity, str)  # the constructor allows no other text
        check_admissible(impurity, n_classes)
    return impurity


def core_form(impurity: AnyImpurity) -> Any:
    """A resolved impurity as the core takes it."""
    match impurity:
        case Pairs():
            return _core.Pairs()
        case Powers(l):
            return _core.Powers(l)
        case HingedPairs(alpha=float(alpha), offset=offset):
            return _core.HingedPairs(alpha, offset)
        case Polynomial(terms):
            return _core.Polynomial([c for c, _ in terms], [list(exponents) for _, exponents in terms])
    return impurity


def values(impurity: AnyImpurity, counts: Floats) -> Floats:
    """F of each row of counts, computed as growing computes it."""
    return _core.set_values(core_form(impurity), counts)
