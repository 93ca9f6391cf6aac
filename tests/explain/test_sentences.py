"""Trees told in sentences and read back: the same answers, whatever the values and the names."""

from __future__ import annotations

import re
from math import inf, nextafter

import numpy as np
import pytest
from thoroughness import tries

from thriftree import CARTClassifier, CARTRegressor, Tree
from thriftree.columns import ColumnSchema
from thriftree.datasets import heart_prices, load_heart
from thriftree.explain.sentences.tokens import SentenceError
from thriftree.messages import printable
from thriftree.testing.random_documents import frame_of, random_document, random_rows


@pytest.mark.parametrize("n_classes", [0, 1, 2, 3])
@pytest.mark.parametrize("hostile", [False, True])
def test_a_tree_read_back_from_its_exact_sentences_predicts_the_same(n_classes: int, hostile: bool) -> None:
    for seed in range(tries(40, 14)):
        document = random_document(seed, n_classes=n_classes, hostile=hostile, n_tests=seed % 12)
        tree = Tree.from_dict(document)
        text = tree.to_sentences(exact=True)
        assert all(printable(line) == line for line in text.split("\n"))
        back = Tree.from_sentences(text)
        assert back.columns == tree.columns
        assert back.classes == tree.classes
        frame = frame_of(document, random_rows(document, seed, 400))
        assert back.predict(frame).tolist() == tree.predict(frame).tolist()
        # What was read back tells itself in the same words, but for columns whose branches were reordered.
        again = Tree.from_sentences(back.to_sentences(exact=True))
        assert again.predict(frame).tolist() == tree.predict(frame).tolist()


@pytest.mark.full
@pytest.mark.parametrize("seed", range(60))
def test_exact_sentences_agree_on_10000_rows_of_a_larger_tree(seed: int) -> None:
    document = random_document(1000 + seed, n_columns=8, n_tests=30)
    tree = Tree.from_dict(document)
    back = Tree.from_sentences(tree.to_sentences(exact=True))
    frame = frame_of(document, random_rows(document, seed, 10_000))
    assert back.predict(frame).tolist() == tree.predict(frame).tolist()


def test_readable_sentences_need_the_columns_and_lose_only_what_they_do_not_say() -> None:
    X, y = load_heart(as_frame="pandas")
    tree = CARTClassifier(max_leaves=12).fit(X, y).tree_
    back = Tree.from_sentences(tree.to_sentences(), columns=tree.columns, classes=tree.classes)
    known = X.dropna()
    assert back.predict(known).tolist() == tree.predict(known).tolist()


@pytest.mark.parametrize("hostile", [False, True])
def test_readable_sentences_agree_on_values_that_the_tree_knows(hostile: bool) -> None:
    for seed in range(tries(40, 14)):
        document = random_document(seed, hostile=hostile, n_tests=seed % 12, kinds=("ordered", "category"))
        tree = Tree.from_dict(document)
        back = Tree.from_sentences(tree.to_sentences(), columns=tree.columns, classes=tree.classes)
        assert back.n_nodes <= tree.n_nodes
        rows = random_rows(document, seed, 100)
        seen = {c.name: c.categories for c in tree.columns}
        known = [i for i in range(100) if all(rows[name][i] in seen[name] for name in seen)]
        if tree.classes is not None and known:
            frame = frame_of(document, {name: [values[i] for i in known] for name, values in rows.items()})
            assert back.predict(frame).tolist() == tree.predict(frame).tolist()


def test_readable_sentences_leave_out_questions_that_change_nothing_and_join_answers() -> None:
    told = (
        "If x is red, decide a; if x is blue, decide a; if x is missing, decide a; otherwise go on.\n"
        "If y > 1, go on; otherwise decide b.\n"
        "If z > 1, decide c; otherwise decide c."
    )
    tree = Tree.from_sentences(told)
    assert tree.n_leaves == 6
    assert tree.to_sentences() == (
        "If x is blue or red (missing: yes), decide a.\nIf y > 1, decide c; otherwise decide b."
    )
    assert Tree.from_sentences(tree.to_sentences(exact=True)).n_leaves == 6
    always = Tree.from_sentences("If y > 1, decide b; otherwise decide b.")
    assert always.to_sentences() == "Always decide b."


def test_a_tree_is_told_in_numbered_steps() -> None:
    X, y = load_heart(as_frame="pandas")
    tree = CARTClassifier(max_leaves=6, costs=heart_prices()).fit(X, y).tree_
    assert tree.to_sentences() == (
        "1. If thallium_scan is normal, go to 2; otherwise go to 4.\n"
        "2. If major_vessels <= 0.5, decide absent; otherwise go to 3.\n"
        "3. If chest_pain is asymptomatic, decide present; otherwise decide absent.\n"
        "4. If chest_pain is asymptomatic, decide present; otherwise go to 5.\n"
        "5. If major_vessels <= 0.5, decide absent; otherwise decide present."
    )


