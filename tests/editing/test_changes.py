"""Edits that need no data do what they say, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from edited_trees import below, leaves_of, questions_of, random_tree
from hypothesis import given, settings
from hypothesis import strategies as st

from thriftree.tree import Tree

QUICK = settings(max_examples=40, deadline=None)


@QUICK
@given(seed=st.integers(0, 2**32 - 1), data=st.data())
def test_a_collapsed_node_answers_all_its_rows_by_its_own_label(seed, data):
    tree, X = random_tree(seed)
    node = data.draw(st.sampled_from(questions_of(tree)))
    collapsed = tree.collapse(node)
    at = np.isin(tree.apply(X), list(below(tree, node)))
    expected = tree.predict(X)
    own = tree.core.label[node] if tree.classes else tree.core.value[node, 0]
    got = collapsed.predict(X)
    assert collapsed.n_nodes == tree.n_nodes - len(below(tree, node)) + 1
    assert all(got[~at] == expected[~at])
    assert all(value == (tree.classes[own] if tree.classes else own) for value in got[at].tolist())


@QUICK
@given(seed=st.integers(0, 2**32 - 1), data=st.data())
def test_several_nodes_are_collapsed_by_the_numbers_they_have_now(seed, data):
    tree, X = random_tree(seed)
    nodes = data.draw(st.lists(st.sampled_from(questions_of(tree)), min_size=1, max_size=4))
    collapsed = tree.collapse(nodes)
    labels = tree.core.label if tree.classes else tree.core.value[:, 0]
    expected = []
    for leaf in tree.apply(X).tolist():
        above = [node for node in sorted(nodes) if leaf in below(tree, node)]
        own = labels[above[0] if above else leaf]
        expected.append(tree.classes[own] if tree.classes else own)
    assert collapsed.predict(X).tolist() == expected
    assert tree.collapse(np.array(nodes)) == collapsed


@QUICK
@given(seed=st.integers(0, 2**32 - 1), data=st.data())
def test_a_relabelled_leaf_answers_what_was_said_and_no_other_leaf_changes(seed, data):
    tree, X = random_tree(seed)
    node = data.draw(st.sampled_from(leaves_of(tree)))
    label = data.draw(st.sampled_from(tree.classes)) if tree.classes else 12.5
    relabelled = tree.relabel(node, label)
    at = tree.apply(X) == node
    assert all(value == label for value in relabelled.predict(X)[at].tolist())
    assert all(relabelled.predict(X)[~at] == tree.predict(X)[~at])
    assert (relabelled.apply(X) == tree.apply(X)).all()


@QUICK
@given(seed=st.integers(0, 2**32 - 1), data=st.data())
def test_branches_in_another_order_change_no_answer_and_can_be_put_back(seed, data):
    tree, X = random_tree(seed)
    node = data.draw(st.sampled_from(questions_of(tree)))
    order = data.draw(st.permutations(range(int(np.diff(tree.core.child_begin)[node]))))
    reordered = tree.reorder(node, order)
    assert (reordered.predict(X) == tree.predict(X)).all()
    assert reordered.reorder(node, np.argsort(order).tolist()) == tree
    own = [reordered.core.children[reordered.core.child_begin[node] + b] for b in range(len(order))]
    old = [tree.core.children[tree.core.child_begin[node] + b] for b in order]
    assert [reordered.core.rows[child] for child in own] == [tree.core.rows[child] for child in old]


def test_without_an_order_the_branches_are_turned_round():
    tree, _ = random_tree(3)
    n_branches = int(np.diff(tree.core.child_begin)[0])
    assert tree.reorder(0) == tree.reorder(0, list(range(n_branches))[::-1])


def test_the_deviation_of_a_relabelled_number_is_that_from_the_new_number():
    document = {
        "format": "thriftree-tree",
        "version": 1,
        "columns": [{"name": "x", "kind": "number"}],
        "classes": None,
        "nodes": [{"rows": 3, "objects": 3, "weight": 3.0, "value": [2.0, 2 / 3], "impurity": 2 / 3}],
    }
    value = Tree.from_dict(document).relabel(0, 4).core.value[0].tolist()
    assert value == pytest.approx([4.0, np.mean([(x - 4) ** 2 for x in (1, 2, 3)])])


def test_the_tree_itself_stays_as_it_was():
    tree, _ = random_tree(5)
    before = tree.to_json()
    tree.collapse(0), tree.reorder(0), tree.relabel(leaves_of(tree)[0], (tree.classes or [1.0])[-1])
    assert tree.to_json() == before


@pytest.mark.parametrize("node", [-1, 999, 2**40])
def test_a_node_that_does_not_exist_is_named_with_those_that_do(node):
    tree, _ = random_tree(1)
    for edit in (tree.collapse, tree.reorder, lambda n: tree.relabel(n, "x")):
        with pytest.raises(
            ValueError, match=rf"no node {node}: the tree has the nodes 0 to {tree.n_nodes - 1}"
        ):
            edit(node)


@pytest.mark.parametrize("node", ["0", 0.0, True, None])
def test_a_node_is_a_number(node):
    with pytest.raises(TypeError, match="give the number of a node"):
        random_tree(1)[0].collapse(node)
    with pytest.raises(TypeError, match="give the number of a node"):
        random_tree(1)[0].collapse([0, node])
    with pytest.raises(ValueError, match="no node is named"):
        random_tree(1)[0].collapse([])


def test_a_leaf_has_nothing_to_collapse_or_reorder_and_a_question_no_label():
    tree, _ = random_tree(2, n_classes=3, hostile=False)
    leaf = leaves_of(tree)[0]
    with pytest.raises(ValueError, match=f"node {leaf} is a leaf already"):
        tree.collapse(leaf)
    with pytest.raises(ValueError, match=f"node {leaf} is a leaf, which has no branches"):
        tree.reorder(leaf)
    with pytest.raises(ValueError, match=r"node 0 asks a question.* collapse\(0\) first"):
        tree.relabel(0, tree.classes[0])


def test_a_label_that_is_no_class_is_answered_with_the_nearest():
    from thriftree import CARTClassifier

    tree = CARTClassifier().fit([[0], [1]], ["absent", "present"]).tree_
    with pytest.raises(ValueError, match=r"no class 'presnt'; did you mean 'present'\? it has 'absent'"):
        tree.relabel(1, "presnt")
    with pytest.raises(ValueError, match="no class True"):
        CARTClassifier().fit([[0], [1]], [0, 1]).tree_.relabel(1, True)


@pytest.mark.parametrize("label", ["high", float("nan"), float("inf"), None, True])
def test_a_numeric_leaf_takes_finite_numbers_only(label):
    from thriftree import CARTRegressor

    with pytest.raises(ValueError, match="give a finite number to predict"):
        CARTRegressor().fit([[0], [1]], [1.0, 2.0]).tree_.relabel(1, label)


def test_a_number_whose_deviation_has_no_square_is_refused():
    from thriftree import CARTRegressor

    with pytest.raises(ValueError, match=r"label is 1e\+200, too far from the mean 1 of the leaf's rows"):
        CARTRegressor().fit([[0], [1]], [1.0, 2.0]).tree_.relabel(1, 1e200)


@pytest.mark.parametrize("branches", [[0], [0, 0], [0, 2], [1, 2], [0.2, 1.9], "10", np.zeros(2, int)])
def test_an_order_must_name_every_branch_once(branches):
    from thriftree import CARTClassifier

    tree = CARTClassifier().fit([[0], [1]], ["a", "b"]).tree_
    with pytest.raises(ValueError, match="node 0 has the branches 0 to 1; name each of them once"):
        tree.reorder(0, branches)
