"""The page in a real browser: what people do on it, and that nothing hostile runs."""

import re

import numpy as np
import pandas as pd
import pytest
from report_cases import classifier, hostile_case, regressor

from thriftree import CARTClassifier, ThriftTreeClassifier, Tree, frontier
from thriftree.datasets import heart_prices, load_heart
from thriftree.explain.words import Wording

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def heart():
    X, y = load_heart()
    model = ThriftTreeClassifier(costs=heart_prices(), random_state=0).fit(X[:200], y[:200])
    front = frontier(X[:200], y[:200], heart_prices(), methods=["cart", "ecart"], random_state=0)
    return model, X[200:], y[200:], front


@pytest.fixture
def page(open_report, heart):
    model, X, y, front = heart
    return open_report(model, X, y, rows="held out", frontier=front, target="heart disease")


NUMBERS = "all => all.map((one) => Number(one.dataset.node))"


def boxes(page):
    """The nodes that the tree shows."""
    return page.eval_on_selector_all("#tree-stage [data-node]", NUMBERS)


def test_the_tree_shows_every_node_and_folds_and_unfolds_by_click_and_key(page, heart):
    tree = heart[0].tree_
    assert boxes(page) == list(range(tree.n_nodes))
    page.click("#tree-stage [data-node='0']")
    assert boxes(page) == [0]
    assert "leaves are folded away" in page.inner_text("#tree-stage .folded-note")
    page.keyboard.press("Enter")
    assert boxes(page) == list(range(tree.n_nodes))
    page.click("#tree-stage [aria-label^='Fold all']")
    assert boxes(page) == [0, *tree.to_dict()["nodes"][0]["children"]]
    page.click("#tree-stage [aria-label^='Unfold all']")
    assert boxes(page) == list(range(tree.n_nodes))


def test_keys_walk_through_the_tree(page, heart):
    first = heart[0].tree_.to_dict()["nodes"][0]["children"][0]
    page.focus("#tree-stage [data-node='0']")
    focused = "document.activeElement.dataset.node"
    for key, node in (("ArrowRight", first), ("ArrowLeft", 0), ("ArrowDown", 1), ("ArrowUp", 0)):
        page.keyboard.press(key)
        assert page.evaluate(focused) == str(node)
    assert page.is_visible("#tree-stage .node-card")
    page.keyboard.press("Escape")
    assert page.is_hidden("#tree-stage .node-card")


def test_zoom_and_pan_by_button_wheel_key_and_drag(page):
    view = "[thriftree.page.view.scale, ...thriftree.page.view.offset]"
    start = page.evaluate(view)
    page.click("[aria-label='Zoom in']")
    assert page.evaluate(view)[0] == pytest.approx(1.25 * start[0])
    page.click("[aria-label='Zoom out']")
    assert page.evaluate(view) == pytest.approx(start)
    page.hover("#tree-stage svg.tree")
    page.mouse.wheel(0, 50)
    assert page.evaluate(view) == pytest.approx(start)  # the page scrolls instead
    page.hover("#tree-stage svg.tree")
    page.keyboard.down("Control")
    page.mouse.wheel(0, -150)
    page.keyboard.up("Control")
    page.wait_for_function(f"{view}[0] > {start[0] * 1.2}")
    page.focus("#tree-stage [data-node='0']")
    page.keyboard.press("0")
    assert page.evaluate(view) == pytest.approx(start)
    page.keyboard.press("Shift+ArrowRight")
    assert page.evaluate(view) == pytest.approx([start[0], start[1] - 60, start[2]])
    area = page.locator("#tree-stage svg.tree").bounding_box()
    page.mouse.move(area["x"] + 20, area["y"] + 20)
    page.mouse.down()
    page.mouse.move(area["x"] + 60, area["y"] + 50, steps=4)
    page.mouse.up()
    assert page.evaluate(view) == pytest.approx([start[0], start[1] - 20, start[2] + 30])