def test_a_fast_and_frugal_tree_is_told_one_question_a_sentence() -> None:
    text = "If chol > 200, predict High-Risk. If age <= 55, predict Low-Risk, otherwise predict High-Risk."
    tree = Tree.from_sentences(text)
    assert tree.to_sentences() == (
        "If chol > 200, decide High-Risk.\nIf age <= 55, decide Low-Risk; otherwise decide High-Risk."
    )
    rows = [[200.0, 55.0], [200.5, 55.0], [199.0, 55.5], [np.nan, 10.0], [np.nan, np.nan]]
    assert tree.predict(np.array(rows)).tolist() == [
        "Low-Risk", "High-Risk", "High-Risk", "Low-Risk", "High-Risk",
    ]  # fmt: skip


def test_one_leaf_is_told_and_read() -> None:
    tree = CARTClassifier(max_depth=0).fit([[1.0], [2.0]], ["it is so", "it is so"]).tree_
    assert tree.to_sentences() == 'Always decide "it is so".'
    assert Tree.from_sentences(tree.to_sentences(exact=True)).predict([[1.0]]).tolist() == ["it is so"]


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">=", "=", "!=", "≤", "≥", "≠", "=="])
@pytest.mark.parametrize("cut", [0.0, 54.5, -1e-7, 1e300, 0.1])
def test_every_comparison_decides_every_neighbouring_number_exactly(sign: str, cut: float) -> None:
    column = ColumnSchema("x", "number")
    tree = Tree.from_sentences(f"If x {sign} {cut!r}, decide yes; otherwise decide no.", columns=[column])
    plain = {"≤": "<=", "≥": ">=", "≠": "!=", "=": "=="}.get(sign, sign)
    for x in (cut, nextafter(cut, inf), nextafter(cut, -inf), cut + 1, cut - 1, -cut, inf, -inf):
        assert tree.predict(np.array([[x]]))[0] == ("yes" if eval(f"x {plain} cut") else "no"), x
    assert tree.predict(np.array([[np.nan]]))[0] == "no"


HEART_COLUMNS = (
    ColumnSchema("thal", "category", ("fd", "normal", "rd")),
    ColumnSchema("age", "number"),
    ColumnSchema("pain", "ordered", ("none", "mild", "strong")),
)


@pytest.mark.parametrize(
    ("condition", "passing"),
    [
        ("thal = {rd,fd}", {"rd", "fd"}),
        ("thal != {rd,fd}", {"normal", "new"}),
        ("thal is one of rd, fd", {"rd", "fd"}),
        ("thal is one of: rd, fd", {"rd", "fd"}),
        ("thal is rd or fd", {"rd", "fd"}),
        ("THAL IS RD OR FD", {"rd", "fd"}),
        ("thal is rd, normal, or fd", {"rd", "fd", "normal"}),
        ("thal is not rd", {"fd", "normal", "new"}),
        ("thal is rd (missing: yes)", {"rd", None}),
        ("thal is rd or is missing", {"rd", None}),
        ("thal is rd (other: yes)", {"rd", "new"}),
        ("thal is not rd (other: no, missing: yes)", {"fd", "normal", None}),
        ("thal is missing", {None}),
        ("thal is known", {"fd", "normal", "rd", "new"}),
        ("thal is unlisted", {"new"}),
        ("thal is rd or thal is unlisted", {"rd", "new"}),
        ("pain is at most mild", {"none", "mild"}),
        ("pain >= mild", {"mild", "strong"}),
        ("pain < mild", {"none"}),
        ("pain is strong or none", {"strong", "none"}),
    ],
)
def test_conditions_on_categories(condition: str, passing: set[str | None]) -> None:
    tree = Tree.from_sentences(f"If {condition}, decide in, otherwise decide out.", columns=HEART_COLUMNS)
    name = condition.split()[0].casefold()
    for value in ("fd", "normal", "rd", "none", "mild", "strong", "new", None):
        said = tree.explain({name: value}).label
        schema = next(column for column in HEART_COLUMNS if column.name == name)
        if value in schema.categories or value in ("new", None):
            assert (said == "in") == (value in passing), value


def test_several_clauses_on_one_column_are_one_test_of_several_branches() -> None:
    text = "If 1 < x <= 2 or x > 5, decide a; if x <= 0 (missing: yes), decide b; otherwise decide c."
    tree = Tree.from_sentences(text)
    assert (tree.n_nodes, tree.depth) == (4, 1)
    values = np.array([[1.5], [6.0], [2.0], [0.0], [np.nan], [1.0], [3.0]])
    assert tree.predict(values).tolist() == ["a", "a", "a", "b", "b", "c", "c"]


