"""PUBLICClassifier with each of its bounds: the same tree, fewer nodes split.

    python tools/compare_bounds.py --data DIR

Prints one line of a Markdown table a data set, once all its trees are found to be the same. Times are of
whole fits, the best of three, as a share of the time without bounds.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import polars as pl

from thriftree import PUBLICClassifier

DATA_SETS = (
    "pima", "yeast", "letter", "magic", "default-credit", "electricity", "bank-marketing", "shuttle",
    "diabetic",
)  # fmt: skip
BOUNDS = (None, "1", "S", "V")


def compare(table: pl.DataFrame, repeats: int = 3) -> tuple[PUBLICClassifier, list[int], list[float]]:
    """One of the trees; nodes split and seconds for each bound. The last column of the table is the class."""
    X, y = table[:, :-1], table.to_series(-1).to_numpy()
    models = [PUBLICClassifier(bound=bound) for bound in BOUNDS]
    seconds = np.full(len(BOUNDS), np.inf)
    for _ in range(repeats):
        for i, model in enumerate(models):
            start = time.perf_counter()
            model.fit(X, y)
            seconds[i] = min(seconds[i], time.perf_counter() - start)
    if len({model.tree_.to_json() for model in models}) > 1:
        raise SystemExit("the trees differ")
    return models[0], [model.n_expanded_ for model in models], seconds.tolist()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets, as .parquet")
    args = parser.parse_args()
    print("| set | rows | leaves | split without | 1 | S | V | time of 1 | S | V |")
    print("|---" * 10 + "|")
    for name in DATA_SETS:
        table = pl.read_parquet(args.data / f"{name}.parquet")
        model, split, seconds = compare(table)
        times = [f"{s / seconds[0]:.2f}" for s in seconds[1:]]
        cells = [name, table.height, model.tree_.n_leaves, *split, *times]
        print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    main()
