"""`python -m thriftree.demo`: two trees for the Cleveland heart-disease table, and what their tests cost."""

from __future__ import annotations

import sys
from typing import Any

from sklearn.model_selection import train_test_split

from thriftree import CARTClassifier, ThriftTreeClassifier
from thriftree.datasets import heart_prices, load_heart


def demo() -> str:
    """The report: each tree, its accuracy on rows it has not seen, and its price."""
    X, y = load_heart()
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    free = CARTClassifier(max_leaves=6, costs=heart_prices())
    thrifty = ThriftTreeClassifier(costs=heart_prices(), random_state=0)
    return "\n\n".join(
        [
            f"Heart disease, Cleveland: {len(X_train)} patients to learn from, {len(X_test)} to test on, "
            f"{X.shape[1]} tests on offer.",
            "A tree that asks whatever helps most:",
            _tree_and_figures(free.fit(X_train, y_train), X_test, y_test),
            "The recommended tree (ThriftTreeClassifier), the cheapest of those that do as well:",
            _tree_and_figures(thrifty.fit(X_train, y_train), X_test, y_test),
        ]
    )


def _tree_and_figures(model: Any, X_test: Any, y_test: Any) -> str:
    figures = [
        f"leaves            {model.tree_.n_leaves:8d}",
        f"test accuracy     {model.score(X_test, y_test):8.1%}",
        f"expected cost     {model.expected_cost_:8.2f}   per training patient, in dollars",
        f"                  {model.predict_cost(X_test).mean():8.2f}   per test patient",
        f"worst-case cost   {model.worst_case_cost_:8.2f}   on the dearest path",
    ]
    return "\n".join([model.tree_.to_text(), "", *figures])


if __name__ == "__main__":
    sys.stdout.write(demo() + "\n")
