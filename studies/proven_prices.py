"""`python -m studies.proven_prices --data FOLDER`: the cheapest tree at each accuracy, proved.

Four sets with real prices (Turney 1995), paid once, with groups, and without delays (heart has nine delayed
tests, one more than a proof takes). On all rows: the corners of error against expected price that no tree up
to `--depth` levels beats, over the generated tests, and how far greedy trees of the same depth are from them.
On five folds: what both do on rows that they were not learnt from.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from studies import price_sets
from studies.harness import program
from studies.soft_prices import without_delay
from thriftree import CARTClassifier, EnhancedTreeClassifier, OptimalTreeClassifier, TestCosts
from thriftree.costs.bound import prices_alone
from thriftree.learning.sample import rows_at
from thriftree.tree import Tree
from thriftree.whole_files import whole_file

ALPHAS: Final = (0.0, 0.002, 0.006, 0.02)
TRADE_OFFS: Final = (0.0, 0.3, 1.0, 3.0, 10.0, 100.0)
ASKINGS: Final = (None, 0.3, 3.0)  # in mean prices of a test, as `frontier` varies them
FOLD_DEPTH: Final = 3  # at most, on folds: there are many searches
MOST_ROWS: Final = 2_000  # of a set: thyroid has more
SEARCH_S: Final = 20.0  # of each search, unless told otherwise


class TreeAtPrice(NamedTuple):
    """A tree with its figures on the rows that it was learnt from."""

    price: float
    accuracy: float
    tree: Tree


def proven(
    X: Any, y: NDArray[Any], costs: TestCosts, depth: int, search_s: float = SEARCH_S
) -> tuple[list[TreeAtPrice], bool]:
    """The corners by rising price, and whether they are proved."""
    model = OptimalTreeClassifier(max_depth=depth, leaf_penalty=0.0, costs=costs, time_limit_s=search_s)
    points = model.price_path(X, y)[::-1]
    found = [TreeAtPrice(point.expected_cost, 1 - point.error, point.tree) for point in points]
    return found, all(point.proved for point in points)


def greedy(X: Any, y: NDArray[Any], costs: TestCosts, depth: int) -> list[TreeAtPrice]:
    """Greedy trees that no other of them beats, by rising price: CART by cost and benefit, and enhanced trees
    of many trade-offs, each pruned in several ways.
    """
    mean = float(np.mean(prices_alone(costs)))
    asked = [costs if times is None else replace(costs, asking=times * mean) for times in ASKINGS]
    models: list[Any] = [
        CARTClassifier(max_depth=depth, costs=prices, cost_benefit=benefit, alpha=alpha)
        for prices in asked
        for alpha in ALPHAS
        for benefit in (True, False)
    ]
    models += [
        EnhancedTreeClassifier(max_depth=depth, costs=prices, trade_off=trade_off, alpha=alpha)
        for prices in asked
        for alpha in ALPHAS
        for trade_off in TRADE_OFFS
    ]
    return unbeaten([_figures(model.fit(X, y).tree_, X, y) for model in models])


def unbeaten(trees: Sequence[TreeAtPrice]) -> list[TreeAtPrice]:
    """Those that no cheaper one is as accurate as, by rising price."""
    kept: list[TreeAtPrice] = []
    for one in sorted(trees, key=lambda tree: (tree.price, -tree.accuracy)):
        if not kept or one.accuracy > kept[-1].accuracy + 1e-12:
            kept.append(one)
    return kept


def _figures(tree: Tree, X: Any, y: NDArray[Any]) -> TreeAtPrice:
    return TreeAtPrice(tree.expected_cost(X), float(np.mean(tree.predict(X) == y)), tree)


def cheapest(trees: Sequence[TreeAtPrice], accuracy: float) -> float:
    """The least price of a corner of at least this accuracy; NaN where there is none. A tree between two
    corners may cost a little less.
    """
    return min((one.price for one in trees if one.accuracy >= accuracy - 1e-12), default=np.nan)


def draw(file: Path, depth: int, found: dict[str, tuple[list[TreeAtPrice], list[TreeAtPrice]]]) -> Path:
    """A picture for each set: proven corners and greedy trees."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    n = len(found)
    figure, axes = plt.subplots(1, n, figsize=(5.2 * n, 4.2), squeeze=False, layout="constrained")
    for ax, (name, (best, others)) in zip(axes[0], found.items(), strict=True):
        for trees, style, words in (
            (others, {"color": "#c05a00", "marker": "o"}, "greedy: the best of 96 trees"),
            (best, {"color": "#14508c", "marker": "s"}, "proven corners: no tree is cheaper and as good"),
        ):
            ax.step(
                [t.price for t in trees],
                [t.accuracy for t in trees],
                where="post",
                label=words,
                lw=1.5,
                **style,
            )
        ax.set_xscale("symlog", linthresh=1)
        ax.set_xlim(left=0)
        ax.set_title(f"{name}, trees of up to {depth} levels")
        ax.set_xlabel("expected price")
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set_ylabel("accuracy on the rows of fit")
        ax.grid(alpha=0.3)
        ax.legend(loc="lower right", fontsize=8)
    with whole_file(file) as temporary:
        figure.savefig(temporary, dpi=144, format="png")
    plt.close(figure)
    return file


