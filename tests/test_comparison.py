"""`compare` and the methods by name: the figures of a plain loop over scikit-learn's folds."""

import signal

import numpy as np
import pytest
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold

import thriftree
from thriftree import C45Classifier, CARTClassifier, CARTRegressor
from thriftree.comparison import DEFAULT_METHODS, compare
from thriftree.datasets import heart_prices, load_heart
from thriftree.registry import METHODS, make_learner, methods_for
from thriftree.testing.checks import all_estimators, soft_estimators


def test_the_figures_are_those_of_a_plain_loop_over_the_folds():
    X, y = load_heart()
    prices = heart_prices()
    (result,) = compare(X, y, prices, methods=["c45"], cv=4, random_state=3).results
    accuracy, auc, cost, worst, leaves = [], [], [], [], []
    for train, test in StratifiedKFold(4, shuffle=True, random_state=3).split(X, y):
        model = C45Classifier(costs=prices).fit(X.iloc[train], y[train])
        accuracy.append(model.score(X.iloc[test], y[test]))
        auc.append(roc_auc_score(y[test], model.predict_proba(X.iloc[test])[:, 1]))
        cost.append(model.predict_cost(X.iloc[test]).mean())
        worst.append(model.worst_case_cost_)
        leaves.append(model.tree_.n_leaves)
    assert result.accuracy == pytest.approx(np.mean(accuracy))
    assert result.auc == pytest.approx(np.mean(auc))
    assert result.expected_cost == pytest.approx(np.mean(cost))
    assert result.worst_case_cost == pytest.approx(max(worst))
    assert result.leaves == np.mean(leaves)
    # Nadeau and Bengio: folds overlap, so that the variance is multiplied by 1/J + test/train.
    assert result.accuracy_error == pytest.approx(np.sqrt((1 / 4 + 1 / 3) * np.var(accuracy, ddof=1)))


def test_a_target_with_fractions_is_compared_by_the_methods_for_numbers():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2))
    result = compare(X, X[:, 0] + 0.5, methods=["cart"], cv=2)
    assert (result.target, result.results[0].accuracy) == ("numbers", None)
    assert compare(X, (X[:, 0] > 0).astype(float), methods=["cart"], cv=2).target == "classes"


def test_numbers_are_measured_by_r2_and_rmse():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    y = X[:, 0] + random.normal(size=200) / 3
    (result,) = compare(X, y, methods={"small": CARTRegressor(max_leaves=5)}, cv=3).results
    r2, mean_squared = [], []
    for train, test in KFold(3, shuffle=True, random_state=0).split(X):
        said = CARTRegressor(max_leaves=5).fit(X[train], y[train]).predict(X[test])
        r2.append(r2_score(y[test], said))
        mean_squared.append(np.mean((said - y[test]) ** 2))
    assert result.r2 == pytest.approx(np.mean(r2))
    assert result.rmse == pytest.approx(np.mean(np.sqrt(mean_squared)))
    assert result.accuracy is None


def test_weights_count_in_fitting_and_measuring():
    X, y = load_heart()
    weight = np.where(np.arange(len(y)) % 2, 3.0, 1.0)
    (result,) = compare(X, y, methods=["c45"], cv=2, sample_weight=weight).results
    right = []
    for train, test in StratifiedKFold(2, shuffle=True, random_state=0).split(X, y):
        model = C45Classifier().fit(X.iloc[train], y[train], weight[train])
        right.append(np.average(model.predict(X.iloc[test]) == y[test], weights=weight[test]))
    assert result.accuracy == pytest.approx(np.mean(right))


def test_processes_do_not_change_the_figures_and_progress_is_told():
    X, y = load_heart()
    calls = []
    alone = compare(
        X, y, methods=["c45", "id3"], cv=2, progress=lambda done, total: calls.append((done, total))
    )
    both = compare(X, y, methods=["c45", "id3"], cv=2, n_jobs=2)
    for one, other in zip(alone.table(), both.table(), strict=True):
        assert {**one, "fit_time_s": 0} == {**other, "fit_time_s": 0}
    assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_what_a_fit_warns_of_is_said_once_with_the_methods_name():
    X, y = load_heart()
    model = CARTClassifier(time_limit_s=0)
    with pytest.warns(thriftree.LimitReachedWarning, match="^slow: CARTClassifier stopped") as caught:
        compare(X, y, methods={"slow": model}, cv=3)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("at", "names", "n_jobs"),
    [(1, [], None), (2, ["c45"], None), (3, ["c45"], None), (5, ["c45", "id3"], None), (3, ["c45"], 2)],
)
def test_ctrl_c_hands_over_the_methods_that_all_folds_have_measured(at, names, n_jobs):
    X, y = load_heart()

    def interrupted(done, total):
        if done == at:
            signal.raise_signal(signal.SIGINT)

    words = {"methods": ["c45", "id3", "chaid"], "cv": 2}
    with pytest.raises(KeyboardInterrupt) as caught:
        compare(X, y, progress=interrupted, n_jobs=n_jobs, **words)
    found = caught.value.partial
    assert found.stopped_by == "interrupt"
    assert [result.method for result in found.results] == names
    whole = compare(X, y, **words)
    assert whole.stopped_by is None
    for one, other in zip(found.table(), whole.table(), strict=False):
        assert {**one, "fit_time_s": 0} == {**other, "fit_time_s": 0}
    assert len(str(found).splitlines()) == 1 + len(names)


def test_ctrl_c_in_the_first_fit_ends_it_at_once(monkeypatch):
    X, y = load_heart()
    fits = []

    def interrupted(self, *_, **__):
        fits.append(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(C45Classifier, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        compare(X, y, methods=["c45", "id3"], cv=2)
    assert (len(fits), caught.value.partial.results) == (1, ())


def test_it_prints_as_a_table():
    X, y = load_heart()
    header, line = str(compare(X, y, methods=["c45"], cv=2)).splitlines()
    assert header.split()[:3] == ["method", "accuracy", "AUC"]
    assert line.startswith("c45")
    assert " ± " in line


def test_too_few_rows_of_a_class_are_refused_by_name():
    with pytest.raises(ValueError, match="the class b has 2 rows, too few for 5 folds"):
        compare(np.zeros((12, 1)), np.array(["a"] * 10 + ["b"] * 2), methods=["cart"])


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_every_method_by_name_fits(name, target):
    if name not in methods_for(target):
        with pytest.raises(ValueError, match=f"no method '{name}' for a target"):
            make_learner(name, target, {}, {})
        return
    random = np.random.default_rng(1)
    X = random.integers(0, 4, (60, 3)).astype(float)
    y = X[:, 0] + (X[:, 1] > 1)
    model = make_learner(name, target, {}, {"random_state": 0, "n_jobs": 1, "nonsense": 3})
    model.fit(X, y if target == "numbers" else (y > 2).astype(int))
    assert model.get_n_leaves() >= 1


def test_every_public_classifier_and_regressor_has_a_name():
    learners = {cls.__name__ for cls in (*all_estimators(), *soft_estimators())}
    named = {one for method in METHODS.values() for one in (method.classifier, method.regressor) if one}
    assert named == learners
    assert all(set(names) <= set(methods_for(target)) for target, names in DEFAULT_METHODS.items())
