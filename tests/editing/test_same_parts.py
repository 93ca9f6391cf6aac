"""A part that is grown anew as it was grown is the part that was there, for every learner."""

from __future__ import annotations

import pytest
from edited_models import SAME, a_model
from edited_trees import questions_of, structure


@pytest.mark.parametrize(("cls", "parameters"), SAME, ids=lambda x: getattr(x, "__name__", None))
def test_unchanged_settings_grow_the_same_part_again(cls, parameters):
    n_parts = 0
    for seed in range(3):
        model, rows = a_model(seed, cls, parameters)
        edit = model.refit_below(0, *rows)
        assert edit.tree == model.tree_
        assert edit.estimator.expected_cost_ == pytest.approx(model.expected_cost_)
        for node in range(1, model.tree_.n_nodes)[:10]:
            edit = model.refit_below(node, *rows)
            assert structure(edit.tree) == structure(model.tree_), (seed, node)
            assert edit.changed_rows == 0
            n_parts += 1
    assert n_parts > 3


@pytest.mark.parametrize(("cls", "parameters"), SAME, ids=lambda x: getattr(x, "__name__", None))
def test_forcing_the_test_that_fit_chose_changes_nothing(cls, parameters):
    for seed in range(2):
        model, rows = a_model(seed, cls, parameters)
        for node in questions_of(model.tree_)[:2]:
            edit = model.refit_below(node, *rows, feature=int(model.tree_.core.column[node]))
            assert structure(edit.tree) == structure(model.tree_), (seed, node)


@pytest.mark.parametrize(("cls", "parameters"), SAME, ids=lambda x: getattr(x, "__name__", None))
def test_any_column_can_be_forced_or_it_is_said_why_not(cls, parameters):
    model, rows = a_model(1, cls, parameters)
    n_forced = 0
    for column in range(4):
        try:
            edit = model.refit_below(0, *rows, feature=f"x{column}")
        except ValueError as error:
            if "node 0 cannot ask about" not in str(error):
                raise
            continue
        assert edit.tree.core.column[0] == column
        assert edit.tree.core.rows[0] == len(rows[1])
        if getattr(model, "budget", None) is not None:
            assert edit.tree.worst_case_cost() <= model.budget
        n_forced += 1
    assert n_forced
