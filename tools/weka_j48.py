"""J48, the C4.5 of Weka, as a function: tables in, the tree's text read back.

J48 sees columns a0, a1, ..., categories v0, v1, ... and classes c0, c1, ..., so that its answers are easy to
read whatever the names in the data are.
"""

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

WEKA = Path("/usr/share/java/weka.jar")  # Debian's package weka

LEAF = re.compile(r": c\d+ \((\d+(?:\.\d+)?)(?:/\d+(?:\.\d+)?)?\)$", re.MULTILINE)
ROOT = re.compile(r"^a(\d+) (<=|=) (\S+?)(?::|$)", re.MULTILINE)
CORRECT = re.compile(r"^Correctly Classified Instances\s+(\d+)", re.MULTILINE)


@dataclass(frozen=True)
class J48Tree:
    """What J48 printed. Leaves that no training row reaches (categories not seen) are not counted."""

    n_leaves: int
    accuracy: float  # of the test rows
    root_column: int | None  # None: the tree is a leaf
    root_threshold: float | None  # None: a branch for every category, or a leaf


def j48(table: pl.DataFrame, train: NDArray[np.intp], test: NDArray[np.intp], *options: str) -> J48Tree:
    """Grow J48's tree on the rows `train` of a table whose last column is the class; test it on `test`."""
    with tempfile.TemporaryDirectory() as folder:
        head, body = _arff(table)
        files = {name: Path(folder, f"{name}.arff") for name in ("train", "test")}
        for name, rows in (("train", train), ("test", test)):
            files[name].write_text("\n".join([head, *(body[row] for row in rows), ""]))
        command = ["java", "-Djava.awt.headless=true", "-cp", str(WEKA), "weka.classifiers.trees.J48"]
        command += ["-t", str(files["train"]), "-T", str(files["test"]), "-v", *options]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return read_output(output, len(test))


def read_output(output: str, n_test: int) -> J48Tree:
    """Read what J48 prints for a tree and its test rows."""
    correct = CORRECT.search(output)
    if correct is None:
        raise ValueError(f"J48 printed no accuracy:\n{output}")
    root = ROOT.search(output)
    return J48Tree(
        n_leaves=sum(float(cases) > 0 for cases in LEAF.findall(output)),
        accuracy=int(correct[1]) / n_test,
        root_column=None if root is None else int(root[1]),
        root_threshold=float(root[3]) if root is not None and root[2] == "<=" else None,
    )


def _arff(table: pl.DataFrame) -> tuple[str, list[str]]:
    """The header and the lines of an ARFF file."""
    lines, columns = ["@relation table"], []
    for j, name in enumerate(table.columns):
        is_class = j == table.width - 1
        values = table[name]
        if values.dtype.is_numeric() and not is_class:
            lines.append(f"@attribute a{j} numeric")
            columns.append([repr(value) for value in values.to_list()])
            continue
        letter = "c" if is_class else "v"
        code = {value: f"{letter}{k}" for k, value in enumerate(sorted(values.unique().to_list()))}
        lines.append(f"@attribute {'class' if is_class else f'a{j}'} {{{','.join(code.values())}}}")
        columns.append([code[value] for value in values.to_list()])
    return "\n".join([*lines, "@data"]), [",".join(row) for row in zip(*columns, strict=True)]
