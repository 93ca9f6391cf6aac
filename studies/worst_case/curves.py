"""Error against max-cost of the trees of paper 001's impurities on one data set."""

from __future__ import annotations

import numpy as np

from studies.worst_case.findings import HINGED, POWERS, WITHOUT_OFFSET, Curves, Point
from studies.worst_case.sets import ObjectSet
from thriftree import HingedPairs, Powers, WorstCaseTreeClassifier, error_cost_curve

N_HINGES = 200
LEAST_HINGE = 0.05  # of an object


def curves(data: ObjectSet) -> Curves:
    """The trees of all tolerances for the Powers, of many α for the hinged-Pairs. Every test costs 1."""
    n_objects = len(data.y)
    epsilons = hinges(n_objects)
    found = error_cost_curve(
        data.X,
        data.y,
        impurities=[*(Powers(int(name.removeprefix("Powers "))) for name in POWERS), "hinged"],
        epsilons=epsilons,
        multiway="all",
    )
    of_curves = {
        name: [
            _point(
                point.worst_case_cost,
                point.training_error,
                point.tolerance if point.alpha is None else point.alpha,
                point.leaves,
                n_objects,
            )
            for point in points
        ]
        for name, points in zip((*POWERS, HINGED), found.curves.values(), strict=True)
    }
    return {**of_curves, WITHOUT_OFFSET: [_without_offset(data, epsilon) for epsilon in epsilons]}


def hinges(n_objects: int) -> list[float]:
    """Shares of the objects: none, and by equal factors from a part of one object to half of all."""
    return [0.0, *np.geomspace(LEAST_HINGE / n_objects, 0.5, N_HINGES).tolist()]


def _without_offset(data: ObjectSet, epsilon: float) -> Point:
    """The tree of hinged-Pairs as the paper's Figure 1 has it."""
    impurity = HingedPairs(epsilon=epsilon, offset=False)
    model = WorstCaseTreeClassifier(impurity=impurity, multiway="all").fit(data.X, data.y)
    alpha = float(model.impurity_.alpha)
    return _point(model.worst_case_cost_, model.training_error_, alpha, model.tree_.n_leaves, len(data.y))


def _point(worst_case: float, error: float, parameter: float, leaves: int, n_objects: int) -> Point:
    """The error is of whole objects: equal errors are equal numbers."""
    return Point(int(worst_case), round(error * n_objects) / n_objects, parameter, leaves)