def test_pointing_at_a_node_shows_its_numbers(page, heart):
    model, X, _, _ = heart
    nodes = model.tree_.to_dict()["nodes"]
    leaf = next(i for i, node in enumerate(nodes) if "test" not in node)
    page.hover(f"#tree-stage [data-node='{leaf}']")
    card = page.inner_text("#tree-stage .node-card")
    assert f"In training: {nodes[leaf]['rows']} rows." in card
    here = (model.apply(X) == leaf).sum()
    assert f"Of the rows of this report (held out), {here} come here" in card
    assert re.search(r"95\s% interval \d+\s% to \d+\s%", card)
    assert "This path pays" in card
    page.hover("#tree-stage [data-node='0']")
    card = page.inner_text("#tree-stage .node-card")
    assert "Nothing paid before; this question: 1.00." in card


def test_a_row_of_the_sample_lights_up_its_path(page, heart):
    model, X, y, _ = heart
    for _ in range(3):
        page.click("[aria-label='Next row']")
    path = model.decision_path(X).toarray()[2].nonzero()[0].tolist()
    assert page.eval_on_selector_all("#tree-stage .node.on-path", NUMBERS) == path
    assert page.eval_on_selector_all("#tree-stage .edge.on-path", "all => all.length") == len(path) - 1
    told = page.inner_text(".follow-result")
    assert f"{model.predict_cost(X)[2]:.2f}: {model.predict(X)[2]}" in told
    assert f"In the table: {y[2]}." in told
    page.click("text=Clear")
    assert page.locator("#tree-stage .on-path").count() == 0


def test_typed_values_are_followed_and_nonsense_is_marked(page, heart):
    tree = heart[0].tree_
    page.select_option("#follow [aria-label='chest_pain']", label="asymptomatic")
    first = page.inner_text(".follow-result")
    assert first
    field = page.locator("#follow input").first
    field.fill("abc")
    assert field.get_attribute("aria-invalid") == "true"
    assert page.inner_text(".follow-result") == first
    field.fill("54,5")
    assert field.get_attribute("aria-invalid") == "false"
    assert page.locator("#tree-stage .node.on-path").count() > 1
    assert tree.n_leaves > 1


def answer_by_clicks(page, tree, row):
    """Answers the questionnaire as a person would, with the values of a row; returns what it asked."""
    names = [column.name for column in tree.columns]
    asked = []
    for _ in range(40):
        title = page.inner_text("#questionnaire .question-card h3")
        if page.locator("#questionnaire .conclusion").count():
            return asked
        name = title.removesuffix("?")
        asked.append(name)
        value = row[names.index(name)]
        missing = value is None or value != value
        if missing:
            page.locator("#questionnaire button", has_text="Unknown").click()
        elif tree.columns[names.index(name)].kind == "number":
            page.fill("#questionnaire input", str(value))
            page.locator("#questionnaire button", has_text="Answer").click()
        else:
            page.get_by_role("button", name=str(value), exact=True).click()
    raise AssertionError("the questionnaire does not end")


def test_the_questionnaire_ends_with_the_trees_answer_price_and_reasons(page, heart):
    model, X, _, _ = heart
    rules = {rule.leaf: rule for rule in model.tree_.rules()}
    for i in range(8):
        row = X.iloc[i].tolist()
        asked = answer_by_clicks(page, model.tree_, row)
        assert page.inner_text("#questionnaire .conclusion") == model.predict(X[i : i + 1])[0]
        assert page.inner_text("#questionnaire .so-far") == f"{model.predict_cost(X[i : i + 1])[0]:.2f}"
        reasons = page.locator("#questionnaire .question-card li").all_inner_texts()
        known = [str(c) for c in rules[model.apply(X[i : i + 1])[0]].conditions]
        assert [reason.rpartition("which goes the way of: ")[2] for reason in reasons] == known
        assert len(asked) == len(set(asked))
        page.click("text=← Back")
        assert page.inner_text("#questionnaire .question-card h3") == f"{asked[-1]}?"
        page.click("text=Start again") if len(asked) > 1 else None
        assert page.locator("#questionnaire .history tr").count() == 0


