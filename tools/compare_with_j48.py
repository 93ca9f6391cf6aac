"""C45Classifier beside Weka's J48 on the same splits of the same tables.

    python tools/compare_with_j48.py --data DIR --splits 10            pruned trees, both programs' defaults
    python tools/compare_with_j48.py --data DIR --splits 10 --unpruned grown and collapsed trees only

Prints one line of a Markdown table a data set. Needs Java and Debian's package weka.
"""

import argparse
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from weka_j48 import J48Tree, j48

from thriftree import C45Classifier, _core
from thriftree.tree import Tree

#: Sets without missing values. Each class has two rows or more, so that splits can be stratified.
DATA_SETS = (
    "iris", "sonar", "ionosphere", "wdbc", "pima", "tic-tac-toe", "yeast", "wine-quality-red", "obesity",
    "segment", "spambase", "page-blocks", "satellite", "phishing-websites",
)  # fmt: skip


@dataclass(frozen=True)
class ComparedSplit:
    """One split of one table: both programs' trees on it."""

    weka: J48Tree
    n_leaves: int
    accuracy: float
    same_root: bool  # the same column, dividing the training rows in the same way


def compare(table: pl.DataFrame, n_splits: int, *, unpruned: bool = False) -> list[ComparedSplit]:
    """Compare on random splits, 70 % of the rows to grow on; the last column of the table is the class."""
    rows = np.arange(table.height)
    parts = [
        train_test_split(rows, test_size=0.3, random_state=seed, stratify=table.to_series(-1).to_numpy())
        for seed in range(n_splits)
    ]
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda part: _compare_once(table, part[0], part[1], unpruned), parts))


def _compare_once(
    table: pl.DataFrame, train: NDArray[np.intp], test: NDArray[np.intp], unpruned: bool
) -> ComparedSplit:
    weka = j48(table, train, test, *(["-U"] if unpruned else []))
    X, y = table[:, :-1], table.to_series(-1).to_numpy()
    model = C45Classifier(pruning=None if unpruned else "error_based").fit(X[train], y[train])
    tree = _collapsed(model.tree_) if unpruned else model.tree_
    return ComparedSplit(
        weka=weka,
        n_leaves=tree.n_leaves,
        accuracy=float(np.mean(tree.predict(X[test]) == y[test])),
        same_root=_same_root(weka, tree, X[train]),
    )


def _collapsed(tree: Tree) -> Tree:
    """Without the subtrees that make no fewer errors in training than a leaf, as J48 -U prints it."""
    core = tree.core
    errors = core.weight - core.value[np.arange(core.n_nodes), core.label]
    return Tree(_core.prune_reduced_error(core, errors), tree.columns, tree.classes)


def _same_root(weka: J48Tree, tree: Tree, X: pl.DataFrame) -> bool:
    """J48 prints a value of the column as threshold, to six decimals; ours lies midway to the next."""
    column = int(tree.core.column[0])
    if weka.root_column is None or column < 0:
        return weka.root_column is None and column < 0
    if weka.root_column != column:
        return False
    if weka.root_threshold is None:
        return True
    values = np.unique(X.to_series(column).to_numpy())
    last_on_the_left = values[np.abs(values - weka.root_threshold).argmin()]
    return bool(last_on_the_left == values[values <= tree.core.keys[0]].max())


def table_lines(folder: Path, names: list[str], n_splits: int, *, unpruned: bool) -> Iterator[str]:
    """Yield the comparison as a Markdown table, a line as soon as it is known."""
    yield "| set | rows | J48 leaves | our leaves | J48 accuracy | our accuracy | difference | same root |"
    yield "|---|---|---|---|---|---|---|---|"
    for name in names:
        table = pl.read_parquet(folder / f"{name}.parquet")
        splits = compare(table, n_splits, unpruned=unpruned)
        theirs = [split.weka for split in splits]
        j48_leaves, leaves = (np.mean([tree.n_leaves for tree in side]) for side in (theirs, splits))
        j48_hits, hits = (100 * np.mean([tree.accuracy for tree in side]) for side in (theirs, splits))
        roots = sum(split.same_root for split in splits)
        yield (
            f"| {name} | {table.height} | {j48_leaves:.1f} | {leaves:.1f} | {j48_hits:.2f} | {hits:.2f} "
            f"| {hits - j48_hits:+.2f} | {roots} of {n_splits} |"
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, required=True, help="folder of the data sets, one Parquet file each"
    )
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument(
        "--unpruned", action="store_true", help="compare J48 -U with trees that are only collapsed"
    )
    parser.add_argument("sets", nargs="*", default=DATA_SETS)
    arguments = parser.parse_args()
    for line in table_lines(arguments.data, arguments.sets, arguments.splits, unpruned=arguments.unpruned):
        print(line, flush=True)


if __name__ == "__main__":
    main()
