"""Paper 002's claims about the trees of MSI, each as a question that figures answer.

"The accuracy is fully comparable, and less than 2% smaller than the best of the other algorithms", with trees
of "one half (worst case) up to about two orders of magnitude fewer nodes". So:

- *accurate* is at most two points of accuracy below the best other learner;
- *far fewer nodes* is at most half of those of tuned CART, `TUNED_CART`;
- *shallower* is a smaller mean depth than that of every other learner.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from thriftree.studies.evaluation import Estimate
from thriftree.studies.self_tuning_methods import (
    METHODS,
    OURS,
    PAPER_CART,
    TREATMENTS,
    TUNED_CART,
)
from thriftree.studies.self_tuning_results import Results

POINTS = 0.02
HALF = 0.5

RIVALS = tuple(name for name in METHODS if name != OURS)


@dataclass(frozen=True)
class OfSet:
    """How one learner's trees on one data set compare with those of its rivals."""

    best: str  # the rival that is right most often
    behind: Estimate  # how much more often it is, in shares of the rows
    nodes: float
    tuned_nodes: float
    smallest: str  # the rival with the fewest nodes
    smallest_nodes: float
    depth: float
    shallowest: str
    least_depth: float
    beats_cart: bool  # more accurate than CART as the paper has it

    @property
    def accurate(self) -> bool:
        """Nearly as often right as the best rival."""
        return self.behind.mean <= POINTS

    @property
    def sure(self) -> bool:
        """Whether the whole interval says the same about accuracy. Not where there is no interval."""
        return self.behind.high <= POINTS or self.behind.low > POINTS

    @property
    def node_ratio(self) -> float:
        """To the nodes of tuned CART."""
        return self.nodes / self.tuned_nodes

    @property
    def far_fewer_nodes(self) -> bool:
        """Than tuned CART."""
        return self.node_ratio <= HALF

    @property
    def fewest_nodes(self) -> bool:
        """Fewer than any rival."""
        return self.nodes < self.smallest_nodes

    @property
    def shallower(self) -> bool:
        """Than any rival."""
        return self.depth < self.least_depth

    @property
    def holds(self) -> bool:
        """Both parts of the claim together."""
        return self.accurate and self.far_fewer_nodes


def can_be_judged(results: Results, learner: str = OURS) -> bool:
    """Whether the learners that the claims speak of were measured."""
    return {learner, PAPER_CART, TUNED_CART} <= set(results.scores)


def judge(results: Results, learner: str = OURS) -> OfSet:
    """Hold `learner`, a treatment of MSI, against all its rivals that were measured."""
    rivals = [name for name in results.scores if name in RIVALS]

    def lowest(score: str) -> str:
        return min(rivals, key=lambda name: results.mean(name, score))

    best = max(rivals, key=lambda name: results.mean(name, "accuracy"))
    smallest, shallowest = lowest("nodes"), lowest("depth")
    return OfSet(
        best=best,
        behind=results.difference(best, learner, "accuracy"),
        nodes=results.mean(learner, "nodes"),
        tuned_nodes=results.mean(TUNED_CART, "nodes"),
        smallest=smallest,
        smallest_nodes=results.mean(smallest, "nodes"),
        depth=results.mean(learner, "depth"),
        shallowest=shallowest,
        least_depth=results.mean(shallowest, "depth"),
        beats_cart=results.difference(learner, PAPER_CART, "accuracy").mean > 0,
    )


@dataclass(frozen=True)
class Total:
    """The same over all data sets: in how many each claim holds, and averages."""

    n_sets: int
    accurate: int
    beats_cart: int
    far_fewer_nodes: int
    fewest_nodes: int
    shallower: int
    holds: int
    behind: float  # mean over the sets
    node_ratio: float  # geometric mean over the sets

    @classmethod
    def of(cls, judged: Sequence[OfSet]) -> Total:
        """Count."""
        return cls(
            n_sets=len(judged),
            **{
                claim: sum(getattr(one, claim) for one in judged)
                for claim in (
                    "accurate",
                    "beats_cart",
                    "far_fewer_nodes",
                    "fewest_nodes",
                    "shallower",
                    "holds",
                )
            },
            behind=float(np.mean([one.behind.mean for one in judged])),
            node_ratio=float(np.exp(np.mean([np.log(one.node_ratio) for one in judged]))),
        )


def treatments_measured(every: Mapping[str, Results]) -> list[str]:
    """The treatments of short models that every data set has."""
    return [name for name in TREATMENTS if all(name in results.scores for results in every.values())]
