"""Runs exported source on rows: Python here, C and JavaScript as programs."""

from __future__ import annotations

import json
import re
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agreement import Answers

from thriftree.document.follow import scalar
from thriftree.testing.random_documents import Columns
from thriftree.tree import Tree


def by_row(rows: Columns) -> list[dict[str, Any]]:
    return [dict(zip(rows, values, strict=True)) for values in zip(*rows.values(), strict=True)]


# --- Python


def with_every_missing(rows: Columns) -> list[dict[str, Any]]:
    """Missing values take every form they can have."""
    given = by_row(rows)
    for i, row in enumerate(given):
        for column in [name for name, value in row.items() if value is None]:
            if i % 3 == 0:
                del row[column]
            elif i % 3 == 1:
                row[column] = float("nan")
    return given


def run_python(document: dict[str, Any], rows: Columns, **options: Any) -> Answers:
    code = Tree.from_dict(document).to_python(**options)
    names: dict[str, Any] = {}
    exec(compile(code, "exported", "exec"), names)
    given = with_every_missing(rows)
    answers = Answers([names["predict"](row) for row in given], [names["predict_leaf"](row) for row in given])
    if "predict_cost" in names:
        answers.cost = [names["predict_cost"](row) for row in given]
    if "predict_probabilities" in names:
        answers.shares = [list(names["predict_probabilities"](row)) for row in given]
    return answers


# --- C

C_FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]

DRIVER = """
#include "tree.c"
#include <stdio.h>

{pools}

int main(void) {{
    double raw[{n_raw}];
    while (fread(raw, sizeof(double), {n_raw}, stdin) == {n_raw}) {{
        struct predict_input in;
        double out[2 + {n_shares}];
        {fill}
        out[0] = predict_leaf(&in);
        out[1] = predict(&in);
        {shares}
        fwrite(out, sizeof(double), 2 + {n_shares}, stdout);
    }}
    return 0;
}}
"""


def used_columns(document: dict[str, Any]) -> list[dict[str, Any]]:
    tested = {node["test"]["column"] for node in document["nodes"] if "test" in node}
    read = {j for node in document["nodes"] for j in node.get("linear", {}).get("columns", ())}
    return [document["columns"][j] for j in sorted(tested | read)]


def c_values(values: list[Any]) -> str:
    """Distinct categories as C writes them."""
    if isinstance(values[0], str):
        return ", ".join('"' + "".join(f"\\{byte:03o}" for byte in value.encode()) + '"' for value in values)
    return ", ".join(
        f"{value}LL" if isinstance(value, int) else repr(value) for value in map(_number, values)
    )


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value


@dataclass
class CInputs:
    """Rows for a program: pools of categories, lines that fill its struct, and what it reads."""

    pools: list[str]
    fill: list[str]
    raw: list[list[float]]  # by field


def c_inputs(source: str, columns: list[dict[str, Any]], rows: Columns) -> CInputs:
    """Categories go into the program as literals, and through the lookup of the export."""
    fields = re.findall(r"^    (?:double|int) (\w+); /\*", source.partition("};")[0], re.MULTILINE)
    pools: list[str] = []
    fill: list[str] = []
    raw: list[list[float]] = []
    for i, (column, name) in enumerate(zip(columns, fields, strict=False)):
        values = rows[column["name"]]
        if column["kind"] == "number":
            fill.append(f"in.{name} = raw[{i}];")
            raw.append([float("nan") if value is None else value for value in values])
            continue
        pool = list(dict.fromkeys(value for value in values if value is not None))
        place = {value: number for number, value in enumerate(pool)}
        raw.append([-1.0 if value is None else float(place[value]) for value in values])
        if not column["categories"]:
            fill.append(f"in.{name} = raw[{i}] < 0 ? PREDICT_MISSING : PREDICT_OTHER;")
            continue
        lookup, kind, nothing = f"predict_{name}_from_text", "const char *const", "NULL"
        if not isinstance(pool[0], str):
            lookup = f"predict_{name}_from_number"
            kind, nothing = "const double", "NAN"
            if f"{lookup}(double" not in source:
                kind, nothing = "const long long", "0"
        pools.append(f"static {kind} pool_{i}[] = {{{c_values(pool)}}};")
        fill.append(f"in.{name} = {lookup}(raw[{i}] < 0 ? {nothing} : pool_{i}[(int)raw[{i}]]);")
    if not fill:
        raw, fill = [[0.0] * len(next(iter(rows.values())))], ["in.nothing = 0;"]
    return CInputs(pools, fill, raw)


