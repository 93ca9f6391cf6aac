"""Check that every file keeps to its layer: who may import the core or know frames, what C++ may include.

The rules are those of CONTRIBUTING.md, "The map". As a program: one line per offence, and exit code 1.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

MAX_LINES = 500

CORE_USERS = tuple(
    f"src/thriftree/{room}"
    for room in ("estimators/", "costs/pricing.py", "criteria.py", "table.py", "tree.py")
)
FRAME_LIBRARIES = {"narwhals", "pandas", "polars", "pyarrow"}
FRAME_USERS = ("src/thriftree/frames.py", "src/thriftree/table_files/")
TREE_READERS = tuple(f"src/thriftree/{room}/" for room in ("editing", "export", "report", "plot", "explain"))

#: A C++ folder may include its own rank and lower ones.
CPP_RANK = {
    "run": 0,
    "table": 1,
    "tree": 2,
    "price": 3,
    "criterion": 4,
    "rows": 5,
    "choose": 6,
    "grow": 7,
    "prune": 7,
    "search": 7,
    "learn": 8,
    "bindings": 9,
    "tests": 9,
}
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


def check(root: Path) -> list[Offence]:
    """Return all offences under ``root``, a checkout of this repository, in order of path."""
    offences: list[Offence] = []
    for path in _sources(root):
        relative = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        offences.extend(_length(relative, text))
        if path.suffix == ".py":
            if relative.startswith("src/"):
                offences.extend(_python(relative, text))
        else:
            offences.extend(_cpp(relative, text))
    return offences


def _sources(root: Path) -> list[Path]:
    python = (p for room in ("src", "tests", "tools", "benchmarks") for p in (root / room).rglob("*.py"))
    cpp = (p for p in (root / "cpp").rglob("*") if p.suffix in {".cpp", ".hpp"})
    return sorted([*python, *cpp])


def _length(path: str, text: str) -> Iterator[Offence]:
    lines = text.count("\n") + (not text.endswith("\n"))
    if lines > MAX_LINES:
        yield Offence(path, lines, f"{lines} lines, more than {MAX_LINES}", "give each idea its own file")


def _python(path: str, text: str) -> Iterator[Offence]:
    for line, module in _imports(path, text):
        if _within(module, "thriftree._core") and not path.startswith(CORE_USERS):
            yield Offence(
                path,
                line,
                "imports the compiled core, which only estimators/, costs/pricing.py, criteria.py, table.py "
                "and tree.py may",
                "take a thriftree.tree.Tree or an EncodedTable from the caller, prices from thriftree.costs",
            )
        if module.partition(".")[0] in FRAME_LIBRARIES and not path.startswith(FRAME_USERS):
            yield Offence(
                path,
                line,
                f"imports {module}, but only frames.py and table_files/ know frame libraries",
                "add what is needed to thriftree.frames or thriftree.table_files and call that",
            )
        if _within(module, "thriftree.estimators") and path.startswith(TREE_READERS):
            yield Offence(
                path,
                line,
                "imports an estimator, but this folder sees only the tree",
                "work from Tree or its JSON form, docs/spec/tree-v1.md",
            )


def _within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def _imports(path: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the absolute name of everything imported, ``from a import b`` as ``a.b``."""
    package = PurePosixPath(path).relative_to("src").parent.parts
    for node in ast.walk(ast.parse(text, path)):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                start = package[: len(package) - level + 1] if level else ()
                base = ".".join([*start, *([module] if module else [])])
                yield from ((node.lineno, f"{base}.{alias.name}") for alias in names)
            case ast.Call(func=ast.Name("__import__") | ast.Attribute(attr="import_module"), args=[name, *_]):
                if isinstance(name, ast.Constant) and isinstance(name.value, str):
                    yield node.lineno, name.value


def _cpp(path: str, text: str) -> Iterator[Offence]:
    folder = PurePosixPath(path).parts[1]
    if folder not in CPP_RANK:
        yield Offence(path, 1, f"cpp/{folder} has no layer", "add it to CPP_RANK in tools/check_layers.py")
        return
    raw_lines = text.split("\n")
    for number, line in enumerate(_without_comments_and_strings(text).split("\n"), start=1):
        included = INCLUDE.match(raw_lines[number - 1]) if line.lstrip().startswith("#") else None
        if included:
            yield from _include(path, number, folder, included[2])
        elif folder != "tests" and PRINTS.search(line):
            yield Offence(path, number, "prints", "return the fact; the caller decides whether to show it")
        elif folder != "tests" and EXITS.search(line):
            yield Offence(
                path, number, "ends the process", "throw BadInput or another error of run/control.hpp"
            )


def _include(path: str, line: int, folder: str, header: str) -> Iterator[Offence]:
    if folder != "bindings" and (header == "Python.h" or header.startswith("nanobind")):
        yield Offence(path, line, f"includes {header}, but only cpp/bindings knows Python", "bind it there")
    if folder != "tests" and header in {"iostream", "cstdio", "stdio.h"}:
        yield Offence(path, line, f"includes <{header}>: the core never prints", "return the fact or throw")
    target = header.partition("/")[0] if "/" in header else folder
    if target in CPP_RANK and CPP_RANK[target] > CPP_RANK[folder]:
        yield Offence(
            path,
            line,
            f"{folder}/ includes {header} of a higher layer",
            f"move what is needed down to {folder}/, or the caller up to {target}/",
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
