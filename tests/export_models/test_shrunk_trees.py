"""What is shown of a shrunk tree is what it answers: scikit-learn's tree, texts, rules, pictures, reports."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from thriftree import CARTClassifier, CARTRegressor
from thriftree.explain.answers import share_words
from thriftree.plot.tree_words import words_of
from thriftree.report.facts import facts_of
from thriftree.tree import Tree


def grown(seed: int, *, numeric: bool) -> tuple[Tree, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 20, size=(120, 3)).astype(np.float32)
    y = (X[:, 0] > 8).astype(int) + (rng.random(120) < 0.3) * (X[:, 1] > 5)
    learner: Any = CARTRegressor if numeric else CARTClassifier
    model = learner(max_leaves=12, shrinkage=40).fit(X, y * (0.7 if numeric else 1))
    return model.tree_, X, y * (0.7 if numeric else 1)


@pytest.mark.parametrize("seed", range(4))
def test_the_tree_of_scikit_learn_answers_alike(seed: int) -> None:
    tree, X, _ = grown(seed, numeric=False)
    there = tree.to_sklearn()
    assert (there.predict_proba(X) == tree.predict_proba(X)).all()
    assert (there.predict(X) == tree.predict(X)).all()
    numbers, X, _ = grown(seed, numeric=True)
    assert (numbers.to_sklearn().predict(X) == numbers.predict(X)).all()
    raw = numbers.with_shrinkage(None).to_sklearn().tree_
    assert (numbers.to_sklearn().tree_.impurity == raw.impurity).all()


@pytest.mark.parametrize("seed", range(4))
def test_words_say_the_probability_that_is_predicted(seed: int) -> None:
    tree, X, y = grown(seed, numeric=False)
    said = {int(leaf): max(shares) for leaf, shares in zip(tree.apply(X), tree.predict_proba(X), strict=True)}
    assert {rule.leaf: rule.probability for rule in tree.rules()} == said
    text = tree.to_text(numbers=True)
    leaves = {one.number: one for one in words_of(tree.to_dict()) if not one.question}
    facts = facts_of(tree, X, y)
    page = dict(zip(facts["tree"]["numbers"], facts["tree"]["nodes"], strict=True))
    promised = {promise["leaf"]: promise["said"] for promise in facts["classes"]["promises"]}
    raw = tree.core.value / tree.core.value.sum(axis=1, keepdims=True)
    for leaf, share in said.items():
        assert f"#{leaf} → {tree.core.label[leaf]} · {share_words(share)} · " in text
        assert leaves[leaf].certainty == share_words(share)
        assert leaves[leaf].facts[0].startswith(f"{share_words(share)}, ")
        assert max(leaves[leaf].class_shares) == share
        assert page[leaf]["share"] == pytest.approx(share, rel=1e-5)
        assert page[leaf]["seen"] == pytest.approx(raw[leaf].max(), rel=1e-5)
        assert promised[leaf] == share
    row = tree.explain(dict(zip(("x0", "x1", "x2"), X[0].tolist(), strict=True)))
    assert row.probability == max(tree.predict_proba(X)[0])
    assert f"({share_words(row.probability)} after shrinkage, " in str(row)
    together = tree.rules(simplify="labels")
    for rule in together:
        weights = [tree.core.value[leaf].sum() for leaf in rule.leaves]
        assert rule.probability == pytest.approx(
            np.average([said[leaf] for leaf in rule.leaves], weights=weights)
        )


@pytest.mark.parametrize("seed", range(4))
def test_words_say_the_number_that_is_predicted(seed: int) -> None:
    tree, X, y = grown(seed, numeric=True)
    said = dict(zip(tree.apply(X).tolist(), tree.predict(X).tolist(), strict=True))
    assert {rule.leaf: rule.label for rule in tree.rules()} == said
    again = Tree.from_sentences(tree.to_sentences(exact=True))
    assert (again.predict(X) == tree.predict(X)).all()
    facts = facts_of(tree, X, y)
    assert facts["numbers"]["rmse"] == pytest.approx(np.sqrt(np.mean((tree.predict(X) - y) ** 2)))
    page = dict(zip(facts["tree"]["numbers"], facts["tree"]["nodes"], strict=True))
    for one in words_of(tree.to_dict()):
        if not one.question:
            assert one.mean == said[one.number] == page[one.number]["mean"]
            assert page[one.number]["seen"] == tree.core.value[one.number, 0]
