"""B, E and D of the core against the definitions and the worked figures."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from iris_reference import REFERENCE, runs
from oracles.ngi import (
    Cell,
    Instance,
    balance,
    discrimination,
    divided,
    efficiency,
    instance,
    largest,
    mass,
)
from oracles.ngi_makers import below, random_instance
from thoroughness import tries

from thriftree import _core

FIGURES = json.loads((REFERENCE / "ngi_paper000.json").read_text())
IMPURITIES = ("gini", "entropy")


def core_terms(of: Instance, cell: Cell, parts: Sequence[Cell], impurity: str) -> tuple[float, ...]:
    """In whole units of weight, so that a node of mass θ is known to be one."""
    objects = sorted(cell)
    outcome = {i: v for v, part in enumerate(parts) for i in part}
    units = math.lcm(*(p.denominator for p in (*of.p, of.theta)))
    terms = _core.enhanced_terms(
        np.array([of.labels[i] for i in objects], np.int32),
        max(of.labels) + 1,
        np.array([float(of.p[i] * units) for i in objects]),
        np.array([outcome[i] for i in objects], np.int32),
        float(of.theta * units),
        impurity,
    )
    return tuple(term / units for term in terms)


@pytest.mark.parametrize("name", ["ngi_A_8obj_theta_0.10", "ngi_B_6obj_theta_0"])
def test_the_worked_figures_at_every_node(name: str) -> None:
    given, greedy = FIGURES[name]["input"], FIGURES[name]["greedy"]
    of = instance(given["X"], given["y"], given["p"], given["c"], given["theta"])
    for run in greedy.values():
        for node in run["log"]:
            for row in node["rows"]:
                cell = frozenset(node["S"])
                parts = divided(of, cell, row["d"])
                # Of several largest outcomes the figures leave out the first, and we the heaviest.
                first = mass(of, largest(parts)[0])
                heaviest = max(mass(of, part) for part in largest(parts))
                figures = (Fraction(row["B"]) + first - heaviest, Fraction(row["E"]), Fraction(row["D"]))
                expected = tuple(float(figure) for figure in figures)
                assert core_terms(of, cell, parts, "gini") == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("rows", ["full", "train"])
@pytest.mark.parametrize("impurity", IMPURITIES)
def test_the_recorded_terms_of_iris(rows: str, impurity: str) -> None:
    of = next(run for run in runs() if run.rows == rows).instance()
    tables = json.loads((REFERENCE / "lecdt_iris.json").read_text())["term_tables"]
    table = next(t for t in tables if (t["fit_on"], t["criterion"]) == (rows, impurity))["tables"]
    for cell, where in ((of.objects, "root"), (divided(of, of.objects, 10)[0], "root.10=0")):
        for row in table[where]:
            parts = divided(of, cell, row["test"])
            expected = (row["B"], row["E"], row["D_paper"])
            assert core_terms(of, cell, parts, impurity) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("impurity", IMPURITIES)
def test_the_definitions_on_random_nodes(impurity: str) -> None:
    """Heavy objects and light ones, one that outweighs all others, and nodes lighter than θ."""
    n_nodes, n_instances = 0, tries(1200, 300)
    for seed in range(n_instances):
        rng = Random(seed)
        of = random_instance(rng, max_objects=12, max_tests=5)
        cell = of.objects
        while len(cell) > 1:
            for test in of.tests:
                parts = divided(of, cell, test)
                expected = (
                    float(balance(of, cell, parts)),
                    float(efficiency(of, cell, parts)),
                    float(discrimination(of, cell, parts, impurity)),
                )
                assert core_terms(of, cell, parts, impurity) == pytest.approx(expected, rel=1e-12, abs=1e-15)
                n_nodes += 1
            parts = divided(of, cell, below(rng, len(of.tests)))
            if len(parts) == 1:
                break
            cell = max(parts, key=len)
    assert n_nodes > 2.5 * n_instances
