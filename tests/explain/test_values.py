"""Sets of values behave as sets."""

from __future__ import annotations

from math import inf

from hypothesis import given
from hypothesis import strategies as st

from thriftree.explain.values import Values, union

ENDS = (-inf, -1.0, 0.0, 1.0, 2.0, inf)
NUMBERS = (-5.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 9.0)  # one inside and one at the end of each interval


def sets() -> st.SearchStrategy[Values]:
    """Sets of numbers with those ends, or of categories: a column has one or the other."""
    intervals = st.sets(st.sampled_from(range(5))).map(_intervals)
    codes = st.frozensets(st.sampled_from(range(3)))
    return st.one_of(
        st.builds(Values, intervals, st.just(frozenset()), st.booleans(), st.just(False)),
        st.builds(Values, st.just(()), codes, st.booleans(), st.booleans()),
    )


def _intervals(parts: set[int]) -> tuple[tuple[float, float], ...]:
    return union(Values(((ENDS[i], ENDS[i + 1]),), frozenset(), False, False) for i in parts).intervals


def members(values: Values) -> set[str]:
    numbers = [x for x in NUMBERS if any(low < x <= high for low, high in values.intervals)]
    words = ["missing"] * values.missing + ["other"] * values.other
    return {*words, *(f"number {x}" for x in numbers), *(f"category {code}" for code in values.codes)}


@given(sets(), sets())
def test_intersection_union_and_difference_have_the_members_of_sets(one: Values, other: Values) -> None:
    assert members(one & other) == members(one) & members(other)
    assert members(union([one, other])) == members(one) | members(other)
    assert members(one - other) == members(one) - members(other)
    assert bool(one) == bool(members(one))


@given(sets(), sets())
def test_a_union_of_parts_is_the_whole_again(one: Values, other: Values) -> None:
    assert union([one - other, one & other]) == one
