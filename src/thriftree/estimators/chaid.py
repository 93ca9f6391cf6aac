"""CHAID: categories that don't differ are merged, and the column whose groups differ most surely is asked."""

from __future__ import annotations

from dataclasses import replace
from math import exp, inf, log
from numbers import Real
from typing import Any, ClassVar, Literal, cast

from sklearn.utils._param_validation import Interval, StrOptions

from thriftree import _core
from thriftree.estimators.base import TreeClassifier
from thriftree.estimators.parameters import CLASSIFIER_PARAMETERS, TREE_PARAMETERS, Constraints
from thriftree.explain.values import Values, values_by_branch
from thriftree.explain.words import Wording
from thriftree.learning import growth
from thriftree.learning.growth import Grown, Plan, Stopped
from thriftree.learning.limits import Limits
from thriftree.learning.progress import Steps
from thriftree.learning.pruning import Pruning
from thriftree.learning.sample import Sample
from thriftree.methods.chaid.multipliers import Scale, log_multipliers, multiplier
from thriftree.tree import Tree

Path = tuple[tuple[int, int], ...]  # (column, branch) from the root

_PARAMETERS = {name: allowed for name, allowed in TREE_PARAMETERS.items() if name != "min_decrease"}
_MOST_BITS = 1024  # of a multiplier that is reported: Python refuses to print whole numbers of any length


