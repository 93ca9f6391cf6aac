// Making elements, always from text and never from markup, and numbers as people read them.

const SVG = "http://www.w3.org/2000/svg";

function put(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const html = (tag, attributes = {}, ...children) => put(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) => put(document.createElementNS(SVG, tag), attributes, children);

function button(text, label, onClick) {
  const made = html("button", { type: "button", "aria-label": label, title: label }, text);
  made.addEventListener("click", onClick);
  return made;
}

const percent = (share, digits = 0) => `${(100 * share).toFixed(digits)} %`;
const grouped = (n) => (Math.abs(n) >= 10000 ? Math.round(n).toLocaleString("en-US").replace(/,/g, "\u2009") : String(n));
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
const INK = "#22262b";
const PALETTE = [BLUE, "#d98c21", "#3f8f78", "#8f4f93", "#b8503f", "#62aad0", "#a39a2e", "#5b6470"];

/** The colour of a class: of two the first is grey; beyond eight they are grey too. */
function classColour(classes, k) {
  if (classes.length <= 2) return k === classes.length - 1 ? BLUE : "#b3b8c0";
  return k < PALETTE.length ? PALETTE[k] : "#c3c7cd";
}

const measuring = document.createElement("canvas").getContext("2d");

function textWidth(text, size, weight = 400) {
  measuring.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return measuring.measureText(text).width;
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

/** The text in at most two lines of a width, broken at a space or an underscore if there is one. */
function twoLines(text, width, size, weight = 400) {
  if (textWidth(text, size, weight) <= width) return [text];
  const breaks = [...text.matchAll(/[\s_]+/gu)].map((found) => found.index + found[0].length);
  const fitting = breaks.filter((at) => textWidth(text.slice(0, at).trimEnd(), size, weight) <= width);
  if (fitting.length === 0) return [shortened(text, width, size, weight)];
  const at = fitting.at(-1);
  return [text.slice(0, at).trimEnd(), shortened(text.slice(at), width, size, weight)];
}
