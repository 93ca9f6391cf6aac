// Where the nodes of a tree stand: the root at the left, a level further right, leaves below each other.

// Roomy nodes have a second line with rows and prices, and stand in columns. Compact ones are for many leaves.
const ROOMY = {
  roomy: true,
  question: 158,
  leaf: 118,
  pad: 9,
  line: 16,
  gap: 14,
  size: 12.5,
  small: 11,
  bend: 30,
};
const COMPACT = {
  roomy: false,
  question: 114,
  leaf: 84,
  pad: 4,
  line: 14,
  gap: 5,
  size: 12.5,
  small: 11.5,
  bend: 22,
};
const ANSWER_WIDTH = 116;
const BAR_WIDTH = 46;
const MOST_ROOMY_LEAVES = 18;

const isOpen = (tree, folded, number) => Boolean(tree.nodes[number].children) && !folded.has(number);

function visibleNodes(tree, folded) {
  const seen = [];
  const walk = (number, depth, parent, branch) => {
    seen.push({ number, depth, parent, branch });
    if (isOpen(tree, folded, number)) {
      tree.nodes[number].children.forEach((child, b) => walk(child, depth + 1, number, b));
    }
  };
  walk(0, 0, null, null);
  return seen;
}

function leavesBelow(tree, number) {
  const { children } = tree.nodes[number];
  return children ? children.reduce((sum, child) => sum + leavesBelow(tree, child), 0) : 1;
}

/** The nodes to fold so that about `most` leaves remain: families are opened where most rows are. */
function foldedToFit(tree, most) {
  const folded = new Set();
  tree.nodes.forEach((node, number) => node.children && folded.add(number));
  let leaves = 1;
  const waiting = [0];
  while (waiting.length) {
    waiting.sort((a, b) => tree.nodes[b].rows - tree.nodes[a].rows);
    const next = waiting.findIndex(
      (n) => tree.nodes[n].children && leaves + tree.nodes[n].children.length - 1 <= most,
    );
    if (next < 0) break;
    const [number] = waiting.splice(next, 1);
    folded.delete(number);
    leaves += tree.nodes[number].children.length - 1;
    waiting.push(...tree.nodes[number].children);
  }
  return folded;
}

/** What a closed node says: its answer, and how sure or how spread it is. */
function verdict(node) {
  if (node.label === undefined)
    return { answer: node.said, certainty: `± ${Number(node.deviation.toPrecision(3))}` };
  return { answer: node.said, certainty: node.share === null ? "" : percent(node.share) };
}

function boxOf(tree, folded, place, style) {
  const node = tree.nodes[place.number];
  if (isOpen(tree, folded, place.number)) {
    const inLines = style.roomy ? threeLines : twoLines;
    const lines = inLines(node.question, style.question, style.size, 600);
    const width =
      Math.max(...lines.map((line) => textWidth(line, style.size, 600)), style.roomy ? 62 : 40) + 2 * 10;
    const priceLine = style.roomy ? style.line - 1 : 0;
    return { lines, width, height: lines.length * style.line + priceLine + 2 * style.pad };
  }
  const { answer, certainty } = verdict(node);
  const said = shortened(answer, style.leaf, style.size, 600);
  const first = textWidth(said, style.size, 600) + 8 + textWidth(certainty, style.size);
  const detail = closedDetail(tree, folded, place.number, style);
  const second = textWidth(detail, style.small);
  const width = style.roomy ? Math.max(first, second) : first + 10 + second;
  const height = style.roomy ? 2 * style.line + 2 * style.pad - 2 : style.line + 2 * style.pad;
  return { said, certainty, detail, first, width: BAR_WIDTH + 8 + width + 9 + 12, height };
}

function closedDetail(tree, folded, number, style) {
  const node = tree.nodes[number];
  const rows = style.roomy ? plural(node.rows, "row") : grouped(node.rows);
  const price = style.roomy && tree.priced && !node.children ? ` · ${node.price}` : "";
  if (node.cut) return `${rows} · goes on`;
  return node.children ? `${rows} · ${plural(leavesBelow(tree, number), "leaf", "leaves")}` : rows + price;
}

/** Boxes with x, y (their left, their middle), width and height, and the size of the whole. */
function layoutOf(tree, folded) {
  const seen = visibleNodes(tree, folded);
  const closed = seen.filter((place) => !isOpen(tree, folded, place.number)).length;
  const style = closed <= MOST_ROOMY_LEAVES ? ROOMY : COMPACT;
  const boxes = new Map();
  const widths = [];
  const answers = [];
  for (const place of seen) {
    const box = { ...place, ...boxOf(tree, folded, place, style), open: isOpen(tree, folded, place.number) };
    if (place.parent !== null) {
      box.answer = shortened(tree.nodes[place.parent].answers[place.branch], ANSWER_WIDTH, style.small);
      answers[place.depth] = Math.max(answers[place.depth] || 0, textWidth(box.answer, style.small));
    }
    widths[place.depth] = Math.max(widths[place.depth] || 0, box.open ? box.width : 0);
    boxes.set(place.number, box);
  }
  const lefts = [0];
  for (let depth = 1; depth < answers.length; depth += 1) {
    lefts[depth] = lefts[depth - 1] + widths[depth - 1] + answers[depth] + style.bend + 14;
  }
  for (const box of boxes.values()) {
    const parent = boxes.get(box.parent);
    const beside = () => parent.x + parent.width + textWidth(box.answer, style.small) + style.bend + 14;
    box.x = style.roomy || !parent ? lefts[box.depth] : beside();
  }
  let bottom = 0;
  const settle = (number) => {
    const box = boxes.get(number);
    if (!box.open) {
      box.y = bottom + box.height / 2;
      bottom += box.height + style.gap;
      return box.y;
    }
    const middles = tree.nodes[number].children.map(settle);
    box.y = (middles[0] + middles.at(-1)) / 2;
    return box.y;
  };
  settle(0);
  const all = [...boxes.values()];
  const top = Math.min(...all.map((box) => box.y - box.height / 2));
  return {
    boxes,
    style,
    width: Math.max(...all.map((box) => box.x + box.width)),
    top,
    height: Math.max(bottom - style.gap, ...all.map((box) => box.y + box.height / 2)) - top,
  };
}
