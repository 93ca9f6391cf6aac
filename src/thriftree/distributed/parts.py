"""What an engine must offer, so that trees can be learned from a table that lies in parts.

An engine has the parts and runs functions beside them; it knows nothing of trees. All else (agreeing on
codes, counting, growing) knows no engine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True)
class TablePart:
    """What a part of a table holds, in memory on whoever has it."""

    X: Any  # a frame or an array, of any kind that fit takes; it may have no rows
    y: Any  # the target of its rows
    weight: Any = None  # of its rows; None: each weighs 1
    index: int = 0  # its place among the parts: an engine sets it, since functions see one part alone


@runtime_checkable
class Parts(Protocol):
    """Contents in an order that never changes, each wherever it is.

    Functions are pure and, with their arguments and answers, can be pickled; answers are small. An engine may
    run a function again, on another worker, or twice.
    """

    @property
    def n_parts(self) -> int:
        """At least 1."""

    def map(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """function(content, *arguments) of every part, in order of parts."""

    def reduce(self, function: Callable[..., Any], add: Callable[[Any, Any], Any], *arguments: Any) -> Any:
        """The answers of all parts brought together by ``add``, which is associative and commutative. It may
        change and return its first argument.
        """

    def keep(self, function: Callable[..., Any], *arguments: Any) -> Parts:
        """Parts whose content is what the function made of each; made again where it was lost."""

    def order(self) -> list[int]:
        """How many rows of the table lie before each part. Of parts of tables only."""

    def close(self) -> None:
        """What is kept may go; asking again is an error, or makes it again."""
