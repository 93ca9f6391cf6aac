"""Parameters that one learner has alone, and large tables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from corpus import tables
from corpus.learners import fit_recipe, written
from corpus.recipe import CorpusFit, Parameters

_PEOPLE = partial(tables.people, 400, 31, 0.05)
_FOUR = partial(tables.people, 500, 32, 0.0, 4)
_NUMBERS = partial(tables.numbers, 600, 5, 3, 33)
_TIES = partial(tables.numbers, 500, 5, 3, 34, 4)
_EARNINGS = partial(tables.earnings, 400, 35, 0.05)
_LARGE = partial(tables.numbers, 20_000, 6, 3, 36)
_LARGE_PEOPLE = partial(tables.people, 5_000, 37, 0.05)


def recipes() -> Iterator[CorpusFit]:
    """One learner after the other, then the large tables."""
    yield from _of_one_learner()
    yield from _large()


def _of_one_learner() -> Iterator[CorpusFit]:
    for parameters in (
        {"alpha_split": 0.5, "alpha_merge": 0.3, "alpha_resplit": 0.2},
        {"alpha_resplit": None},
        {"exhaustive": True},
        {"statistic": "likelihood_ratio"},
        {"bonferroni": False, "max_depth": 3},
        {"max_bins": None, "max_depth": 2},
    ):
        yield fit_recipe(f"CHAID/{written(parameters)}", "CHAIDClassifier", parameters, _FOUR)
    for bound in ("1", "S", "V", None):
        yield fit_recipe(f"PUBLIC/bound {bound}", "PUBLICClassifier", {"bound": bound}, _FOUR)
    for parameters in (
        {"alpha_select": 0.5},
        {"pruning": None, "min_leaf": 8},
        {"alpha": "cv"},
        {"max_depth": 3},
    ):
        # On numbers alone: its way with categories goes through a singular value decomposition.
        yield fit_recipe(f"QUEST/{written(parameters)}", "QUESTClassifier", parameters, _NUMBERS)
    for compressor in ("bz2", "zlib", "lzma"):
        parameters = {"compressor": compressor}
        quick = compressor != "lzma"
        yield fit_recipe(
            f"MSI/{compressor}", "MSIClassifier", parameters, partial(tables.people, 120, 38), quick=quick
        )
    for combine in ("arithmetic", "geometric", "euclidean", "sum", "product"):
        for short in ("clip", "literal"):
            parameters = {"combine": combine, "short_models": short}
            yield fit_recipe(f"MSI/{combine}, {short}", "MSIClassifier", parameters, _TIES)
    optimal: tuple[Parameters, ...] = (
        {"leaf_penalty": 0.0},
        {"leaf_penalty": 0.01, "max_depth": 2, "thresholds": "all"},
        {"leaf_penalty": 0.005, "max_depth": 5, "lookahead": 3, "beam": 2},
        {"leaf_penalty": 0.01, "max_depth": 4, "max_leaves": 6, "min_leaf": 8},
        {"leaf_penalty": 0.01, "class_weight": "balanced", "error_costs": [[0, 1, 4], [1, 0, 2], [3, 1, 0]]},
    )
    for given in optimal:
        yield fit_recipe(f"optimal/{written(given)}", "OptimalTreeClassifier", given, _TIES, quick=False)
    yield fit_recipe(
        "optimal/weights", "OptimalTreeClassifier", {"leaf_penalty": 0.01}, _PEOPLE, "float", quick=False
    )
    for bins in (2, 60):
        parameters = {"target_bins": bins}
        yield fit_recipe(f"target bins/{bins}", "EnhancedTreeRegressor", parameters, _EARNINGS)
    yield fit_recipe("weighted pairs", "ImpurePairsClassifier", {"weighted": True}, _PEOPLE, "float")
    for learner in ("EnhancedTreeClassifier", "ImpurePairsClassifier", "BalancedClassifier"):
        yield fit_recipe(f"branches/{learner}", learner, {"multiway": True, "min_mass": 0.01}, _FOUR)


def _large() -> Iterator[CorpusFit]:
    for name, learner, parameters in (
        ("CART", "CARTClassifier", {"min_leaf": 20}),
        ("CART in bins", "CARTClassifier", {"max_bins": 255}),
        ("CART best first", "CARTClassifier", {"max_leaves": 60, "max_bins": 100, "binning": "kmeans"}),
        ("C45", "C45Classifier", {"min_leaf": 10}),
        ("enhanced", "EnhancedTreeClassifier", {"max_bins": 64, "min_mass": 0.002}),
    ):
        yield fit_recipe(f"large/{name}", learner, parameters, _LARGE, quick=False)
        two = {**parameters, "n_jobs": 2}
        yield fit_recipe(
            f"large/{name}, two threads", learner, two, _LARGE, quick=False, same_as=f"large/{name}"
        )
    for learner in (
        "CARTClassifier",
        "C45Classifier",
        "PUBLICClassifier",
        "CHAIDClassifier",
        "EnhancedTreeClassifier",
    ):
        yield fit_recipe(f"large/people/{learner}", learner, {"min_leaf": 3}, _LARGE_PEOPLE, quick=False)
