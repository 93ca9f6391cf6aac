"""What a fit may use: threads, time and memory; and how it says that a limit stopped it."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

from joblib import cpu_count, effective_n_jobs  # type: ignore[import-untyped]


class LimitReachedWarning(UserWarning):
    """A fit stopped at `time_limit_s` or `memory_limit_mb`: the tree is valid, but not finished."""


@dataclass(frozen=True)
class Limits:
    """The limits of one fit, counted from its start."""

    n_threads: int
    ends_at: float | None  # on time.monotonic
    memory_limit_mb: float | None

    @classmethod
    def of(cls, n_jobs: int | None, time_limit_s: float | None, memory_limit_mb: float | None) -> Limits:
        """The limits of a fit that starts now."""
        ends_at = None if time_limit_s is None else time.monotonic() + time_limit_s
        return cls(threads_of(n_jobs), ends_at, memory_limit_mb)

    @property
    def seconds_left(self) -> float | None:
        """Time until the limit; None if there is none."""
        return None if self.ends_at is None else max(0.0, self.ends_at - time.monotonic())


def threads_of(n_jobs: int | None) -> int:
    """Threads for `n_jobs`, by joblib's conventions: at most as many as there are CPUs for this process, and
    one inside a worker, so that none are too many.
    """
    return min(int(effective_n_jobs(n_jobs)), int(cpu_count()))


SMALLER_TREE = "ask for a smaller tree (max_leaves, min_leaf) or coarser codes (max_bins=255)"


def warn_of_limit(
    stopped_by: str, estimator: str, remedy: str = SMALLER_TREE, *, stacklevel: int = 4
) -> None:
    """Says which limit the fit reached, and what else than raising it helps."""
    what = {"time_limit": "time_limit_s", "memory_limit": "memory_limit_mb"}[stopped_by]
    warnings.warn(
        f"{estimator} stopped at its {what}: the tree is valid, but not grown and pruned to the end. "
        f"Raise {what}, or {remedy}",
        LimitReachedWarning,
        stacklevel=stacklevel,
    )
