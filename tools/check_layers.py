"""Check that every file keeps to the map in CONTRIBUTING.md: who may use whom, Python and C++.

Each row of the map names a room (a folder or a file) and, in its last column, the rooms and guarded libraries
it may use. `when called:` begins those that may be imported inside functions only; imports for type checkers
do not count. As a program: one line per offence, and exit code 1.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

MAX_LINES = 500

#: Libraries that only the rooms which name them may import.
GUARDED = frozenset(
    {"_core", "dask", "jinja2", "matplotlib", "narwhals", "onnx", "openpyxl", "pandas", "polars"}
    | {"pyarrow", "pyspark", "rich", "sklearn", "torch", "typer"}
)
NOTHING, EVERYTHING, WHEN_CALLED = "nothing", "everything", "when called:"
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
PRINTS = re.compile(r"\bv?f?printf\s*\(|\bf?puts\s*\(|\bputchar\s*\(|\bstd::(?:cout|cerr|clog)\b")
EXITS = re.compile(r"(?<![\w.>:])(?:std::)?(?:exit|_exit|_Exit|quick_exit|abort|terminate)\s*\(")
NOT_CODE = re.compile(
    r"""
      //[^\n]*  |  /\*.*?\*/                # comments
    | R"([^()\s\\]*)\(.*?\)\1"             # raw strings
    | "(?:\\.|[^"\\\n])*"                  # strings
    | (?<!\w)'(?:\\.|[^'\\\n])+'           # characters, but not the ' in 1'000
    """,
    re.DOTALL | re.VERBOSE,
)


@dataclass(frozen=True)
class Offence:
    """One broken rule, with the place and what to do about it."""

    path: str
    line: int
    rule: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}. Remedy: {self.remedy}."


@dataclass(frozen=True)
class Room:
    """A row of the map. None: it may use everything."""

    path: str  # from the root of the repository
    uses: frozenset[str] | None
    uses_when_called: frozenset[str]

    def may_use(self, other: str, when_called: bool) -> bool:
        """Whether an import of that room or library is allowed here."""
        return self.uses is None or other in self.uses or (when_called and other in self.uses_when_called)


@dataclass(frozen=True)
class Import:
    """Something imported: where, and whether only when a function is called."""

    line: int
    module: str
    when_called: bool


class Map:
    """The rooms of CONTRIBUTING.md."""

    def __init__(self, text: str) -> None:
        section = re.search(r"^## The map$(.*?)(?=^## |\Z)", text, re.M | re.S)
        rows = re.findall(r"^\| (`[^|]+`) \|[^|]*\| ([^|]*) \|$", section[1] if section else "", re.M)
        self.rooms: dict[str, Room] = {}
        self.problems: list[str] = []
        for names, may_use in rows:
            for path in re.findall(r"`([^`]+)`", names):
                self.rooms[path] = _room(path, may_use)
        for room in self.rooms.values():
            for name in (room.uses or frozenset()) | room.uses_when_called:
                if name not in GUARDED and not any(
                    prefix + name in self.rooms for prefix in _places(room.path)
                ):
                    self.problems.append(f"the row of {room.path} names {name!r}, which has no row")

    def of(self, path: str) -> Room | None:
        """The smallest room that this file or folder is in."""
        parts = PurePosixPath(path).parts
        found = (self.rooms.get("/".join(parts[:n])) for n in range(len(parts), 0, -1))
        return next((room for room in found if room is not None), None)

    def of_module(self, module: str) -> Room | None:
        """The room of thriftree.a.b, which is a file or a folder."""
        parts = module.split(".")
        for n in range(len(parts), 0, -1):
            base = "src/" + "/".join(parts[:n])
            for path in (f"{base}.py", base, f"{base}/__init__.py"):
                if path in self.rooms:
                    return self.rooms[path]
        return None


def _room(path: str, may_use: str) -> Room:
    now, _, called = may_use.partition(WHEN_CALLED)
    names = _names(now)
    uses = None if names == {EVERYTHING} else names - {NOTHING}
    return Room(path, uses, _names(called))


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip() for name in re.split(r"[,;]", text) if name.strip())


def _places(path: str) -> tuple[str, ...]:
    """Where the rooms are that a row's last column names."""
    return ("cpp/",) if path.startswith("cpp/") else ("src/thriftree/", "")


