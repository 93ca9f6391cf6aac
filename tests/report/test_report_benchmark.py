"""The benchmark of reports checks the figures before it tells times."""

import pytest

from benchmarks import answers, rows


def test_a_report_is_timed_and_weighed():
    seconds, size = rows.load("report").run(500)
    assert seconds.ratio > 0
    assert size.ours < 2
    assert (seconds.unit, size.unit) == ("s", "MB")


def test_a_report_with_wrong_figures_is_not_timed(monkeypatch):
    module = rows.load("report")
    monkeypatch.setattr(module, "roc_auc_score", lambda *_: 0.5)
    with pytest.raises(answers.AnswerDiffersError, match="AUC"):
        list(module.run(500))
