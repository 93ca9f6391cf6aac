// The frontier: a dot for each tree that no other beats; a click shows the tree behind it.

const METRIC_NAMES = { accuracy: "Accuracy", auc: "AUC", r2: "r²" };

class FrontierView {
  constructor(place, frontier, reported) {
    Object.assign(this, { frontier, priced: reported.priced, room: place.clientWidth || 620 });
    this.shared = { columns: reported.columns, classes: reported.classes, colours: reported.colours };
    this.figures = html("div", { class: "point-figures", role: "status" });
    this.stage = html("div", { class: "tree-stage" });
    const words = "The trees of the frontier, by expected price and score";
    this.list = html("div", { class: "frontier-chart", role: "group", "aria-label": words }, this.chart());
    place.replaceChildren(
      html(
        "div",
        { class: "frontier-top" },
        this.list,
        html("div", { class: "frontier-side" }, this.steps(), this.figures),
      ),
      this.stage,
    );
    const own = frontier.points.findIndex((point) => point.reported);
    this.select(own >= 0 ? own : this.bestPoint());
  }

  bestPoint() {
    const scores = this.frontier.points.map((point) => (point.tree ? point.score : -Infinity));
    return scores.indexOf(Math.max(...scores));
  }

  chart() {
    const { points, beaten, metric } = this.frontier;
    const right = Math.max(...points.map((point) => point.expected)) * 1.06 || 1;
    const shown = beaten.filter(([price]) => price <= right);
    const scores = [
      ...points.flatMap((point) => [point.score, point.measured]),
      ...shown.map(([, score]) => score),
    ];
    const format =
      metric === "r2" ? (v) => v.toFixed(2) : (v) => (metric === "auc" ? v.toFixed(2) : percent(v));
    const chart = new Chart(
      "Score against expected price",
      {
        range: [-0.03 * right, right],
        label: this.priced ? "Expected price of a row" : "Expected number of questions",
        ticks: ticks(0, right),
      },
      { range: padded(scores), label: `${METRIC_NAMES[metric]} on held-out rows`, format },
      { width: Math.max(Math.min(this.room, 620), 320), height: 330 },
    );
    for (const [price, score] of shown)
      chart.add("circle", { class: "beaten", cx: chart.x(price), cy: chart.y(score), r: 2.2 });
    if (this.frontier.corrected) this.drawMeasured(chart);
    this.drawSteps(chart, right);
    this.dots = points.map((point, i) => this.dot(chart, point, i));
    chart.element.setAttribute("role", "group"); // its dots are buttons
    return chart.element;
  }

  /** A ring for each score as it was measured, tied to the corrected one. */
  drawMeasured(chart) {
    for (const { expected, score, measured } of this.frontier.points) {
      const [x, top] = [chart.x(expected), chart.y(measured)];
      chart.add("line", { class: "tie", x1: x, x2: x, y1: top, y2: chart.y(score) });
      chart.add("circle", { class: "measured", cx: x, cy: top, r: 2.8 });
    }
  }

  /** The best score that each price buys. */
  drawSteps(chart, right) {
    let best = -Infinity;
    const corners = [];
    for (const point of [...this.frontier.points].sort(
      (a, b) => a.expected - b.expected || b.score - a.score,
    )) {
      if (point.score <= best) continue;
      if (corners.length) corners.push([point.expected, best]);
      best = point.score;
      corners.push([point.expected, best]);
    }
    corners.push([right, best]);
    chart.line(corners, { class: "steps" });
  }

  dot(chart, point, i) {
    const size = plural(point.leaves, "leaf", "leaves");
    const label = `${this.scoreWords(point)}, expected ${this.priceWords(point.expected)}, ${size}`;
    const dot = chart.add(
      "circle",
      {
        class: "point",
        cx: chart.x(point.expected),
        cy: chart.y(point.score),
        r: 3.5 + Math.log2(point.leaves + 1),
        role: "button",
        tabindex: 0,
        "aria-label": label,
      },
      label,
    );
    dot.addEventListener("click", () => this.select(i));
    dot.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.select(i);
    });
    return dot;
  }

  priceWords(price) {
    return this.priced ? price.toFixed(2) : number(Number(price.toFixed(2)));
  }

  scoreWords(point) {
    const { metric } = this.frontier;
    return `${metric === "accuracy" ? "accuracy" : METRIC_NAMES[metric]} ${this.inWords(point.score)}`;
  }

  inWords(score) {
    return this.frontier.metric === "accuracy" ? percent(score, 1) : score.toFixed(3);
  }

  steps() {
    const { points } = this.frontier;
    const by = (step) => this.select((this.selected + step + points.length) % points.length);
    return html(
      "div",
      { class: "controls" },
      button("← Cheaper", "The next cheaper tree", () => by(-1)),
      button("More expensive →", "The next more expensive tree", () => by(1)),
    );
  }

  select(i) {
    this.selected = i;
    const point = this.frontier.points[i];
    this.dots.forEach((dot, j) => {
      dot.classList.toggle("selected", i === j);
      dot.setAttribute("aria-pressed", String(i === j));
    });
    this.dots[i].parentNode.append(this.dots[i]); // above its neighbours
    const facts = [
      [METRIC_NAMES[this.frontier.metric], this.inWords(point.score)],
      this.frontier.corrected ? ["As measured", this.inWords(point.measured)] : null,
      point.compared === null ? null : ["Best of", plural(point.compared, "tree", "trees")],
      point.auc !== null && this.frontier.metric !== "auc" ? ["AUC", point.auc.toFixed(3)] : null,
      point.accuracy !== null && this.frontier.metric !== "accuracy"
        ? ["Accuracy", percent(point.accuracy, 1)]
        : null,
      [this.priced ? "Expected price" : "Expected questions", this.priceWords(point.expected)],
      [this.priced ? "At worst" : "Questions at worst", this.priceWords(point.worst_case)],
      ["Leaves", String(point.leaves)],
      ["Method", point.settings ? `${point.method} (${point.settings})` : point.method],
    ].filter(Boolean);
    const table = html(
      "table",
      {},
      html(
        "tbody",
        {},
        ...facts.map(([name, value]) =>
          html("tr", {}, html("th", { scope: "row" }, name), html("td", {}, value)),
        ),
      ),
    );
    const title = point.reported
      ? "The tree of this report"
      : `Tree ${i + 1} of ${this.frontier.points.length}`;
    this.figures.replaceChildren(html("h3", {}, title), table);
    if (point.tree) this.view = new TreeView(this.stage, { ...this.shared, ...point.tree }, null);
    else
      this.stage.replaceChildren(
        html("p", { class: "muted" }, "This page has no room for this tree: neighbouring dots have theirs."),
      );
  }
}
