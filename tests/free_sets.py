"""Tests of categories as the papers have them, for tables that are tiny and trees that are written down."""

from typing import Any, Final

FREE_SETS: Final[dict[str, Any]] = {
    "one_vs_rest": False,
    "subset_smoothing": None,
    "subset_min_rows": None,
    "subset_max_categories": None,
    "subset_correction": None,
}
