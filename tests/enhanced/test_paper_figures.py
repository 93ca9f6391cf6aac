"""Paper 000 worked by hand: the figures of tests/reference/ngi_paper000.json, every fraction exactly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from oracles.closed_form import efficiency_from_sums
from oracles.ngi import (
    Cell,
    Instance,
    balance,
    discrimination,
    divided,
    efficiency,
    f_either,
    impure_pairs,
    indistinguishable,
    instance,
    is_leaf,
    largest,
    mass,
    score,
)

FIGURES = json.loads((Path(__file__).parents[1] / "reference" / "ngi_paper000.json").read_text())
NAMES = ["ngi_A_8obj_theta_0.10", "ngi_B_6obj_theta_0"]
RUNS = [(name, run) for name in NAMES for run in FIGURES[name]["greedy"]]


def of_figures(name: str) -> Instance:
    given = FIGURES[name]["input"]
    return instance(given["X"], given["y"], given["p"], given["c"], given["theta"])


def trade_off_of(run: str) -> Fraction:
    return Fraction(run.removeprefix("ECART_lambda"))


def nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield tree
    for child in tree.get("children", {}).values():
        yield from nodes(child)


@pytest.mark.parametrize("name", NAMES)
def test_every_term_at_the_root_is_the_papers(name: str) -> None:
    of, figures = of_figures(name), FIGURES[name]
    root = of.objects
    assert impure_pairs(of, root) == figures["phi(X)"]
    assert [f_either(of, i, indistinguishable(of, i)) for i in sorted(root)] == [
        Fraction(f) for f in figures["ftilde_full"]
    ]
    assert len(figures["root_terms"]) == len(of.tests)
    for row in figures["root_terms"]:
        parts = divided(of, root, row["d"])
        assert [sorted(part) for part in parts] == list(row["branches"].values())
        assert balance(of, root, parts) == Fraction(row["B"])
        assert efficiency(of, root, parts) == Fraction(row["E"])
        assert efficiency_from_sums(of, root, parts) == Fraction(row["E_closed"])
        assert discrimination(of, root, parts, "gini") == Fraction(row["D_gini"])
        bits = discrimination(of, root, parts, "entropy")
        assert bits == pytest.approx(row["D_entropy_bits"], abs=1e-12)
        for trade_off in (0, 1, 10, 100):
            assert score(of, root, row["d"], trade_off) == Fraction(row[f"Z_gini_lambda{trade_off}"])


@pytest.mark.parametrize(("name", "run"), RUNS)
def test_every_term_at_every_greedy_node_is_the_papers(name: str, run: str) -> None:
    of, trade_off = of_figures(name), trade_off_of(run)
    for node in FIGURES[name]["greedy"][run]["log"]:
        cell = frozenset(node["S"])
        ours, figures = {}, {}
        for row in node["rows"]:
            test = row["d"]
            parts = divided(of, cell, test)
            ours[test], figures[test] = score(of, cell, test, trade_off), Fraction(row["Z"])
            # Of outcomes with equally many objects the figures take the first where we take the heaviest.
            first = mass(of, cell) - mass(of, largest(parts)[0])
            assert Fraction(row["B"]) == first
            assert figures[test] - ours[test] == (first - balance(of, cell, parts)) / of.prices[test]
            assert efficiency(of, cell, parts) == Fraction(row["E"])
            assert efficiency_from_sums(of, cell, parts) == Fraction(row["E"])
            assert discrimination(of, cell, parts, "gini") == Fraction(row["D"])
        assert set(ours) >= {d for d in of.tests if len(divided(of, cell, d)) > 1}
        assert figures[node["chosen"]] == max(figures.values())
        assert ours[node["chosen"]] == max(ours.values())


@pytest.mark.parametrize(("name", "run"), RUNS)
def test_the_greedy_trees_stop_where_they_may_and_cost_what_they_should(name: str, run: str) -> None:
    of, greedy = of_figures(name), FIGURES[name]["greedy"][run]
    chosen = {tuple(node["S"]): node["chosen"] for node in greedy["log"]}
    cost = Fraction(0)
    for node in nodes(greedy["tree"]):
        cell: Cell = frozenset(node.get("leaf", node.get("S")))
        assert is_leaf(of, cell) == ("leaf" in node)
        if "leaf" not in node:
            assert node["test"] == chosen[tuple(node["S"])]
            cost += mass(of, cell) * of.prices[node["test"]]
    assert cost == Fraction(greedy["expected_cost"])


def appendix_a(left: tuple[int, int], right: tuple[int, int], theta: str) -> Instance:
    """Figure 7: 100 objects of equal weight, two classes; test 0 divides them, test 1 tells all apart."""
    sides = [(0, left), (1, right)]
    drawn = [(side, label) for side, counts in sides for label, n in enumerate(counts) for _ in range(n)]
    codes = [(side, i) for i, (side, _) in enumerate(drawn)]
    return instance(codes, [label for _, label in drawn], [1] * len(drawn), [1, 1], theta)


@pytest.mark.parametrize("figure", ["a", "b"])
@pytest.mark.parametrize("theta", ["0", "1/50"])
def test_appendix_a_prefers_the_split_that_separates_nothing(figure: str, theta: str) -> None:
    expected, drawing = FIGURES["appendixA"], FIGURES["appendixA"][f"fig7{figure}"]
    of = appendix_a(tuple(drawing["left"]), tuple(drawing["right"]), theta)
    parts = divided(of, of.objects, 0)
    assert [impure_pairs(of, cell) for cell in (of.objects, *parts)] == drawing["pairs"]
    assert drawing["pairs"][0] - sum(drawing["pairs"][1:]) == drawing["reduction"]
    end = f"{figure}_theta{theta}"
    assert balance(of, of.objects, parts) == Fraction(expected[f"B_{end}"])
    assert efficiency(of, of.objects, parts) == Fraction(expected[f"E_{end}"])
    assert efficiency_from_sums(of, of.objects, parts) == Fraction(expected[f"E_{end}"])
    assert score(of, of.objects, 0, 0) == Fraction(expected[f"Zprime_{end}"])
    assert discrimination(of, of.objects, parts, "gini") == Fraction(expected[f"gini_gain_{figure}"])
    bits = discrimination(of, of.objects, parts, "entropy")
    assert bits == pytest.approx(expected[f"info_gain_{figure}"], abs=1e-12)


@pytest.mark.parametrize("theta", ["0", "1/50"])
def test_appendix_a_needs_a_trade_off_this_large_to_prefer_the_other(theta: str) -> None:
    expected = FIGURES["appendixA"]
    a, b = (
        appendix_a(tuple(expected[figure]["left"]), tuple(expected[figure]["right"]), theta)
        for figure in ("fig7a", "fig7b")
    )
    assert expected["asr_prefers"] == "b"
    assert score(a, a.objects, 0, 0) < score(b, b.objects, 0, 0)
    needed = Fraction(expected[f"lambda_gini_needed_for_a_theta{theta}"].split(" ~ ")[0])
    assert score(a, a.objects, 0, needed) == score(b, b.objects, 0, needed)
    bits = expected[f"lambda_entropy_needed_for_a_theta{theta}"]
    assert score(a, a.objects, 0, bits, "entropy") == pytest.approx(
        float(score(b, b.objects, 0, bits, "entropy")), rel=1e-12
    )
