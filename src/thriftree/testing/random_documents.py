"""Random trees in their JSON form, and rows that are hard on whoever follows them.

What exports, pages and explanations are compared with `Tree.predict` on: values at the cuts and next to them,
missing values, unseen categories, and names that break careless quoting.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thriftree.document.follow import scalar
from thriftree.table.making_frames import make_frame

Columns = dict[str, list[Any]]

#: Names, categories and classes that break quoting, markup, identifiers, terminals or spreadsheets.
HOSTILE_TEXTS = (
    "it's",
    'say "no"',
    "back\\slash",
    "line\nbreak",
    "carriage\r\nreturn",
    "tab\tstop",
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "a & b < c > d",
    "'); DROP TABLE rows;--",
    "=CMD()",
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "select",
    "class",
    "def",
    "int",
    "return",
    "x y",
    " leading",
    "trailing ",
    "",
    "%s %d {0} ${x} {{ y }}",
    "/* no */ // end */",
    "]]>",
    "🌳 tree",
    "é",
    "e\u0301",
    "עברית",
    "\u202eright to left",
    "\u2028separator",
    "\u00a0",
    "NULL",
    "null",
    "None",
    "nan",
    "true",
    "1",
    "1.0",
    "?",
    "`tick`",
    "\x07bell",
    "\x1b[31mred",
    "a,b;c|d",
    "ſ",
    "A",
    "a",
)


def random_document(
    seed: int,
    *,
    n_columns: int = 5,
    n_tests: int = 9,
    n_classes: int | None = None,
    hostile: bool = True,
    kinds: tuple[str, ...] = ("number", "ordered", "category"),
    binary: bool = False,
    prices: bool = False,
    shrunk: bool | None = None,
    linear: bool = False,
) -> dict[str, Any]:
    """A valid tree. `n_classes` 0 asks for a numeric target; None chooses. `binary` asks for two branches a
    test. With `hostile`, names, categories and classes of text come from HOSTILE_TEXTS. `shrunk` None: of
    every third seed. `linear`: leaves of a numeric target have linear models.
    """
    rng = np.random.default_rng(seed)
    texts = list(rng.permutation(np.array(HOSTILE_TEXTS, object))) if hostile else []
    columns = [_column(rng, j, str(rng.choice(kinds)), texts) for j in range(n_columns)]
    if n_classes is None:
        n_classes = int(rng.choice([0, 1, 2, 3, 5]))
    nodes: list[dict[str, Any]] = []
    _grow(nodes, rng, columns, n_classes, n_tests, binary)
    document: dict[str, Any] = {
        "format": "thriftree-tree",
        "version": 1,
        "settings": None,
        "prices": None,
        "columns": columns,
        "classes": None if n_classes == 0 else _labels(rng, n_classes, hostile),
        "nodes": nodes,
    }
    if prices:
        document["prices"] = {
            "prices": [{"feature": c["name"], "price": float(rng.integers(0, 500)) / 10} for c in columns],
            "pay": str(rng.choice(["once", "each"])),
        }
    if seed % 3 == 1 if shrunk is None else shrunk:
        _shrink(document, np.random.default_rng([seed, 1]))
    if linear and document["classes"] is None:
        _add_models(document, np.random.default_rng([seed, 2]))
    return document


def _add_models(document: dict[str, Any], rng: np.random.Generator) -> None:
    """Linear models of most leaves that nobody stated; with prices they read what their path asks."""
    nodes = document["nodes"]
    asked: list[set[int]] = [set() for _ in nodes]
    for number, node in enumerate(nodes):
        for child in node.get("children", ()):
            asked[child] = asked[number] | {node["test"]["column"]}
    numbers = [j for j, column in enumerate(document["columns"]) if column["kind"] == "number"]
    for number, node in enumerate(nodes):
        allowed = [j for j in numbers if document["prices"] is None or j in asked[number]]
        if "test" in node or "stated" in node or not allowed or rng.random() < 0.2:
            continue
        columns = sorted(rng.choice(allowed, int(rng.integers(1, len(allowed) + 1)), replace=False).tolist())
        low, high = sorted((node["value"][0] + rng.normal(size=2) * 8).tolist())
        node["linear"] = {
            "columns": columns,
            "coefficients": (rng.normal(size=len(columns)) * 3).tolist(),
            "means": (rng.normal(size=len(columns)) * 2).tolist(),
            "lowest": low,
            "highest": high,
        }


def _shrink(document: dict[str, Any], rng: np.random.Generator) -> None:
    """Shrinkage of any strength; of a number, some leaves are stated."""
    document["shrinkage"] = {"strength": float(10 ** rng.uniform(-2, 4))}
    if document["classes"] is not None:
        document["shrinkage"]["keeps_labels"] = bool(rng.random() < 0.7)
        return
    for node in document["nodes"]:
        if "test" not in node and rng.random() < 0.2:
            node["stated"] = True


def random_rows(
    document: dict[str, Any], seed: int, n_rows: int, *, infinite: bool = True, float32: bool = False
) -> Columns:
    """Rows of a document, by column name; None is missing. Half of the numbers are at a cut or next to one.

    With `float32` every number is a 32-bit float's value; without `infinite` numbers are of ordinary size.
    """
    rng = np.random.default_rng(seed)
    cuts: list[set[float]] = [set() for _ in document["columns"]]
    for node in document["nodes"]:
        if "test" in node and node["test"]["kind"] == "ordered":
            cuts[node["test"]["column"]].update(node["test"]["keys"])
    return {
        column["name"]: (
            _numbers(rng, sorted(cuts[j]), n_rows, infinite, float32)
            if column["kind"] == "number"
            else _members(rng, column, n_rows)
        )
        for j, column in enumerate(document["columns"])
    }


def frame_of(document: dict[str, Any], rows: Columns, backend: Any = None) -> Any:
    """The rows as a frame that `Tree.predict` takes."""
    return make_frame(
        {
            column["name"]: (
                np.array([math.nan if v is None else v for v in rows[column["name"]]], np.float64)
                if column["kind"] == "number" and "temporal" not in column
                else rows[column["name"]]
            )
            for column in document["columns"]
        },
        backend,
    )


def _column(rng: np.random.Generator, j: int, kind: str, texts: list[str]) -> dict[str, Any]:
    name = texts.pop() if texts else f"column {j}"
    if kind == "number":
        return {"name": name, "kind": kind}
    n = int(rng.integers(2, 7))
    types = ["text", "integer", "float", *(["boolean"] if kind == "category" else [])]
    labels: list[Any]
    match rng.choice(types):
        case "text" if texts:
            labels = [str(t) for t in rng.choice(np.array(HOSTILE_TEXTS, object), n, replace=False)]
        case "text":
            labels = [f"value {k}" for k in range(n)]
        case "integer":
            labels = rng.choice(np.arange(-9, 30), n, replace=False).tolist()
        case "float":
            labels = [{"float": float(v) / 4} for v in rng.choice(np.arange(-9, 30), n, replace=False)]
        case _:
            labels = [False, True]
    if kind == "category":
        labels.sort(key=scalar)
    return {"name": name, "kind": kind, "categories": labels}


def _labels(rng: np.random.Generator, n: int, hostile: bool) -> list[Any]:
    match rng.integers(0, 4):
        case 0:
            return list(range(n))
        case 1:
            return [{"float": k / 2} for k in range(n)]
        case 2 if n <= 2:
            return [False, True][:n]
    if hostile:
        return sorted(str(t) for t in rng.choice(np.array(HOSTILE_TEXTS, object), n, replace=False))
    return [f"class {k}" for k in range(n)]


def _grow(
    nodes: list[dict[str, Any]],
    rng: np.random.Generator,
    columns: list[dict[str, Any]],
    n_classes: int,
    left: int,
    binary: bool,
) -> int:
    """Adds a subtree of about `left` tests in preorder and returns its root's number."""
    number = len(nodes)
    node = _seen(rng, n_classes)
    nodes.append(node)
    if left <= 0:
        return number
    node["test"], n_branches = _test(rng, columns, binary)
    shares = rng.multinomial(left - 1, np.full(n_branches, 1 / n_branches))
    node["children"] = [_grow(nodes, rng, columns, n_classes, int(share), binary) for share in shares]
    return number


