// The questionnaire: one question at a time, "unknown" allowed, with the price so far, the answer and why.

class Questionnaire {
  constructor(place, tree) {
    this.place = place;
    this.tree = tree;
    this.restart();
  }

  restart() {
    this.row = {};
    this.asked = []; // columns in the order in which they were answered
    this.render();
  }

  answer(value) {
    const { column } = this.tree.nodes[this.at].test;
    this.row[column] = value;
    this.asked.push(column);
    this.render(true);
  }

  back() {
    delete this.row[this.asked.pop()];
    this.render(true);
  }

  /** The first node whose question has no answer yet, or the end of the path. */
  path() {
    const passed = [0];
    for (let node = this.tree.nodes[0]; node.test && node.test.column in this.row; node = this.tree.nodes[passed.at(-1)]) {
      passed.push(node.children[branchOf(node.test, this.row[node.test.column])]);
    }
    return passed;
  }

  render(moved = false) {
    const path = this.path();
    this.at = path.at(-1);
    const node = this.tree.nodes[this.at];
    const main = node.test ? this.question(node) : this.conclusion(node);
    this.place.replaceChildren(html("div", { class: "asking" }, main, this.controls()), this.history(path));
    if (moved) this.place.querySelector("input, .choices button, h3")?.focus();
  }

  question(node) {
    const column = this.tree.columns[node.test.column];
    const price = this.tree.priced ? html("p", { class: "muted" }, `Price of this question: ${node.price}`) : null;
    return html("div", { class: "question-card" }, html("h3", { tabindex: -1 }, `${column.name}?`), price, column.kind === "number" ? this.numberForm(column) : this.choices(column));
  }

  numberForm(column) {
    let value = null;
    const take = (typed) => {
      value = typed;
    };
    const field = valueField(column, column.name, take, "a number");
    const form = html("form", { class: "number-form" }, field.element, html("button", { class: "primary" }, "Answer"), button("Unknown", "The value is not known", () => this.answer(MISSING)));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (field.element.getAttribute("aria-invalid") === "true" || value === null || value === MISSING) {
        field.element.setAttribute("aria-invalid", "true");
        field.element.focus();
      } else this.answer(value);
    });
    return form;
  }

  choices(column) {
    const choose = (words, value) => {
      const made = html("button", { type: "button" }, words);
      made.addEventListener("click", () => this.answer(value));
      return made;
    };
    return html(
      "div",
      { class: "choices" },
      ...column.words.map((words, place) => choose(words, place)),
      choose("Something else", OTHER),
      choose("Unknown", MISSING),
    );
  }

  conclusion(node) {
    const { answer, certainty } = verdict(node);
    const lines = [html("p", { class: "muted" }, node.cut ? "As far as this page holds the tree" : "The answer"), html("h3", { class: "conclusion", tabindex: -1 }, answer)];
    lines.push(html("p", {}, certaintyWords(node) || certainty, ` Seen in ${rowsAndWeight(node)} of training.`));
    if (node.because) {
      lines.push(html("p", {}, node.because.length ? "Because" : "Whatever the values are."));
      lines.push(html("ul", {}, ...node.because.map((condition) => html("li", {}, condition))));
    }
    return html("div", { class: "question-card" }, ...lines);
  }

  controls() {
    if (!this.asked.length) return null;
    return html("div", { class: "controls" }, button("← Back", "Take back the last answer", () => this.back()), button("Start again", "Start again", () => this.restart()));
  }

  history(path) {
    const paid = paidAt(this.tree, this.at, this.row);
    const items = path.slice(0, -1).map((number, i) => {
      const node = this.tree.nodes[number];
      const before = paidAt(this.tree, number, this.row);
      const added = paidAt(this.tree, path[i + 1], this.row).amount - before.amount;
      return html(
        "tr",
        {},
        html("th", { scope: "row" }, this.tree.columns[node.test.column].name),
        html("td", {}, answerWords(this.tree.columns[node.test.column], this.row[node.test.column])),
        html("td", { class: "n" }, this.tree.priced ? (added > 1e-9 ? amount(Number(added.toPrecision(10))) : node.price === "free" ? "free" : "paid") : ""),
      );
    });
    const total = this.tree.priced ? `${paid.open ? "up to " : ""}${paid.amount === 0 ? "0.00" : amount(Number(paid.amount.toPrecision(10)))}` : plural(path.length - 1, "question");
    return html(
      "div",
      { class: "history" },
      html("p", { class: "muted" }, this.tree.priced ? "Price so far" : "Asked so far"),
      html("p", { class: "so-far", role: "status" }, total),
      items.length ? html("table", {}, html("tbody", {}, ...items)) : null,
    );
  }
}
