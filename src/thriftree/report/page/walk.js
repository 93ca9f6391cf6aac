// One row's way through a tree, as docs/spec/tree-v1.md tells it, and what it pays on the way.
// A row is an object from column number to answer: a number, the place of a category, MISSING or OTHER.

const MISSING = "missing";
const OTHER = "other"; // not among the column's categories

const scalar = (label) => (label !== null && typeof label === "object" ? label.float : label);

/** A value of the user's table as the tests see it: 1, 1.0 and true are the same category, "1" is another. */
function answerOf(column, value) {
  if (value === null || value === undefined || Number.isNaN(value)) return MISSING;
  if (column.kind === "number") return Number(value);
  const same = (a, b) => (typeof a === "string" || typeof b === "string" ? a === b : Number(a) === Number(b));
  const place = column.categories.findIndex((category) => same(scalar(category), value));
  return place < 0 ? OTHER : place;
}

/** How many of the ascending keys lie below x. */
function keysBelow(keys, x) {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

function branchOf(test, answer) {
  if (answer === MISSING) return test.missing;
  if (answer === OTHER) return test.other;
  const place = keysBelow(test.keys, answer);
  if (test.kind === "ordered") return test.to[place];
  return test.keys[place] === answer ? test.to[place] : test.other;
}

const answerIn = (row, column) => (column in row ? row[column] : MISSING);

/** The nodes that a row passes, root and leaf included. It ends where the page holds no more of the tree. */
function pathOf(tree, row) {
  const passed = [0];
  for (let node = tree.nodes[0]; node.test; node = tree.nodes[passed.at(-1)]) {
    passed.push(node.children[branchOf(node.test, answerIn(row, node.test.column))]);
  }
  return passed;
}

/** What a linear leaf says of a row: its mean and the terms of its columns, where what is unknown adds nothing. */
function linearNumber(node, row) {
  const { columns, coefficients, means, lowest, highest } = node.linear;
  let said = node.mean;
  columns.forEach((column, i) => {
    const answer = answerIn(row, column);
    if (answer !== MISSING) said += coefficients[i] * (answer - means[i]);
  });
  if (Number.isNaN(said)) return node.mean;
  return said < lowest ? lowest : said > highest ? highest : said;
}

/** The first column that a linear leaf reads and the row does not tell; undefined if there is none. */
const unreadColumn = (node, row) => node.linear?.columns.find((column) => !(column in row));

function outcomePrice(outcome, answer) {
  if (answer === MISSING || answer === OTHER) return outcome.highest;
  return outcome.up_to ? outcome.prices[keysBelow(outcome.up_to, answer)] : outcome.by_code[answer];
}

/** What a row has paid when it arrives at a node; `open` if an outcome not yet told may make it less. */
function paidAt(tree, number, row) {
  const node = tree.nodes[number];
  let amount = node.fixed;
  let open = false;
  (node.times || []).forEach((times, i) => {
    if (times === 0) return;
    const answer = answerIn(row, tree.outcomes[i].column);
    amount += times * outcomePrice(tree.outcomes[i], answer);
    open = open || !(tree.outcomes[i].column in row);
  });
  return { amount, open };
}
