"""Load mutated files of trees and models; each must give a model that predicts, or a clear ValueError.

    python tools/fuzz_files.py --seed 1 --files 10000

The files of tests/compat and random trees are changed (file_mutations.py) and loaded in a child process with
bounded memory and time, in which an audit hook ends the process if loading does anything but read a file: it
runs, compiles and imports nothing, starts no process and writes nowhere. The report of a failure names the
seed and keeps the file. The same seed repeats the same files.
"""

import argparse
import faulthandler
import os
import random
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from file_mutations import mutated
from fuzz_child import report_of
from sklearn.base import clone

import thriftree
from thriftree import SoftTree
from thriftree.columns import ColumnSchema
from thriftree.costs import TestCosts
from thriftree.document.checks import parse
from thriftree.model_files.read import model_of
from thriftree.model_files.write import model_text
from thriftree.registry import LEARNERS, estimator_class
from thriftree.temporal.words import tick_words
from thriftree.testing.random_documents import random_document
from thriftree.tree import Tree

COMPAT = Path(__file__).resolve().parent.parent / "tests" / "compat"
MEMORY_BYTES = 4 << 30
FILE_LIMIT_S = 20
N_RANDOM_TREES = 12
MOST_EXACT = 2**53  # tables refuse larger integers
MOST_DAYS = 2_932_896  # to the end of the year 9999
#: Events of Python's audit log that loading may set off, beside opening a file to read: messages show values,
#: parameters are listed by inspect.signature, warnings look for their place.
ALLOWED = frozenset({"builtins.id", "object.__getattr__", "sys._getframe"})


def only_reads(event: str, arguments: tuple[Any, ...]) -> bool:
    """Whether an event of the audit log is one that loading may set off."""
    if event == "open":
        return not arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    return event in ALLOWED


class Watch:
    """An audit hook that is on while a file is loaded."""

    def __init__(self) -> None:
        self.on = False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Ends the process at an event that loading must not set off."""
        if not self.on or only_reads(event, arguments):
            return
        self.on = False
        print(f"loading set off the audit event {event} {arguments!r:.200}", flush=True)
        os._exit(3)  # not an exception, which the loader might answer


def texts() -> list[str]:
    """The files to change, as text."""
    files = (file for kind in ("files", "soft", "neural") for file in sorted((COMPAT / kind).glob("*.json")))
    kept = [file.read_text(encoding="utf-8") for file in files]
    trees = (
        random_document(seed, n_tests=6, prices=seed % 2 == 0, linear=seed % 4 == 3)
        for seed in range(N_RANDOM_TREES)
    )
    return [*kept, *soft_models(), *(Tree.from_dict(document).to_json() for document in trees)]


def soft_models() -> list[str]:
    """Estimators of soft trees, as text."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    plain = thriftree.SoftTreeClassifier(max_depth=2, max_iter=3).fit(X, X[:, 0] > 0)
    linear = thriftree.SoftTreeRegressor(max_depth=1, max_iter=3, leaves="linear", costs=[1.0, 2.0])
    return [model_text(plain), model_text(linear.fit(X, X[:, 1]))]


def rows_for(all_columns: Sequence[ColumnSchema], keys: Sequence[float]) -> Any:
    """Rows for the columns: numbers at the cuts and beyond, dates, categories, missing, unseen."""
    numbers = [np.nan, 0.0, -1e300, 1e300, *keys]
    columns = []
    for column in all_columns:
        values: list[Any] = list(numbers)
        if column.temporal is not None:
            values = [None, *(tick_words(column.temporal, tick) for tick in (0, 1, MOST_DAYS))]
        elif column.kind != "number":
            values = [None, *(c for c in column.categories[:5] if isinstance(c, str) or abs(c) <= MOST_EXACT)]
            text = all(isinstance(value, str) for value in values[1:])
            values.append("not seen" if text else None)
        columns.append([values[i % len(values)] for i in range(8)])
    rows = np.empty((8, len(columns)), dtype=object)
    for j, column_values in enumerate(columns):
        rows[:, j] = column_values
    return rows