def test_columns_can_be_named_in_the_order_of_a_table() -> None:
    tree = Tree.from_sentences("If x > 1, decide a; otherwise decide b.", columns=["y", "x", "z"])
    assert tree.predict(np.array([[0.0, 2.0, 0.0], [2.0, 0.0, 2.0]])).tolist() == ["a", "b"]


def test_clauses_on_several_columns_are_several_tests() -> None:
    text = "If x > 1, decide a, otherwise, if y = {red}, decide b, otherwise decide c."
    assert Tree.from_sentences(text).to_sentences() == (
        "If x > 1, decide a.\nIf y is red, decide b; otherwise decide c."
    )


def test_steps_may_be_shared_and_come_in_any_order() -> None:
    text = "1. If x > 1, go to 3; otherwise go to 2.\n2: If y > 1, go to step 3; else decide a.\n3) Decide b."
    tree = Tree.from_sentences(text)
    assert tree.predict(np.array([[2.0, 0.0], [0.0, 2.0], [0.0, 0.0]])).tolist() == ["b", "b", "a"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no sentence"),
        ("If age > 54.5, decide sick.", "line 1, character 1 .*last sentence.*otherwise"),
        (
            "If age > old, decide a; otherwise decide b.",
            "line 1, character 10.*a number is needed, not 'old'",
        ),
        ("If age, decide a; otherwise decide b.", "after 'age' write is, or one of"),
        ("If agee > 3, decide a; otherwise decide b.", "no column 'agee'; did you mean 'age'"),
        ("If thal is rdd, decide a; otherwise decide b.", "'thal' has no value 'rdd'.*did you mean 'rd'"),
        ("If thal > rd, decide a; otherwise decide b.", "have no order"),
        ("If age > 3 or thal is rd, decide a; otherwise decide b.", "asks for one column"),
        ("If age > 3 and thal is rd, decide a; otherwise decide b.", "here the sentence says what to do"),
        ("If age > 3, decide a; if age > 4, decide b; otherwise decide c.", "can never hold"),
        ("If age is known (missing: yes), decide a; otherwise decide b.", "never reached"),
        (
            "If age > 3, decide a; otherwise decide b.\nIf age > 4, decide b; otherwise decide a.",
            "line 2.*never",
        ),
        ("1. If age > 3, go to 1; otherwise decide b.", "lead back here"),
        ("1. If age > 3, go to 7; otherwise decide b.", "no step has the number '7'"),
        ("If age > 3, decide a; otherwise estimate 3.", "some sentences decide a class and some estimate"),
        ("If age > 3, estimate high; otherwise estimate 3.", "an estimate is a number, not 'high'"),
        ('If age > 3, decide "a; otherwise decide b.', "quotation mark that is not closed"),
        ("If age > 3 (missing: maybe), decide a; otherwise decide b.", "a note is"),
        ("If age is unlisted, decide a; otherwise decide b.", "no number is unlisted"),
        ("Perhaps a.", "goes on with 'If'"),
        ("If age > 3, decide if; otherwise decide b.", "a text that has the word 'if' in it needs quotes"),
    ],
)
def test_what_is_not_understood_is_named_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Tree.from_sentences(text, columns=HEART_COLUMNS)


def test_a_mutated_text_is_read_or_refused_with_its_place() -> None:
    rng = np.random.default_rng(0)
    texts = [
        Tree.from_dict(random_document(seed, hostile=seed % 2 == 0, n_tests=5)).to_sentences(
            exact=seed % 3 > 0
        )
        for seed in range(20)
    ]
    pieces = [
        "",
        " if ",
        " is ",
        " or ",
        "(",
        ")",
        "{",
        "}",
        ",",
        ".",
        ";",
        ":",
        '"',
        " 1 ",
        " go to ",
        "<",
        "=",
    ]
    pieces += [" missing ", "1e999", "\\", "\n", " nan ", " decide ", " estimate ", " not "]
    n_read, refusals = 0, []
    for _ in range(1200):
        text = texts[rng.integers(len(texts))]
        for _ in range(rng.integers(1, 4)):
            begin = int(rng.integers(len(text) + 1))
            end = begin + int(rng.choice([0, 0, 1, 3, 10]))
            text = text[:begin] + pieces[rng.integers(len(pieces))] + text[end:]
        try:
            Tree.from_sentences(text)
            n_read += 1
        except SentenceError as error:
            refusals.append(str(error))
    assert min(n_read, len(refusals)) > 20
    assert all(re.match(r"line \d+, character \d+ \(at ", message) for message in refusals)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Columns: x (number); x (number).\nAlways decide a.", "'x' stands here twice"),
        ("Columns: x (category: a, a).\nAlways decide a.", "'a' stands here twice"),
        ("Classes: a, a.\nAlways decide a.", "'a' stands here twice"),
        ("Columns: x (colour).\nAlways decide a.", "the kind of a column is number, category, ordered, date"),
        ("Columns: x.\nAlways decide a.", "after the column 'x' write its kind"),
        ("Classes: a, b.\nAlways decide c.", "'c' is none of the classes"),
    ],
)
def test_headings_are_checked(text: str, message: str) -> None:
    with pytest.raises(SentenceError, match=message):
        Tree.from_sentences(text)


