"""PUBLIC: the tree that is described in fewest bits, pruned while it is built."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from thriftree.estimators.base import TreeClassifier
from thriftree.estimators.parameters import (
    CLASSIFIER_PARAMETERS,
    COST_BENEFIT_PARAMETERS,
    FUNCTION,
    TREE_PARAMETERS,
    Constraints,
)
from thriftree.learning import growth
from thriftree.learning.criteria import names_for
from thriftree.learning.growth import Grown, Plan
from thriftree.learning.limits import Limits
from thriftree.learning.pruning import Pruning
from thriftree.learning.sample import Sample
from thriftree.methods.public.grower import BOUNDS, PublicGrower
from thriftree.methods.public.mdl import TestBits, shortest_pruning


class PUBLICClassifier(TreeClassifier):
    """Classification tree of binary tests, pruned to fewest bits while it is built (Rastogi and Shim 1998).

    A tree costs the bits that describe its shape, its tests and, leaf by leaf, the classes of its rows.
    Pruning from the bottom up leaves the cheapest part of the full tree. Lower bounds on what an ungrown
    subtree can cost tell of many nodes beforehand that they will be pruned, so these are never split; the
    tree is the same as without bounds. There is nothing to tune. Numbers are tested by `x <= t`, categories
    by two sets; missing values are tried on each side of every test.

    Parameters
    ----------
    bound : {"1", "S", "V"} or None, default="S"
        What an ungrown subtree is known to cost: "1", a bit; "S", its tests and the rows of the classes that
        have no leaf of their own; "V", the values of its tests as well. None builds the full tree and prunes
        it afterwards. The tree does not depend on it, only the time.
    impurity : {"gini", "entropy", "misclassification", "gain_ratio"} or function, default="entropy"
        What a test must decrease, as in `CARTClassifier`.

    one_vs_rest, subset_smoothing, subset_min_rows, subset_max_categories, subset_correction
        As in `CARTClassifier`, but off: sets are free, as in the paper, since bits are charged for them.

    The other parameters mean what they mean in `CARTClassifier`. `class_weight` and `error_costs` count in
    choosing tests and in the labels of leaves; the bits count every row by its `sample_weight`, so weights
    should be numbers of rows: small ones make a small tree. There is no `max_leaves`, since what is cheapest
    below a node must not depend on other nodes.

    Attributes
    ----------
    n_expanded_ : int
        Nodes that were split while the tree was built. With `bound=None` it is all tests of the full tree.
    mdl_cost_ : float
        Bits of the tree and of the classes of the rows of `fit`.

    The others are those of `CARTClassifier`.

    References
    ----------
    R. Rastogi and K. Shim, PUBLIC: A decision tree classifier that integrates building and pruning, VLDB
    1998; Data Mining and Knowledge Discovery 4, 2000. docs/guide/public.md has the costs and the bounds.

    Examples
    --------
    >>> from thriftree import PUBLICClassifier
    >>> X = [[i % 7, i % 20] for i in range(60)]
    >>> model = PUBLICClassifier().fit(X, ["low" if b < 12 else "high" for a, b in X])
    >>> model.tree_.n_leaves, model.n_expanded_, round(model.mdl_cost_, 1)
    (2, 1, 8.2)
    """

    _category_tests = growth.SUBSET
    _looks_at_values: ClassVar[bool] = True
    _learns_from_parts: ClassVar[bool] = False  # its bounds follow single rows
    _parameter_constraints: ClassVar[Constraints] = {
        "bound": [StrOptions(set(BOUNDS)), None],
        "impurity": [StrOptions(set(names_for("classes"))), FUNCTION],
        **{name: allowed for name, allowed in TREE_PARAMETERS.items() if name != "max_leaves"},
        **COST_BENEFIT_PARAMETERS,
        **CLASSIFIER_PARAMETERS,
    }

    def __init__(
        self,
        *,
        bound: str | None = "S",
        impurity: Any = "entropy",
        min_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_mass: float = 0.0,
        min_decrease: float = 0.0,
        max_depth: int | None = None,
        max_bins: int | None = None,
        binning: str = "quantile",
        categorical_features: Any = "auto",
        proportion_encode: Any = None,
        one_vs_rest: bool = False,
        subset_smoothing: float | None = None,
        subset_min_rows: int | None = None,
        subset_max_categories: int | None = None,
        subset_correction: float | None = None,
        class_weight: Any = None,
        error_costs: Any = None,
        costs: Any = None,
        cost_benefit: bool = False,
        smoothing: float = 0.0,
        shrinkage: float | str | None = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
        memory_limit_mb: float | None = None,
    ) -> None:
        self.bound = bound
        self.impurity = impurity
        self.min_leaf = min_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_mass = min_mass
        self.min_decrease = min_decrease
        self.max_depth = max_depth
        self.max_bins = max_bins
        self.binning = binning
        self.categorical_features = categorical_features
        self.proportion_encode = proportion_encode
        self.one_vs_rest = one_vs_rest
        self.subset_smoothing = subset_smoothing
        self.subset_min_rows = subset_min_rows
        self.subset_max_categories = subset_max_categories
        self.subset_correction = subset_correction
        self.class_weight = class_weight
        self.error_costs = error_costs
        self.costs = costs
        self.cost_benefit = cost_benefit
        self.smoothing = smoothing
        self.shrinkage = shrinkage
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    def _criterion(self) -> Any:
        return self.impurity

    def _pruning(self) -> Pruning:
        return Pruning()

    def _grow(self, rows: Sample, plan: Plan, limits: Limits) -> Grown:
        bits = TestBits(growth.table_of(rows, plan, limits))
        if self.bound is None:
            grown = growth.grow(rows, plan, limits)
            self.n_expanded_ = grown.core.n_nodes - grown.core.n_leaves
        else:
            grower = PublicGrower(self.bound, rows.y, rows.weights, plan.n_classes, bits)
            grown = growth.grow(rows, replace(plan, parts={"grower": grower}), limits)
            self.n_expanded_, self.mdl_cost_ = grower.n_expanded, grower.bits
            if grown.stopped_by is None:
                return grown
        leaf = growth.leaves(grown, rows, limits.n_threads)
        shortest = shortest_pruning(grown.core, leaf, rows.y, rows.weights, bits)
        self.mdl_cost_ = shortest.bits
        return replace(grown, core=shortest.tree)
