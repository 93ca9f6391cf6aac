// The shapes of a tree: lines with their answers, questions, and closed nodes with what they say.

const shareOfRows = (tree, number) => tree.nodes[number].rows / Math.max(tree.nodes[0].rows, 1);

/** The line to a node, as wide as its share of the rows. */
function drawLine(tree, layout, box) {
  const parent = layout.boxes.get(box.parent);
  const from = parent.x + parent.width;
  const [middle, level] = [from + layout.style.bend / 2, from + layout.style.bend];
  const bend = `M${from},${parent.y} C${middle},${parent.y} ${middle},${box.y} ${level},${box.y}`;
  const width = (1 + 9 * shareOfRows(tree, box.number)).toFixed(2);
  // Beyond the bend the line is level: its answer stands on it.
  return svg("path", { class: "edge", d: `${bend} H${box.x}`, "stroke-width": width, "data-to": box.number });
}

function drawAnswer(tree, box) {
  const y = box.y - 4 - 4 * shareOfRows(tree, box.number);
  const place = { x: box.x - 6, y, "text-anchor": "end" };
  const whole = svg("title", {}, tree.nodes[box.parent].answers[box.branch]);
  return svg("text", { class: "answer", ...place, "data-to": box.number }, box.answer, whole);
}

function drawNode(tree, layout, box) {
  const inner = Boolean(tree.nodes[box.number].children);
  const corner = box.open ? 5 : 8;
  return svg(
    "g",
    {
      class: `node ${box.open ? "question" : "verdict"}`,
      transform: `translate(${box.x},${box.y - box.height / 2})`,
      role: "treeitem",
      tabindex: -1,
      "data-node": box.number,
      "aria-label": nodeLabel(tree, box.number),
      "aria-level": box.depth + 1,
      "aria-expanded": inner ? String(box.open) : null,
    },
    svg("rect", { class: "box", width: box.width, height: box.height, rx: corner }),
    ...(box.open ? questionShapes(tree, layout.style, box) : verdictShapes(tree, layout.style, box)),
    inner ? handle(box) : null,
  );
}

function questionShapes(tree, style, box) {
  const baseline = style.pad + style.size * 0.95;
  const shapes = box.lines.map((line, i) =>
    svg("text", { class: "ask", x: 10, y: baseline + i * style.line, "font-size": style.size }, line),
  );
  if (style.roomy) {
    const node = tree.nodes[box.number];
    const price = /^(paid|free)$/.test(node.price) ? node.price : `costs ${node.price}`;
    const words = shortened(tree.priced ? price : plural(node.rows, "row"), box.width - 14, style.small);
    const y = baseline + box.lines.length * style.line - 1;
    shapes.push(svg("text", { class: "small", x: 10, y, "font-size": style.small }, words));
  }
  return shapes;
}

function verdictShapes(tree, style, box) {
  const left = 9 + BAR_WIDTH + 8;
  const y = style.pad + style.size * 0.92;
  const after = left + textWidth(box.said, style.size, 600) + 8;
  const detail = style.roomy ? { x: left, y: y + style.line - 1 } : { x: left + box.first + 10, y };
  const height = style.roomy ? 14 : 10;
  return [
    ...barShapes(tree, tree.nodes[box.number], { x: 9, y: (box.height - height) / 2, height }),
    svg("text", { class: "said", x: left, y, "font-size": style.size }, box.said),
    svg("text", { class: "certainty", x: after, y, "font-size": style.size }, box.certainty),
    svg("text", { class: "small", ...detail, "font-size": style.small }, box.detail),
  ];
}

/** The classes' shares side by side; of a number the mean and deviation, from the leaves' least to largest. */
function barShapes(tree, node, { x, y, height }) {
  const back = svg("rect", { class: "bar-back", x, y, width: BAR_WIDTH, height, rx: 2 });
  if (node.label === undefined) {
    const [low, high] = rangeOfMeans(tree);
    const place = (value) => (high > low ? Math.min(Math.max((value - low) / (high - low), 0), 1) : 0.5);
    const [from, to] = [place(node.mean - node.deviation), place(node.mean + node.deviation)];
    const spread = { x: x + from * BAR_WIDTH, width: (to - from) * BAR_WIDTH };
    return [
      back,
      svg("rect", { ...spread, y: y + height / 2 - 1, height: 2, fill: GREY }),
      svg("rect", { x: x + place(node.mean) * (BAR_WIDTH - 4), y, width: 4, height, fill: BLUE, rx: 1 }),
    ];
  }
  let from = x;
  const parts = [...node.shares]
    .sort((a, b) => a[0] - b[0])
    .map(([k, weight]) => {
      const width = (BAR_WIDTH * weight) / node.total;
      const part = svg("rect", { x: from, y, width, height, fill: tree.colours[k] });
      from += width;
      return part;
    });
  return [back, ...parts];
}

const ranges = new WeakMap();

function rangeOfMeans(tree) {
  if (!ranges.has(tree)) {
    const means = tree.nodes.filter((node) => !node.children).map((node) => node.mean);
    ranges.set(tree, [Math.min(...means), Math.max(...means)]);
  }
  return ranges.get(tree);
}

/** The sign at a question that tells whether it can be folded or unfolded. */
function handle(box) {
  const sign = box.open ? "M-3.2,0 H3.2" : "M-3.2,0 H3.2 M0,-3.2 V3.2";
  const place = `translate(${box.width},${box.height / 2})`;
  return svg("g", { class: "handle", transform: place }, svg("circle", { r: 6.5 }), svg("path", { d: sign }));
}
