"""The tree: one immutable value that every learner returns and that predicts, explains and is saved."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.columns import ColumnSchema, Scalar
from thriftree.document.checks import TreeFormatError, error_at_node, parse, plain_json
from thriftree.document.column_checks import check_columns_of_tests
from thriftree.document.files import naming_file, read_document
from thriftree.document.labels import array_of_labels, labels_at
from thriftree.document.leaf_models import (
    LeafModel,
    LeafModels,
    answers_at_leaves,
    check_models,
    extra_questions,
)
from thriftree.document.read import content_of
from thriftree.document.shrinkage import Shrinkage, shown_numbers, shown_shares
from thriftree.document.write import ARRAYS, document_of, to_json
from thriftree.exports import Exports
from thriftree.whole_files import write_whole

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from thriftree.editing.edit import Edit
    from thriftree.explain.consultation import Consultation
    from thriftree.explain.explanation import Explanation
    from thriftree.explain.question import Question
    from thriftree.explain.questionnaire import Questionnaire
    from thriftree.explain.rules import Rule, RuleOrder, Simplify


class Tree(Exports):
    """A decision tree with the columns and classes it was grown from. It never changes.

    Every method that takes `X` takes the same kind of table as training did: an array, or a frame with
    the same columns. A missing value goes to its node's missing branch, an unseen category to its "other"
    branch.

    Parameters
    ----------
    core : the compiled core's tree.
    columns : one schema a column.
    classes : the labels that class numbers stand for; None for a numeric target.
    prices : what tests cost, as `TestCosts.to_dict` describes it; None: every test costs 1.
    settings : what made the tree, for the record: JSON-able.
    shrinkage : how probabilities and predicted numbers are shrunk; None: they are the leaves' own.
    leaf_models : by leaf, the linear models of those that answer by one; None: none does.
    """

    __slots__ = (
        *("_asked", "_classes", "_columns", "_core", "_models", "_paid", "_prices", "_settings"),
        *("_shrinkage", "_written"),
    )

    def __init__(
        self,
        core: _core.Tree,
        columns: Iterable[ColumnSchema],
        classes: Iterable[Scalar] | None = None,
        prices: dict[str, Any] | None = None,
        settings: dict[str, Any] | None = None,
        shrinkage: Shrinkage | None = None,
        leaf_models: LeafModels | None = None,
    ) -> None:
        self._core = core
        self._columns = tuple(columns)
        self._classes = None if classes is None else tuple(classes)
        self._prices = None if prices is None else plain_json(prices, ("prices",))
        self._settings = None if settings is None else plain_json(settings, ("settings",))
        self._shrinkage = shrinkage
        self._models = dict(sorted((leaf_models or {}).items()))
        self._asked: Questionnaire | None = None  # what explanations and questions are derived from
        self._paid: Any = None  # what its paths pay, once that was asked for
        self._written: dict[str, Any] | None = None  # the JSON form, once it was asked for
        check_columns_of_tests(core, self._columns)
        if len(self._classes or ()) != core.n_classes:
            raise ValueError(
                f"the tree has {core.n_classes} classes, but {len(self._classes or ())} labels were given"
            )
        if self._models and self._classes is not None:
            raise ValueError("linear leaves need a numeric target")
        if self._models:
            check_models(self._models, core.parent, core.column, self._columns, self._prices)

    @property
    def core(self) -> _core.Tree:
        """The flat arrays of all nodes."""
        return self._core

    @property
    def n_nodes(self) -> int:
        """Leaves and tests together."""
        return self._core.n_nodes

    @property
    def n_leaves(self) -> int:
        """Nodes without a test."""
        return self._core.n_leaves

    @property
    def depth(self) -> int:
        """Tests on the longest path; 0 for a tree that is one leaf."""
        return int(self._core.depths.max())

    @property
    def columns(self) -> tuple[ColumnSchema, ...]:
        """The columns of the table, in its order."""
        return self._columns

    @property
    def classes(self) -> tuple[Scalar, ...] | None:
        """The labels, in the order of class numbers; None for a numeric target."""
        return self._classes

    @property
    def prices(self) -> dict[str, Any] | None:
        """What tests cost, as `TestCosts.to_dict` describes it (a copy); None: every test costs 1."""
        return None if self._prices is None else plain_json(self._prices, ())

    @property
    def settings(self) -> dict[str, Any] | None:
        """What made the tree (a copy)."""
        return None if self._settings is None else plain_json(self._settings, ())

    @property
    def shrinkage(self) -> float | None:
        """λ of hierarchical shrinkage, by which probabilities and predicted numbers are drawn towards the
        nodes above the leaf; None: they are the leaf's own.
        """
        return None if self._shrinkage is None else self._shrinkage.strength

    def with_shrinkage(self, shrinkage: float | None, *, keeps_labels: bool = True) -> Self:
        """The tree whose answers are shrunk by this λ; None and 0 give the leaves' own.

        A leaf whose label is its largest class is shrunk only as far as that stays so, unless `keeps_labels`
        is False.
        """
        stated = () if self._shrinkage is None else self._shrinkage.stated
        how = Shrinkage(float(shrinkage), keeps_labels, stated) if shrinkage else None
        return type(self)(
            self._core, self._columns, self._classes, self._prices, self._settings, how, self._models
        )

    @property
    def leaf_models(self) -> dict[int, LeafModel]:
        """The linear models of the leaves that answer by one, by node (a copy)."""
        return dict(self._models)

    def with_leaf_models(self, leaf_models: LeafModels | None) -> Self:
        """The tree whose leaves answer by these models, the others by their means."""
        return type(self)(
            self._core,
            self._columns,
            self._classes,
            self._prices,
            self._settings,
            self._shrinkage,
            leaf_models,
        )

    def apply(self, X: Any, *, n_threads: int = 1) -> NDArray[np.int32]:
        """Number of the leaf that each row reaches."""
        return self._core.apply(self._inputs(X), n_threads)

    def predict(self, X: Any, *, n_threads: int = 1) -> NDArray[Any]:
        """The class of each row: its leaf's label; for a numeric target the mean of its leaf, shrunk if the
        tree is, or what the leaf's linear model says.
        """
        if self._classes is None and self._shrinkage is None and not self._models:
            return self._core.predict(self._inputs(X), n_threads)
        if self._classes is None:
            core, inputs = self._core, self._inputs(X)
            means = core.value.reshape(-1, 2)[:, 0]
            said = shown_numbers(means, self._shrinkage, core.weight, core.parent, self._models)
            if not self._models:
                return core.values_at_leaves(inputs, said.view(np.int64), n_threads).view(np.float64)
            leaf = core.apply(inputs, n_threads)
            return answers_at_leaves(self._models, leaf, said, lambda j: _column_of(inputs, j))
        return self.predict_labels(X, array_of_labels(self._classes), n_threads=n_threads)

    def predict_labels(self, X: Any, classes: NDArray[Any], *, n_threads: int = 1) -> NDArray[Any]:
        """The class of each row, in the words of these classes, which stand in the order of `classes`."""
        at_node = labels_at(classes, self._core.label)
        inputs = self._inputs(X)
        if at_node.dtype.kind in "iuf" and at_node.dtype.itemsize == 8 and at_node.dtype.isnative:
            # The core writes any answer of 8 bytes itself, without an array of leaves.
            bits = self._core.values_at_leaves(inputs, at_node.view(np.int64), n_threads)
            return bits.view(at_node.dtype)
        return at_node[self._core.apply(inputs, n_threads)]

    def predict_proba(self, X: Any, smoothing: float = 0.0, *, n_threads: int = 1) -> NDArray[np.float64]:
        """Share of each class in the row's leaf, in the order of `classes`; shrunk if the tree is.

        `smoothing` is added to every class's weight at every node first. A leaf without any weight gives
        every class the same share.
        """
        if self._classes is None:
            raise ValueError("the target is a number, so it has no class probabilities: use predict")
        if not 0 <= smoothing < np.inf:
            raise ValueError(f"smoothing must be a finite number >= 0, not {smoothing!r}")
        core = self._core
        said = shown_shares(core.value, smoothing, self._shrinkage, core.weight, core.parent, core.label)
        return said[self.apply(X, n_threads=n_threads)]

    def decision_path(self, X: Any, *, n_threads: int = 1) -> csr_matrix:
        """Sparse 0/1 matrix (rows x nodes) of the nodes that each row passes, root and leaf included."""
        from scipy.sparse import csr_matrix

        indptr, indices = self._core.decision_path(self._inputs(X), n_threads)
        ones = np.ones(len(indices), dtype=np.int64)
        return csr_matrix((ones, indices, indptr), shape=(len(indptr) - 1, self.n_nodes))

    def predict_cost(self, X: Any, *, n_threads: int = 1) -> NDArray[np.float64]:
        """What each row pays for the tests on its path: 1 a test, unless the tree has prices; then also 1 for
        each column that only its leaf's linear model reads.
        """
        inputs = self._inputs(X)
        leaf = self._core.apply(inputs, n_threads)
        if self._prices is None:
            return self._n_questions()[leaf].astype(np.float64)
        return np.asarray(self._price().of_rows(leaf, inputs), dtype=np.float64)

    def expected_cost(self, X: Any, sample_weight: Any = None) -> float:
        """The mean of `predict_cost` over the rows of X, weighted by `sample_weight`."""
        return float(np.average(self.predict_cost(X), weights=sample_weight))

    def worst_case_cost(self) -> float:
        """The largest price of any path from the root to a leaf, whatever the answers."""
        if self._prices is None and not self._models:
            return float(self.depth)
        if self._prices is None:
            return float(self._n_questions()[self._core.column < 0].max())
        return float(self._price().worst_case)

    def rules(self, *, simplify: Simplify = "paths", order: RuleOrder = "tree") -> list[Rule]:
        """The tree as rules, of which every row fits exactly one; `to_rules` shows them as a table.

        `simplify` "paths" gives one rule for each leaf, "labels" joins rules that say the same where one rule
        can say it. `order` "tree" is the order of the leaves, "label" that of the classes (the surest first)
        or of the means, "cover" puts the rule for most rows first.
        """
        from thriftree.explain.rules import rules_of

        return rules_of(self._document, simplify=simplify, order=order)

    def explain(self, row: Any) -> Explanation:
        """What the tree says of one row and why: the tests on its way, their prices, how sure it is.

        `row` maps column names to values (None and NaN are missing, and so is a column that it lacks), or is
        a sequence in the order of the columns, a frame with one row, or a row of one. `str()` of the
        explanation is for people.
        """
        from thriftree.explain.explanation import explain_row
        from thriftree.table.one_row import read_row

        return explain_row(self._questionnaire, read_row(row, [column.name for column in self._columns]))

    def next_question(self, known: Any, *, order: str = "cheapest") -> Question | None:
        """What to ask next if only some columns are known; None: the answer is settled, whatever the rest.

        `known` maps column names to answers, in the order in which they were asked; None and NaN mean "asked,
        and not known", a column that it lacks has not been asked. `order` "tree" asks in the order of the
        tests; "cheapest" asks the cheapest question that is of use, but never lets the whole become more
        expensive than `worst_case_cost()`.
        """
        from thriftree.explain.question import next_question_of
        from thriftree.table.one_row import read_row

        names = [column.name for column in self._columns]
        return next_question_of(self._questionnaire, read_row(known, names), order=order)

    def consult(self, known: Any = None, *, order: str = "cheapest") -> Consultation:
        """A conversation with the tree, one question at a time; see `next_question`."""
        from thriftree.explain.consultation import Consultation
        from thriftree.table.one_row import read_row

        names = [column.name for column in self._columns]
        return Consultation(self._questionnaire, read_row({} if known is None else known, names), order=order)

    def collapse(self, node: int | Sequence[int]) -> Self:
        """The tree in which `node`, or each of several, is a leaf, with the label (or mean) of its rows."""
        from thriftree.editing.changes import collapsed

        return self.from_dict(collapsed(self._document, node))

    def relabel(self, node: int, label: Any) -> Self:
        """The tree in which the leaf `node` answers `label`: one of the classes, or a number."""
        from thriftree.editing.changes import relabelled

        return self.from_dict(relabelled(self._document, node, label))

    def reorder(self, node: int, branches: Sequence[int] | None = None) -> Self:
        """The tree with the branches of `node` in this order (None: turned round); all answers stay.

        To ask another *question* first, see the method `reorder` of the estimators, which takes rows.
        """
        from thriftree.editing.changes import reordered

        return self.from_dict(reordered(self._document, node, branches))

    def compare(self, other: Tree, X: Any, y: Any, sample_weight: Any = None) -> Edit:
        """What changes from this tree to `other` on these rows: accuracy, answers, prices and size."""
        from thriftree.editing.edit import compared

        return compared("another tree", self, other, X, y, sample_weight)

    @property
    def _document(self) -> dict[str, Any]:
        if self._written is None:
            self._written = self.to_dict()
        return self._written

    @property
    def _questionnaire(self) -> Questionnaire:
        from thriftree.explain.questionnaire import Questionnaire

        if self._asked is None:
            self._asked = Questionnaire(self._document)
        return self._asked

    def to_dict(self) -> dict[str, Any]:
        """The JSON form (docs/spec/tree-v1.md) as Python values; changing it does not change the tree."""
        arrays = {name: getattr(self._core, name).tolist() for name in ARRAYS}
        return document_of(
            arrays,
            self._columns,
            self._classes,
            self.prices,
            self.settings,
            self._shrinkage,
            self._models,
        )

    def to_json(self) -> str:
        """The JSON form (docs/spec/tree-v1.md) as text."""
        return to_json(self._document)

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Self:
        """The tree with this JSON form; a TreeFormatError (ValueError) names the path of what is wrong."""
        content = content_of(document)
        try:
            core = _core.Tree.from_arrays(**content.arrays)
            return cls(
                core,
                content.columns,
                content.classes,
                content.prices,
                content.settings,
                content.shrinkage,
                content.leaf_models,
            )
        except TreeFormatError:
            raise
        except ValueError as error:
            raise error_at_node(error) from error

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The tree with this JSON text; see `from_dict`. Reading never runs code."""
        return cls.from_dict(parse(text))

    @classmethod
    def from_sentences(
        cls,
        text: str,
        *,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        columns: Sequence[ColumnSchema | str] | None = None,
        classes: Sequence[Scalar] | None = None,
        costs: Any = None,
    ) -> Self:
        """The tree that sentences tell, as `to_sentences` writes them or as people do.

        "If age > 54.5, decide sick. If thal = {fixed, reversable}, decide sick, otherwise decide healthy."

        With `X` and `y` the rows are counted into the nodes; without, the counts are 0. What columns and
        classes there are is taken from X and y, or from `columns` (schemas or names, in the order of the
        table) and `classes`, or from the text. A SentenceError (ValueError) names the place of what is not
        understood. The language is described in docs/guide/explanations.md.
        """
        from thriftree.explain.sentences.read import told_document

        return cls.from_dict(told_document(text, X, y, sample_weight, columns, classes, costs))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the JSON form to a file, whole or not at all: an error leaves an older file as it was."""
        write_whole(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The tree in a file that `save` wrote. Loading never runs code: foreign files are safe to try."""
        with naming_file(path):
            return cls.from_dict(read_document(path))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return self._core == other._core and self._description() == other._description()

    def __hash__(self) -> int:
        return hash((self._description(), self._core.n_nodes))

    def __reduce__(self) -> tuple[Callable[[dict[str, Any]], Tree], tuple[dict[str, Any]]]:
        return (type(self).from_dict, (self.to_dict(),))

    def __repr__(self) -> str:
        target = "a number" if self._classes is None else f"{len(self._classes)} classes"
        leaves = f"{self.n_leaves} {'leaf' if self.n_leaves == 1 else 'leaves'}"
        return f"<Tree for {target}: {leaves}, depth {self.depth}, {len(self._columns)} columns>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the picture of the tree, of a large one its first levels."""
        from thriftree.export.svg import notebook_html

        return notebook_html(self.to_dict())

    def _inputs(self, X: Any) -> Any:
        from thriftree.table.prediction_inputs import prediction_inputs

        return prediction_inputs(X, self._columns)

    def _n_questions(self) -> NDArray[np.int64]:
        """By node: the tests above it and, at a leaf, the columns that only its model asks for."""
        core = self._core
        return core.depths + extra_questions(self._models, core.parent, core.column)

    def _price(self) -> Any:
        from thriftree.costs import TestCosts, price

        if self._paid is None:
            self._paid = price(self._core, TestCosts.from_dict(self._prices or {}).bind(self._columns))
        return self._paid

    def _description(self) -> tuple[Any, ...]:
        """Everything but the arrays, in a form that tells 1 from True and 1.0."""
        classes = (
            None if self._classes is None else tuple((type(label).__name__, label) for label in self._classes)
        )
        columns = tuple(
            (
                c.name,
                c.kind,
                tuple((type(category).__name__, category) for category in c.categories),
                c.temporal,
            )
            for c in self._columns
        )
        return (
            classes,
            columns,
            self._shrinkage,
            tuple(self._models.items()),
            *(json.dumps(part, sort_keys=True) for part in (self._prices, self._settings)),
        )


def _column_of(inputs: Any, column: int) -> NDArray[Any]:
    """The values of a column of what the core predicts from."""
    values: NDArray[Any] = inputs[:, column] if isinstance(inputs, np.ndarray) else inputs[column]
    return values
