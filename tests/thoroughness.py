"""How hard a run looks: in the plain run enough tries to see that a check holds, in the full run many more.

`THRIFTREE_FULL=1` (make test-full) is the full run. Each kind of check is in both.
"""

import os

FULL = os.environ.get("THRIFTREE_FULL") == "1"


def tries(full: int, plain: int) -> int:
    """The number of random tables, examples or seeds that this run takes: `full` or `plain` of them."""
    if not 0 < plain <= full:
        raise ValueError(
            f"a plain run makes at least one try and no more than the full one: {plain} of {full}"
        )
    return full if FULL else plain
