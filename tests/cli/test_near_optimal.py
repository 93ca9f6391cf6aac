"""`thriftree near-optimal`."""

from __future__ import annotations

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