def test_many_categories_are_a_list_to_choose_from(open_report):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"town": rng.choice([f"town {k:02d}" for k in range(30)], 600)})
    y = np.where(X["town"] < "town 11", "near", "far")
    model = CARTClassifier(max_leaves=2).fit(X, y)
    page = open_report(model, X, y)
    page.select_option("#questionnaire select", label="town 07")
    page.click("#questionnaire >> text=Answer")
    assert page.inner_text("#questionnaire .conclusion") == "near"


def test_a_number_is_asked_for_until_one_is_given(open_report):
    model = CARTClassifier(max_leaves=2).fit([[1.0], [2.0], [3.0], [4.0]], ["low", "low", "high", "high"])
    page = open_report(model, [[1.0], [4.0]], ["low", "high"])
    for wrong in ("", "much"):
        page.fill("#questionnaire input", wrong)
        page.keyboard.press("Enter")
        assert page.locator("#questionnaire .conclusion").count() == 0
    page.fill("#questionnaire input", "3,5")
    page.keyboard.press("Enter")
    assert page.inner_text("#questionnaire .conclusion") == "high"


def test_an_unknown_answer_is_named_among_the_reasons(page):
    while page.locator("#questionnaire .conclusion").count() == 0:
        page.locator("#questionnaire button", has_text="Unknown").click()
    reasons = page.locator("#questionnaire .question-card li").all_inner_texts()
    assert reasons
    assert all("is unknown, which goes the way of: " in r or r.endswith("is missing") for r in reasons)


def test_a_click_on_a_dot_of_the_frontier_shows_its_tree(page, heart):
    front = heart[3]
    dots = page.locator("#frontier-view .point")
    assert dots.count() == len(front)
    for i in (0, len(front) - 1, len(front) // 2):
        page.evaluate(f"thriftree.page.frontier.dots[{i}].dispatchEvent(new MouseEvent('click'))")
        shown = page.eval_on_selector_all("#frontier-view [data-node]", "all => all.length")
        assert shown == front[i].tree.n_nodes
        figures = page.inner_text("#frontier-view .point-figures")
        assert f"{front[i].expected_cost:.2f}" in figures
        assert f"{100 * front[i].accuracy:.1f}" in figures
        assert page.locator("#frontier-view .point.selected").count() == 1
    page.click("text=More expensive →")
    page.keyboard.press("Enter")
    assert page.evaluate("thriftree.page.frontier.selected") == (len(front) // 2 + 2) % len(front)


def test_charts_have_a_dot_or_a_bar_for_each_fact(page, heart):
    facts = page.evaluate("thriftree.page.facts")
    assert page.locator("#promises .dot").count() == len(facts["classes"]["promises"])
    assert page.locator("#paid .price-bar").count() == len(facts["paid"]["bars"])
    assert page.locator("#roc .curve").count() == 1


@pytest.mark.parametrize("seed", range(5))
def test_hostile_names_are_shown_and_nothing_of_them_runs(open_report, seed):
    document, frame, answers = hostile_case(seed, 60)
    page = open_report(Tree.from_dict(document), frame, answers, title="<img src=x onerror=alert(1)>")
    assert page.inner_text("h1 >> visible=true") == "<img src=x onerror=alert(1)>"
    assert page.locator("main img").count() == 0
    shown = page.locator("#data tbody th").all_text_contents()
    assert shown == Wording(document).names
    for i in range(min(len(document["nodes"]), 12)):
        page.evaluate(f"thriftree.page.view.showCard({i})")
    page.evaluate("thriftree.page.follower.choose(3)")
    page.evaluate(
        "for (let i = 0; i < 12; i++) document.querySelector('#questionnaire .choices button')?.click()"
    )


@pytest.mark.parametrize("width", [400, 1280])
def test_the_page_is_no_wider_than_the_window(open_report, heart, width):
    model, X, y, front = heart
    page = open_report(model, X, y, frontier=front)
    page.set_viewport_size({"width": width, "height": 900})
    page.reload()
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_boxes_of_a_tree_of_sixty_leaves_do_not_overlap_and_words_stay_inside(open_report):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 8))
    y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=3000) > 0).astype(int)
    page = open_report(CARTClassifier(max_leaves=60).fit(X, y), X, y, rows="training")
    found = page.evaluate(
        """[...document.querySelectorAll("#tree-stage [data-node]")].map((node) => {
          const box = node.querySelector(".box").getBoundingClientRect();
          const words = [...node.querySelectorAll("text")].map((text) => text.getBoundingClientRect());
          const right = Math.max(...words.map((word) => word.right));
          return { box: [box.left, box.top, box.right, box.bottom], right };
        })"""
    )
    assert len(found) == 119
    for i, one in enumerate(found):
        assert one["right"] <= one["box"][2] + 0.5
        for other in found[:i]:
            (a, b, c, d), (e, f, g, h) = one["box"], other["box"]
            assert c <= e + 0.01 or g <= a + 0.01 or d <= f + 0.01 or h <= b + 0.01
    size = page.evaluate("12.5 * thriftree.page.view.scale")
    assert size >= 9


