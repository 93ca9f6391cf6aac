"""Make the pictures of docs/guide/pictures.md: `python tools/make_pictures.py [folder]`.

The folder is docs/pictures if none is named. They show the heart data, and Demšar's scores.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from thriftree import CARTClassifier, OptimalTreeClassifier, SoftTreeClassifier, frontier, near_optimal
from thriftree.datasets import heart_prices, load_heart
from thriftree.plot import plot_critical_difference, plot_path, plot_search_history, plot_soft_tree
from thriftree.whole_files import whole_file, write_whole

# AUC on 14 sets: Demšar 2006, table 6.
DEMSAR = {
    "C4.5": [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.940, 0.619, 0.972, 0.957],
    "C4.5+m": [
        0.768,
        0.591,
        0.971,
        0.661,
        0.888,
        0.931,
        0.668,
        0.583,
        0.838,
        1.0,
        0.962,
        0.666,
        0.981,
        0.978,
    ],
    "C4.5+cf": [
        0.771,
        0.590,
        0.968,
        0.654,
        0.886,
        0.916,
        0.609,
        0.563,
        0.866,
        1.0,
        0.965,
        0.614,
        0.975,
        0.946,
    ],
    "C4.5+m+cf": [
        0.798,
        0.569,
        0.967,
        0.657,
        0.898,
        0.931,
        0.685,
        0.625,
        0.875,
        1.0,
        0.962,
        0.669,
        0.975,
        0.970,
    ],
}


def make(folder: Path) -> list[Path]:
    """Writes every picture and returns where it is."""
    mpl.use("Agg")
    X, y = load_heart()
    costs = heart_prices()
    small = CARTClassifier(max_leaves=8, costs=costs).fit(X, y)
    row = X.iloc[17]
    way = [int(node) for node in small.decision_path(X.iloc[17:18]).indices]
    wide = CARTClassifier(max_depth=4, min_leaf=5, costs=costs).fit(X, y)
    pain = X["chest_pain"]
    large = CARTClassifier(max_leaves=60).fit(X.drop(columns="chest_pain"), pain)
    return [
        _svg(folder / "tree.svg", small, path=way),
        _svg(folder / "tree_left_right.svg", wide),
        _svg(folder / "tree_60_leaves.svg", large),
        _png(folder / "path.png", plot_path(small, row)),
        _png(folder / "critical_difference.png", plot_critical_difference(DEMSAR, alpha=0.1)),
        _png(folder / "optimal.png", plot_search_history(_searched())),
        _png(folder / "near_optimal.png", _shares_asked(X, y)),
        _png(folder / "soft_tree.png", plot_soft_tree(*_soft())),
        _png(folder / "frontier.png", frontier(X, y, costs, random_state=0).plot()),
    ]


def _soft() -> tuple[SoftTreeClassifier, Any]:
    """Gates of one number each, and the rows that they are learned from."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    return SoftTreeClassifier(gates="axis", max_depth=2).fit(X, y), X


def _searched() -> OptimalTreeClassifier:
    """A proof of some seconds, whose bound rises in steps: many columns that know a little of the class."""
    random = np.random.default_rng(3)
    signal = random.normal(size=(2_000, 5))
    X = (signal @ random.normal(size=(5, 40)) + random.normal(size=(2_000, 40)) > 0).astype(np.uint8)
    y = (signal[:, 0] * signal[:, 1] + 0.5 * signal[:, 2] + random.normal(scale=0.7, size=2_000)) > 0
    model = OptimalTreeClassifier(leaf_penalty=0.003, max_depth=6)
    model.fit(X, y)
    return model


def _shares_asked(X: Any, y: Any) -> Any:
    """Of each feature the least and the largest share of rows that a nearly best tree asks it."""
    found = near_optimal(X, y, slack=0.01, max_depth=3)
    shares = sorted(found.shares_asked().items(), key=lambda item: (item[1][1], item[1][0]))
    _, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for at, (_, (least, most)) in enumerate(shares):
        ax.plot([100 * least, 100 * most], [at, at], color="#0072b2", linewidth=6, solid_capstyle="round")
    ax.set_yticks(range(len(shares)), [name.replace("_", " ") for name, _ in shares])
    ax.set_xlim(-2, 102)
    ax.set_xlabel("share of the rows that are asked, from the least to the largest, %")
    ax.set_title(f"What {found.count():,} trees within 0.01 of the best ask", loc="left")
    ax.grid(axis="x", alpha=0.3)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax


def _svg(file: Path, model: Any, **options: Any) -> Path:
    write_whole(file, model.tree_.to_svg(width=1280, **options))
    return file


def _png(file: Path, ax: Any) -> Path:
    with whole_file(file) as temporary:
        ax.figure.savefig(temporary, dpi=144, format="png")
    return file


def main() -> None:
    """Makes the pictures where the command line says."""
    folder = (
        Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1] / "docs" / "pictures"
    )
    for path in make(folder):
        print(f"{path} {path.stat().st_size / 1000:.0f} KB")


if __name__ == "__main__":
    main()
