"""Methods compared over many data sets by their ranks: Friedman's test, and which methods differ.

Demšar 2006, "Statistical comparisons of classifiers over multiple data sets", JMLR 7; for Wilcoxon's tests
with Holm's correction Benavoli, Corani and Mangili 2016, "Should we really use post-hoc tests based on
mean-ranks?", JMLR 17.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
PostHoc: TypeAlias = Literal["nemenyi", "wilcoxon-holm"]


@dataclass(frozen=True, eq=False)
class RankComparison:
    """Average ranks of methods (1 is best; ties share their ranks), and which differ significantly.

    `cliques` are the largest runs of methods, in order of rank, of which no two differ; where Friedman's test
    finds no difference at all, that is one run of all of them. Arrays are in the order of `names`.
    """

    names: tuple[str, ...]
    ranks: Floats
    n_sets: int
    friedman_statistic: float  # chi-squared with k - 1 degrees of freedom, corrected for ties
    friedman_p: float
    alpha: float
    post_hoc: PostHoc
    critical_difference: float | None  # of ranks, Nemenyi's; None for Wilcoxon's tests
    p_values: Floats  # of every pair, adjusted for their number; 1 on the diagonal
    cliques: tuple[tuple[str, ...], ...]

    @property
    def significant(self) -> bool:
        """Whether Friedman's test finds that the methods differ."""
        return self.friedman_p < self.alpha

    def __str__(self) -> str:
        order = np.argsort(self.ranks, kind="stable")
        lines = [f"{self.names[i]}: {self.ranks[i]:.3f}" for i in order]
        lines.append(f"Friedman over {self.n_sets} sets: p = {self.friedman_p:.3g}")
        if self.critical_difference is not None:
            lines.append(f"critical difference at {self.alpha:g}: {self.critical_difference:.3f}")
        lines += [f"no difference shown: {', '.join(clique)}" for clique in self.cliques]
        return "\n".join(lines)


def compare_ranks(
    scores: Any,
    names: Sequence[str] | None = None,
    *,
    alpha: float = 0.05,
    post_hoc: PostHoc = "nemenyi",
    lower_is_better: bool = False,
) -> RankComparison:
    """Compares methods by their scores on the same data sets.

    Parameters
    ----------
    scores : array (sets x methods), data frame with a column for each method, or dict of a list for each
    names : the methods' names; None: the frame's or the dict's, or "method 1" and so on.
    alpha : the level of significance.
    post_hoc : "nemenyi": average ranks that are the critical difference or more apart differ.
        "wilcoxon-holm": exact signed-rank tests of pairs (zeros as Pratt does), with Holm's correction.
    lower_is_better : for errors and prices.

    Examples
    --------
    >>> accuracy = {"CART": [0.81, 0.72, 0.9, 0.7], "C4.5": [0.8, 0.7, 0.91, 0.6], "ID3": [0.7, 0.6, 0.8, 0]}
    >>> compared = compare_ranks(accuracy)
    >>> compared.ranks.tolist(), round(compared.critical_difference, 2)
    ([1.25, 1.75, 3.0], 1.66)
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1, not {alpha!r}")
    if post_hoc not in ("nemenyi", "wilcoxon-holm"):
        raise ValueError(f'post_hoc must be "nemenyi" or "wilcoxon-holm", not {post_hoc!r}')
    table, methods = _table(scores, names)
    n_sets, k = table.shape
    from scipy.stats import chi2, rankdata, studentized_range

    by_set = rankdata(table if lower_is_better else -table, axis=1)
    ranks = by_set.mean(axis=0)
    statistic = _friedman(by_set)
    friedman_p = float(chi2.sf(statistic, k - 1))
    difference: float | None = None
    if post_hoc == "nemenyi":
        unit = np.sqrt(k * (k + 1) / (12 * n_sets))  # the studentized range counts differences in these
        difference = float(studentized_range.ppf(1 - alpha, k, np.inf) * unit)
        gaps = np.abs(ranks[:, None] - ranks)
        p_values = np.asarray(studentized_range.sf(gaps / unit, k, np.inf))
        same = gaps < difference - 1e-12
    else:
        p_values = _holm(table)
        same = p_values > alpha
    if friedman_p >= alpha:
        same = np.ones((k, k), dtype=bool)
    np.fill_diagonal(p_values, 1.0)
    return RankComparison(
        methods,
        ranks,
        n_sets,
        statistic,
        friedman_p,
        alpha,
        post_hoc,
        difference,
        p_values,
        tuple(tuple(methods[i] for i in clique) for clique in _cliques(ranks, same)),
    )


def _table(scores: Any, names: Sequence[str] | None) -> tuple[Floats, tuple[str, ...]]:
    if isinstance(scores, Mapping) or hasattr(scores, "columns"):
        own = list(scores if isinstance(scores, Mapping) else scores.columns)
        columns = [_column(name, scores[name]) for name in own]
        if len({len(column) for column in columns}) > 1:
            lengths = ", ".join(f"{n} {len(c)}" for n, c in zip(own, columns, strict=True))
            raise ValueError(f"every method needs a score on every set, but their numbers differ: {lengths}")
        table = np.column_stack(columns)
    else:
        table = np.asarray(scores, dtype=np.float64)
        if table.ndim != 2:
            raise ValueError(f"scores must be a table of sets x methods, not of shape {table.shape}")
        own = [f"method {j + 1}" for j in range(table.shape[1])]
    methods = tuple(str(name) for name in (own if names is None else names))
    if len(methods) != table.shape[1]:
        raise ValueError(f"there are {table.shape[1]} methods, but {len(methods)} names")
    if len(set(methods)) < len(methods):
        raise ValueError(f"two methods have the same name: {', '.join(methods)}")
    if table.shape[0] < 2 or table.shape[1] < 2:
        raise ValueError(f"ranks need two methods and two sets at least, not a table of {table.shape}")
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(
            f"the score of {methods[column]!r} on set {row} is {table[row, column]}: "
            "leave out sets on which a method has no score"
        )
    return table, methods


def _column(name: Any, values: Any) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"column {name!r} of scores holds no numbers: {error}; leave it out") from error


def _friedman(by_set: Floats) -> float:
    """Friedman's chi-squared, corrected for ties; 0 if every set ties all methods."""
    k = by_set.shape[1]
    about = by_set - (k + 1) / 2
    spread = float((about**2).sum())  # n k (k^2 - 1) / 12 without ties
    return 0.0 if spread == 0 else float((k - 1) * (about.sum(axis=0) ** 2).sum() / spread)


