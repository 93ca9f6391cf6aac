"""Editing a fitted estimator's tree. Every edit is measured and gives a new estimator; the old one stays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from thriftree.estimators.parameters import OUR_NAME
from thriftree.learning import targets
from thriftree.messages import did_you_mean

if TYPE_CHECKING:
    from thriftree.editing.edit import Edit
    from thriftree.learning.growth import Grown, Plan
    from thriftree.learning.limits import Limits
    from thriftree.learning.regrowth import Learner
    from thriftree.learning.sample import Sample
    from thriftree.tree import Tree

# Words that fit may have to find a value for, and where it keeps what it found.
_FOUND = {
    **{"trade_off": "trade_off_", "impurity": "impurity_", "tolerance": "tolerance_"},
    **{"pruning": "pruning_", "alpha": "alpha_"},
}
#: Attributes that tell of the tree as fit grew it, and would be wrong of another.
OF_THE_GROWN_TREE = frozenset(
    {
        *("certificate_", "error_bound_", "training_error_", "split_tests_", "mdl_cost_", "tree_text_"),
        *("objective_", "lower_bound_", "gap_", "status_", "proved_for_"),
    }
)


class Editing:
    """Edits of a fitted tree, each an `Edit`: the new tree, a new estimator, and what changed.

    They are measured on the rows given, or on those of `measure_on`: rows that fit has not seen tell what the
    change means for others.
    """

    tree_: Tree

    def collapse(self, node: int | Sequence[int], X: Any, y: Any, sample_weight: Any = None) -> Edit:
        """Make a leaf of `node`, or of each of several: all that is asked below is asked no more."""
        rows = self._read_again(X, y, sample_weight)
        tree = self.tree_.collapse(node)
        numbers = np.unique(node).tolist()
        action = f"collapse node{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"
        return self._edited(action, tree, rows, None)

    def relabel(self, node: int, label: Any, X: Any, y: Any, sample_weight: Any = None) -> Edit:
        """Let the leaf `node` answer `label`: a class, or a number where the target is one."""
        rows = self._read_again(X, y, sample_weight)
        tree = self.tree_.relabel(node, label)
        return self._edited(f"relabel node {node} as {_quoted(label)}", tree, rows, None)

    def reorder(
        self, node: int, column: Any, X: Any, y: Any, sample_weight: Any = None, *, measure_on: Any = None
    ) -> Edit:
        """Ask about `column` at `node` first, and then what was asked before: the answers stay, the price
        changes.

        The first test of the column below `node` is asked there. Leaves and other tests may come to stand in
        several places, and what is decided already is not asked again. The figures of the nodes below `node`
        are counted from the rows given, so these should be those of `fit`.
        """
        from thriftree.editing.asking_order import asked_first
        from thriftree.learning.recount import recounted

        rows = self._read_again(X, y, sample_weight)
        moved = asked_first(self.tree_.to_dict(), node, column)
        name = self.tree_.columns[moved.document["nodes"][node]["test"]["column"]].name
        plan = self._plan_again(rows)
        tree = recounted(self.tree_, moved, rows, plan)
        return self._edited(f"ask about {_quoted(name)} at node {node}", tree, rows, measure_on)

    def refit_below(
        self,
        node: int,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        feature: Any = None,
        cut: Any = None,
        groups: Any = None,
        measure_on: Any = None,
        **changed: Any,
    ) -> Edit:
        """Grow the tree anew from `node` down; the rest of it stays as it is.

        The part is grown from the rows that reach `node` with this estimator's settings, which count for the
        whole tree: depth and leaves that the rest has used up, shares of the whole weight, tests that the
        path has paid for. What `fit` found out (λ, alpha, the impurity) is used again.

        Parameters
        ----------
        node : int
            A node of `tree_`.
        X, y, sample_weight :
            The rows to grow from: those of `fit`, or others of the same columns and classes.
        feature : str or int, optional
            The column to ask about at `node`. None: the best test of any column, or none.
        cut : number, category of an ordered column, or several in rising order, optional
            Where to divide the values of `feature`: x <= cut comes first.
        groups : list of lists of categories, optional
            The branches of `feature`. Categories that are left out make one more; None stands for missing
            values.
        measure_on : (X, y) or (X, y, sample_weight), optional
            Rows to measure the change on; by default those it was grown from.
        **changed :
            Words of the constructor that shall be different below `node`, such as `max_depth=4`.
        """
        from thriftree.editing.places import checked_column, checked_node
        from thriftree.editing.splice import spliced
        from thriftree.learning.forced_test import wanted_test
        from thriftree.learning.limits import Limits, warn_of_limit
        from thriftree.learning.regrowth import regrown, site_of
        from thriftree.tree import Tree

        if "shrinkage" in changed:
            raise ValueError(
                "shrinkage is about the whole tree, not a part of it: refit without it, and take "
                "tree_.with_shrinkage(...) of the result, or fit anew"
            )
        rows = self._read_again(X, y, sample_weight)
        node = checked_node(node, self.tree_.n_nodes)
        wanted, action = None, f"refit below node {node}"
        if feature is not None:
            names = [column.name for column in self.tree_.columns]
            column = checked_column(feature, names)
            wanted = wanted_test(node, column, names[column], cut, groups)
            action = f"ask about {_quoted(names[column])} at node {node} and refit below"
        elif cut is not None or groups is not None:
            raise ValueError("cut and groups say how to divide a feature: give feature too")
        learner = self._learner(rows, changed)
        limits = Limits.of(learner.model.n_jobs, learner.model.time_limit_s, learner.model.memory_limit_mb)
        found = regrown(learner, rows, site_of(learner, node, rows), limits, wanted)
        whole = self.tree_.to_dict()
        pruned = (Tree.from_dict(spliced(whole, node, found.document_at(alpha))) for alpha in found.alphas)
        tree = self._within_expected(pruned, learner, rows)
        self._check_budget(tree, learner)
        edit = self._edited(action, tree, rows, measure_on)
        if found.stopped_by is not None:
            edit.estimator.stopped_by_ = found.stopped_by
            warn_of_limit(found.stopped_by, type(self).__name__, stacklevel=3)
        return edit

    def _read_again(self, X: Any, y: Any, sample_weight: Any) -> Sample:
        """Rows of the columns and classes that the estimator knows, those of weight 0 left out."""
        from thriftree.estimators.reading import sample_of
        from thriftree.learning.limits import Limits

        check_is_fitted(self)
        schemas = self.tree_.columns
        categories = [j for j, column in enumerate(schemas) if column.kind == "category"]
        return sample_of(
            self,
            X,
            y,
            sample_weight,
            Limits.of(self.n_jobs, None, self.memory_limit_mb),  # type: ignore[attr-defined]
            read_target=self._known_target,
            coding={**self._coding(), "categorical_features": categories},  # type: ignore[attr-defined]
            reset=False,
        )

    def _known_target(self, y: targets.AnyArray) -> targets.AnyArray:
        if not hasattr(self, "classes_"):
            return targets.numeric_target(y)
        numbers, classes = targets.class_labels(y)
        known = {label: number for number, label in enumerate(self.classes_.tolist())}
        unknown = [label for label in classes.tolist() if label not in known]
        if unknown:
            raise ValueError(
                f"y has the class {unknown[0]!r}, which the tree does not know: it knows {list(known)[:10]}; "
                "drop these rows, or fit anew"
            )
        return np.array([known[label] for label in classes.tolist()], dtype=np.int32)[numbers]

    def _edited(self, action: str, tree: Tree, rows: Sample, measure_on: Any) -> Edit:
        """The edit that gives this tree."""
        from thriftree.editing.edit import compared
        from thriftree.learning.importances import importances

        model: Any = copy(self)
        for attribute in OF_THE_GROWN_TREE:
            model.__dict__.pop(attribute, None)
        model.tree_ = tree
        model.feature_importances_ = importances(tree.core, self._plan_again(rows))
        model.expected_cost_ = tree.expected_cost(rows.codes, rows.weight)
        model.worst_case_cost_ = tree.worst_case_cost()
        seen = self._measured_on(rows, measure_on)
        y = self.classes_[seen.y] if hasattr(self, "classes_") else seen.y
        return compared(action, self.tree_, tree, seen.codes, y, seen.weight, model)

    def _measured_on(self, rows: Sample, measure_on: Any) -> Sample:
        if measure_on is None:
            return rows
        if not isinstance(measure_on, (tuple, list)) or len(measure_on) not in (2, 3):
            raise TypeError("measure_on must be (X, y) or (X, y, sample_weight)")
        X, y, *weight = measure_on
        return self._read_again(X, y, weight[0] if weight else None)

    def _within_expected(self, pruned: Iterable[Tree], learner: Learner, rows: Sample) -> Tree:
        """The first of trees pruned more and more that these rows can pay for on average."""
        from thriftree.costs import within_budget

        for tree in pruned:
            if learner.max_expected is None:
                return tree
            expected = tree.expected_cost(rows.codes, rows.weight)
            if within_budget(expected, learner.max_expected):
                return tree
        # What costs no more than before is no step away from the bound, on rows that pay more than those of
        # fit.
        if expected <= self.tree_.expected_cost(rows.codes, rows.weight):
            return tree
        raise ValueError(
            f"with that test the tree costs {expected:g} on average, above max_expected="
            f"{learner.max_expected:g}: raise it, as in refit_below(..., max_expected={expected:g}), or "
            "force a cheaper column"
        )

    def _check_budget(self, tree: Tree, learner: Learner) -> None:
        """Where tests are delayed, a test here may be paid for elsewhere too: the whole tree has the say."""
        from thriftree.learning.allowance import Budget

        budget = learner.budget if learner.pruned_by is not None else getattr(learner.model, "budget", None)
        if budget is None or tree.worst_case_cost() <= self.tree_.worst_case_cost():
            return
        if not Budget(float(budget), None).admits(tree.worst_case_cost()):
            raise ValueError(
                f"the new tree would cost {tree.worst_case_cost():g} at worst, above budget={budget:g}, "
                "since its delayed tests are ordered in other branches too: raise the budget, or force a "
                "column that is not delayed"
            )

    # What a family says of itself.

    def _plan_again(self, rows: Sample) -> Plan:
        """The plan that the tree's figures go by."""
        plan: Plan = self._plan(rows)  # type: ignore[attr-defined]
        return plan

    def _learner(self, rows: Sample, changed: dict[str, Any]) -> Learner:
        """How a part of the tree is grown, with some parameters changed."""
        from thriftree.learning.regrowth import Learner

        model = self._with_parameters(changed)
        found = {
            name: getattr(self, attribute)
            for name, attribute in _FOUND.items()
            if name in model.get_params() and hasattr(self, attribute) and name not in changed
        }
        model.set_params(**found)
        return Learner(model, model._plan(rows), self, found=not set(changed) & set(_FOUND))

    def _with_parameters(self, changed: dict[str, Any]) -> Any:
        """An estimator that reads as this one, with some parameters changed, checked as in fit."""
        params = self.get_params(deep=False)  # type: ignore[attr-defined]
        for parameter in changed:
            if parameter not in params and parameter not in OUR_NAME:
                raise TypeError(
                    f"refit_below has no parameter {parameter!r}{did_you_mean(parameter, params) or ':'} "
                    f"it takes feature, cut, groups, measure_on and the parameters of {type(self).__name__}"
                )
        model: Any = type(self)(**params)
        model.set_params(**changed)  # explains the parameters of scikit-learn
        model._validate_params()
        for attribute in ("classes_", "n_classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, attribute):
                setattr(model, attribute, getattr(self, attribute))
        return model

    def _as_fit_settled(self, plan: Plan, fitted: Any) -> Plan:
        """The plan with what else fit decided, beside the parameters that it found values for."""
        # Files of before have an alpha of leaves, whatever the prices.
        by_leaves: Any = "leaves" if hasattr(fitted, "alpha_") else None
        return replace(plan, pruned_by=getattr(fitted, "pruned_by_", by_leaves))

    def _grow_below(self, rows: Sample, plan: Plan, limits: Limits) -> Grown:
        """The finished tree of a part."""
        grown: Grown = self._grow(rows, plan, limits)  # type: ignore[attr-defined]
        return grown


def _quoted(name: Any) -> str:
    """A name of the user's, safe to print."""
    from thriftree.messages import printable

    return printable(repr(name.item() if isinstance(name, np.generic) else name))
