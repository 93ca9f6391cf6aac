// Making elements, always from text and never from markup, and numbers as people read them.

const SVG = "http://www.w3.org/2000/svg";

function put(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const html = (tag, attributes = {}, ...children) => put(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) =>
  put(document.createElementNS(SVG, tag), attributes, children);

function button(text, label, onClick) {
  const made = html("button", { type: "button", "aria-label": label, title: label }, text);
  made.addEventListener("click", onClick);
  return made;
}

/** With more digits where a share that is not quite 0 or 1 would read as 0 or 1. */
function percent(share, digits = 0) {
  const text = (100 * share).toFixed(digits);
  const between = share > 0 && share < 1 && digits < 6;
  return between && ["0", "100"].includes(String(Number(text)))
    ? percent(share, digits + 1)
    : `${text}\u00a0%`;
}
const grouped = (n) =>
  Math.abs(n) >= 10000 ? Math.round(n).toLocaleString("en-US").replace(/,/g, "\u2009") : String(n);
const plural = (n, word, words = `${word}s`) => `${grouped(n)} ${n === 1 ? word : words}`;

/** Six digits at most, without a tail of zeros. */
const number = (value) => String(Number(value.toPrecision(6)));

/** A price with cents, or with six digits where it has more. */
function amount(value) {
  if (value === 0) return "nothing";
  return Math.abs(value - Math.round(value * 100) / 100) <= 1e-9 * value ? value.toFixed(2) : number(value);
}

const BLUE = "#1f5fa8";
const GREY = "#8a8f98";

const { fontFamily } = getComputedStyle(document.body);
const measuring = document.createElement("canvas").getContext("2d");

const widths = new Map();

/** Widths are remembered: a large tree asks for the same ones again and again. */
function textWidth(text, size, weight = 400) {
  const key = `${weight} ${size} ${text}`;
  if (!widths.has(key)) {
    measuring.font = `${weight} ${size}px ${fontFamily}`;
    widths.set(key, measuring.measureText(text).width);
  }
  return widths.get(key);
}

/** The text, or as much of it as fits, with an ellipsis. */
function shortened(text, width, size, weight = 400) {
  if (textWidth(text, size, weight) <= width) return text;
  const letters = Array.from(text);
  let low = 0;
  let high = letters.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (textWidth(`${letters.slice(0, middle).join("")}…`, size, weight) <= width) low = middle;
    else high = middle - 1;
  }
  return `${letters.slice(0, low).join("").trimEnd()}…`;
}

/** Where a line may end: after spaces and underscores, but a cut stays with its sign. */
const wordsOf = (text) => text.match(/[^\s_]*([<>=]\s+[^\s_]*)*[\s_]*/gu).filter(Boolean);

/** The text in at most three lines of a width, if it fits so; else in two, of which the first is cut. */
function threeLines(text, width, size, weight = 400) {
  const lines = [];
  for (const word of wordsOf(text)) {
    const longer = (lines.at(-1) ?? "") + word;
    if (lines.length && textWidth(longer.trimEnd(), size, weight) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  const whole = lines.map((line) => line.trimEnd());
  const fits = whole.length <= 3 && whole.every((line) => textWidth(line, size, weight) <= width);
  return fits && whole.length === 3 ? whole : twoLines(text, width, size, weight);
}

/** The text in at most two lines of a width. What is too long loses the end of its first line: a question's
    cut or category stands at the end. */
function twoLines(text, width, size, weight = 400) {
  const fits = (part) => textWidth(part, size, weight) <= width;
  if (fits(text)) return [text];
  let end = 0;
  const breaks = wordsOf(text).map((word) => (end += word.length));
  const parts = breaks
    .map((at) => [text.slice(0, at).trimEnd(), text.slice(at)])
    .filter(([first, rest]) => first && rest);
  const longer = ([first, rest]) => Math.max(textWidth(first, size, weight), textWidth(rest, size, weight));
  const whole = parts
    .filter(([first, rest]) => fits(first) && fits(rest))
    .sort((a, b) => longer(a) - longer(b));
  if (whole.length) return whole[0];
  const [first, rest] = parts.find((pair) => fits(pair[1])) ||
    parts.filter((pair) => fits(pair[0])).at(-1) || [text, ""];
  return [shortened(first, width, size, weight), shortened(rest, width, size, weight)].filter(Boolean);
}