def test_a_regression_tree_has_its_own_figures(open_report):
    model, X, y = regressor()
    page = open_report(model, X, y, rows="held out")
    assert page.locator("#errors .middle-half").count() == len(set(model.apply(X).tolist()))
    page.evaluate("thriftree.page.view.showCard(0)")
    assert "deviation" in page.inner_text("#tree-stage .node-card")


def test_a_tree_of_one_leaf_opens(open_report):
    model = CARTClassifier(max_depth=0).fit([[1.0], [2.0], [3.0]], ["a", "b", "b"])
    page = open_report(model, [[1.0], [2.0]], ["a", "b"])
    assert page.inner_text("#questionnaire .conclusion") == "b"


def test_without_a_sample_values_can_still_be_typed(open_report):
    model, X, y = classifier()
    page = open_report(model, X, y, sample=0)
    page.locator("#follow input").first.fill("0.3")
    assert page.inner_text(".follow-result")


def test_of_a_huge_tree_the_page_shows_the_largest_part_and_says_where_it_ends(open_report):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12_000, 3)), rng.integers(0, 2, 12_000)
    page = open_report(CARTClassifier().fit(X, y), X, y, rows="training")
    assert page.evaluate("thriftree.page.facts.tree.nodes.some((node) => node.cut)")
    shown = len(boxes(page))
    assert 60 < shown < 200
    page.click("#tree-stage [aria-label^='Unfold all']")
    assert len(boxes(page)) == page.evaluate("thriftree.page.facts.tree.nodes.length")
    assert "goes on" in page.text_content("#tree-stage svg.tree")


@pytest.mark.parametrize("which", ["heart", "sixty leaves"])
def test_the_sheet_prints_on_one_page(open_report, heart, tmp_path, which):
    model, X, y, front = heart
    if which == "heart":
        page = open_report(model, X, y, frontier=front)
    else:
        X, y = np.random.default_rng(0).normal(size=(900, 9)), np.random.default_rng(1).integers(0, 3, 900)
        page = open_report(CARTClassifier(max_leaves=60).fit(X, y), X, y, rows="training")

    def pages():
        pdf = page.pdf(prefer_css_page_size=True)
        return len(re.findall(rb"/Type\s*/Page\b", pdf))

    whole = pages()
    page.evaluate("window.location.hash = '#one-page'")
    page.wait_for_selector("html.sheet-only")
    assert pages() == 1
    assert whole > 1
    loaded = page.evaluate("document.querySelector('.sheet img').naturalWidth")
    assert loaded > 100


