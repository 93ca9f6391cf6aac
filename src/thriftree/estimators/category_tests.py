"""Which tests of categories an estimator offers, from its parameters."""

from __future__ import annotations

from typing import Any, Final

from thriftree.learning import growth

# What the core takes for None: sets are as free as in the papers.
_FREE: Final = {
    "subset_smoothing": 0.0,
    "subset_min_rows": 1,
    "subset_max_categories": -1,
    "subset_correction": 0.0,
}
#: The parameters that say so.
FREE_SETS: Final[dict[str, Any]] = {"one_vs_rest": False, **dict.fromkeys(_FREE)}


def offered_tests(estimator: Any, tests: int) -> int:
    """The kinds of tests of a category column: those of the family, and one against the rest if sets are
    tested and the estimator's parameters ask for it.
    """
    more = tests & growth.SUBSET and getattr(estimator, "one_vs_rest", False)
    return tests | growth.ONE_VS_REST if more else tests


def subset_rules(estimator: Any) -> dict[str, float]:
    """What sets of categories must keep to, in the core's parameters."""
    given = {name: getattr(estimator, name, None) for name in _FREE}
    return {name: _FREE[name] if value is None else value for name, value in given.items()}
