// The questionnaire: one question at a time, "unknown" allowed, with the price so far, the answer and why.

const MOST_BUTTONS = 20; // more categories are a list to choose from

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
    const column = this.column(this.tree.nodes[this.at]);
    this.row[column] = value;
    this.asked.push(column);
    this.render(true);
  }

  /** The column that is asked for at a node: that of its test, or one that a linear leaf reads. */
  column(node) {
    return node.test ? node.test.column : unreadColumn(node, this.row);
  }

  back() {
    delete this.row[this.asked.pop()];
    this.render(true);
  }

  /** The first node whose question has no answer yet, or the end of the path. */
  path() {
    const passed = [0];
    for (
      let node = this.tree.nodes[0];
      node.test && node.test.column in this.row;
      node = this.tree.nodes[passed.at(-1)]
    ) {
      passed.push(node.children[branchOf(node.test, this.row[node.test.column])]);
    }
    return passed;
  }

  render(moved = false) {
    const path = this.path();
    this.at = path.at(-1);
    const node = this.tree.nodes[this.at];
    const main = this.column(node) === undefined ? this.conclusion(node) : this.question(node);
    this.place.replaceChildren(html("div", { class: "asking" }, main, this.controls()), this.history(path));
    if (moved) this.place.querySelector("input, .choices button, h3")?.focus();
  }

  question(node) {
    const column = this.tree.columns[this.column(node)];
    const price = this.tree.priced && node.test
      ? html("p", { class: "muted" }, `Price of this question: ${node.price}`)
      : null;
    return html(
      "div",
      { class: "question-card" },
      html("h3", { tabindex: -1 }, `${column.name}?`),
      price,
      column.kind === "number" || column.words.length > MOST_BUTTONS
        ? this.form(column)
        : this.choices(column),
    );
  }

  /** A field with a button; of a number "Answer" takes only a number. */
  form(column) {
    let value = column.kind === "number" ? null : MISSING;
    const take = (given) => {
      value = given === MISSING && column.kind === "number" ? null : given;
    };
    const { element } = valueField(column, column.name, take, "a number");
    const form = html(
      "form",
      { class: "field-form" },
      element,
      html("button", { class: "primary" }, "Answer"),
      button("Unknown", "The value is not known", () => this.answer(MISSING)),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (value === null || element.getAttribute("aria-invalid") === "true") {
        element.setAttribute("aria-invalid", "true");
        element.focus();
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
    const lines = [
      html("p", { class: "muted" }, node.cut ? "As far as this page holds the tree" : "The answer"),
      html(
        "h3",
        { class: "conclusion", tabindex: -1 },
        node.linear ? number(linearNumber(node, this.row)) : answer,
      ),
    ];
    if (node.model) lines.push(html("p", {}, `That is ${node.model}.`));
    lines.push(
      html("p", {}, certaintyWords(node) || certainty, ` Seen in ${rowsAndWeight(node)} of training.`),
    );
    if (node.because) {
      lines.push(html("p", {}, node.because.length ? "Because" : "Whatever the values are."));
      lines.push(
        html("ul", {}, ...node.because.map(([column, words]) => html("li", {}, this.reason(column, words)))),
      );
    }
    return html("div", { class: "question-card" }, ...lines);
  }

  /** A condition of the answer; a value that was not known goes the way of those that fulfil it. */
  reason(column, words) {
    const answer = this.row[column];
    if (answer !== OTHER && (answer !== MISSING || words.endsWith("is missing"))) return words;
    const { name } = this.tree.columns[column];
    return `${name} is ${answerWords(this.tree.columns[column], answer)}, which goes the way of: ${words}`;
  }

  controls() {
    if (!this.asked.length) return null;
    return html(
      "div",
      { class: "controls" },
      button("← Back", "Take back the last answer", () => this.back()),
      button("Start again", "Start again", () => this.restart()),
    );
  }

  /** What was asked, answered and paid, in a table. */
  history(path) {
    const read = this.tree.nodes[this.at].linear?.columns ?? [];
    const asked = path.slice(0, -1).map((number) => this.tree.nodes[number].test.column);
    const rows = path.slice(0, -1).map((number, i) => {
      const { column } = this.tree.nodes[number].test;
      return html(
        "tr",
        {},
        html("th", { scope: "row" }, this.tree.columns[column].name),
        html("td", {}, answerWords(this.tree.columns[column], this.row[column])),
        html("td", { class: "n" }, this.tree.priced ? this.added(number, path[i + 1]) : ""),
      );
    });
    for (const column of read.filter((one) => one in this.row && !asked.includes(one))) {
      const { name } = this.tree.columns[column];
      const words = answerWords(this.tree.columns[column], this.row[column]);
      rows.push(
        html("tr", {}, html("th", { scope: "row" }, name), html("td", {}, words), html("td", { class: "n" }, "")),
      );
    }
    return html(
      "div",
      { class: "history" },
      html("p", { class: "muted" }, this.tree.priced ? "Price so far" : "Asked so far"),
      html("p", { class: "so-far", role: "status" }, this.total(path)),
      rows.length ? html("table", {}, html("tbody", {}, ...rows)) : null,
    );
  }

  /** What a question on the path added to the price. */
  added(from, to) {
    const added = paidAt(this.tree, to, this.row).amount - paidAt(this.tree, from, this.row).amount;
    if (added > 1e-9) return amount(Number(added.toPrecision(10)));
    return this.tree.nodes[from].price === "free" ? "free" : "paid";
  }

  total(path) {
    if (!this.tree.priced) {
      const asked = new Set(path.slice(0, -1).map((number) => this.tree.nodes[number].test.column));
      const read = this.tree.nodes[this.at].linear?.columns ?? [];
      const more = read.filter((column) => column in this.row && !asked.has(column)).length;
      return plural(path.length - 1 + more, "question");
    }
    const paid = paidAt(this.tree, this.at, this.row);
    if (paid.amount === 0) return "0.00";
    return `${paid.open ? "up to " : ""}${amount(Number(paid.amount.toPrecision(10)))}`;
  }
}
