// What the page holds, and how numbers, words and colours are spelt.

const root = document.documentElement;

/** Returns the JSON in an element of data. */
function readData(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

const words = readData("words");

function language() {
  return root.dataset.language === "zh" ? "zh" : "en";
}

/** Returns a fixed text in the language of the page, its blanks filled. */
function say(key, values = {}) {
  return words[key][language()].replace(/\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g, (blank, name, one, many) => {
    if (!(name in values)) return blank;
    return one === undefined ? String(values[name]) : Number(values[name]) === 1 ? one : many;
  });
}

/** Returns a number as an engineer writes it: four digits, no trailing zeros. */
function spell(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e7) return String(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e7)) {
    const [digits, power] = value.toExponential(2).split("e");
    return `${Number(digits)}e${Number(power)}`;
  }
  return String(Number(value.toPrecision(4)));
}

/** Returns a step with its thousands apart. */
function spellStep(step) {
  return Math.round(step).toLocaleString("en-US");
}

/** Returns a step short enough for an axis. */
function shortStep(step) {
  const size = Math.abs(step);
  if (size >= 1e9) return `${Number((step / 1e9).toPrecision(4))}G`;
  if (size >= 1e6) return `${Number((step / 1e6).toPrecision(4))}M`;
  if (size >= 1e4) return `${Number((step / 1e3).toPrecision(4))}k`;
  return String(Number(step.toPrecision(6)));
}

const COLOURS = [
  "ink", "muted", "grid", "line", "curve", "curve-soft", "cursor", "critical", "warning", "info",
  "restart", "checkpoint", "evaluation", "lr-change", "message", "card",
];
const colour = {};

/** Reads the colours of the theme that is shown; canvases do not follow the style sheet. */
function readColours() {
  const style = getComputedStyle(root);
  for (const name of COLOURS) colour[name] = style.getPropertyValue(`--${name}`).trim();
}

/** Returns a colour of the theme, see-through by `alpha`. */
function faint(name, alpha) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour[name].slice(at, at + 2), 16));
  return `rgba(${r},${g},${b},${alpha})`;
}

/** Tells who listens with a screen reader. */
function announce(text) {
  document.getElementById("announcer").textContent = text;
}

// Which of the two a point was is not kept.
const NOT_FINITE = "NaN/inf";

function middleOf(values) {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  return sorted.length ? sorted[sorted.length >> 1] : 0;
}

/** Returns steps as they are from the ways between them. */
function undifferenced(ways) {
  let step = 0;
  return ways.map((way) => (step += way));
}

// A loss that explodes would press all before it into one line: beyond the first factor over the
// median the axis ends at the second.
const LONGEST_RISE = 1e6;
const SHOWN_RISE = 1e3;

/** Returns the indices of values with a gap on both sides: no line leads to them. */
function aloneAmong(values) {
  const isGap = (i) => i < 0 || i >= values.length || values[i] === null;
  return values.map((_, i) => i).filter((i) => !isGap(i) && isGap(i - 1) && isGap(i + 1));
}

// Beyond these the difference or the logarithm of two values is no number any more.
const LARGEST = 1e300;
const SMALLEST = 1e-300;

/** Returns a curve ready to draw: a gap wherever values are not finite. */
function readCurve(raw) {
  const points = undifferenced(raw.steps).map((step, i) => [
    step, Math.min(Math.max(raw.values[i], -LARGEST), LARGEST),
  ]);
  const known = new Set(points.map(([step]) => step));
  for (const [first, last] of raw.nonfinite) {
    for (const step of first === last ? [first] : [first, last]) {
      if (!known.has(step)) points.push([step, null]);
    }
  }
  points.sort((a, b) => a[0] - b[0]);
  const values = points.map(([, value]) => value);
  const middle = middleOf(values);
  const top = values.reduce((most, value) => (value > most ? value : most), -Infinity);
  const lowest = values.reduce((least, v) => (v >= SMALLEST && v < least ? v : least), Infinity);
  return {
    signal: raw.signal,
    tag: raw.tag,
    points: raw.points,
    shown: raw.steps.length,
    log: raw.log,
    lowest,
    canLog: lowest < Infinity && values.every((value) => value === null || value >= 0),
    cap: middle > 0 && top > middle * LONGEST_RISE ? middle * SHOWN_RISE : Infinity,
    steps: points.map(([step]) => step),
    values,
    alone: aloneAmong(values),
    nonfinite: raw.nonfinite,
  };
}
