"""Conditions on numbers in languages that write them as C does."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from thriftree.explain.values import Interval


def number_condition(
    x: str, intervals: tuple[Interval, ...], missing: bool, is_nan: str, literal: Callable[[float], str]
) -> str:
    """That `x` is in one of the intervals (open below, closed above), or NaN if `missing`.

    `is_nan` names the function that tells a NaN, `literal` writes a cut.
    """
    parts = [_interval(x, low, high, is_nan, literal) for low, high in intervals]
    parts += [f"{is_nan}({x})"] if missing else []
    return " || ".join(f"({part})" if " && " in part and len(parts) > 1 else part for part in parts)


def _interval(x: str, low: float, high: float, is_nan: str, literal: Callable[[float], str]) -> str:
    if low == -inf:
        return f"!{is_nan}({x})" if high == inf else f"{x} <= {literal(high)}"
    above = f"{x} > {literal(low)}"
    return above if high == inf else f"{above} && {x} <= {literal(high)}"
