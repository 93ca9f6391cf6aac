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

from studies.self_tuning.methods import METHODS, OURS, PAPER_CART, TREATMENTS, TUNED_CART
from studies.self_tuning.results import DivisionResults
from studies.statistics import geometric_mean
from thriftree.tuning.estimates import Estimate

POINTS = 0.02
HALF = 0.5

SHUTTLE = "shuttle"  # the one data set of which the paper gives a number of nodes

PAPER_RIVALS = (PAPER_CART, "C4.5", "CHAID", "PUBLIC")


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


def can_be_judged(results: DivisionResults, learner: str = OURS) -> bool:
    """Whether the learners that the claims speak of were measured."""
    return {learner, PAPER_CART, TUNED_CART} <= set(results.scores)


def rivals_of(learner: str) -> list[str]:
    """All other learners; the treatments of MSI are no rivals of each other, nor of any one else."""
    same = TREATMENTS if learner in TREATMENTS else (learner,)
    return [name for name in METHODS if name not in same]


def judge(results: DivisionResults, learner: str = OURS, against: Sequence[str] | None = None) -> OfSet:
    """Hold `learner` against its rivals, or those of `against`, as far as they were measured."""
    rivals = [name for name in against or rivals_of(learner) if name in results.scores]

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
            node_ratio=geometric_mean([one.node_ratio for one in judged]),
        )


@dataclass(frozen=True)
class Statement:
    """A number that the paper gives of its trees, and the same of several learners here."""

    text: str
    paper: float
    found: Mapping[str, float]

    def nearest(self) -> list[str]:
        """The learners that come nearest, all of equals."""
        distance = {name: abs(value - self.paper) for name, value in self.found.items()}
        return [name for name in distance if distance[name] == min(distance.values())]


def statements(every: Mapping[str, DivisionResults], learners: Sequence[str]) -> list[Statement]:
    """What the paper says of twelve data sets, counted in those of `every`."""
    totals = {name: Total.of([judge(results, name) for results in every.values()]) for name in learners}
    counted = [
        Statement(text, paper, {name: getattr(total, claim) for name, total in totals.items()})
        for text, paper, claim in (
            ("data sets where it is accurate", 12, "accurate"),
            ("data sets where it is more accurate than CART", 3, "beats_cart"),
            ("data sets where it has fewer nodes than all others", 11, "fewest_nodes"),
            ("data sets where it is shallower than all others", 9, "shallower"),
        )
    ]
    behind = {name: 100 * total.behind for name, total in totals.items()}
    counted.append(Statement("points behind the best other, on average (below 2)", 2, behind))
    if SHUTTLE in every:
        nodes = {name: every[SHUTTLE].mean(name, "nodes") for name in learners}
        counted.append(Statement("nodes on shuttle", 28, nodes))
    return counted


def treatments_measured(every: Mapping[str, DivisionResults]) -> list[str]:
    """The treatments of short models that every data set has."""
    return [name for name in TREATMENTS if all(name in results.scores for results in every.values())]
