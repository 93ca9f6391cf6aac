"""Ctrl-C in a command that searches: what was found by then is shown and written, and then it is raised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def found_so_far(search: Callable[[], Any]) -> tuple[Any, KeyboardInterrupt | None]:
    """What a search finds, and the Ctrl-C that ended it, if one did: for the caller to raise at its end. One
    that found nothing is raised at once.
    """
    try:
        return search(), None
    except KeyboardInterrupt as interrupt:
        if not hasattr(interrupt, "partial"):
            raise
        return interrupt.partial, interrupt
