"""MSI: a tree without hyperparameters, by minimum surfeit and inaccuracy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import StrOptions

from thriftree import _core
from thriftree.estimators.base import OfClasses, TreeEstimator
from thriftree.estimators.category_tests import offered_tests, subset_rules
from thriftree.estimators.fitted import keep_tree
from thriftree.estimators.parameters import (
    CATEGORY_PARAMETERS,
    CLASSIFIER_PARAMETERS,
    TREE_PARAMETERS,
    Constraints,
)
from thriftree.learning import growth
from thriftree.learning.growth import Grown, Plan
from thriftree.learning.limits import INTERRUPT, Limits, warn_of_limit
from thriftree.learning.progress import Steps, steps_of_fit
from thriftree.learning.sample import Sample
from thriftree.methods.msi.cost import (
    COMBINATIONS,
    COMPRESSORS,
    SHORT_MODELS,
    CostFunction,
    affordable_threads,
)
from thriftree.methods.msi.features import FeatureRows
from thriftree.methods.msi.growth import Stage, SurfeitGrowth, root_alone
from thriftree.methods.msi.stopping import Stopping
from thriftree.methods.msi.text import TreeText

_SHARED_PARAMETERS: Constraints = TREE_PARAMETERS | CLASSIFIER_PARAMETERS
_CODING_PARAMETERS = (
    "max_bins",
    "binning",
    "categorical_features",
    "proportion_encode",
    *CATEGORY_PARAMETERS,
)
_OTHER_PARAMETERS = ("costs", "smoothing", "shrinkage", "n_jobs", "time_limit_s", "memory_limit_mb")


class MSIClassifier(OfClasses, TreeEstimator):
    """Classification tree that finds its own size: minimum surfeit and inaccuracy (García Leiva, Fernández
    Anta, Mancuso and Casari 2019).

    Tests are chosen by entropy, and numbers are divided by `x <= t`, categories into two sets. Of the leaves
    that can be tested the one is tested that makes the cost of the whole tree least, until none lowers it.
    The cost is a mean of inaccuracy |C(E)| / |C(X)| and surfeit 1 - |C(M)| / |M|: C compresses, X are the
    features, E the rows that the tree gets wrong, M the tree as text. No parameter sets the size of the tree,
    and since E is a set of rows, rows have no weights.

    Parameters
    ----------
    compressor : {"bz2", "zlib", "lzma"}, default="bz2"
        C, at its highest level. "lzma" takes about 700 MB a thread.
    combine : {"harmonic", "arithmetic", "geometric", "euclidean", "sum", "product"}, default="harmonic"
        How inaccuracy and surfeit become one number.
    short_models : {"reject", "clip", "literal"}, default="reject"
        The surfeit of a text that is too short to be compressed, which is one whose surfeit is less than the
        inaccuracy: "reject", 1; "clip", the inaccuracy; "literal", what the formula says, which may be below
        0. docs/guide/msi.md measures the three.
    max_bins, binning, categorical_features, proportion_encode
        How columns become codes, as in `CARTClassifier`. What is compressed are the values themselves.
    one_vs_rest, subset_smoothing, subset_min_rows, subset_max_categories, subset_correction
        Which tests of categories are on offer, as in `CARTClassifier`, but off: sets are free, as in the
        paper.
    costs : TestCosts, dict, array or None, default=None
        Price of each test, for `expected_cost_`, `worst_case_cost_` and `predict_cost`. None: every test
        costs 1. The tree does not depend on it.
    smoothing : float, default=0.0
        Added to the weight of every class at a node before probabilities are taken.
    shrinkage : float, "cv" or None, default=None
        λ by which the probabilities of leaves are drawn towards those of the nodes above them, as in
        `CARTClassifier`. "cv" measures it on five folds.
    n_jobs : int or None, default=None
        Threads: None is 1, -1 all; never more than there are CPUs. The tree does not depend on it.
    time_limit_s, memory_limit_mb : float or None, default=None
        A fit that reaches a limit keeps the tree it has, warns, and says so in `stopped_by_`.

    Attributes
    ----------
    tree_text_ : str
        The text of the tree that was compressed.
    history_ : dict of arrays
        The growth of the tree: `cost`, `inaccuracy`, `surfeit` and `nodes` of the root alone and after each
        test; `thriftree.plot.plot_growth_history` draws it. The surfeit is the one that counted. A root whose
        cost no time was left for has NaN.
    stopped_by_ : None, "time_limit", "memory_limit" or "interrupt"
        After Ctrl-C, too, the tree is the one of the last test.

    The others are those of `CARTClassifier`.

    References
    ----------
    Paper 002 of docs/papers.md; docs/guide/msi.md has the definitions in a page.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from thriftree import MSIClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MSIClassifier().fit(X, y)
    >>> print(model.tree_text_, end="")
    def tree{X3, X4}:
        if X3 <= 2.450:
            return 0
        else:
            if X4 <= 1.750:
                return 1
            else:
                return 2
    """

    _looks_at_values: ClassVar[bool] = True
    _parameter_constraints: ClassVar[Constraints] = {
        "compressor": [StrOptions(set(COMPRESSORS))],
        "combine": [StrOptions(set(COMBINATIONS))],
        "short_models": [StrOptions(set(SHORT_MODELS))],
        **{name: _SHARED_PARAMETERS[name] for name in (*_CODING_PARAMETERS, *_OTHER_PARAMETERS)},
    }

    def __init__(
        self,
        *,
        compressor: str = "bz2",
        combine: str = "harmonic",
        short_models: str = "reject",
        max_bins: int | None = None,
        binning: str = "quantile",
        categorical_features: Any = "auto",
        proportion_encode: Any = None,
        one_vs_rest: bool = False,
        subset_smoothing: float | None = None,
        subset_min_rows: int | None = None,
        subset_max_categories: int | None = None,
        subset_correction: float | None = None,
        costs: Any = None,
        smoothing: float = 0.0,
        shrinkage: float | str | None = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
        memory_limit_mb: float | None = None,
    ) -> None:
        self.compressor = compressor
        self.combine = combine
        self.short_models = short_models
        self.max_bins = max_bins
        self.binning = binning
        self.categorical_features = categorical_features
        self.proportion_encode = proportion_encode
        self.one_vs_rest = one_vs_rest
        self.subset_smoothing = subset_smoothing
        self.subset_min_rows = subset_min_rows
        self.subset_max_categories = subset_max_categories
        self.subset_correction = subset_correction
        self.costs = costs
        self.smoothing = smoothing
        self.shrinkage = shrinkage
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any) -> Self:
        """Learn the tree.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Numbers, strings, booleans and categoricals, from pandas, polars, pyarrow or numpy. Values may be
            missing.
        y : array of shape (n_rows,)
            The target.
        """
        limits = Limits.of(self.n_jobs, self.time_limit_s, self.memory_limit_mb)
        with limits.any_time(), steps_of_fit(self, X, y, None, max_steps=None) as steps:
            rows = self._read(X, y, None, limits)
            learn = partial(self._learn, rows, self._plan(), limits, steps)
            limits.attempt(learn, steps.untold(learn))
        if self.stopped_by_ is not None:
            warn_of_limit(
                self.stopped_by_,
                type(self).__name__,
                "take another compressor (zlib needs least time and memory), or more threads",
            )
        return self

    def _plan_again(self, rows: Sample) -> Plan:
        return self._plan()

    def _learner(self, rows: Sample, changed: dict[str, Any]) -> Any:
        raise ValueError(
            "MSIClassifier weighs whole trees, so it cannot grow a part of one: collapse, relabel or reorder "
            "nodes, or fit a CARTClassifier(impurity='entropy') and refit below its nodes"
        )

    def _plan(self) -> Plan:
        return Plan(
            criterion="entropy",
            n_classes=self.n_classes_,
            ordered_tests=growth.THRESHOLD,
            category_tests=offered_tests(self, growth.SUBSET),
            proportion_encode=self.proportion_encode,
            rules=subset_rules(self),
        )

    def _learn(self, rows: Sample, plan: Plan, limits: Limits, steps: Steps) -> None:
        grow = partial(growth.grow, rows, plan, limits)
        full = limits.attempt(grow, grow, step=partial(steps.step, "grow"))
        self._find_size(full, rows, plan, limits, steps)

    def _find_size(self, full: Grown, rows: Sample, plan: Plan, limits: Limits, steps: Steps) -> None:
        """Sets the fitted attributes: how much of the whole tree is kept."""
        stopping = Stopping(limits)
        search, stopped_by = None, full.stopped_by
        try:
            n_threads = affordable_threads(self.compressor, limits)
            inputs = rows.codes.inputs(full.columns)
            features = FeatureRows(inputs, len(rows), len(full.columns))
            costs = CostFunction(features, self.compressor, self.combine, self.short_models, stopping.look)
            text = TreeText(full.core, features.has_missing(stopping.look))
            leaf_of_row = full.core.apply(inputs, limits.n_threads)
            search = SurfeitGrowth(full.core, leaf_of_row, rows.y, costs, text)
            search.run(n_threads, steps, stopping)
        except TimeoutError:
            stopped_by = limits.stopped_by or "time_limit"
        except MemoryError:
            stopped_by = "memory_limit"
        except KeyboardInterrupt as interrupt:
            limits.note(interrupt)
            stopped_by = INTERRUPT
        keep = partial(self._keep, search, full, stopped_by, rows, plan)
        limits.attempt(keep, keep)
        self._choose_shrinkage(rows, plan, limits)

    def _growing_parts(self, rows: Sample, plan: Plan, limits: Limits) -> Callable[[Sample], Grown]:
        def grown(part: Sample) -> Grown:
            model = self._with_parameters({"shrinkage": None})
            model._learn(part, plan, limits, Steps())
            return Grown(model.tree_.core, model.tree_.columns, model.stopped_by_)

        return grown

    def _keep(
        self, search: SurfeitGrowth | None, full: Grown, stopped_by: str | None, rows: Sample, plan: Plan
    ) -> None:
        kept = root_alone(full.core) if search is None else search.kept()
        core = _core.prune_collapse(full.core, kept.is_leaf)
        keep_tree(self, replace(full, core=core, stopped_by=stopped_by), rows, plan)
        self.tree_text_ = kept.text
        figures = map(np.array, zip(*kept.history, strict=True))
        self.history_ = dict(zip(Stage._fields, figures, strict=True))