def use(found: Any) -> None:
    """Does what people do with what they loaded."""
    if isinstance(found, SoftTree) or hasattr(found, "soft_tree_"):
        use_soft(found)
        return
    tree = found if isinstance(found, Tree) else found.tree_
    if not tree.columns:
        return  # a leaf of a table without columns: there are no rows to ask about
    if any(len({type(category) for category in column.categories}) > 1 for column in tree.columns):
        return  # valid, but tables have columns of one type
    X = rows_for(tree.columns, tree.core.keys[:4].tolist())
    found.predict(X)
    found.apply(X)
    found.decision_path(X)
    if tree.classes is not None and not np.isfinite(found.predict_proba(X)).all():
        raise AssertionError("a probability is not a number")
    if isinstance(found, Tree):
        if Tree.from_json(found.to_json()) != found:
            raise AssertionError("the tree is another after it was written and read")
        if has_prices(found):
            found.predict_cost(X)
    else:
        clone(found)
        found.predict_cost(X)
        if model_of(parse(model_text(found))).tree_ != tree:
            raise AssertionError("the model is another after it was written and read")


def use_soft(found: Any) -> None:
    """The same with a soft tree, or an estimator that has one."""
    tree = found if isinstance(found, SoftTree) else found.soft_tree_
    columns = getattr(found, "design_", tree.design).columns
    if not columns or any(len({type(one) for one in column.categories}) > 1 for column in columns):
        return
    X = rows_for(columns, [])
    found.predict(X)
    reach = found.path_probabilities(X)
    if not np.isfinite(reach).all():
        raise AssertionError("a probability is not a number")
    if tree.classes is not None and not np.isfinite(found.predict_proba(X)).all():
        raise AssertionError("a probability is not a number")
    if found is tree:
        found.predict_cost(X)
        again = SoftTree.from_json(found.to_json())
    else:
        clone(found)
        again = model_of(parse(model_text(found))).soft_tree_
    if again.to_dict() != tree.to_dict():
        raise AssertionError("the soft tree is another after it was written and read")


def has_prices(tree: Tree) -> bool:
    """Whether the prices of a tree, which its file may hold in any form, are prices."""
    try:
        TestCosts.from_dict(tree.prices or {}).bind(tree.columns)
    except (TypeError, ValueError):
        return tree.prices is None
    return True


def run_files(seed: int, n_files: int, file: Path) -> int:
    """Load the files in this process; `file` holds the one under way. Return an exit code."""
    faulthandler.enable()
    warnings.simplefilter("ignore")
    bases = texts()
    for name in LEARNERS:
        estimator_class(name)
    for text in bases:  # whatever is imported or compiled at the first call is so now
        file.write_text(text, encoding="utf-8")
        use(thriftree.load(file))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    watch = Watch()
    sys.addaudithook(watch)
    loaded = 0
    for number in range(n_files):
        rng = random.Random(f"{seed} {number}")
        file.write_bytes(mutated(rng.choice(bases), bases, rng))
        faulthandler.dump_traceback_later(FILE_LIMIT_S, exit=True)
        loaded += loads(file, watch)
        faulthandler.cancel_dump_traceback_later()
    print(f"{n_files} mutated files with seed {seed}: {loaded} loaded and predict, the others are refused")
    return 0


def loads(file: Path, watch: Watch) -> bool:
    """Whether the file is one of a tree or a model, which then predicts. Raises if it is refused oddly."""
    watch.on = True
    try:
        found = thriftree.load(file)
    except ValueError as error:
        watch.on = False
        if not str(error).startswith("$"):
            raise AssertionError("the error names no JSON path") from error
        return False
    finally:
        watch.on = False
    use(found)
    return True


def fuzz(seed: int, n_files: int) -> tuple[bool, str]:
    """Load the files in a child process. Return whether all went well, and a report."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mutated.json"
        child = subprocess.run(
            [sys.executable, __file__, "--seed", str(seed), "--files", str(n_files), "--child", str(file)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if child.returncode == 0:
            return True, child.stdout.strip()
        kept = Path(tempfile.gettempdir()) / f"fuzz_files_seed_{seed}.json"
        if file.exists():
            kept.write_bytes(file.read_bytes())
    again = f"python {Path(__file__).name} --seed {seed} --files {n_files}"
    return False, report_of(child, f"its last file is {kept}", [], again)


def main() -> int:
    """Fuzz as the command line says."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--files", type=int, default=10_000)
    options.add_argument(
        "--child", type=Path, help=argparse.SUPPRESS
    )  # set for the child: it loads the files
    chosen = options.parse_args()
    if chosen.child is not None:
        return run_files(chosen.seed, chosen.files, chosen.child)
    passed, report = fuzz(chosen.seed, chosen.files)
    print(report)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
