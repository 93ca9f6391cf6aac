"""Call everything in the compiled core with random arguments; nothing may crash, hang or fail oddly.

    python tools/fuzz_bindings.py --seed 1 --calls 3000

The calls are made in a child process with bounded memory, so a crash is seen from outside: the report names
the seed and the last call. The same seed repeats the same calls. Bindings are found by looking, so a new one
is fuzzed from its signature without an entry anywhere; fuzz_recipes.py helps where arguments must agree.
"""

import argparse
import faulthandler
import importlib
import os
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from fuzz_arguments import CallbackError, Draw, Parameter, for_type, junk, parameters
from fuzz_child import report_of
from fuzz_recipes import RECIPES

# AttributeError: a part of the loop written in Python lacks a method.
EXPECTED = (
    TypeError, ValueError, IndexError, OverflowError, MemoryError, TimeoutError, BufferError, AttributeError,
    CallbackError,
)  # fmt: skip
MEMORY_BYTES = 4 << 30
CALL_LIMIT_S = 60
POOL_SIZE = 20


@dataclass(frozen=True)
class Callee:
    """Something to call: a function, a constructor, or a method or property of a class."""

    name: str
    function: Callable[..., Any]
    signatures: list[list[Parameter]]
    owner: str | None = None  # the class whose instance comes first
    reads: bool = False  # a property: called with the instance alone
    takes_any_name: bool = False  # has **kwargs: a recipe's parameters are passed as they are


def discover(module: Any) -> list[Callee]:
    """Return every callable and property of the module and its classes, in order of name."""
    targets: list[Callee] = []
    for name, value in sorted(vars(module).items()):
        if name.startswith("__"):
            continue
        if isinstance(value, type):
            made_by = vars(value).get("__init__")
            any_name = _takes_any_name(made_by)
            targets.append(Callee(name, value, _signatures(made_by), takes_any_name=any_name))
            targets.extend(_members(name, value))
        elif callable(value):
            targets.append(Callee(name, value, _signatures(value)))
    return targets


def _members(owner: str, kind: type) -> list[Callee]:
    targets = []
    for name, value in sorted(vars(kind).items()):
        full_name = f"{owner}.{name}"
        if isinstance(value, property) and value.fget:
            targets.append(Callee(full_name, value.fget, [], owner, reads=True))
        elif name in {"__getstate__", "__len__", "__repr__", "__eq__"} or not name.startswith("__"):
            if type(value).__name__ == "nb_func" or isinstance(value, staticmethod):
                targets.append(Callee(full_name, getattr(kind, name), _signatures(getattr(kind, name))))
            elif callable(value):
                targets.append(Callee(full_name, value, _signatures(value), owner))
    return targets


def _signatures(function: Any) -> list[list[Parameter]]:
    return [parameters(text) for text, *_ in getattr(function, "__nb_signature__", ())]


def _takes_any_name(function: Any) -> bool:
    return any("**" in text for text, *_ in getattr(function, "__nb_signature__", ()))


def arguments(draw: Draw, target: Callee) -> tuple[list[Any], dict[str, Any]]:
    """Return random arguments, the instance first for a method."""
    instance = [draw.one_of(draw.pool[target.owner])] if target.owner else []
    if target.reads:
        return instance, {}
    if not target.signatures or draw.chance(0.03):
        return [*instance, *(junk(draw) for _ in range(int(draw.rng.integers(5))))], {}
    recipe = RECIPES.get(target.name)
    given = recipe(draw) if recipe and draw.chance(0.8) else {}
    by_position, by_name = list(instance), dict(given) if target.takes_any_name else {}
    for parameter in draw.one_of(target.signatures):
        if parameter.name in given and not draw.chance(0.05):
            value = given[parameter.name]
        elif parameter.has_default and draw.chance(0.5):
            continue
        else:
            value = for_type(draw, parameter.annotation)
        if parameter.by_position:
            by_position.append(value)
        else:
            by_name[parameter.name] = value
    return by_position, by_name


def stale_recipes(targets: list[Callee]) -> list[str]:
    """Return the names of recipes that give something which is no parameter of their binding."""
    known = {t.name: {p.name for s in t.signatures for p in s} for t in targets if not t.takes_any_name}
    draw = Draw(np.random.default_rng(0))
    return [name for name, recipe in RECIPES.items() if name in known and recipe(draw).keys() - known[name]]


