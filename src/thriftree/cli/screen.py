"""What commands show: results on standard output, progress and remarks on standard error."""

from __future__ import annotations

import itertools
import json
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from thriftree.cli.trees import is_soft
from thriftree.messages import printable

MOST_TREE_LINES = 30
CLASS_STYLES = ("green", "magenta", "blue", "yellow", "cyan", "red")
_GUIDES = re.compile(r"[│├└─ ]*")
_NO_BREAK = "\ue000"  # a character that `printable` lets no name have
_PRICE = re.compile(r" \[[^\[\]]*\]$| · pays [^·]*$")


def out() -> Console:
    """Standard output. Lines are never folded, unless a terminal shows them."""
    return Console(soft_wrap=True, highlight=False)


def err() -> Console:
    """Standard error."""
    return Console(stderr=True, soft_wrap=True, highlight=False)


def say(text: str = "", style: str = "") -> None:
    """Lines on standard output; a terminal shows long ones folded between words."""
    _print(out(), text, style)


def remark(text: str, style: str = "dim") -> None:
    """A line on standard error that scripts need not read."""
    _print(err(), printable(text), style)


def warning(message: str) -> None:
    """One line on standard error."""
    _print(err(), printable(message), "", ("warning: ", "yellow"))


def error(message: str) -> None:
    """One line on standard error."""
    _print(err(), printable(message), "", ("thriftree: ", "bold red"))


def _print(console: Console, text: str, style: str, begin: tuple[str, str] = ("", "")) -> None:
    for line in f"{begin[0]}{text}".split("\n"):
        parts = [line]
        if console.is_terminal and cell_len(line) > console.width:
            indent = " " * (len(line) - len(line.lstrip()) + 2)
            parts = textwrap.wrap(
                line, max(console.width, 20), subsequent_indent=indent, break_on_hyphens=False
            )
        for part in parts:
            shown = Text(part, style)
            if begin[0] and part.startswith(begin[0]):
                shown.stylize(begin[1], 0, len(begin[0]))
            console.print(shown)


def json_document(document: Any) -> None:
    """The one document that `--json` promises."""
    sys.stdout.write(json.dumps(plain(document), ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def plain(value: Any) -> Any:
    """Values that JSON has: numbers that are none become null."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item()
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    return value


def heading(text: str) -> None:
    """A line in bold."""
    say(text, "bold")


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, words: Sequence[int] = (0,)) -> None:
    """Cells as texts; the columns at `words` stand to the left, the others to the right.

    A terminal that is too narrow cuts the last column off.
    """
    console = out()
    widths = [max(cell_len(row[j]) for row in (header, *rows)) for j in range(len(header))]
    for number, row in enumerate((header, *rows)):
        cells = []
        for j, (cell, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - cell_len(cell))
            cells.append(cell + space if j in words else space + cell)
        line = Text("  ".join(cells).rstrip(), "dim" if number == 0 else "")
        if console.is_terminal:
            line.truncate(console.width, overflow="ellipsis")
        console.print(line)


def figures(rows: Sequence[tuple[str, str, str]]) -> None:
    """Names, values aligned at their end, and remarks."""
    names = max(len(name) for name, _, _ in rows)
    values = max(len(value) for _, value, _ in rows)
    for name, value, more in rows:
        line = Text.assemble(f"{name:<{names}}  ", (f"{value:>{values}}", "bold"))
        out().print(line if not more else line.append(f"  {more}", "dim"))


def tree(model: Any, file: str | None = None) -> None:
    """A tree as `to_text` draws it, coloured; on a terminal, long lines are folded beside its branches. Of a
    large one the first lines, and how to see the others; `file` is where it was written.
    """
    console = out()
    labels = [] if model.classes is None else list(model.classes)
    lines = model.to_text().split("\n")
    shown: list[list[str]] = []  # what each line takes on the screen
    for number, line in enumerate(lines[: MOST_TREE_LINES + 1]):
        if not console.is_terminal:
            shown.append([line])
            continue
        guides = _GUIDES.match(line)[0]  # type: ignore[index]
        below = lines[number + 1] if number + 1 < len(lines) else ""
        has_children = len(_GUIDES.match(below)[0]) > len(guides)  # type: ignore[index]
        shown.append(_folded(line, guides, has_children, console.width))
    while sum(map(len, shown)) > MOST_TREE_LINES - (len(shown) < len(lines)):
        shown.pop()  # with room for the line that says how many more there are
    for part in itertools.chain(*shown):
        console.print(_coloured(part, labels) if console.is_terminal else Text(part))
    if len(shown) < len(lines):
        command, more = ("report", "") if is_soft(model) else ("export", " --to text")
        how = f"thriftree {command} {file}{more}" if file else f"write it with -o, then thriftree {command}"
        say(f"… {len(lines) - len(shown):,} more lines: {how}", "dim")


def _folded(line: str, guides: str, has_children: bool, width: int) -> list[str]:
    """The line in parts that fit; the later ones begin with the lines that the branches below continue."""
    if len(line) <= width:
        return [line]
    before = guides.replace("├─", "│ ").replace("└─", "  ") + ("│  " if has_children else "")
    room = max(width, len(before) + 24)
    whole = _PRICE.sub(lambda price: " " + price[0][1:].replace(" ", _NO_BREAK), line)
    parts = textwrap.wrap(whole, room, subsequent_indent=before + "    ", break_on_hyphens=False)
    return [part.replace(_NO_BREAK, " ") for part in parts]


def _coloured(line: str, labels: list[Any]) -> Text:
    text = Text(line)
    text.stylize("dim", 0, len(_GUIDES.match(line)[0]))  # type: ignore[index]
    price = _PRICE.search(line)
    if price:
        text.stylize("cyan", *price.span())
    arrow = line.find("→ ")
    if arrow >= 0:
        said = re.match(r"→ (.*?)(?= · \d|$)", line[arrow:])
        end = arrow + (said.end() if said else 1)
        names = [str(label) for label in labels]
        word = line[arrow + 2 : end]
        style = CLASS_STYLES[names.index(word) % len(CLASS_STYLES)] if word in names else "green"
        text.stylize(f"bold {style}", arrow, end)
    return text


class ShownProgress(Protocol):
    """What is told of a task's progress: how much is done, the total (None: not known), and words for it."""

    def __call__(self, done: float, total: float | None, found: str = "") -> None:
        """Shows it."""


@contextmanager
def progress(task: str, *, quiet: bool = False) -> Iterator[ShownProgress]:
    """A function to call with what is done and the total (None: not known). Shown on a terminal only."""
    console = err()
    if quiet or not console.is_terminal:
        yield lambda done, total, found="": None
        return
    from rich import progress as bars

    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(bar_width=30),
        bars.TextColumn("{task.fields[found]}"),
        bars.TimeElapsedColumn(),
    )
    with bars.Progress(*columns, console=console, transient=True) as bar:
        number = bar.add_task(task, total=None, found="0")

        def show(done: float, total: float | None, found: str = "") -> None:
            bar.update(number, completed=done, total=total, found=found or f"{done:,.0f}")

        yield show