def check(root: Path) -> list[Offence]:
    """Return all offences under ``root``, a checkout of this repository, in order of path."""
    rooms = Map((root / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    offences = [
        Offence("CONTRIBUTING.md", 1, problem, "add the row or mend the name") for problem in rooms.problems
    ]
    for path in _sources(root):
        relative = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        offences.extend(_length(relative, text))
        room = rooms.of(relative)
        if room is None:
            offences.append(Offence(relative, 1, "is in no room of the map", "add a row to CONTRIBUTING.md"))
        elif path.suffix == ".py":
            offences.extend(_python(relative, text, room, rooms))
        else:
            offences.extend(_cpp(relative, text, room, rooms))
    return offences


def _sources(root: Path) -> list[Path]:
    folders = ("src", "tests", "tools", "benchmarks", "studies")
    python = (p for folder in folders for p in (root / folder).rglob("*.py"))
    cpp = (p for p in (root / "cpp").rglob("*") if p.suffix in {".cpp", ".hpp"})
    return sorted([*python, *cpp])


def _length(path: str, text: str) -> Iterator[Offence]:
    lines = text.count("\n") + (not text.endswith("\n"))
    if lines > MAX_LINES:
        yield Offence(path, lines, f"{lines} lines, more than {MAX_LINES}", "give each idea its own file")


def _python(path: str, text: str, room: Room, rooms: Map) -> Iterator[Offence]:
    if room.uses is None:
        return
    for found in _imports(path, text):
        other = _used(found.module, rooms)
        if other is None or other == _name(room) or room.may_use(other, found.when_called):
            continue
        where = " when called" if found.when_called else ""
        yield Offence(
            path,
            found.line,
            f"imports {found.module}, but {_name(room)} may not use {other}{where}",
            f"take what is needed from the caller, move it down, or let the map allow {other}",
        )


def _used(module: str, rooms: Map) -> str | None:
    """The room or guarded library that a module belongs to; None if anyone may import it."""
    top, _, rest = module.partition(".")
    if top != "thriftree":
        return top if top in GUARDED else None
    if rest.partition(".")[0] in GUARDED:
        return rest.partition(".")[0]
    room = rooms.of_module(module)
    return None if room is None else _name(room)


def _name(room: Room) -> str:
    return room.path.removeprefix("src/thriftree/").removeprefix("cpp/")


def _imports(path: str, text: str) -> Iterator[Import]:
    """Everything imported at run time, by its absolute name; ``from a import b`` as ``a.b``."""
    package = PurePosixPath(path).relative_to(PurePosixPath(path).parts[0]).parent.parts
    open_: list[tuple[ast.AST, bool]] = [(ast.parse(text, path), False)]
    while open_:
        node, when_called = open_.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            open_.extend((child, when_called) for child in node.orelse)
            continue
        inside = when_called or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        open_.extend((child, inside) for child in ast.iter_child_nodes(node))
        match node:
            case ast.Import(names=names):
                yield from (Import(node.lineno, alias.name, when_called) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                start = package[: len(package) - level + 1] if level else ()
                base = ".".join([*start, *([module] if module else [])])
                yield from (Import(node.lineno, f"{base}.{alias.name}", when_called) for alias in names)
            case ast.Call(func=ast.Name("__import__") | ast.Attribute(attr="import_module"), args=[name, *_]):
                if isinstance(name, ast.Constant) and isinstance(name.value, str):
                    yield Import(node.lineno, name.value, when_called)


def _cpp(path: str, text: str, room: Room, rooms: Map) -> Iterator[Offence]:
    folder = _name(room)
    raw_lines = text.split("\n")
    for number, line in enumerate(_without_comments_and_strings(text).split("\n"), start=1):
        included = INCLUDE.match(raw_lines[number - 1]) if line.lstrip().startswith("#") else None
        if included:
            yield from _include(path, number, room, rooms, included[2])
        elif folder != "tests" and PRINTS.search(line):
            yield Offence(path, number, "prints", "return the fact; the caller decides whether to show it")
        elif folder != "tests" and EXITS.search(line):
            yield Offence(
                path, number, "ends the process", "throw BadInput or another error of run/control.hpp"
            )


def _include(path: str, line: int, room: Room, rooms: Map, header: str) -> Iterator[Offence]:
    folder = _name(room)
    if folder != "bindings" and (header == "Python.h" or header.startswith("nanobind")):
        yield Offence(path, line, f"includes {header}, but only cpp/bindings knows Python", "bind it there")
    if folder != "tests" and header in {"iostream", "cstdio", "stdio.h"}:
        yield Offence(path, line, f"includes <{header}>: the core never prints", "return the fact or throw")
    other = rooms.of(f"cpp/{header}") if "/" in header else None
    if other is not None and other is not room and not room.may_use(_name(other), when_called=False):
        yield Offence(
            path,
            line,
            f"includes {header}, but cpp/{folder} may not use {_name(other)}",
            f"move what is needed down to {folder}/, or the caller up to {_name(other)}/",
        )


def _without_comments_and_strings(text: str) -> str:
    """Blank out what the compiler does not run; line breaks stay, so line numbers do too."""
    return NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def main() -> int:
    """Check the checkout this file is in."""
    offences = check(Path(__file__).resolve().parent.parent)
    for offence in offences:
        print(offence)
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
