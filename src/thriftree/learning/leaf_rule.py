"""What a branch of a test must keep."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral


@dataclass(frozen=True)
class LeafRule:
    """So many rows, and such a share of the whole weight. The default asks for nothing."""

    rows: int = 1
    share: float = 0.0

    @classmethod
    def of(cls, min_leaf: float, min_weight_fraction_leaf: float) -> LeafRule:
        """The rule that the two parameters make: both hold, so that of two shares the larger does."""
        if isinstance(min_leaf, Integral):
            return cls(int(min_leaf), float(min_weight_fraction_leaf))
        return cls(share=max(float(min_leaf), float(min_weight_fraction_leaf)))

    def least_weight(self, whole: float) -> float:
        """The weight a branch must keep; the slack is for shares that are met exactly but for rounding."""
        return self.share * whole * (1 - 1e-12)
