"""Check that the name of a class means one thing, in Python and in C++.

In the library, the studies, benchmarks and tools no two classes have the same name, nor have two of the
core. Python has a class of a core's name only where it is Python's form of the same thing (MIRRORED). Tests
may call a slow definition by the name of what it defines, but no two tests define the same name. Classes that
begin with an underscore, and those inside others, are private. As a program: one line per offence, and exit
code 1.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

LIBRARY, TESTS, CORE = ("src", "studies", "benchmarks", "tools"), ("tests",), ("cpp",)

#: Classes of the core that Python has in a form of its own.
MIRRORED: Mapping[str, str] = {
    "HingedPairs": "a frozen dataclass for users; the core counts by it",
    "Limits": "what a fit may use, with its clock; the core gets what is left",
    "Polynomial": "a frozen dataclass for users; the core counts by it",
    "Powers": "a frozen dataclass for users; the core counts by it",
    "Start": "where a tree begins; pruning reads more of it than growing",
    "Tree": "the core's arrays with names, categories, classes and prices",
    "TreePrice": "the core's figures, with the prices they come from",
}
#: Names that classes of two rooms share all the same.
SHARED: Mapping[str, str] = {
    "Candidate": "each is what its own selection in tuning/ chooses among",
    "Found": "each is what its own search in tuning/ returns",
    "Method": "an entry of the registry, and one of ThriftTree's recipes",
    "Search": "each is how one parameter is looked for in tuning/",
    "Steps": "prices by steps, which users write; and the steps of a fit",
}
DEFINITION = re.compile(r"^(?:class|struct|enum class|enum|union) (\w+)(?: final)?(?: : [^{;]*)?\s*\{", re.M)

Places = Mapping[str, list[str]]


def classes_of(folders: Iterable[str], root: Path) -> Places:
    """Where each public class at the top of a Python module is defined."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in _files(folders, "*.py", root):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(f"{path.relative_to(root)}:{node.lineno}")
    return places


def core_classes_of(folders: Iterable[str], root: Path) -> Places:
    """Where each class in a namespace of the core is defined."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in _files(folders, "*.[ch]pp", root):
        text = path.read_text("utf-8")
        for match in DEFINITION.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            places[match[1]].append(f"{path.relative_to(root)}:{line}")
    return places


def offences(root: Path) -> Iterator[str]:
    """What is wrong, a line each."""
    library, tests, core = (
        classes_of(LIBRARY, root),
        classes_of(TESTS, root),
        core_classes_of(CORE, root),
    )
    for places, kept in ((library, SHARED), (tests, {}), (core, {})):
        for name, where in sorted(places.items()):
            if len(where) > 1 and name not in kept:
                yield f"{where[-1]}: {name} is a class of {where[0]} too. Remedy: give one a name of its own."
    for name in sorted(set(library) & set(core) - set(MIRRORED)):
        yield (
            f"{library[name][0]}: {name} is a class of the core, {core[name][0]}. Remedy: give one a name of "
            "its own, or say in MIRRORED how the two are one thing."
        )
    for name in SHARED:
        if len(library.get(name, ())) < 2:
            yield f"tools/check_names.py: {name} is shared no longer. Remedy: take it out of SHARED."
    for name in MIRRORED:
        if name not in library or name not in core:
            yield f"tools/check_names.py: {name} has no two forms. Remedy: take it out of MIRRORED."


def _files(folders: Iterable[str], pattern: str, root: Path) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((root / folder).rglob(pattern))


def main() -> int:
    """Print the offences; 1 if there are any."""
    found = list(offences(Path(__file__).resolve().parents[1]))
    for offence in found:
        print(offence)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
