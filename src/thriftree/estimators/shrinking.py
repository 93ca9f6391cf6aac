"""`shrinkage` of the estimators: a number, or one that folds choose."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from thriftree.document.shrinkage import UNMEASURED, Shrinkage
from thriftree.learning.limits import INTERRUPT

if TYPE_CHECKING:
    from thriftree.learning.growth import Grown, Plan
    from thriftree.learning.limits import Limits
    from thriftree.learning.sample import Sample
    from thriftree.tree import Tree


class Shrinking:
    """Shrinks the finished tree, after all that grows and prunes it."""

    tree_: Tree
    stopped_by_: str | None
    shrinkage: float | str | None

    @property
    def shrinkage_(self) -> float | None:
        """λ of the fitted tree; None: its answers are not shrunk."""
        return self.tree_.shrinkage

    def _choose_shrinkage(self, rows: Sample, plan: Plan, limits: Limits) -> None:
        """Gives the tree that was kept the λ that folds choose, where they are to choose one. Linear leaves
        are not shrunk, so that their tree has nothing to choose by.
        """
        if self.shrinkage == "cv" and not self.tree_.leaf_models:
            limits.attempt(partial(self._cross_validate, rows, plan, limits), lambda: None)
            self.stopped_by_ = self.stopped_by_ if limits.interrupt is None else INTERRUPT

    def _cross_validate(self, rows: Sample, plan: Plan, limits: Limits) -> None:
        from thriftree.tuning.shrinkage import cross_validated_shrinkage

        chosen, stopped_by = cross_validated_shrinkage(
            rows,
            plan,
            self._growing_parts(rows, plan, limits),
            getattr(self, "cv", 5),
            getattr(self, "random_state", 0),
            getattr(self, "smoothing", 0.0),
            limits,
        )
        self.tree_ = self.tree_.with_shrinkage(chosen, keeps_labels=plan.error_costs is None)
        self.stopped_by_ = self.stopped_by_ or stopped_by

    def _growing_parts(self, rows: Sample, plan: Plan, limits: Limits) -> Callable[[Sample], Grown]:
        """What grows a tree of other rows as `fit` did of all, with what it found out."""
        from thriftree.learning.regrowth import grown_of_other_rows

        learner = self._learner(rows, {})  # type: ignore[attr-defined]
        return lambda part: grown_of_other_rows(learner, part, limits)


def first_shrinkage(model: Any, plan: Plan) -> Shrinkage | None:
    """How the tree of an estimator is shrunk as soon as it is there; folds may choose another λ later."""
    given = getattr(model, "shrinkage", None)
    strength = UNMEASURED if given == "cv" else given
    return Shrinkage(float(strength), plan.error_costs is None) if strength else None
