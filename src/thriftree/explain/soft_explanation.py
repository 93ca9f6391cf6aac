"""What a soft tree says of one row and why: how it flows through the gates, and what pushes it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

_LEAST: Final = 0.01  # gates and leaves that are reached with less are not told of
_MOST_TERMS: Final = 4
_MOST_CLASSES: Final = 4


@dataclass(frozen=True)
class GateStep:
    """One gate that the row may pass."""

    gate: int
    reach: float  # the probability of reaching it
    left: float  # the probability of going left, once there
    offset: float
    pushes: dict[str, float]  # by term what it adds to the gate's sum, largest first: above 0 to the left


@dataclass(frozen=True)
class LeafShare:
    """One leaf that the row may reach."""

    leaf: int
    reach: float
    says: float | dict[str, float]  # the number, or the probability of each class


@dataclass(frozen=True)
class SoftExplanation:
    """The answer to one row, and the gates and leaves that it comes from. `str()` is for people."""

    answer: Any  # the class or the number
    probabilities: dict[str, float] | None  # by class
    gates: tuple[GateStep, ...]
    leaves: tuple[LeafShare, ...]
    expected_cost: float
    has_prices: bool

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [_headline(self), _price(self), ""]
        lines += [line for step in self.gates if step.reach >= _LEAST for line in _gate(step)]
        lines += [
            f"leaf {one.leaf} ({one.reach:.0%}): {_says(one.says)}"
            for one in sorted(self.leaves, key=lambda one: -one.reach)
            if one.reach >= _LEAST
        ]
        return "\n".join(lines)


def _headline(explanation: SoftExplanation) -> str:
    if explanation.probabilities is None:
        return f"{explanation.answer:.4g}"
    return f"{explanation.answer}: {_says(explanation.probabilities)}"


def _price(explanation: SoftExplanation) -> str:
    if explanation.has_prices:
        return f"expected price {explanation.expected_cost:.2f}"
    return f"{explanation.expected_cost:.2f} gates to pass, on average"


def _gate(step: GateStep) -> list[str]:
    pushes = list(step.pushes.items())
    told = ", ".join(f"{name} {value:+.2f}" for name, value in pushes[:_MOST_TERMS])
    rest = pushes[_MOST_TERMS:]
    more = f", {_others(len(rest))} {sum(value for _, value in rest):+.2f}" if rest else ""
    return [
        f"gate {step.gate} ({step.reach:.0%}): left {step.left:.0%}, right {1 - step.left:.0%}",
        f"    offset {step.offset:+.2f}, {told}{more}" if told else f"    offset {step.offset:+.2f}",
    ]


def _says(answer: float | dict[str, float]) -> str:
    if not isinstance(answer, dict):
        return f"{answer:.4g}"
    shares = sorted(answer.items(), key=lambda pair: -pair[1])
    told = [f"{name} {share:.0%}" for name, share in shares[:_MOST_CLASSES]]
    rest = [share for _, share in shares[_MOST_CLASSES:]]
    told += [f"{_others(len(rest))} {sum(rest):.0%}"] if rest else []
    return ", ".join(told)


def _others(count: int) -> str:
    return f"{count} other{'' if count == 1 else 's'}"