def inside(page, node):
    """Whether a node is in view of the tree, both measured at one moment."""
    box, view = page.evaluate(
        """(names) => names.map((name) => {
            const found = document.querySelector(`#tree-stage ${name}`).getBoundingClientRect();
            return { x: found.x, y: found.y, width: found.width, height: found.height };
        })""",
        [f"[data-node='{node}']", "svg"],
    )
    return all(
        view[side] <= box[side] and box[side] + box[size] <= view[side] + view[size]
        for side, size in (("x", "width"), ("y", "height"))
    )


def test_keys_and_followed_rows_bring_their_node_into_view_on_a_small_screen(page):
    page.set_viewport_size({"width": 400, "height": 800})
    page.focus("#tree-stage [data-node='0']")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert inside(page, page.evaluate("document.activeElement.dataset.node"))
    page.select_option("#row-number", "3")
    assert inside(page, page.evaluate("window.thriftree.page.view.path.at(-1)"))


def test_a_followed_row_and_a_focused_node_stay_in_view_where_the_page_is_resized(page):
    # "3" ends at a leaf that a screen of this width does not show unless it is moved there.
    resized = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    page.select_option("#row-number", "3")
    page.set_viewport_size({"width": 400, "height": 800})
    page.evaluate(resized)
    assert page.evaluate("window.thriftree.page.view.offset[0]") < 0
    assert inside(page, page.evaluate("window.thriftree.page.view.path.at(-1)"))
    page.select_option("#row-number", "")
    page.focus("#tree-stage [data-node='0']")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    page.set_viewport_size({"width": 380, "height": 800})
    page.evaluate(resized)
    assert inside(page, page.evaluate("document.activeElement.dataset.node"))


def test_the_tree_fits_again_where_the_page_is_resized(page):
    scale, height = "window.thriftree.page.view.scale", "document.querySelector('svg.tree').clientHeight"
    wide = page.evaluate(f"[{scale}, {height}]")
    page.set_viewport_size({"width": 400, "height": 800})
    page.wait_for_function(f"{scale} !== {wide[0]}")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.wait_for_function(f"{scale} === {wide[0]}")
    assert page.evaluate(height) == wide[1]


def test_a_tap_shows_the_numbers_of_a_node(chromium, page):
    context = chromium.new_context(has_touch=True, viewport={"width": 400, "height": 800})
    touched = context.new_page()
    touched.goto(page.url)
    touched.locator("#tree-stage [data-node='1']").tap()
    assert "In training" in touched.inner_text("#tree-stage .node-card")
    assert touched.is_visible("#tree-stage .node-card")
    context.close()


def test_a_share_that_is_not_quite_all_is_not_said_to_be_all(open_report):
    X = np.repeat([0.0, 1.0], [1000, 1000])[:, None]
    y = np.where(np.arange(2000) == 5, "b", np.where(X[:, 0] == 0, "a", "b"))
    page = open_report(CARTClassifier(max_leaves=2).fit(X, y), X, y, rows="training")
    assert "99.9" in page.inner_html("#tree-stage [data-node='1']")


def test_a_cut_stays_with_its_sign_and_lists_of_categories_are_whole(open_report):
    rng = np.random.default_rng(0)
    kinds = np.array(["fixed defect", "reversible defect", "quite normal", "unclear"])[
        rng.integers(0, 4, 200)
    ]
    X = pd.DataFrame({"thallium scan": kinds, "expression of gene 0003": rng.normal(size=200)})
    y = X["thallium scan"].isin(["fixed defect", "reversible defect"]) & (
        X["expression of gene 0003"] > 0.0942
    )
    page = open_report(CARTClassifier(max_leaves=4).fit(X, y), X, y, rows="training")
    lines = page.eval_on_selector_all("#tree-stage .ask", "all => all.map((one) => one.textContent)")
    assert not [line for line in lines if line.endswith("=") or "…" in line]
