"""`thriftree near-optimal`."""

from __future__ import annotations

import json
from dataclasses import replace

from command import HEART_DATA, run

from thriftree import load, near_optimal
from thriftree.datasets import heart_prices, load_heart

WORDS = ("--max-depth", "2", "--slack", "0.02")


def test_the_set_is_told_with_what_it_can_do_without_and_its_cheapest_tree(tmp_path):
    file = tmp_path / "cheapest.json"
    shown = run("near-optimal", *HEART_DATA, *WORDS, "--tree", file)
    assert shown.code == 0, shown.out
    X, y = load_heart()
    found = near_optimal(X, y, slack=0.02, max_depth=2, costs=heart_prices())
    assert f"{found.count():,} trees have an objective of {found.best:.4f} to {found.limit:.4f}" in shown.out
    assert load(file).to_text() == found.cheapest().tree.to_text()
    facts = run("near-optimal", *HEART_DATA, *WORDS, "--json").json
    assert facts["count"] == found.count()
    assert facts["dispensable"] == found.dispensable


def test_too_little_time_is_said_in_a_line():
    shown = run("near-optimal", *HEART_DATA, "--max-depth", "6", "--time-limit", "0.01")
    assert shown.code != 0
    assert "time_limit_s ended before the best tree was proved" in shown.out + shown.err


def test_prices_can_be_weighed_and_limited(tmp_path):
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps(replace(heart_prices(), delayed=()).to_dict()), encoding="utf-8")
    data = [prices if word == HEART_DATA[-1] else word for word in HEART_DATA]
    weighed = ("--price-weight", "0.001", "--budget", "20", "--min-leaf", "5", "--max-leaves", "3")
    facts = run("near-optimal", *data, *WORDS, *weighed, "--json").json
    X, y = load_heart()
    found = near_optimal(
        X, y, slack=0.02, max_depth=2, costs=replace(heart_prices(), delayed=()), price_weight=0.001,
        budget=20, min_leaf=5, max_leaves=3,
    )  # fmt: skip
    assert (facts["count"], facts["best"]) == (found.count(), found.best)
    refused = run("near-optimal", *HEART_DATA, *WORDS, "--price-weight", "0.001")
    assert refused.code != 0
    assert "weighs no delayed tests, and these are: cholesterol" in refused.out + refused.err


def test_a_report_has_the_trees_as_good_as_its_own(tmp_path):
    tree, page = tmp_path / "tree.json", tmp_path / "report.html"
    cheapest = run("near-optimal", *HEART_DATA, *WORDS, "--tree", tree)
    assert cheapest.code == 0, cheapest.out
    table, _, target = HEART_DATA[:3]
    shown = run("report", tree, table, "--target", target, "-o", page, "--near-optimal", "0.02")
    assert shown.code == 0, shown.out + shown.err
    assert "Trees as good as this one" in page.read_text(encoding="utf-8")
