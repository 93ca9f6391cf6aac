"""How exported Python source reads the values of a row: its functions, and the names they take."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thriftree.export.python_dates import IMPORTS, READING_DATES
from thriftree.temporal.words import temporal_of

#: What no variable may be called.
RESERVED = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "datetime", "math", "row", "node"}

_READING = '''
def _{name}_number(row, column):
    """A float; NaN if the value is missing: None, NaN, or what pandas has for them."""
    value = row.get(column)
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return math.nan
    if isinstance(value, (str, bytes)):
        raise TypeError(f"column {{column!r}} takes numbers, not {{value!r}}")
    return float(value)


def _{name}_category(row, column):
    """The value; None if it is missing."""
    value = row.get(column)
    if getattr(value, "shape", None) == ():  # numpy's: its float32 would be equal to 0.1, which it is not
        value = value.item()
    if value is None or type(value).__name__ == "NAType" or value != value:
        return None
    return value
'''


@dataclass(frozen=True)
class Reading:
    """Reads columns of a row into variables."""

    name: str  # of the exported function
    columns: Sequence[dict[str, Any]]  # of the document
    variable: Mapping[int, str]  # of each column that is read

    @property
    def _dates(self) -> bool:
        return any(temporal_of(self.columns[column]) is not None for column in self.variable)

    @property
    def imports(self) -> tuple[str, ...]:
        """The lines at the beginning of the source."""
        return (*(IMPORTS if self._dates else ()), "import math")

    @property
    def functions(self) -> str:
        """What `lines` calls."""
        return _READING.format(name=self.name) + (READING_DATES.format(name=self.name) if self._dates else "")

    def lines(self) -> Iterator[str]:
        """A line for each variable, inside a function of `row`."""
        for column, variable in self.variable.items():
            schema = self.columns[column]
            kind = "number" if schema["kind"] == "number" else "category"
            how = ""
            if (temporal := temporal_of(schema)) is not None:
                kind = temporal.what
                how = f", {temporal.time_zone is not None}" if kind == "datetime" else ""
            yield f"    {variable} = _{self.name}_{kind}(row, {schema['name']!r}{how})"
