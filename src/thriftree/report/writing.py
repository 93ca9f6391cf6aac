"""Writing a report to a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from thriftree.report.facts import facts_of
from thriftree.report.rendering import page_of
from thriftree.report.sheet import sheet_of
from thriftree.tree import Tree
from thriftree.whole_files import write_whole

if TYPE_CHECKING:
    from thriftree.estimators.near_optimal import NearOptimalTrees
    from thriftree.tuning.frontier.points import Frontier


def write_report(
    path: str | os.PathLike[str],
    tree: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    rows: str | None = None,
    frontier: Frontier | None = None,
    near_optimal: NearOptimalTrees | None = None,
    title: str | None = None,
    target: str | None = None,
    settings: Mapping[str, Any] | None = None,
    sample: int = 200,
    row_numbers: Any = None,
) -> None:
    """Writes a report on a tree: one HTML file that opens from disk and needs no network.

    It shows the tree to fold, zoom and follow rows through, how accurate it is and how sure that is, what
    rows pay, a questionnaire, the trees of a frontier, the table and the settings; and it prints the tree on
    one page. The file is written whole or not at all.

    Parameters
    ----------
    path : the file to write.
    tree : a Tree, or a fitted estimator with a `tree_`; or a SoftTree or an estimator of soft trees, whose
        page shows gates, weights and path probabilities.
    X, y : the rows to measure the tree on, and their answers. Figures are honest only if the tree was not
        grown from these rows.
    sample_weight : what each row counts; None: 1.
    rows : which rows these are: "held out" (the tree has not seen them), "training" (it was grown from
        them) or words of your own. The page says so beside the figures; None: it says that it was not told.
        Where every leaf has the counts it had in training, the page warns whatever was said.
    frontier : trees to click through, from `thriftree.frontier`.
    near_optimal : trees as good as this one, from `thriftree.near_optimal`: how many there are, which
        questions can be done without, and the cheapest of them. Figures there are of the rows that were
        searched.
    title : what stands at the top; None: from the target.
    target : the name of what is predicted; None: that of y, if it has one.
    settings : what made the tree; None: the estimator's parameters, or what the tree says.
    sample : how many rows of X the page may hold, to follow them through the tree, with the columns that the
        tree asks for: 0 for none, where rows must not be passed on.
    row_numbers : what the page calls the rows of X, where these are some of a larger table: their places
        there; None: from 0.

    Needs Jinja2 (`pip install 'thriftree[report]'`).
    """
    soft = getattr(tree, "soft_tree_", tree)
    if hasattr(soft, "path_probabilities"):
        if near_optimal is not None:
            raise ValueError("nearly best trees are hard trees: the page of a soft tree has none of them")
        _write_soft(
            path,
            soft,
            X,
            y,
            tree,
            frontier,
            settings,
            sample_weight,
            rows,
            title,
            target,
            sample,
            row_numbers,
        )
        return
    inner = getattr(tree, "tree_", tree)
    if not isinstance(inner, Tree):
        raise TypeError(
            f"a report needs a Tree or a fitted estimator with a tree_, not {type(tree).__name__}"
            + (": call fit first" if hasattr(tree, "fit") else "")
        )
    if settings is None and inner is not tree:
        settings = {"estimator": type(tree).__name__, "params": tree.get_params(deep=False)}
    facts = facts_of(
        inner,
        X,
        y,
        sample_weight=sample_weight,
        rows=rows,
        frontier=frontier,
        near_optimal=near_optimal,
        title=title,
        target=target,
        settings=settings,
        # A classifier's own shares of classes; a tree has plain ones.
        smoothing=float(getattr(tree, "smoothing", 0.0)),
        sample=sample,
        row_numbers=row_numbers,
    )
    write_whole(path, page_of(facts, sheet_of(inner.to_dict())))


def _write_soft(
    path: str | os.PathLike[str],
    soft: Any,
    X: Any,
    y: Any,
    given: Any,
    frontier: Any,
    settings: Mapping[str, Any] | None,
    sample_weight: Any,
    rows: str | None,
    title: str | None,
    target: str | None,
    sample: int,
    row_numbers: Any,
) -> None:
    from thriftree.report.soft_facts import soft_facts_of
    from thriftree.report.soft_page import soft_page_of

    if frontier is not None:
        raise ValueError("the page of a soft tree has no room for a frontier of hard trees: leave it out")
    if settings is None and given is not soft:
        settings = {"estimator": type(given).__name__, "params": given.get_params(deep=False)}
    facts = soft_facts_of(
        soft,
        X,
        y,
        sample_weight=sample_weight,
        rows=rows,
        title=title,
        target=target,
        settings=settings,
        sample=sample,
        row_numbers=row_numbers,
    )
    write_whole(path, soft_page_of(facts, soft.to_dict()))
