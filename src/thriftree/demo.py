"""`python -m thriftree.demo`: a tree for the Cleveland heart-disease table, and what its tests cost."""

from __future__ import annotations

import sys

from sklearn.model_selection import train_test_split

from thriftree import CARTClassifier
from thriftree.datasets import heart_prices, load_heart


def demo() -> str:
    """The report: the tree, its accuracy on rows it has not seen, and its price."""
    X, y = load_heart()
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    model = CARTClassifier(pruning="cost_complexity", alpha="cv_1se", costs=heart_prices(), random_state=0)
    model.fit(X_train, y_train)
    correct = model.score(X_test, y_test)
    paid = model.predict_cost(X_test)
    tree = model.tree_
    return "\n".join(
        [
            f"Heart disease, Cleveland: {len(X_train)} patients to learn from, {len(X_test)} to test on, "
            f"{X.shape[1]} tests on offer.",
            "",
            tree.to_text(),
            "",
            f"leaves            {tree.n_leaves:8d}",
            f"test accuracy     {correct:8.1%}",
            f"expected cost     {model.expected_cost_:8.2f}   per training patient, in dollars",
            f"                  {paid.mean():8.2f}   per test patient",
            f"worst-case cost   {model.worst_case_cost_:8.2f}   on the dearest path",
        ]
    )


if __name__ == "__main__":
    sys.stdout.write(demo() + "\n")
