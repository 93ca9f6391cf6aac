"""What is in front of a soft tree: from standardised terms to the units that its gates weigh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from thriftree.columns import ColumnSchema
from thriftree.methods.soft.design import Design, Floats


class Backbone(Protocol):
    """A fitted network."""

    def units(self, terms: Floats) -> Floats:
        """Rows × units, of rows × terms."""


@dataclass(frozen=True, eq=False)
class HiddenLayer:
    """One layer: unit u of a row is tanh(offsets[u] + weights[u] · terms). It needs no torch."""

    weights: Floats  # units × terms
    offsets: Floats

    def units(self, terms: Floats) -> Floats:
        """Rows × units."""
        return np.asarray(np.tanh(terms @ self.weights.T + self.offsets))


@dataclass(frozen=True, eq=False)
class Module:
    """A module of torch, which somebody made and `fit` learned on."""

    module: Any  # in eval mode
    device: str

    def units(self, terms: Floats) -> Floats:
        """Rows × units."""
        import torch

        self.module.eval()
        with torch.no_grad():
            found = self.module(torch.from_numpy(terms).to(self.device, dtype_on(self.device)))
        return np.ascontiguousarray(found.cpu().numpy(), dtype=np.float64)


def dtype_on(device: str) -> Any:
    """On the CPU as soft trees have it; other devices are made for 32 bits."""
    import torch

    return torch.float64 if torch.device(device).type == "cpu" else torch.float32


def design_of_units(n_units: int) -> Design:
    """Columns of numbers that stand for themselves."""
    columns = tuple(ColumnSchema(f"unit {u}", "number") for u in range(n_units))
    return Design(columns, (False,) * n_units, np.zeros(n_units), np.ones(n_units))
