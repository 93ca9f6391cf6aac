// Following a row: choose one of the sample or type values, and see its path light up in the tree.

/** An answer from the form in which the sample holds values. */
function sampledAnswer(column, value) {
  if (value === null) return MISSING;
  if (column.kind === "number") return Number(value);
  return typeof value === "string" ? OTHER : value;
}

class Follower {
  constructor(place, tree, sample, view) {
    Object.assign(this, { tree, sample, view });
    this.columns = Object.keys(tree.columns).map(Number);
    this.row = {};
    this.result = html("p", { class: "follow-result", role: "status" });
    this.fields = new Map(
      this.columns.map((j) => [
        j,
        valueField(tree.columns[j], tree.columns[j].name, (answer) => {
          this.row[j] = answer;
          this.truth = null;
          this.show();
        }),
      ]),
    );
    const form = html("div", { class: "follow-fields" });
    for (const [j, field] of this.fields)
      form.append(html("label", {}, html("span", {}, tree.columns[j].name), field.element));
    place.replaceChildren(...(sample ? [this.chooser()] : []), form, this.result);
  }

  chooser() {
    const { rows } = this.sample;
    this.input = html(
      "select",
      { id: "row-number", "aria-label": "Row" },
      html("option", { value: "" }, "none"),
      ...rows.map((row, i) => html("option", { value: String(i) }, String(row))),
    );
    this.input.addEventListener("change", () =>
      this.choose(this.input.value === "" ? null : Number(this.input.value)),
    );
    const step = (by) =>
      this.choose(
        this.chosen === null || this.chosen === undefined
          ? 0
          : (this.chosen + by + rows.length) % rows.length,
      );
    return html(
      "div",
      { class: "chooser" },
      html("label", {}, html("span", {}, "Row"), this.input),
      button("‹", "Previous row", () => step(-1)),
      button("›", "Next row", () => step(1)),
      button("Clear", "Follow no row", () => this.choose(null)),
    );
  }

  /** Follows a row of the sample by its place there; null clears. */
  choose(place) {
    this.chosen = place;
    this.input.value = place === null ? "" : String(place);
    this.row = {};
    this.truth = place === null ? null : this.sample.truth[place];
    this.columns.forEach((j, i) => {
      const answer =
        place === null ? MISSING : sampledAnswer(this.tree.columns[j], this.sample.values[place][i]);
      if (place !== null) this.row[j] = answer;
      this.fields.get(j).set(answer);
    });
    if (place === null) {
      this.view.follow(null);
      this.result.textContent = "";
    } else this.show();
  }

  show() {
    const path = pathOf(this.tree, this.row);
    const leaf = this.tree.nodes[path.at(-1)];
    const paid = paidAt(this.tree, path.at(-1), this.row);
    this.view.follow(path);
    const price = this.tree.priced ? `, for ${paid.open ? "up to " : ""}${amount(paid.amount)}` : "";
    const truth =
      this.truth === null || this.truth === undefined
        ? ""
        : ` In the table: ${typeof this.truth === "number" ? number(this.truth) : this.truth}.`;
    const said = leaf.linear
      ? `${number(linearNumber(leaf, this.row))}, which is ${leaf.model}`
      : `${leaf.said}, ${verdict(leaf).certainty}`;
    const asked = this.tree.priced || !leaf.linear ? path.length - 1 : leaf.fixed;
    this.result.textContent = `${plural(asked, "question")}${price}: ${said}.${truth}`;
  }
}
