"""`python -m studies.soft_prices --data FOLDER`: soft trees that prices steer, beside the frontier.

Four sets with real prices (Turney 1995), without delays, which a soft tree's objective does not take. Five
folds: a soft tree is learned with each price_weight; of the frontier of the same training rows the tree of
the best declared accuracy is taken that costs no more there than the soft tree. Both are measured on the
fold.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from studies import price_sets
from studies.harness import program
from thriftree import SoftTreeClassifier, TestCosts, frontier
from thriftree.learning.sample import rows_at

#: Price weights, as shares of a unit of loss that all columns together would cost.
WEIGHTS: Final = (0.0, 0.03, 0.1, 0.3, 1.0)


class PricedPair(NamedTuple):
    """Price and accuracy on a fold: of the soft tree, and of the frontier's tree that costs no more."""

    price: float
    accuracy: float
    hard_price: float
    hard_accuracy: float


def without_delay(costs: TestCosts) -> TestCosts:
    """The same prices where every result is there at once."""
    return TestCosts.from_dict({**costs.to_dict(), "delayed": []})


def whole_price(costs: TestCosts) -> float:
    """Of all columns together."""
    own = sum(price for price in costs.prices.values() if isinstance(price, float))
    return own + sum(group.setup for group in costs.groups.values())


def measure(
    X: Any, y: NDArray[Any], costs: TestCosts, gates: str, front: Any, fold: tuple[Any, Any], weight: float
) -> PricedPair:
    """One soft tree, and the hard tree to compare it with."""
    train, test = (rows_at(X, part) for part in fold)
    price_weight = weight / whole_price(costs)
    soft = SoftTreeClassifier(gates=gates, max_depth=3, costs=costs, price_weight=price_weight)
    soft.fit(train, y[fold[0]])
    affordable = [point for point in front.points if point.expected_cost <= soft.expected_cost_ * (1 + 1e-9)]
    hard = max(affordable, key=lambda point: (point.accuracy, -point.expected_cost)).tree
    truth = y[fold[1]]
    return PricedPair(
        soft.expected_cost(test),
        float(np.mean(soft.predict(test) == truth)),
        hard.expected_cost(test),
        float(np.mean(hard.predict(test) == truth)),
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the study, print its table, and write its figures."""
    about = "Soft trees that prices steer, beside the frontier."
    options = program.parser("soft_prices", about, price_sets.SOURCES).parse_args(arguments)
    warnings.simplefilter("ignore")
    rows: list[tuple[Any, ...]] = []
    columns = f"{'price':>9}{'accuracy':>10}{'frontier':>10}{'accuracy':>10}"
    print(f"{'data set':<10}{'gates':<9}{'weight':>7}{columns}")
    for name in options.sets:
        data = price_sets.load(options.data, name)
        costs = without_delay(data.costs)
        folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(np.zeros(len(data.y)), data.y))
        fronts = [
            frontier(rows_at(data.X, train), data.y[train], costs, random_state=0) for train, _ in folds
        ]
        for gates in ("oblique", "axis"):
            for weight in WEIGHTS:
                found = [
                    measure(data.X, data.y, costs, gates, front, fold, weight)
                    for front, fold in zip(fronts, folds, strict=True)
                ]
                rows += [(name, gates, weight, fold, *one) for fold, one in enumerate(found)]
                mean = PricedPair(*np.mean(found, axis=0))
                print(
                    f"{name:<10}{gates:<9}{weight:>7}{mean.price:>9.2f}{mean.accuracy:>10.3f}"
                    f"{mean.hard_price:>10.2f}{mean.hard_accuracy:>10.3f}",
                    flush=True,
                )
    options.out.mkdir(parents=True, exist_ok=True)
    header = ("data", "gates", "weight", "fold", *PricedPair._fields)
    print(f"Written: {program.write_csv(options.out / 'soft_prices.csv', header, rows)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
