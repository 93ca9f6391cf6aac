"""One target for all parts: classes, units, centre and weights as a local fit has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thriftree import _core
from thriftree.distributed.coded_part import CodedPart, TargetSpec
from thriftree.distributed.parts import Parts
from thriftree.distributed.summaries import PartSummary
from thriftree.learning.targets import AnyArray, Floats
from thriftree.learning.weight_sums import as_float, in_units


def agreed_classes(summaries: Sequence[PartSummary]) -> AnyArray:
    """The classes of all parts, in sorted order."""
    told = [(s.target.classes, s.index) for s in summaries if s.target.classes is not None]
    first, where = told[0]
    for classes, part in told[1:]:
        if _label_kind(classes) != _label_kind(first):
            raise TypeError(
                f"y holds {_label_kind(first)} in part {where}, but {_label_kind(classes)} in part {part}: "
                "convert them to one type"
            )
    return np.unique(np.concatenate([classes for classes, _ in told]))


def _label_kind(classes: AnyArray) -> str:
    return {"b": "booleans", "i": "numbers", "u": "numbers", "f": "numbers"}.get(
        classes.dtype.kind, "strings"
    )


@dataclass(frozen=True)
class WeightNews:
    """What the growth weights, or the sample weights, of a part are."""

    least: float
    most: float
    n_rows: int


def settled(parts: Parts, spec: TargetSpec, n_rows: int, weighs_one: bool) -> tuple[TargetSpec, Any]:
    """The spec with its scale, and the header of all rows."""
    header = _core.TargetHeader()
    header.n_rows = header.total = n_rows
    header.n_classes = spec.n_classes
    header.unit_samples = weighs_one
    factors = _factors(spec)
    if spec.priors is not None and not (spec.priors == 1).all():
        header.priors = spec.priors.tolist()
    if factors is not None:
        header.class_factors = factors.tolist()
    scale: dict[str, Any] = {"unit_samples": weighs_one}
    header.weighted = not weighs_one or factors is not None
    header.samples = not weighs_one and factors is not None
    if header.weighted:
        scale["growth_floor"], scale["growth_unit"] = _floor_and_unit(parts, factors, not spec.n_classes)
    if header.samples:
        scale["sample_floor"], scale["sample_unit"] = _floor_and_unit(parts, None, False)
    if not spec.n_classes:
        low, high = parts.reduce(_range, _wider)
        scale["center"] = low if low == high else low / 2 + high / 2
        header.set_moment_units(*parts.reduce(_largest, _larger, scale["center"]))
        scale["moment_unit"], scale["square_unit"] = header.moment_unit, header.square_unit
        header.n_bins = spec.n_bins
    for name, value in scale.items():
        setattr(header, name, value)
    spec = replace(spec, scale=scale)
    if header.weighted:
        header.total, header.lightest, header.heaviest = parts.reduce(_fixed, _fixed_sum, spec)
    return spec, header


def _factors(spec: TargetSpec) -> Floats | None:
    """Class weight times prior of each class; None where all are 1."""
    factors = np.ones(spec.n_classes)
    for given in (spec.class_weight, spec.priors):
        factors = factors if given is None else factors * given
    return None if (factors == 1).all() else factors


def _floor_and_unit(parts: Parts, factors: Floats | None, of_numbers: bool) -> tuple[float, float]:
    """What light weights are lifted to, and the unit of the fixed point."""
    least, most = parts.reduce(_extremes, _wider, factors)
    total = as_float(parts.reduce(_units, _plus, factors, 0.0, most), most)
    if of_numbers:
        _core.refuse_weights_to_lift(least, most, total)
    floor = _core.weight_floor(total)
    if least < floor:
        total = as_float(parts.reduce(_units, _plus, factors, floor, most), most)
    return floor, _core.weight_unit(total)


def _weights(part: CodedPart, factors: Floats | None) -> Floats:
    weight = np.ones(len(part)) if part.weight is None else part.weight
    return weight if factors is None else weight * factors[part.y]


def _extremes(part: CodedPart, factors: Floats | None) -> tuple[float, float]:
    if not len(part):
        return np.inf, -np.inf
    weights = _weights(part, factors)
    return float(weights.min()), float(weights.max())


def _wider(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    return min(a[0], b[0]), max(a[1], b[1])


def _larger(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    return max(a[0], b[0]), max(a[1], b[1])


def _units(part: CodedPart, factors: Floats | None, floor: float, most: float) -> int:
    return in_units(np.maximum(_weights(part, factors), floor), most)


def _plus(a: Any, b: Any) -> Any:
    return a + b


def _range(part: CodedPart) -> tuple[float, float]:
    return (float(part.y.min()), float(part.y.max())) if len(part) else (np.inf, -np.inf)


def _largest(part: CodedPart, center: float) -> tuple[float, float]:
    if not len(part):
        return 0.0, 0.0
    distance = part.y - center
    moment = distance if part.weight is None else part.weight * distance
    return float(np.abs(moment).max()), float(np.abs(moment * distance).max())


def _fixed(part: CodedPart, spec: TargetSpec) -> tuple[int, int, int]:
    if not len(part):
        return 0, np.iinfo(np.int64).max, 0
    growth = spec.target(part.y, part.weight).growth
    return int(growth.sum()), int(growth.min()), int(growth.max())


def _fixed_sum(a: tuple[int, int, int], b: tuple[int, int, int]) -> tuple[int, int, int]:
    return a[0] + b[0], min(a[1], b[1]), max(a[2], b[2])


def class_sums(part: CodedPart, n_classes: int, most: float) -> list[int]:
    """Of each class its weight, in units of the largest; rows without weights count."""
    if part.weight is None:
        return [in_units(np.ones(1), most) * int(n) for n in np.bincount(part.y, minlength=n_classes)]
    return [in_units(part.weight[part.y == k], most) for k in range(n_classes)]


def add_lists(a: list[int], b: list[int]) -> list[int]:
    """Element by element."""
    return [x + y for x, y in zip(a, b, strict=True)]