def run_driver(
    folder: Path, driver: str, raw: list[list[float]], n_out: int, *libraries: str
) -> list[tuple[float, ...]]:
    """What the program says of each row: so many numbers."""
    (folder / "main.c").write_text(driver, encoding="utf-8")
    build = ["cc", *C_FLAGS, str(folder / "main.c"), "-o", str(folder / "tree"), *libraries]
    subprocess.run(build, check=True)
    given = b"".join(struct.pack(f"={len(raw)}d", *row) for row in zip(*raw, strict=True))
    out = subprocess.run([str(folder / "tree")], input=given, stdout=subprocess.PIPE, check=True).stdout
    return list(struct.iter_unpack(f"={n_out}d", out))


def run_c(document: dict[str, Any], rows: Columns, folder: Path, **options: Any) -> Answers:
    source = Tree.from_dict(document).to_c(**options)
    (folder / "tree.c").write_text(source, encoding="utf-8")
    given = c_inputs(source, used_columns(document), rows)
    n_shares = len(document["classes"] or ())
    copy = f"for (size_t k = 0; k < {n_shares}; ++k) out[2 + k] = predict_probabilities(&in)[k];"
    driver = DRIVER.format(
        pools="\n".join(given.pools),
        n_raw=len(given.raw),
        n_shares=n_shares,
        fill="\n        ".join(given.fill),
        shares=copy if n_shares else "",
    )
    answers = run_driver(folder, driver, given.raw, 2 + n_shares)
    classes = document["classes"]
    return Answers(
        [answer[1] if classes is None else scalar(classes[int(answer[1])]) for answer in answers],
        [int(answer[0]) for answer in answers],
        shares=[list(answer[2:]) for answer in answers] if n_shares else [],
    )


# --- JavaScript

RUNNER = """
import * as tree from "./tree.mjs";
import { readFileSync } from "node:fs";

const read = (cell) => {
  if (cell === null) return null;
  const [kind, text] = cell;
  if (kind === "number") return Number(text);
  if (kind === "integer") return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
  if (kind === "missing") return { nan: NaN, undefined: undefined }[text];
  return text;
};
const show = (_, value) => (typeof value === "bigint" ? { big: String(value) } : value);
const rows = JSON.parse(readFileSync(process.argv[2], "utf8")).map((cells) => {
  const row = {};
  for (const [name, cell] of cells) Object.defineProperty(row, name, { value: read(cell), enumerable: true });
  return row;
});
const ask = (name) => (name in tree ? rows.map(tree[name]) : []);
const names = process.argv.slice(3);
console.log(JSON.stringify(names.map(ask), show));
"""


def _cell(value: Any, i: int) -> Any:
    match value:
        case None:
            return [None, ["missing", "nan"], ["missing", "undefined"]][i % 3]
        case bool():
            return ["boolean", value]
        case int():
            return ["integer", str(value)]
        case float():
            return ["number", repr(value).replace("inf", "Infinity")]
        case _:
            return ["text", value]


def ask_node(source: str, rows: Columns, folder: Path, node: Path, names: list[str]) -> list[list[Any]]:
    """What the exported functions of these names say of each row; nothing if there is no such function."""
    (folder / "tree.mjs").write_text(source, encoding="utf-8")
    (folder / "run.mjs").write_text(RUNNER, encoding="utf-8")
    cells = [[[name, _cell(value, i)] for name, value in row.items()] for i, row in enumerate(by_row(rows))]
    (folder / "rows.json").write_text(json.dumps(cells), encoding="utf-8")
    command = [str(node), str(folder / "run.mjs"), str(folder / "rows.json"), *names]
    out = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert out.returncode == 0, out.stderr
    answers: list[list[Any]] = json.loads(out.stdout, object_hook=lambda shown: int(shown["big"]))
    return answers


def run_node(document: dict[str, Any], rows: Columns, folder: Path, node: Path, **options: Any) -> Answers:
    source = Tree.from_dict(document).to_javascript(**options)
    names = ["predict", "predictLeaf", "predictCost", "predictProbabilities"]
    return Answers(*ask_node(source, rows, folder, node, names))
