"""Where boxes go: they never overlap, and parents stand amid their children."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thriftree.plot.tree_layout import Size, left_to_right, outline, top_down

SLACK = 1e-6


@st.composite
def trees(draw):
    """Children by box, in preorder, with up to some 90 leaves, and sizes of boxes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    children: list[list[int]] = []

    def grow(left: int) -> int:
        number = len(children)
        children.append([])
        if left > 0:
            n_branches = int(rng.integers(2, 6))
            weights = rng.dirichlet(np.full(n_branches, rng.choice([0.2, 5.0])))
            for share in rng.multinomial(left - 1, weights):
                children[number].append(grow(int(share)))
        return number

    grow(draw(st.integers(0, 30)))
    sizes = [Size(float(rng.integers(20, 220)), float(rng.integers(15, 90))) for _ in children]
    return children, sizes


def overlaps(boxes):
    x, y, right, bottom = np.array([(b.x, b.y, b.right, b.bottom) for b in boxes]).T
    apart = (
        (right[:, None] <= x + SLACK)
        | (x[:, None] + SLACK >= right)
        | (bottom[:, None] <= y + SLACK)
        | (y[:, None] + SLACK >= bottom)
    )
    return np.argwhere(~apart & ~np.eye(len(boxes), dtype=bool)).tolist()


@given(trees())
@settings(deadline=None)
def test_no_two_boxes_overlap_top_down(tree):
    children, sizes = tree
    boxes = top_down(children, sizes, gap=10.0, level_gap=30.0)
    assert overlaps(boxes) == []
    assert min(box.x for box in boxes) == pytest.approx(0, abs=SLACK)
    for box, size in zip(boxes, sizes, strict=True):
        assert (box.width, box.height) == (size.width, size.height)


@given(trees())
@settings(deadline=None)
def test_top_down_a_parent_is_centred_above_its_children_which_keep_their_order(tree):
    children, sizes = tree
    boxes = top_down(children, sizes, gap=10.0, level_gap=30.0)
    for box, below in zip(boxes, children, strict=True):
        if below:
            centres = [boxes[child].centre for child in below]
            assert centres == sorted(centres)
            assert box.centre == pytest.approx((centres[0] + centres[-1]) / 2)
            assert all(boxes[child].y >= box.bottom + 30.0 - SLACK for child in below)


@given(trees())
@settings(deadline=None)
def test_no_two_boxes_overlap_left_to_right(tree):
    children, sizes = tree
    gaps = [25.0 + number % 3 for number in range(len(children))]
    boxes = left_to_right(children, sizes, row_gap=4.0, gaps=gaps, top=7.0)
    assert overlaps(boxes) == []
    assert min(box.y for box in boxes) >= 7.0 - SLACK
    column = {box.x for box, below in zip(boxes, children, strict=True) if not below}
    assert len(column) == 1
    for number, below in enumerate(children):
        for child in below:
            assert boxes[child].x >= boxes[number].right + gaps[child] - SLACK


@given(trees())
@settings(deadline=None)
def test_an_outline_has_a_row_for_each_box_and_indents_children(tree):
    children, _ = tree
    boxes = outline(children, 20.0, indent=26.0, top=5.0)
    assert [box.y for box in boxes] == [5.0 + 20.0 * row for row in range(len(children))]
    assert all(boxes[child].x == boxes[i].x + 26.0 for i, below in enumerate(children) for child in below)


def test_subtrees_stand_as_close_as_their_outlines_allow():
    # A deep chain beside a leaf: the leaf's neighbour may reach under it, two levels below.
    children = [[1, 2], [], [3, 4], [], [5, 6], [], []]
    boxes = top_down(children, [Size(100.0, 20.0)] * 7, gap=10.0, level_gap=20.0)
    assert boxes[2].x - boxes[1].right == pytest.approx(10.0)
    assert boxes[3].x < boxes[1].right  # under it


def test_a_very_deep_tree_can_be_laid_out():
    children = [[i + 1, i + 2] if i % 2 == 0 and i < 3000 else [] for i in range(3001)]
    boxes = top_down(children, [Size(40.0, 20.0)] * len(children), gap=5.0, level_gap=5.0)
    assert max(box.bottom for box in boxes) == pytest.approx(1501 * 20.0 + 1500 * 5.0)
