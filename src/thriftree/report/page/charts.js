// Charts: axes with round numbers, and the pictures of accuracy, prices and errors.

/** Round numbers from low to high, about `count` of them. */
function ticks(low, high, count = 5) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1)
    found.push(Number((i * step).toPrecision(12)));
  return found;
}

/** A line or two of values with some air around them. */
function padded(values, share = 0.06) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const air = (high - low || Math.abs(high) || 1) * share;
  return [low - air, high + air];
}

class Chart {
  /** `x` and `y`: { range, label, format }. The picture scales with its container. */
  constructor(label, x, y, { width = 440, height = 330, left = 58 } = {}) {
    this.area = { left, right: width - 20, top: 12, bottom: height - 46 };
    this.x = (value) =>
      this.area.left +
      ((value - x.range[0]) / (x.range[1] - x.range[0])) * (this.area.right - this.area.left);
    this.y = (value) =>
      this.area.bottom -
      ((value - y.range[0]) / (y.range[1] - y.range[0])) * (this.area.bottom - this.area.top);
    this.element = svg("svg", {
      class: "chart",
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": label,
    });
    this.element.style.maxWidth = `${width}px`;
    this.axes(x, y);
  }

  axes(x, y) {
    const { left, right, top, bottom } = this.area;
    const format = (axis) => axis.format || number;
    for (const value of y.ticks || ticks(...y.range)) {
      this.add("line", { class: "grid", x1: left, x2: right, y1: this.y(value), y2: this.y(value) });
      this.text(format(y)(value), left - 8, this.y(value) + 4, "end");
    }
    for (const value of x.ticks || ticks(...x.range)) {
      this.add("line", { class: "tick", x1: this.x(value), x2: this.x(value), y1: bottom, y2: bottom + 4 });
      this.text(format(x)(value), this.x(value), bottom + 18, "middle");
    }
    this.add("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom });
    this.text(x.label, (left + right) / 2, bottom + 38, "middle", "label");
    const turned = `rotate(-90 14 ${(top + bottom) / 2})`;
    this.add("text", {
      class: "label",
      x: 14,
      y: (top + bottom) / 2,
      "text-anchor": "middle",
      transform: turned,
    }).textContent = y.label;
  }

  add(tag, attributes, title) {
    const made = svg(tag, attributes);
    if (title) made.append(svg("title", {}, title));
    this.element.append(made);
    return made;
  }

  text(words, x, y, anchor, kind = "tick-label") {
    this.add("text", { class: kind, x, y, "text-anchor": anchor }).textContent = words;
  }

  line(points, attributes, title) {
    const path = points
      .map(([x, y], i) => `${i ? "L" : "M"}${this.x(x).toFixed(1)},${this.y(y).toFixed(1)}`)
      .join("");
    return this.add("path", { fill: "none", d: path, ...attributes }, title);
  }
}

const shareAxis = (label) => ({
  range: [0, 1],
  label,
  ticks: [0, 0.25, 0.5, 0.75, 1],
  format: (v) => percent(v),
});

function rocChart(ranking, colours) {
  const chart = new Chart("ROC curves", shareAxis("False alarms"), shareAxis("Hits"), {
    width: 360,
    height: 320,
  });
  chart.line(
    [
      [0, 0],
      [1, 1],
    ],
    { class: "guess" },
    "guessing",
  );
  for (const curve of ranking.curves) {
    chart.line(
      curve.points,
      { class: "curve", stroke: colours[curve.class] },
      `${curve.label}: AUC ${curve.auc.toFixed(3)}`,
    );
  }
  return chart.element;
}

/** Each leaf's share in training across, its share in the rows of the report up, with its interval. */
function promiseChart(promises) {
  const chart = new Chart(
    "Leaves: share in training and in these rows",
    shareAxis("Share of the leaf’s class in training"),
    shareAxis("Share in these rows"),
    { width: 360, height: 320 },
  );
  chart.line(
    [
      [0, 0],
      [1, 1],
    ],
    { class: "guess" },
    "what training promised",
  );
  for (const leaf of promises) {
    const [low, high] = leaf.interval.map((side) => percent(side));
    const shares = `${percent(leaf.said)} in training, ${percent(leaf.seen)} here (95\u00a0%: ${low} to ${high})`;
    const title = `Leaf ${leaf.leaf}: ${shares}; ${percent(leaf.share, 1)} of the rows`;
    const x = chart.x(leaf.said);
    chart.add("line", {
      class: "whisker",
      x1: x,
      x2: x,
      y1: chart.y(leaf.interval[0]),
      y2: chart.y(leaf.interval[1]),
    });
    chart.add(
      "circle",
      { class: "dot", cx: x, cy: chart.y(leaf.seen), r: 3 + 9 * Math.sqrt(leaf.share) },
      title,
    );
  }
  return chart.element;
}

/** A bar for each price, or for each range of prices. */
function priceChart(paid, priced) {
  const { bars } = paid;
  const width = 420;
  const left = 118;
  const pitch = Math.min(30, 300 / bars.length);
  const height = Math.max(bars.length * pitch, 40) + 10;
  const made = svg("svg", {
    class: "chart",
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": priced ? "What rows pay" : "How many questions rows are asked",
  });
  made.style.maxWidth = `${width}px`;
  const most = Math.max(...bars.map((bar) => bar.share));
  const words = (value) => (priced ? value.toFixed(2) : number(value));
  bars.forEach((bar, i) => {
    const y = 5 + i * pitch;
    const range = bar.low === bar.high ? words(bar.low) : `${words(bar.low)} – ${words(bar.high)}`;
    const length = ((width - left - 62) * bar.share) / most;
    made.append(
      svg("text", { class: "tick-label", x: left - 10, y: y + pitch / 2 + 4, "text-anchor": "end" }, range),
      svg(
        "rect",
        {
          class: "price-bar",
          x: left,
          y: y + pitch * 0.14,
          width: Math.max(length, bar.rows ? 1 : 0),
          height: pitch * 0.72,
          rx: 2,
        },
        svg("title", {}, `${plural(bar.rows, "row")}: ${priced ? range : `${range} questions`}`),
      ),
      svg(
        "text",
        { class: "tick-label", x: left + length + 7, y: y + pitch / 2 + 4 },
        percent(bar.share, bar.share < 0.1 ? 1 : 0),
      ),
    );
  });
  return made;
}

/** What was predicted across, what came up; a box with the middle half of each leaf's rows. */
function errorChart(errors, room = 560) {
  const means = errors.leaves.map((leaf) => leaf.predicted);
  const dotted = errors.dots.map(([, y]) => y);
  const range = padded([
    ...means,
    ...dotted,
    ...errors.leaves.flatMap((leaf) => [leaf.quantiles[0], leaf.quantiles[4]]),
  ]);
  const chart = new Chart(
    "Predicted and actual",
    { range: padded(means), label: "Predicted" },
    { range, label: "Actual" },
    { width: Math.max(Math.min(room, 560), 320), height: 380, left: 70 },
  );
  for (const [x, y] of errors.dots)
    chart.add("circle", { class: "row-dot", cx: chart.x(x), cy: chart.y(y), r: 2 });
  const [low, high] = padded(means);
  const inside = (value) => Math.min(Math.max(value, range[0]), range[1]);
  chart.line(
    [
      [inside(low), inside(low)],
      [inside(high), inside(high)],
    ],
    { class: "guess" },
    "predicted exactly",
  );
  for (const leaf of errors.leaves) {
    const x = chart.x(leaf.predicted);
    const [p5, q1, q2, q3, p95] = leaf.quantiles.map(chart.y);
    const half = `half lie between ${number(leaf.quantiles[1])} and ${number(leaf.quantiles[3])}`;
    const title = `Leaf ${leaf.leaf} predicts ${number(leaf.predicted)}; of its ${plural(leaf.rows, "row")} ${half}`;
    chart.add("line", { class: "whisker", x1: x, x2: x, y1: p5, y2: p95 });
    chart.add(
      "rect",
      { class: "middle-half", x: x - 4, width: 8, y: q3, height: Math.max(q1 - q3, 1), rx: 1 },
      title,
    );
    chart.add("line", { class: "median", x1: x - 5, x2: x + 5, y1: q2, y2: q2 });
  }
  return chart.element;
}
