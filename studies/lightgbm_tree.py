"""One boosting round of LightGBM with a penalty on expensive features, and what its tests cost by our rules.

LightGBM's `cegb_penalty_feature_lazy` takes `cegb_tradeoff` times a feature's price off a split's gain for
each row that has not met the feature before: the expected price, paid once (Peter et al. 2017). It knows
neither shared set-ups nor delayed results, so it is given full prices; what its tree costs counts them.

With two classes a round is one tree. With more it is a tree for each class, and a row goes through them all:
they are priced as the one tree that asks them one after another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from studies.evaluation import area_under_curve
from thriftree.costs import BoundCosts, PathState, Prices, TestCosts
from thriftree.table.frame import Numbers
from thriftree.table.frames import read_frame

Floats = NDArray[np.float64]

# Leaves and penalties tried. The gain of a row is of order 1, so penalties are divided by the price of all
# tests together.
LEAVES = (4, 8, 16, 32)
PENALTIES = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
ONE_THREAD = {"num_threads": 1}  # a study runs several fits side by side
AUC_LOSS = 0.01  # accepted for a lower price, as `trade_off="auto"` does


@dataclass(frozen=True)
class PathOfTests:
    """The columns tested on the path to a leaf: at once, or below the first test that places an order."""

    now: frozenset[int] = frozenset()
    below_order: frozenset[int] | None = None  # all columns of the tree there; None: no order on the path

    def then(self, after: PathOfTests, could_follow: frozenset[int]) -> PathOfTests:
        """This path and one through the next tree, whose columns are `could_follow`."""
        below = after.below_order if self.below_order is None else self.below_order | could_follow
        return PathOfTests(self.now | after.now, below)

    def price(self, prices: Prices) -> float:
        """What the path pays."""
        path = PathState()
        for column in sorted(self.now):
            path = prices.visit(path, column)
        if self.below_order is not None:
            path = prices.order(path, sorted(self.below_order))
        return prices.between(PathState(), path)


class PricedTrees:
    """The trees of one round, `Booster.dump_model()["tree_info"]`, under prices paid once."""

    def __init__(self, tree_info: Sequence[Mapping[str, Any]], costs: BoundCosts) -> None:
        if not costs.rules.pay_once or costs.outcomes or costs.rules.order_all:
            raise ValueError(
                "LightGBM's trees can only be priced with pay='once', delayed_scope='delayed' "
                "and prices that no outcome changes"
            )
        self._prices = costs.prices
        roots = [info["tree_structure"] for info in tree_info]
        self._paths = [dict(self._leaves(root)) for root in roots]
        self._columns = [self._columns_below(root) for root in roots]

    @property
    def n_leaves(self) -> int:
        """Of all trees together."""
        return sum(len(paths) for paths in self._paths)

    def of_leaves(self, leaf: NDArray[np.integer[Any]]) -> Floats:
        """What each row pays, given the leaf it reaches in each tree (rows x trees)."""
        distinct, back = np.unique(leaf, axis=0, return_inverse=True)
        prices = [
            self._price([paths[int(number)] for paths, number in zip(self._paths, row, strict=True)])
            for row in distinct
        ]
        return np.asarray(np.array(prices, dtype=np.float64)[back.reshape(-1)])

    @property
    def worst_case(self) -> float:
        """The largest price over all combinations of leaves."""
        distinct = [set(paths.values()) for paths in self._paths]
        return max(self._price(paths) for paths in product(*distinct))

    def _price(self, paths: Sequence[PathOfTests]) -> float:
        whole = PathOfTests()
        for path, columns in zip(paths, self._columns, strict=True):
            whole = whole.then(path, columns)
        return whole.price(self._prices)

    def _leaves(
        self, node: Mapping[str, Any], path: PathOfTests | None = None
    ) -> Iterator[tuple[int, PathOfTests]]:
        path = path or PathOfTests()
        if "split_feature" not in node:
            yield node.get("leaf_index", 0), path  # a tree of one leaf has no number for it
            return
        column = int(node["split_feature"])
        if not self._prices.places_order(PathState(), column):
            path = PathOfTests(path.now | {column}, path.below_order)
        elif path.below_order is None:
            path = PathOfTests(path.now, self._columns_below(node))
        yield from self._leaves(node["left_child"], path)
        yield from self._leaves(node["right_child"], path)

    def _columns_below(self, node: Mapping[str, Any]) -> frozenset[int]:
        if "split_feature" not in node:
            return frozenset()
        below = self._columns_below(node["left_child"]) | self._columns_below(node["right_child"])
        return below | {int(node["split_feature"])}


class LightGBMTree:
    """One round of LightGBM, its leaves and its penalty on prices chosen by cross-validation.

    Chosen is the cheapest round among those whose cross-validated AUC is within `AUC_LOSS` of the best.
    """

    classes_: NDArray[Any]
    worst_case_cost_: float
    n_leaves_: int

    def __init__(
        self,
        costs: TestCosts,
        random_state: int = 0,
        cv: int = 5,
        *,
        leaves: Sequence[int] = LEAVES,
        penalties: Sequence[float] = PENALTIES,
    ) -> None:
        self.costs = costs
        self.random_state = random_state
        self.cv = cv
        self.leaves = leaves
        self.penalties = penalties

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        """Choose leaves and penalty, and learn from all rows with them."""
        self.classes_, labels = np.unique(y, return_inverse=True)
        self._coding = NumberedColumns(X)
        self._bound = self.costs.bind(self._coding.names)
        numbers = self._coding.numbers(X)
        parameters = self._choose(numbers, labels)
        self._booster = self._train(numbers, labels, parameters)
        self._trees = self._priced(self._booster)
        self.worst_case_cost_ = self._trees.worst_case
        self.n_leaves_ = self._trees.n_leaves
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class of each row."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def predict_proba(self, X: Any) -> Floats:
        """Rows x classes."""
        return _probabilities(self._booster, self._coding.numbers(X))

    def predict_cost(self, X: Any) -> Floats:
        """What each row pays for its tests."""
        return self._prices(self._booster, self._trees, self._coding.numbers(X))

    def _choose(self, numbers: Floats, labels: NDArray[np.intp]) -> Mapping[str, Any]:
        candidates = [
            {"num_leaves": leaves, "cegb_tradeoff": penalty / self._everything}
            for leaves in self.leaves
            for penalty in self.penalties
        ]
        if len(candidates) == 1:
            return candidates[0]
        auc, price = np.zeros(len(candidates)), np.zeros(len(candidates))
        folds = StratifiedKFold(self.cv, shuffle=True, random_state=self.random_state)
        for train, test in folds.split(numbers, labels):
            data = self._dataset(numbers[train], labels[train])
            for i, parameters in enumerate(candidates):
                booster = self._train(numbers[train], labels[train], parameters, data)
                shares = _probabilities(booster, numbers[test])
                auc[i] += area_under_curve(labels[test], shares, np.arange(len(self.classes_))) / self.cv
                price[i] += self._prices(booster, self._priced(booster), numbers[test]).mean() / self.cv
        good = np.flatnonzero(auc >= auc.max() - AUC_LOSS)
        return candidates[int(good[price[good].argmin()])]

    def _train(
        self, numbers: Floats, labels: NDArray[np.intp], parameters: Mapping[str, Any], data: Any = None
    ) -> Any:
        lightgbm = import_lightgbm()
        data = self._dataset(numbers, labels) if data is None else data
        return lightgbm.train({**self._parameters(), **parameters}, data, num_boost_round=1)

    def _dataset(self, numbers: Floats, labels: NDArray[np.intp]) -> Any:
        return import_lightgbm().Dataset(
            numbers,
            labels,
            categorical_feature=self._coding.categorical,
            params=self._parameters(),
            free_raw_data=False,
        )

    def _parameters(self) -> dict[str, Any]:
        several = len(self.classes_) > 2
        return {
            "objective": "multiclass" if several else "binary",
            "num_class": len(self.classes_) if several else 1,
            "learning_rate": 1.0,
            "min_data_in_leaf": 5,
            "min_sum_hessian_in_leaf": 0.0,
            "cegb_penalty_feature_lazy": self._full_prices.tolist(),
            **ONE_THREAD,
            "force_col_wise": True,
            "deterministic": True,
            "seed": self.random_state,
            "verbose": -1,
        }

    @property
    def _full_prices(self) -> Floats:
        """Of each test on its own, set-up included."""
        return self._bound.prices.marginals(PathState())

    @property
    def _everything(self) -> float:
        return self._bound.together(range(len(self._bound.names))) or 1.0

    def _priced(self, booster: Any) -> PricedTrees:
        return PricedTrees(booster.dump_model()["tree_info"], self._bound)

    @staticmethod
    def _prices(booster: Any, trees: PricedTrees, numbers: Floats) -> Floats:
        leaf = np.asarray(booster.predict(numbers, pred_leaf=True, **ONE_THREAD)).reshape(len(numbers), -1)
        return trees.of_leaves(leaf)


class NumberedColumns:
    """Columns as LightGBM takes them: numbers, and categories as the numbers that training gave them."""

    def __init__(self, X: Any) -> None:
        frame = read_frame(X)
        self.names = list(frame.names)
        self._codes: dict[int, dict[Any, float]] = {}  # of columns that are not numbers
        for i in range(len(self.names)):
            column = frame.column(i)
            if not isinstance(column, Numbers):
                self._codes[i] = {level: float(code) for code, level in enumerate(column.levels)}

    @property
    def categorical(self) -> list[int]:
        """The places of columns that are not numbers."""
        return list(self._codes)

    def numbers(self, X: Any) -> Floats:
        """The rows as one array; missing, and categories that training did not see, are NaN."""
        frame = read_frame(X)
        table = np.full((frame.n_rows, len(self.names)), np.nan)
        for i in range(len(self.names)):
            column = frame.column(i)
            if isinstance(column, Numbers):
                table[:, i] = column.values
            else:
                codes = [self._codes[i].get(level, np.nan) for level in column.levels]
                table[:, i] = np.array([*codes, np.nan])[column.codes]
        return table


def _probabilities(booster: Any, numbers: Floats) -> Floats:
    shares = np.asarray(booster.predict(numbers, **ONE_THREAD), dtype=np.float64)
    return np.column_stack([1 - shares, shares]) if shares.ndim == 1 else shares


def import_lightgbm() -> Any:
    """LightGBM, or an error that says how to get it."""
    try:
        import lightgbm
    except ImportError as error:
        raise ImportError(
            "the studies compare with LightGBM, which is not installed: pip install 'thriftree[studies]'"
        ) from error
    return lightgbm