class CHAIDClassifier(TreeClassifier):
    """Classification tree by chi-squared tests, with a branch for every group that differs (Kass 1980).

    At a node, the categories of each column are merged as long as some two of them do not differ in their
    classes, by a chi-squared test at level `alpha_merge`; a merger of three or more is divided again where
    its halves differ. The column is asked whose groups differ with the smallest p-value, multiplied by the
    number of ways in which they could have been made (Bonferroni), if that is at most `alpha_split`. So a
    tree stops by itself, and needs no pruning.

    Numbers become `max_bins` ordered categories before. Of ordered columns only neighbours are merged; their
    missing values float: they join any group, or stay alone. In unordered columns missing is a category like
    others. What a node has not seen follows the heaviest branch.

    Tests count sums of sample weight, so weights should be numbers of rows: twice the weights are twice the
    evidence. Class weights and costs of mistakes decide what leaves answer, not what is significant.

    Parameters
    ----------
    alpha_split : float, default=0.05
        A node is divided if the adjusted p-value is at most this. 1: whatever it is.
    alpha_merge : float, default=0.05
        Two groups are merged if the p-value of their difference is above this. 1: nothing is merged.
    alpha_resplit : float or None, default=0.05
        A merger of three or more categories is divided again if the p-value of its most different halves is
        at most this; not above `alpha_merge`. None: what was merged stays so.
    exhaustive : bool, default=False
        Merge down to two groups, and take the stage of the smallest p-value (Biggs, de Ville and Suen 1991);
        `alpha_merge` and `alpha_resplit` are then not read.
    statistic : {"pearson", "likelihood_ratio"}, default="pearson"
        Which chi-squared.
    bonferroni : bool, default=True
        Whether p-values are adjusted.
    min_leaf : int or float, default=5
        What every branch must keep: int, rows; float, a share of the total weight. A smaller group joins the
        one most like it. Few rows make a chi-squared test promise too much.
    max_bins : int or None, default=10
        Ordered categories that a column of more distinct numbers is put into. None: each value is one.

    The other parameters mean what they mean in `CARTClassifier`.

    Attributes
    ----------
    split_tests_ : list of dict
        What decided each split, by `node` of `tree_`: `column`, `groups` (a text for each branch),
        `statistic`, `degrees_of_freedom`, `p_value`, `multiplier` (inf if no float64 is as large),
        `adjusted_p_value`, and `log_worth`, which is -log10 of the adjusted p-value and tells those apart
        that are 0 as numbers.

    The others are those of `CARTClassifier`. The tree reports gini; the score of a split is its `log_worth`.

    References
    ----------
    G. V. Kass, An exploratory technique for investigating large quantities of categorical data, Applied
    Statistics 29 (1980). D. Biggs, B. de Ville and E. Suen, A method of choosing multiway partitions for
    classification and decision trees, Journal of Applied Statistics 18 (1991).

    Examples
    --------
    >>> from thriftree import CHAIDClassifier
    >>> X = [["a"], ["b"], ["c"], ["d"]] * 20
    >>> y = ["no", "no", "yes", "yes"] * 20
    >>> CHAIDClassifier().fit(X, y).split_tests_[0]["groups"]
    ['a, b', 'c, d']
    """

    _category_tests = growth.MULTIWAY
    _looks_at_values: ClassVar[bool] = True
    _parameter_constraints: ClassVar[Constraints] = {
        "alpha_split": [Interval(Real, 0.0, 1.0, closed="right")],
        "alpha_merge": [Interval(Real, 0.0, 1.0, closed="right")],
        "alpha_resplit": [Interval(Real, 0.0, 1.0, closed="right"), None],
        "exhaustive": ["boolean"],
        "statistic": [StrOptions({"pearson", "likelihood_ratio"})],
        "bonferroni": ["boolean"],
        **_PARAMETERS,
        **CLASSIFIER_PARAMETERS,
    }

    def __init__(
        self,
        *,
        alpha_split: float = 0.05,
        alpha_merge: float = 0.05,
        alpha_resplit: float | None = 0.05,
        exhaustive: bool = False,
        statistic: Literal["pearson", "likelihood_ratio"] = "pearson",
        bonferroni: bool = True,
        min_leaf: float = 5,
        min_weight_fraction_leaf: float = 0.0,
        min_mass: float = 0.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bins: int | None = 10,
        binning: str = "quantile",
        categorical_features: Any = "auto",
        proportion_encode: Any = None,
        class_weight: Any = None,
        error_costs: Any = None,
        costs: Any = None,
        smoothing: float = 0.0,
        shrinkage: float | str | None = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
        memory_limit_mb: float | None = None,
    ) -> None:
        self.alpha_split = alpha_split
        self.alpha_merge = alpha_merge
        self.alpha_resplit = alpha_resplit
        self.exhaustive = exhaustive
        self.statistic = statistic
        self.bonferroni = bonferroni
        self.min_leaf = min_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_mass = min_mass
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_bins = max_bins
        self.binning = binning
        self.categorical_features = categorical_features
        self.proportion_encode = proportion_encode
        self.class_weight = class_weight
        self.error_costs = error_costs
        self.costs = costs
        self.smoothing = smoothing
        self.shrinkage = shrinkage
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    def _criterion(self) -> str:
        return "gini"

    def _pruning(self) -> Pruning:
        return Pruning()

    def _plan(self, rows: Sample) -> Plan:
        plan = super()._plan(rows)
        # Growing counts rows as they are given: priors undo the class weights, which still label the leaves.
        return replace(plan, priors=None if plan.class_weight is None else 1.0 / plan.class_weight)

    def _settled(self, rows: Sample, plan: Plan, limits: Limits, steps: Steps) -> tuple[Plan, Stopped | None]:
        if not self.exhaustive and self.alpha_resplit is not None and self.alpha_resplit > self.alpha_merge:
            raise ValueError(
                f"alpha_resplit={self.alpha_resplit} is above alpha_merge={self.alpha_merge}: what is "
                "divided again would be merged again; give at most alpha_merge, or None"
            )
        least_weight = plan.leaf_rule.least_weight(float(rows.weights.sum()))
        chooser = _core.ChaidChooser(
            alpha_split=float(self.alpha_split),
            alpha_merge=float(self.alpha_merge),
            alpha_resplit=None if self.alpha_resplit is None else float(self.alpha_resplit),
            exhaustive=bool(self.exhaustive),
            statistic=self.statistic,
            least=(float(plan.leaf_rule.rows), least_weight),
            log_multiplier=log_multipliers(bool(self.exhaustive)) if self.bonferroni else None,
        )
        return replace(plan, parts={"chooser": chooser}), None

    def _keep(self, grown: Grown, rows: Sample, plan: Plan, limits: Limits) -> None:
        super()._keep(grown, rows, plan, limits)
        self.split_tests_ = self._report(plan.parts["chooser"].splits)

    def _report(self, splits: dict[Path, _core.ChaidSplit]) -> list[dict[str, Any]]:
        tree: Tree = self.tree_
        document = tree.to_dict()
        wording = Wording(document, max_categories=max(1, *(len(c.categories) for c in tree.columns)))
        paths: dict[int, Path] = {0: ()}
        report = []
        for number, node in enumerate(document["nodes"]):
            if "test" not in node:
                continue
            path = paths[number]
            column = node["test"]["column"]
            paths |= {child: (*path, (column, branch)) for branch, child in enumerate(node["children"])}
            split = splits[path]
            branches = values_by_branch(node, document["columns"][column])
            groups = [wording.answer(column, _seen(values, node, split)) for values in branches]
            name = tree.columns[column].name
            report.append({"node": number, "column": name, "groups": groups, **self._test(split.grouping)})
        return report

    def _test(self, grouping: _core.Grouping) -> dict[str, Any]:
        """What the test of a grouping found."""
        scale, n_groups = cast(Scale, grouping.scale), len(grouping.groups)
        times = 1
        if self.bonferroni:
            times = multiplier(bool(self.exhaustive), scale, grouping.n_categories, n_groups)
        return {
            "statistic": grouping.statistic,
            "degrees_of_freedom": grouping.freedom,
            "p_value": exp(grouping.log_p),
            "multiplier": times if times.bit_length() < _MOST_BITS else inf,
            "adjusted_p_value": exp(min(0.0, grouping.log_adjusted)),
            "log_worth": max(0.0, -grouping.log_adjusted / log(10)),
        }


def _seen(values: Values, node: dict[str, Any], split: _core.ChaidSplit) -> Values:
    """Of a branch's values, those that the node had when it was divided."""
    codes = values.codes & set(split.codes) if node["test"]["kind"] == "category" else values.codes
    return replace(values, codes=codes, missing=values.missing and split.missing_seen, other=False)