def _holm(table: Floats) -> Floats:
    """Adjusted p-values of signed-rank tests of all pairs."""
    k = table.shape[1]
    pairs = list(combinations(range(k), 2))
    adjusted = holm(np.array([signed_rank_p(table[:, i] - table[:, j]) for i, j in pairs]))
    p_values = np.ones((k, k))
    for (i, j), p in zip(pairs, adjusted, strict=True):
        p_values[i, j] = p_values[j, i] = p
    return p_values


def holm(p_values: Floats) -> Floats:
    """Holm's adjusted p-values: the least level at which each of these tests rejects while the chance of any
    wrong rejection stays below the level (Holm 1979).
    """
    adjusted = np.empty(len(p_values))
    at_least = 0.0
    for place, number in enumerate(np.argsort(p_values, kind="stable")):
        at_least = max(at_least, min(1.0, float(p_values[number]) * (len(p_values) - place)))
        adjusted[number] = at_least
    return adjusted


def signed_rank_p(differences: Floats) -> float:
    """The two-sided p-value of Wilcoxon's signed-rank test, exact with ties too: every sign of every non-zero
    difference is as likely. Zeros take the lowest ranks and are then left out (Pratt 1959).
    """
    from scipy.stats import rankdata

    doubled = np.rint(2 * rankdata(np.abs(differences))).astype(np.int64)[differences != 0]
    positive = doubled[differences[differences != 0] > 0].sum()
    chance = np.ones(1)  # of each sum of doubled ranks
    for rank in doubled:
        longer = np.zeros(len(chance) + rank)
        longer[: len(chance)] += chance / 2
        longer[rank:] += chance / 2
        chance = longer
    return float(min(1.0, 2 * min(chance[: positive + 1].sum(), chance[positive:].sum())))


def _cliques(ranks: Floats, same: NDArray[np.bool_]) -> list[list[int]]:
    """The largest runs in order of rank of which all pairs are the same; runs of one are left out."""
    order = [int(i) for i in np.argsort(ranks, kind="stable")]
    runs: list[list[int]] = []
    end = 0
    for start in range(len(order)):
        last = start + 1
        while last < len(order) and all(same[order[last], i] for i in order[start:last]):
            last += 1
        if last - start > 1 and last > end:
            runs.append(order[start:last])
        end = max(end, last)
    return runs
