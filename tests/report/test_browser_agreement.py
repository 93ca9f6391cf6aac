"""The page's own walk through the tree against `Tree.apply`, `predict` and `predict_cost`."""

from typing import Any

import numpy as np
import pytest
from report_cases import hostile_case, random_prices

from thriftree import Tree
from thriftree.testing.random_documents import frame_of, random_document, random_rows

pytestmark = pytest.mark.full

SEEDS, ROWS = range(12), 900  # 10,800 rows: at cuts and beside them, missing, unseen, infinite

WALK = """(columns) => {
  const { page, answerOf, pathOf, paidAt } = thriftree;
  const { tree } = page.facts;
  const n = columns[0].length;
  const found = [];
  for (let i = 0; i < n; i += 1) {
    const row = {};
    for (const j of Object.keys(tree.columns)) row[j] = answerOf(tree.columns[j], columns[j][i]);
    const path = pathOf(tree, row);
    const leaf = path.at(-1);
    const { label, mean } = tree.nodes[leaf];
    found.push([tree.numbers[leaf], label ?? mean, paidAt(tree, leaf, row).amount]);
  }
  return found;
}"""

# The questionnaire, answered with the same rows: it asks only for what the path needs.
ASK = """(columns) => {
  const { page, answerOf } = thriftree;
  const { tree } = page.facts;
  const asking = page.questionnaire;
  const found = [];
  for (let i = 0; i < columns[0].length; i += 1) {
    asking.restart();
    while (tree.nodes[asking.at].test) {
      const { column } = tree.nodes[asking.at].test;
      asking.answer(answerOf(tree.columns[column], columns[column][i]));
    }
    found.push(tree.numbers[asking.at]);
  }
  return found;
}"""


@pytest.mark.parametrize("seed", SEEDS)
def test_the_pages_walk_and_price_agree_with_the_tree(open_report, seed):
    document = random_document(seed, n_columns=6, n_tests=12)
    document["prices"] = random_prices(document, seed) if seed % 3 else None
    tree = Tree.from_dict(document)
    rows = random_rows(document, seed + 1000, ROWS)
    frame = frame_of(document, rows, "polars")
    page = open_report(tree, frame, tree.predict(frame).tolist())
    columns = [rows[column["name"]] for column in document["columns"]]
    leaf, answer, paid = (list(part) for part in zip(*page.evaluate(WALK, columns), strict=True))
    assert leaf == tree.apply(frame).tolist()
    assert paid == pytest.approx(tree.predict_cost(frame).tolist(), rel=1e-12, abs=1e-12)
    expected: list[Any] = tree.predict(frame).tolist()
    if tree.classes is None:
        assert answer == expected
    else:
        assert [tree.classes[k] for k in answer] == expected
    asked = page.evaluate(ASK, [values[:60] for values in columns])
    assert asked == leaf[:60]


def test_the_rows_of_the_sample_walk_as_they_do_in_the_tree(open_report):
    for seed in range(4):
        document, frame, answers = hostile_case(seed, 150)
        tree = Tree.from_dict(document)
        page = open_report(tree, frame, answers)
        found = page.evaluate(
            """() => {
              const { follower, facts } = thriftree.page;
              return facts.sample.rows.map((_, i) => {
                follower.choose(i);
                const leaf = follower.view.path.at(-1);
                return [facts.tree.numbers[leaf], thriftree.paidAt(facts.tree, leaf, follower.row).amount];
              });
            }"""
        )
        leaf, paid = np.array(found).T
        assert leaf.tolist() == tree.apply(frame).tolist()
        assert paid.tolist() == pytest.approx(tree.predict_cost(frame).tolist())
