"""Error against worst-case price, for many impurities: what `error_cost_curve` returns."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

from thriftree.costs import within_budget
from thriftree.impurities import HingedPairs
from thriftree.methods.worst_case.set_functions import AnyImpurity
from thriftree.tree import Tree
from thriftree.tuning.frontier.listing import as_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class ErrorCostPoint:
    """One tree of a curve."""

    curve: str  # the impurity's name, the same for all α
    impurity: AnyImpurity
    tolerance: float  # δ, where the tree stopped
    worst_case_cost: float
    training_error: float
    test_error: float | None  # None: no test rows were given
    leaves: int
    tree: Tree

    @property
    def alpha(self) -> float | None:
        """α of a hinged impurity; None for the others."""
        return self.impurity.alpha if isinstance(self.impurity, HingedPairs) else None

    def row(self) -> dict[str, Any]:
        """All but the tree, by name."""
        setting = {"tolerance": self.tolerance} if self.alpha is None else {"alpha": self.alpha}
        errors = {"training_error": self.training_error, "test_error": self.test_error}
        known = {name: error for name, error in errors.items() if error is not None}
        return {
            "impurity": self.curve,
            **setting,
            **known,
            "worst_case_cost": self.worst_case_cost,
            "leaves": self.leaves,
        }


@dataclass(frozen=True, eq=False, repr=False)
class ErrorCostCurve:
    """What less error costs at worst, for each impurity; made by `thriftree.error_cost_curve`.

    It prints as a table, and it never changes.
    """

    points: tuple[ErrorCostPoint, ...]  # by impurity, in each by rising price and falling training error
    stopped_by: str | None = None  # the limit that left out impurities

    @property
    def curves(self) -> dict[str, tuple[ErrorCostPoint, ...]]:
        """The points of each impurity, by its name."""
        names = dict.fromkeys(point.curve for point in self.points)
        return {name: tuple(point for point in self.points if point.curve == name) for name in names}

    def best(self, budget: float) -> ErrorCostPoint:
        """The tree of least training error that costs at most `budget` at worst; of equals the one that costs
        least, then the one of fewest leaves, then that of the first impurity.
        """
        if isinstance(budget, bool) or not isinstance(budget, Real) or not float(budget) >= 0:
            raise ValueError(f"budget is {budget!r}: give a number >= 0")
        # A price is a sum that may be off in its last digits, and a budget of 87.3 must admit the 87.3 tree.
        fitting = [point for point in self.points if within_budget(point.worst_case_cost, float(budget))]
        if not fitting:
            least = min(point.worst_case_cost for point in self.points)
            raise ValueError(f"no tree costs at most {budget:g}: the least is {least:g}; raise the budget")
        return min(fitting, key=lambda one: (one.training_error, one.worst_case_cost, one.leaves))

    def to_rows(self) -> list[dict[str, Any]]:
        """A dict for each point: impurity, tolerance or alpha, errors, worst-case price, leaves."""
        return [point.row() for point in self.points]

    def plot(self, ax: Axes | None = None, *, error: Literal["training", "test"] = "training") -> Axes:
        """Error against worst-case price, with matplotlib: see `thriftree.plot.plot_error_cost`."""
        from thriftree.plot import plot_error_cost

        return plot_error_cost(self, ax, error=error)

    def __str__(self) -> str:
        rows = self.to_rows()
        return as_text([{"method": row.pop("impurity"), **row} for row in rows])

    def __repr__(self) -> str:
        return f"<ErrorCostCurve of {len(self.points)} trees: {', '.join(self.curves)}>"
