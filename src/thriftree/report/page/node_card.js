// The card with the numbers of a node: its rows in training, what the rows of the report did there, prices.

function shareRows(tree, node) {
  if (!node.shares) return [];
  const rest = node.total - node.shares.reduce((sum, [, weight]) => sum + weight, 0);
  const rows = node.shares.map(([k, weight]) => [tree.classes[k], weight, tree.colours[k]]);
  if (rest > 1e-9 * node.total) rows.push(["other classes", rest, "#c3c7cd"]);
  return rows.map(([name, weight, colour]) => {
    const bar = html("span", { class: "bar" });
    bar.style.width = `${(100 * weight) / node.total}%`;
    bar.style.background = colour;
    return html(
      "tr",
      {},
      html("th", { scope: "row" }, name),
      html("td", {}, html("span", { class: "track" }, bar)),
      html("td", { class: "n" }, percent(weight / node.total)),
    );
  });
}

const rowsAndWeight = (node) =>
  plural(node.rows, "row") + (node.weight === node.rows ? "" : `, weight ${number(node.weight)}`);

function hereWords(tree, node, which) {
  const { here } = node;
  const place = which ? `Of the rows of this report (${which})` : "Of the rows of this report";
  if (here.rows === 0) return `${place}, none comes here.`;
  const came = here.rows === 1 ? "1 comes here" : `${grouped(here.rows)} come here`;
  const counted = here.weight === here.rows ? came : `${came} (weight ${number(here.weight)})`;
  return tree.classes
    ? `${place}, ${counted}; ${percent(here.share)} are ${node.said}.`
    : `${place}, ${counted}; their mean is ${number(here.mean)}.`;
}

function certaintyWords(node) {
  if (!node.interval) return null;
  const [low, high] = node.interval;
  if (node.seen !== undefined)
    return node.label === undefined
      ? `${node.said} after shrinkage; mean in training ${number(node.seen)}, 95\u00a0% interval ${number(low)} to ${number(high)}; deviation ${number(node.deviation)}.`
      : `${node.said}: ${percent(node.share)} after shrinkage; ${percent(node.seen)} in training, 95\u00a0% interval ${percent(low)} to ${percent(high)}.`;
  return node.label === undefined
    ? `Mean ${node.linear ? number(node.mean) : node.said}, 95\u00a0% interval ${number(low)} to ${number(high)}; deviation ${number(node.deviation)}.`
    : `${node.said}: ${percent(node.share)}, 95\u00a0% interval ${percent(low)} to ${percent(high)}.`;
}

function priceWords(tree, node) {
  const paid =
    node.paid === 0
      ? "Nothing paid before"
      : `Paid before: ${node.times ? "up to " : ""}${amount(node.paid)}`;
  if (!node.children)
    return tree.priced ? `This path ${node.price}.` : `${plural(node.fixed, "question")} on this path.`;
  return tree.priced ? `${paid}; this question: ${node.price}.` : `Question ${node.fixed + 1} on this path.`;
}

/** The lines of a card, as elements. */
function nodeCard(tree, which, boxNumber) {
  const node = tree.nodes[boxNumber];
  const lines = [
    html("p", { class: "card-title" }, node.question || `→ ${node.said}`),
    html("p", {}, `In training: ${rowsAndWeight(node)}.`),
    node.shares ? html("table", { class: "shares" }, html("tbody", {}, ...shareRows(tree, node))) : null,
  ];
  if (node.model) lines.push(html("p", {}, `It says ${node.model}.`));
  const certainty = certaintyWords(node);
  if (certainty) lines.push(html("p", {}, certainty));
  if (node.here) lines.push(html("p", {}, hereWords(tree, node, which)));
  lines.push(html("p", {}, priceWords(tree, node)));
  if (node.cut)
    lines.push(html("p", {}, "The tree goes on below, but this page holds only its largest part."));
  return lines;
}

/** The same for those who listen: one sentence. */
function nodeLabel(tree, number) {
  const node = tree.nodes[number];
  const { answer, certainty } = verdict(node);
  const what = node.question ? `Question: ${node.question} so far ` : "Answer: ";
  return `${what}${answer} ${certainty}, ${rowsAndWeight(node)}. ${priceWords(tree, node)}`;
}