def _seen(rng: np.random.Generator, n_classes: int) -> dict[str, Any]:
    rows = int(rng.integers(0, 1000))
    if n_classes == 0:
        value = [float(rng.normal()) * 10, float(rng.random())]
        return {"rows": rows, "objects": rows, "weight": float(rows), "value": value, "impurity": value[1]}
    counts = rng.multinomial(rows, rng.dirichlet(np.ones(n_classes)))
    return {
        "rows": rows,
        "objects": rows,
        "weight": float(rows),
        "value": [float(count) for count in counts],
        "label": int(rng.integers(0, n_classes)) if rows == 0 else int(counts.argmax()),
        "impurity": float(rng.random()),
    }


def _test(
    rng: np.random.Generator, columns: list[dict[str, Any]], binary: bool
) -> tuple[dict[str, Any], int]:
    j = int(rng.integers(0, len(columns)))
    column = columns[j]
    n_codes = len(column.get("categories", ()))
    if column["kind"] == "number":
        kind, keys = "ordered", _cuts(rng, binary)
    elif column["kind"] == "ordered" and rng.random() < 0.5:
        cuts = np.arange(n_codes - 1) + 0.5
        n_keys = 1 if binary else int(rng.integers(1, min(3, len(cuts)) + 1))
        kind, keys = "ordered", sorted(rng.choice(cuts, n_keys, replace=False).tolist())
    else:
        kind = "category"
        keys = sorted(rng.choice(n_codes, int(rng.integers(1, n_codes + 1)), replace=False).tolist())
    n_to = len(keys) + (kind == "ordered")
    most = 2 if binary else 4
    to = rng.integers(0, most, n_to).tolist()
    missing, other = (int(b) for b in rng.integers(0, most, 2))
    used = sorted({*to, missing, other})
    if len(used) == 1:
        missing = 1 - used[0] if binary else used[0] + 1
        used = sorted({*used, missing})
    place = {branch: i for i, branch in enumerate(used)}
    test = {"column": j, "kind": kind, "keys": keys, "to": [place[b] for b in to]}
    return {**test, "missing": place[missing], "other": place[other], "score": None}, len(used)


