"""What limits and Ctrl-C promise, measured for every estimator and search on tables that are hard on them.

    python tools/promises.py
    python tools/promises.py --quick --only CARTClassifier
    python tools/promises.py --in-parts

Columns: the most seconds of CPU beyond `time_limit_s` of 0.5 and of 2; the most megabytes beyond a
`memory_limit_mb` of 60, above what the table takes; the slowest end after Ctrl-C at random moments, in
seconds of CPU; whether every one of these left a tree. An exclamation mark is outside the promise
(docs/guarantees.md), and the program then exits with 1. "time" is wall time that others on the machine share,
so all seconds are of CPU.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from hard_tables import HARD_TABLES, HardTable, in_parts
from promise_measures import (
    CALLS_IN_PARTS,
    IN_PARTS,
    Call,
    Figures,
    all_calls,
    has_memory_limit,
    in_child,
    interrupted,
    memory,
    overrun,
)

TIME_LIMITS_S = (0.5, 2.0)
MEMORY_LIMIT_MB = 60.0
TOLERANCE_MB = 30.0  # what Python and the allocator take beside what is counted
TOLERANCE_LATENCY_S = 0.2
INTERRUPT_WITHIN_S = 1.5
QUICK_SCALE = 0.05


def tolerance_s(time_limit_s: float) -> float:
    """How far a call may go beyond this limit."""
    return max(0.1, 0.1 * time_limit_s)


@dataclass
class Worst:
    """The worst of a call over all tables so far, each with the table it was on."""

    overruns: dict[float, tuple[float, str]] = field(default_factory=dict)  # by limit
    memory: tuple[float, str] = (0.0, "")
    latency: tuple[float, str] = (0.0, "")
    without_tree: list[str] = field(default_factory=list)
    n_interrupts: int = 0
    errors: list[str] = field(default_factory=list)

    def broken(self) -> list[str]:
        """What is outside the promise."""
        said = [
            f"{over:.2f} s beyond {limit:g} s on {table}"
            for limit, (over, table) in self.overruns.items()
            if over > tolerance_s(limit)
        ]
        if self.memory[0] > TOLERANCE_MB:
            said.append(f"{self.memory[0]:.0f} MB beyond the limit on {self.memory[1]}")
        if self.latency[0] > TOLERANCE_LATENCY_S:
            said.append(f"{self.latency[0]:.2f} s from Ctrl-C to its end on {self.latency[1]}")
        said += [f"no tree after Ctrl-C on {table}" for table in self.without_tree]
        return said + self.errors

    def note(self, title: str, found: Figures) -> None:
        """Takes in what was measured on a table."""
        if "error" in found:
            self.errors.append(f"an error on {title}: {found['error']}")
        elif "seconds" in found:
            limit = found["limit"]
            self.overruns[limit] = max(self.overruns.get(limit, (0.0, title)), (found["seconds"], title))
        elif "megabytes" in found:
            self.memory = max(self.memory, (found["megabytes"], title))
        elif found["over"] is not None:  # else the call was done before Ctrl-C
            self.n_interrupts += 1
            self.latency = max(self.latency, (found["over"] - found["sent"], title))
            self.without_tree += [] if found["tree"] else [title]


def measure(name: str, title: str, table: HardTable, worst: Worst, n_interrupts: int) -> None:
    """Everything about one call on one table."""
    for limit in TIME_LIMITS_S:
        worst.note(title, in_child(partial(overrun, name, table, limit)))
    if has_memory_limit(name):
        worst.note(title, in_child(partial(memory, name, table, MEMORY_LIMIT_MB)))
    moments = random.Random(f"{name} {title}")
    for _ in range(n_interrupts):
        after = moments.uniform(0.0, INTERRUPT_WITHIN_S)
        worst.note(title, in_child(partial(interrupted, name, table), interrupt_after_s=after))


def line_of(name: str, worst: Worst) -> str:
    """A row of the printed table."""

    def cell(value: float, digits: int, most: float) -> str:
        return f"{value:.{digits}f}{'!' if value > most else ' '}".rjust(11)

    found = {limit: over for limit, (over, _) in worst.overruns.items()}
    overruns = dict.fromkeys(TIME_LIMITS_S, 0.0) | found
    cells = [cell(over, 2, tolerance_s(limit)) for limit, over in overruns.items()]
    cells.append(cell(worst.memory[0], 0, TOLERANCE_MB))
    cells.append(cell(worst.latency[0], 2, TOLERANCE_LATENCY_S))
    return name.ljust(30) + "".join(cells) + ("no!" if worst.without_tree else "yes").rjust(11)


def warm_up(name: str, table: HardTable) -> None:
    """What is imported late is imported, and what is cached is in the cache."""
    if not name.endswith(IN_PARTS):
        table = HardTable(table.X[:200], table.classes[:200], table.numbers[:200])
    Call(name, table, time_limit_s=1.0).run()


def main() -> int:
    """Exits with 1 if anything is outside the promise."""
    parser = argparse.ArgumentParser(description="Measure what limits and Ctrl-C promise.")
    parser.add_argument("--quick", action="store_true", help="small tables and one interrupt for each")
    parser.add_argument("--only", choices=all_calls(), action="append", help="this call; may be repeated")
    parser.add_argument(
        "--in-parts", action="store_true", help="calls whose table is a Parquet file, instead of the others"
    )
    parser.add_argument("--table", choices=sorted(HARD_TABLES), action="append", help="on this table only")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    names = list(CALLS_IN_PARTS) if arguments.in_parts else arguments.only or all_calls()
    found = {name: Worst() for name in names}
    for title in arguments.table or HARD_TABLES:
        here = HARD_TABLES[title](QUICK_SCALE if arguments.quick else 1.0)
        with TemporaryDirectory() as folder:
            filed = in_parts(here, Path(folder))
            for name in names:
                table = filed if name.endswith(IN_PARTS) else here
                warm_up(name, table)
                measure(name, title, table, found[name], n_interrupts=1 if arguments.quick else 4)
                print(f"{title}: {name}", file=sys.stderr)
    heads = [f"{limit:g} s + s" for limit in TIME_LIMITS_S] + ["60 MB + MB", "Ctrl-C s", "tree left"]
    print(" " * 30 + "".join(head.rjust(11) for head in heads))
    for name, worst in found.items():
        print(line_of(name, worst))
    broken = [f"{name}: {what}" for name, worst in found.items() for what in worst.broken()]
    n_interrupts = sum(worst.n_interrupts for worst in found.values())
    print(f"\n{n_interrupts} interrupts that came in time; {len(broken)} outside the promise")
    print(*broken, sep="\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