def describe(value: Any) -> str:
    """Return a short text from which an argument can be recognised."""
    if isinstance(value, np.ndarray):
        flags = "" if value.flags.writeable else ", read-only"
        return f"array({value.dtype.str}, {value.shape}, strides {value.strides}{flags})"
    if isinstance(value, list):
        return f"[{', '.join(map(describe, value))}]"
    return (
        repr(value)[:80]
        if isinstance(value, (int, float, str, bytes, type(None)))
        else f"<{type(value).__name__}>"
    )


def run_calls(module_name: str, seed: int, calls: int, journal: int) -> int:
    """Make the calls in this process; the journal holds the call under way. Return an exit code."""
    faulthandler.enable()
    warnings.simplefilter("ignore")
    module = importlib.import_module(module_name)
    targets = discover(module)
    stale = stale_recipes(targets)
    if stale:
        print(f"correct tools/fuzz_recipes.py: {', '.join(stale)} give words that their bindings do not take")
        return 1
    if not targets:
        print(f"{module_name} has nothing to call: was it built?")
        return 1
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    draw = Draw(np.random.default_rng(seed))
    returned = 0
    for number in range(calls):
        draw.new_call()
        ready = [target for target in targets if not target.owner or draw.pool.get(target.owner)]
        with_recipe = [target for target in ready if target.name in RECIPES]
        target = draw.one_of(with_recipe if with_recipe and draw.chance(0.5) else ready)
        by_position, by_name = arguments(draw, target)
        shown = [
            *map(describe, by_position),
            *(f"{name}={describe(value)}" for name, value in by_name.items()),
        ]
        os.truncate(journal, 0)
        os.pwrite(journal, f"call {number}: {target.name}({', '.join(shown)})".encode(errors="replace"), 0)
        faulthandler.dump_traceback_later(CALL_LIMIT_S, exit=True)
        try:
            result = target.function(*by_position, **by_name)
        except EXPECTED:
            continue
        finally:
            faulthandler.cancel_dump_traceback_later()
        returned += 1
        _keep(draw, module, result)
    made = ", ".join(f"{len(objects)} {name}" for name, objects in sorted(draw.pool.items())) or "no objects"
    print(f"{len(targets)} bindings, {calls} calls with seed {seed}: {returned} returned; kept {made}")
    return 0


def _keep(draw: Draw, module: Any, result: Any) -> None:
    """Remember the latest instances of each of the module's classes, for methods and for other calls."""
    for value in result if isinstance(result, (tuple, list)) else [result]:
        name = type(value).__name__
        if getattr(module, name, None) is type(value):
            made = draw.pool.setdefault(name, [])
            made.append(value)
            del made[:-POOL_SIZE]


def fuzz(module_name: str, seed: int, calls: int) -> tuple[bool, str]:
    """Run the calls in a child process. Return whether all went well, and a report."""
    with tempfile.NamedTemporaryFile() as journal:
        child = subprocess.run(
            [sys.executable, __file__, "--module", module_name, "--seed", str(seed), "--calls", str(calls),
             "--journal", str(journal.fileno())],
            pass_fds=[journal.fileno()], capture_output=True, text=True, check=False,
        )  # fmt: skip
        last_call = Path(journal.name).read_text(encoding="utf-8", errors="replace")
    if child.returncode == 0:
        return True, child.stdout.strip()
    again = f"python {Path(__file__).name} --module {module_name} --seed {seed} --calls {calls}"
    return False, report_of(child, f"seed {seed}", [last_call], again)


def main() -> int:
    """Fuzz as the command line says."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--module", default="thriftree._core")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--calls", type=int, default=3000)
    options.add_argument(
        "--journal", type=int, help=argparse.SUPPRESS
    )  # set for the child: it makes the calls
    chosen = options.parse_args()
    if chosen.journal is not None:
        return run_calls(chosen.module, chosen.seed, chosen.calls, chosen.journal)
    passed, report = fuzz(chosen.module, chosen.seed, chosen.calls)
    print(report)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