def _cuts(rng: np.random.Generator, binary: bool) -> list[float]:
    n = 1 if binary else int(rng.integers(0, 4))
    pool = [0.0, 0.1, 1 / 3, -2.5, 16777217.0, 1e-7, 123456.789, 0.1 + 0.2, -1e15 / 3]
    pool += rng.normal(size=4).tolist()
    return sorted({float(cut) for cut in rng.choice(pool, n, replace=False)})


def _numbers(
    rng: np.random.Generator, cuts: list[float], n_rows: int, infinite: bool, float32: bool
) -> list[float | None]:
    near = [f for cut in [*cuts, 0.0] for f in (cut, np.nextafter(cut, np.inf), np.nextafter(cut, -np.inf))]
    special = [float(x) for x in near] + [-0.0, 1.0, -1.0, 5e8]
    if infinite:
        special += [math.inf, -math.inf, 1e300, -1e300, 5e-324]
    values = np.where(rng.random(n_rows) < 0.5, rng.choice(special, n_rows), rng.normal(size=n_rows) * 3)
    if float32:
        with np.errstate(over="ignore"):
            values = values.astype(np.float32).astype(np.float64)
    missing = rng.random(n_rows) < 0.1
    return [None if gone else x for gone, x in zip(missing.tolist(), values.tolist(), strict=True)]


def _members(rng: np.random.Generator, column: dict[str, Any], n_rows: int) -> list[Any]:
    known = [scalar(category) for category in column["categories"]]
    unseen: list[Any] = []
    if isinstance(known[0], str):
        unseen = ["unseen", "", *(w for k in known for w in (f"{k} ", str(k).upper(), str(k).lower()))]
    elif not isinstance(known[0], bool):
        unseen = [-77, 1000] if isinstance(known[0], int) else [-77.125, 1000.5]
    pool = [*known, *known, None, *(value for value in unseen if value not in known)]
    return [pool[i] for i in rng.integers(0, len(pool), n_rows)]
