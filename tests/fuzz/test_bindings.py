"""Random calls do not crash the interpreter; and the fuzz itself sees crashes and odd errors."""

import sys

import fuzz_arguments
import fuzz_bindings
import fuzz_recipes
import numpy as np
import pytest
from thoroughness import tries

from thriftree import _core

FAKE_CORE = '''
"""Looks to the fuzz like a module of nanobind functions."""
import ctypes

def bound(signature):
    def mark(function):
        function.__nb_signature__ = ((signature, None, None),)
        return function
    return mark

class Table:
    __init__ = bound("def __init__(self) -> None")(lambda self: None)

    @bound("def peek(self, i: int) -> int")
    def peek(self, i):
        return PEEK

@bound("def encode(x: ndarray[dtype=float64, shape=(*, *)], n: int | None = 1) -> fake_core.Table")
def encode(x, n=1):
    if getattr(x, "dtype", None) != "f8" or x.ndim != 2:
        raise TypeError("x must be a float64 matrix")
    return Table()
'''


@pytest.fixture
def fuzz_fake(tmp_path, monkeypatch):
    """Fuzz the fake core, whose ``Table.peek`` returns the given expression."""

    def run(peek: str, calls: int = 400) -> tuple[bool, str]:
        (tmp_path / "fake_core.py").write_text(FAKE_CORE.replace("PEEK", peek), encoding="utf-8")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        return fuzz_bindings.fuzz("fake_core", seed=3, calls=calls)

    return run


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_no_binding_crashes_hangs_or_fails_oddly_under_random_calls(seed):
    passed, report = fuzz_bindings.fuzz("thriftree._core", seed, calls=500)
    assert passed, report


def test_methods_are_called_on_objects_that_other_calls_made(fuzz_fake):
    passed, report = fuzz_fake("i")
    assert passed, report
    assert "20 Table" in report


def test_a_crash_is_reported_with_the_seed_and_the_last_call(fuzz_fake):
    passed, report = fuzz_fake("ctypes.string_at(0)")
    assert not passed
    assert "signal 11; seed 3" in report
    assert "Table.peek(<Table>, i=" in report
    assert "--seed 3 --calls 400" in report


def test_an_error_that_no_caller_should_see_fails_the_run(fuzz_fake):
    passed, report = fuzz_fake("{}['internal']")
    assert not passed
    assert "KeyError: 'internal'" in report


def test_memory_is_bounded_so_a_huge_request_is_an_error_and_not_a_dead_machine(fuzz_fake):
    passed, report = fuzz_fake("bytearray(1 << 40)")
    assert passed, report


def test_the_same_seed_draws_the_same_arguments():
    def shown(seed: int) -> list[str]:
        draw = fuzz_arguments.Draw(np.random.default_rng(seed))
        return [fuzz_bindings.describe(fuzz_arguments.array(draw)) for _ in range(50)]

    assert shown(5) == shown(5)
    assert shown(5) != shown(6)


def test_arrays_come_in_every_awkward_layout():
    draw = fuzz_arguments.Draw(np.random.default_rng(0))
    arrays = []
    for _ in range(2000):
        draw.new_call()
        arrays.append(fuzz_arguments.array(draw))
    native = "<" if sys.byteorder == "little" else ">"
    assert any(a.size == 0 for a in arrays)
    assert any(not a.flags.writeable for a in arrays)
    assert any(not a.flags.aligned for a in arrays)
    assert any(a.flags.f_contiguous and not a.flags.c_contiguous for a in arrays)
    assert any(min(a.strides, default=0) < 0 for a in arrays)
    assert any(0 in a.strides and a.size > 1 for a in arrays)
    assert any(a.dtype.str[0] not in {native, "|"} for a in arrays)
    assert {a.ndim for a in arrays} == {0, 1, 2, 3}


def test_a_signature_is_read_with_its_defaults_and_nested_types():
    text = (
        "def f(a: int, /, x: ndarray[dtype=float64, shape=(*, *)], *, b: list[tuple[int, str]] | None = \\0)"
        " -> m.T"
    )
    names = [(p.name, p.has_default, p.by_position) for p in fuzz_arguments.parameters(text)]
    assert names == [("a", False, True), ("x", False, False), ("b", True, False)]
    assert fuzz_arguments.parameters("def f(self) -> None") == []


def test_a_module_with_nothing_to_call_fails_the_run(tmp_path, monkeypatch):
    (tmp_path / "empty_core.py").write_text("", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    passed, report = fuzz_bindings.fuzz("empty_core", seed=1, calls=10)
    assert not passed
    assert "empty_core has nothing to call" in report


def test_a_recipe_whose_words_its_binding_does_not_take_is_stale():
    parameters = fuzz_arguments.parameters("def encode_matrix(x: object, max_bins: int = 0) -> None")
    target = fuzz_bindings.Callee("encode_matrix", lambda: None, [parameters])
    assert fuzz_bindings.stale_recipes([target]) == ["encode_matrix"]


def test_every_recipe_is_for_a_binding_that_exists():
    names = {target.name for target in fuzz_bindings.discover(_core)}
    assert set(fuzz_recipes.RECIPES) <= names


def test_the_recipes_get_as_far_as_grown_trees():
    """Over a few seeds, since what one of them draws changes with every binding that is added."""
    made = dict.fromkeys(("GrownTree", "GrownPath", "PriceRules"), 0)
    seeds = tries(4, 2)
    for seed in range(seeds):
        _, report = fuzz_bindings.fuzz("thriftree._core", seed=seed, calls=5000)
        for kind in made:
            made[kind] += int(report.split(f" {kind}")[0].split()[-1]) if f" {kind}" in report else 0
    assert made["GrownTree"] >= 7 * seeds, made
    assert made["GrownPath"] >= seeds, made
    assert made["PriceRules"] >= 10 * seeds, made
