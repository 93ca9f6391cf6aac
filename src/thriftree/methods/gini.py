"""Gini impurity of class weights, for choosers in Python: they tell the loop what a split is worth to it."""

from __future__ import annotations

from collections.abc import Sequence

from thriftree.learning.targets import Floats


def gini_mass(weight: Floats) -> float:
    """Gini impurity of these class weights, times their sum."""
    total = float(weight.sum())
    return total - float((weight * weight).sum()) / total  # not a product of BLAS, which depends on the CPU


def gini_decrease(branches: Sequence[Floats]) -> float:
    """What a split into branches of these class weights takes from the gini impurity of their node."""
    whole = sum(branches[1:], start=branches[0])
    return max(0.0, (gini_mass(whole) - sum(map(gini_mass, branches))) / float(whole.sum()))
