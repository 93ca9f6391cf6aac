"""Show that a change of the code changes no tree: a corpus of fits against their recorded hashes.

    python tools/same_trees.py check [--small] [--only PATTERN] [--jobs N]
    python tools/same_trees.py record [--only PATTERN] [--because "why trees changed"] [--jobs N]

`check` fits every recipe of tools/corpus, prints what differs from tests/reference/same_trees.json, and then
exits with 1. `record` writes that file. It adds what is new, but a fit that differs from its record is
written only with a reason, which the file keeps. PATTERN is a part of a recipe's name; * stands for any
letters.
"""

from __future__ import annotations

import argparse
import bz2
import hashlib
import json
import lzma
import multiprocessing
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from corpus import all_recipes, small_recipes
from corpus.recipe import CorpusFit

REFERENCE = Path(__file__).resolve().parent.parent / "tests" / "reference" / "same_trees.json"
_COMPRESS: Mapping[str, Callable[[bytes], bytes]] = {
    "bz2": partial(bz2.compress, compresslevel=9),
    "zlib": partial(zlib.compress, level=9),
    "lzma": partial(lzma.compress, preset=9),
}

Entry = dict[str, Any]


@dataclass
class Reference:
    """The reference file: an entry for each recipe, and why entries were written anew."""

    fits: dict[str, Entry] = field(default_factory=dict)
    changes: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> Reference:
        """From the file; an empty one if there is none."""
        return cls(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else cls()

    def write(self, path: Path) -> None:
        """A line for each recipe, in the order of the corpus."""
        parts = {
            "changes": [json.dumps(change) for change in self.changes],
            "fits": [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in self.fits.items()],
        }
        changes, fits = (",\n".join(lines) for lines in parts.values())
        path.write_text(f'{{"changes": [\n{changes}\n],\n"fits": {{\n{fits}\n}}}}\n', encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Run a command; 0 if no recipe differs, or if all could be recorded."""
    parser = argparse.ArgumentParser(description="Show that a change of the code changes no tree.")
    parser.add_argument("command", choices=("check", "record"))
    parser.add_argument("--small", action="store_true", help="about ninety quick recipes")
    parser.add_argument("--only", metavar="PATTERN", default="", help="recipes with this in their name")
    parser.add_argument("--because", metavar="REASON", help="why records of other trees are right")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes")
    parser.add_argument("--reference", type=Path, default=REFERENCE, help="the file of records")
    given = parser.parse_args(arguments)
    chosen = selected(given.small, given.only)
    if not chosen:
        parser.error(f"no recipe has {given.only!r} in its name")
    reference = Reference.read(given.reference)
    whole = not (given.small or given.only)
    if given.command == "check":
        return check(chosen, reference, given.jobs, whole)
    reason = (given.because or "").strip() or None
    return record(chosen, reference, given.reference, given.jobs, whole, reason)


def selected(small: bool, pattern: str) -> dict[str, CorpusFit]:
    """The recipes that were asked for."""
    wanted = re.compile(re.escape(pattern).replace(r"\*", ".*"))
    found = small_recipes() if small else all_recipes()
    return {name: recipe for name, recipe in found.items() if wanted.search(name)}


def check(recipes: Mapping[str, CorpusFit], reference: Reference, jobs: int, whole: bool) -> int:
    """Print what differs from the reference, and how many do; 1 if any does."""
    left_out = [recipe.name for recipe in recipes.values() if not comparable(recipe, reference)]
    compared = [name for name in recipes if name not in left_out]
    differing = 0
    for name, entry in made(compared, jobs):
        found = difference(name, reference.fits.get(name), entry)
        differing += found is not None
        if found is not None:
            print(found, flush=True)
    for name in _stale(reference, whole):
        differing += 1
        print(f"{name}: recorded, but no recipe of the corpus")
    if left_out:
        print(f"left out, since their compressors are other releases here: {', '.join(left_out)}")
    print(f"{len(compared)} fits, {differing} differences")
    return min(differing, 1)


def record(
    recipes: Mapping[str, CorpusFit],
    reference: Reference,
    path: Path,
    jobs: int,
    whole: bool,
    reason: str | None,
) -> int:
    """Write what is new; and what differs, given a reason. Without one write nothing, and return 1."""
    entries = dict(made(recipes, jobs))
    failed = [f"{name}: {entry['error']}" for name, entry in entries.items() if "error" in entry]
    failed += [*_unequal(recipes, {**reference.fits, **entries})]
    if failed:
        print("\n".join(failed), "Nothing is recorded while these fail.", sep="\n")
        return 1
    stale = _stale(reference, whole)
    kept = {name for name in recipes if reason is None and not comparable(recipes[name], reference)}
    changed = [
        name
        for name in entries
        if name in reference.fits and entries[name] != reference.fits[name] and name not in kept
    ]
    if (changed or stale) and reason is None:
        for name in changed:
            print(difference(name, reference.fits[name], entries[name]))
        print(
            f"{len(changed)} fits differ from their records and {len(stale)} records have no recipe any more."
        )
        print('Nothing is recorded; if that is right, say why: record --because "..."')
        return 1
    new = [name for name in entries if name not in reference.fits]
    fits = {**reference.fits, **{name: entry for name, entry in entries.items() if name not in kept}}
    order = [name for name in all_recipes() if name in fits]
    other = [name for name in fits if name not in all_recipes() and name not in stale]
    changes = [*reference.changes]
    if changed or stale:
        changes.append({"ids": sorted([*changed, *stale]), "reason": reason})
    Reference({name: fits[name] for name in (*order, *other)}, changes).write(path)
    print(f"{len(new)} fits recorded, {len(changed)} recorded anew, {len(stale)} dropped, of {len(entries)}")
    return 0


def made(names: Iterable[str], jobs: int) -> Iterator[tuple[str, Entry]]:
    """Each recipe's entry as the code makes it now."""
    if jobs == 1:
        for name in names:
            yield name, entry_of(name)
        return
    wanted = list(names)
    # Started afresh, not forked: a fork of a process with threads may hang.
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from zip(wanted, pool.map(entry_of, wanted, chunksize=8), strict=True)


def entry_of(name: str) -> Entry:
    """What a recipe makes; if it fails, the error."""
    recipe = all_recipes()[name]
    try:
        entry = recipe.entry()
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return entry if recipe.compressor is None else {**entry, "compressor": fingerprint(recipe.compressor)}


def comparable(recipe: CorpusFit, reference: Reference) -> bool:
    """Whether the compressor that decides the recipe's trees, if any, is the one of the record."""
    if recipe.compressor is None or recipe.name not in reference.fits:
        return True
    return bool(reference.fits[recipe.name]["compressor"] == fingerprint(recipe.compressor))


@cache
def fingerprint(compressor: str) -> str:
    """Tells releases of a compressor apart that give other lengths: a hash of what it makes of some texts.

    Not every library says its version, and one version of zlib has several makers.
    """
    numbers = [number * number % 65_521 for number in range(20_000)]
    texts = [
        b"".join(number.to_bytes(8, "little") for number in numbers),
        " ".join(map(str, numbers)).encode(),
        b"if X3 <= 2.450:\n    return 0\nelse:\n    return 1\n",
    ]
    digest = hashlib.sha256()
    for text in texts:
        digest.update(_COMPRESS[compressor](text))
    return f"{compressor} {digest.hexdigest()[:16]}"


def difference(name: str, old: Entry | None, new: Entry) -> str | None:
    """What to say of a recipe whose entry is not the recorded one; None if it is."""
    if old == new:
        return None
    if "error" in new:
        return f"{name}: fails now, {new['error']}"
    if old is None:
        return f"{name}: not recorded; python tools/same_trees.py record adds it"
    changed = [key for key in new if key != "facts" and old.get(key) != new[key]]
    facts = [key for key in (*old["facts"], *new["facts"]) if old["facts"].get(key) != new["facts"].get(key)]
    lines = [f"{name}: differs in {', '.join(dict.fromkeys([*changed, *facts]))}"]
    lines += [f"  {when} {_figures(entry, facts)}" for when, entry in (("was", old), ("now", new))]
    return "\n".join(lines)


def _figures(entry: Entry, facts: list[str]) -> str:
    shown = {key: value for key, value in entry.items() if key != "facts"}
    shown |= {key: entry["facts"].get(key) for key in facts}
    shown["sha256"] = shown["sha256"][:12]
    return ", ".join(f"{key} {value}" for key, value in shown.items())


def _stale(reference: Reference, whole: bool) -> list[str]:
    """Records without a recipe; only a run of the whole corpus minds them."""
    return [name for name in reference.fits if name not in all_recipes()] if whole else []


def _unequal(recipes: Mapping[str, CorpusFit], entries: Mapping[str, Entry]) -> Iterator[str]:
    """Recipes that should give the same and do not."""
    for name, recipe in recipes.items():
        same = recipe.same_as
        if same is not None and same in entries and entries[name] != entries[same]:
            yield f"{name}: not the same as {recipe.same_as}"


if __name__ == "__main__":
    sys.exit(main())