def main(arguments: list[str] | None = None) -> int:
    """Run the study, print its tables, and write figures and picture."""
    about = "The cheapest tree at each accuracy, proved, beside greedy ones."
    parser = program.parser("proven_prices", about, price_sets.SOURCES)
    parser.add_argument("--depth", type=int, default=4, help="levels of the trees (default: %(default)s)")
    parser.add_argument(
        "--seconds", type=float, default=SEARCH_S, help="of each search (default: %(default)g)"
    )
    parser.add_argument("--picture", type=Path, default=None, help="where to draw the corners")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    rows: list[tuple[Any, ...]] = []
    drawn: dict[str, tuple[list[TreeAtPrice], list[TreeAtPrice]]] = {}
    for name in options.sets:
        data = price_sets.load(options.data, name)
        costs = without_delay(data.costs)
        some = np.sort(np.random.default_rng(0).permutation(len(data.y))[:MOST_ROWS])
        X, y = rows_at(data.X, some), data.y[some]
        best, proved = proven(X, y, costs, options.depth, options.seconds)
        others = greedy(X, y, costs, options.depth)
        drawn[name] = best, others
        print(f"{name}: {'proved' if proved else 'not proved to the end'}, depth {options.depth}")
        print(f"{'accuracy':>10}{'proven':>10}{'greedy':>10}{'times':>8}")
        for one in others[1:]:
            least = cheapest(best, one.accuracy)
            times = one.price / least if least > 0 else np.nan
            print(f"{one.accuracy:>10.3f}{least:>10.2f}{one.price:>10.2f}{times:>8.2f}")
            rows.append((name, "all rows", "", one.accuracy, least, one.price))
        rows += _folds(name, X, y, costs, min(options.depth, FOLD_DEPTH), options.seconds)
    options.out.mkdir(parents=True, exist_ok=True)
    header = ("data", "rows", "method", "accuracy", "price", "greedy_price")
    print(f"Written: {program.write_csv(options.out / 'proven_prices.csv', header, rows)}")
    if options.picture is not None:
        print(f"Drawn: {draw(options.picture, options.depth, drawn)}")
    return 0


def _folds(
    name: str, X: Any, y: NDArray[Any], costs: TestCosts, depth: int, search_s: float
) -> list[tuple[Any, ...]]:
    """What trees of both kinds do on other rows, by the price that they may have: medians of the greedy
    trees' prices divide them.
    """
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(np.zeros(len(y)), y))
    limits = [one.price for one in greedy(X, y, costs, depth)[1:]]
    limits = sorted({limits[0], float(np.median(limits)), limits[-1]}) if limits else []
    measured: dict[tuple[str, float], list[tuple[float, float]]] = {}
    for train, test in folds:
        X_train, X_test = rows_at(X, train), rows_at(X, test)
        for method, trees in (
            ("proven", proven(X_train, y[train], costs, depth, search_s)[0]),
            ("greedy", greedy(X_train, y[train], costs, depth)),
        ):
            for limit in limits:
                chosen = max(
                    (t for t in trees if t.price <= limit * (1 + 1e-9)), key=lambda t: t.accuracy
                ).tree
                right = float(np.mean(chosen.predict(X_test) == y[test]))
                measured.setdefault((method, limit), []).append((right, chosen.expected_cost(X_test)))
    made: list[tuple[Any, ...]] = []
    print(
        f"  on rows that were left out (depth {depth}), by what a tree may cost on those it was learnt from:"
    )
    for (method, limit), found in sorted(measured.items(), key=lambda item: (item[0][1], item[0][0])):
        accuracy, price = np.mean(found, axis=0)
        error = np.std([right for right, _ in found], ddof=1) / np.sqrt(len(found))
        print(f"  up to {limit:>8.2f}  {method}: accuracy {accuracy:.3f} ± {error:.3f}, price {price:.2f}")
        made.append((name, "left out", method, accuracy, price, limit))
    return made


if __name__ == "__main__":
    sys.exit(main())