def test_a_class_that_the_table_lacks_is_refused() -> None:
    X, y = load_heart(as_frame="pandas")
    with pytest.raises(ValueError, match=r"'presnt' is none of the classes.*did you mean 'present'"):
        Tree.from_sentences("If age > 50, decide presnt; otherwise decide absent.", X=X, y=y)


def test_a_short_text_cannot_mean_a_huge_tree() -> None:
    steps = [f"{i}. If x{i} > 0, go to {i + 1}; otherwise go to {i + 1}." for i in range(1, 40)]
    with pytest.raises(ValueError, match="more than 65536 nodes"):
        Tree.from_sentences("\n".join([*steps, "40. If z > 0, decide a; otherwise decide b."]))


def test_a_long_list_of_questions_needs_no_deep_recursion() -> None:
    lines = [f"If x > {i}, decide {'even' if i % 2 == 0 else 'odd'}." for i in range(1500, 0, -1)]
    tree = Tree.from_sentences("\n".join([*lines, "Otherwise decide none."]))
    assert tree.predict(np.array([[2.5], [1.5], [0.0]])).tolist() == ["even", "odd", "none"]
    assert Tree.from_sentences(tree.to_sentences()).n_leaves == 1501


def test_rows_are_counted_into_a_tree_that_was_told() -> None:
    X, y = load_heart(as_frame="pandas")
    grown = CARTClassifier(max_leaves=6, costs=heart_prices()).fit(X, y).tree_
    told = Tree.from_sentences(grown.to_sentences(exact=True), X=X, y=y, costs=heart_prices())
    assert told.worst_case_cost() == pytest.approx(grown.worst_case_cost())
    assert told.predict_proba(X) == pytest.approx(grown.predict_proba(X))
    by_rule = {(rule.rows, rule.label, rule.counts.classes) for rule in grown.rules()}
    assert {(rule.rows, rule.label, rule.counts.classes) for rule in told.rules()} == by_rule
    gini = {(node["rows"], round(node["impurity"], 9)) for node in grown.to_dict()["nodes"]}
    assert {(node["rows"], round(node["impurity"], 9)) for node in told.to_dict()["nodes"]} == gini
    assert sorted(told.predict_cost(X)) == pytest.approx(sorted(grown.predict_cost(X)))


def test_weights_count_and_rows_of_weight_0_do_not() -> None:
    text = "If x > 1, decide a; otherwise decide b."
    told = Tree.from_sentences(
        text, X=np.array([[0.0], [2.0], [2.0]]), y=["b", "a", "b"], sample_weight=[0.5, 2.0, 0.0],
        columns=[ColumnSchema("x", "number")],
    )  # fmt: skip
    root, high, low = told.to_dict()["nodes"]
    assert (root["rows"], root["weight"], root["value"]) == (2, 2.5, [2.0, 0.5])
    assert (high["rows"], low["rows"]) == (1, 1)


def test_a_told_estimate_stays_and_deviations_are_from_it() -> None:
    X, y = np.array([[0.0], [0.0], [2.0], [2.0]]), np.array([1.0, 3.0, 5.0, 7.0])
    grown = CARTRegressor().fit(X, y).tree_
    assert grown.to_sentences() == "If x0 <= 1, estimate 2; otherwise estimate 6."
    told = Tree.from_sentences("If x0 <= 1, estimate 2; otherwise estimate 5.", X=X, y=y)
    assert told.predict(X).tolist() == [2.0, 2.0, 5.0, 5.0]
    assert [node["value"] for node in told.to_dict()["nodes"]][1:] == [[2.0, 1.0], [5.0, 2.0]]


def test_x_and_y_go_together() -> None:
    with pytest.raises(ValueError, match="X and y go together"):
        Tree.from_sentences("Always decide a.", X=[[1.0]])


def test_labels_keep_their_types() -> None:
    for labels in (["1", "true"], [1, 2], [1.0, 2.0], [False, True]):
        tree = CARTClassifier().fit([[0.0], [1.0]], labels).tree_
        back = Tree.from_sentences(tree.to_sentences(), columns=tree.columns)
        assert [type(label) for label in back.classes or ()] == [type(label) for label in labels]
        assert back.classes == tuple(labels)
