"""Runs the command line in this process, and keeps what it printed."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thriftree import datasets
from thriftree.cli import main
from thriftree.estimators.category_tests import FREE_SETS

DATA = Path(datasets.__file__).parent / "data"
HEART, PRICES = str(DATA / "heart.csv"), str(DATA / "heart_prices.toml")
HEART_DATA = (HEART, "--target", "heart_disease", "--costs", PRICES)
FREE_SETS_SET = tuple(word for name, value in FREE_SETS.items() for word in ("--set", f"{name}={value}"))


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Console(io.TextIOWrapper):
    """Text with its bytes at `.buffer`, as standard streams have it."""

    def __init__(self, content: bytes = b"") -> None:
        super().__init__(io.BytesIO(content), encoding="utf-8", newline="")

    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode("utf-8")


def run(*arguments: str, stdin: bytes = b"") -> Result:
    streams = sys.stdin, sys.stdout, sys.stderr
    out, err = Console(), Console()
    sys.stdin, sys.stdout, sys.stderr = Console(stdin), out, err
    try:
        code = main([str(argument) for argument in arguments])
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
    return Result(code, out.text(), err.text())


def refused(*arguments: str, stdin: bytes = b"") -> str:
    """The one line of a command that must be refused as bad input."""
    result = run(*arguments, stdin=stdin)
    assert result.code == 2, result
    assert result.out == ""
    (line,) = result.err.splitlines()
    assert line.startswith("thriftree: ")
    return line.removeprefix("thriftree: ")
