// What is drawn under and over a curve: findings, values that are not finite, restarts.

const THINNEST_BAND = 3;
const LOST_STRIP = 5;
const LOST_SHADE = 0.06;
const SHADE = 0.12;
const CHOSEN_SHADE = 0.1;
const SEVERITIES = ["info", "warning", "critical"];

/** Returns where a finding is shaded, in pixels of the canvas, null when out of sight. */
function bandOf(plot, finding) {
  const ratio = devicePixelRatio;
  const left = plot.bbox.left;
  const right = left + plot.bbox.width;
  let from = plot.valToPos(finding.start, "x", true);
  let to = plot.valToPos(finding.end, "x", true);
  if (to < left || from > right) return null;
  const missing = THINNEST_BAND * ratio - (to - from);
  if (missing > 0) {
    from -= missing / 2;
    to += missing / 2;
  }
  return { finding, from: Math.max(from, left), to: Math.min(to, right) };
}

/** Shades findings: where several meet, in the colour of the worst; the chosen one stands out. */
function drawBands(plot, findings, chosen) {
  const { ctx, bbox } = plot;
  const bands = findings.map((finding) => bandOf(plot, finding)).filter(Boolean);
  const borders = [...new Set(bands.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  ctx.save();
  for (let i = 0; i + 1 < borders.length; i += 1) {
    const [from, to] = [borders[i], borders[i + 1]];
    const here = bands.filter((band) => band.from < to && band.to > from);
    if (!here.length) continue;
    const ranks = here.map(({ finding }) => SEVERITIES.indexOf(finding.severity));
    ctx.fillStyle = faint(SEVERITIES[Math.max(...ranks)], SHADE);
    ctx.fillRect(from, bbox.top, to - from, bbox.height);
  }
  for (const { finding, from, to } of bands) {
    const isChosen = finding.id === chosen;
    ctx.fillStyle = isChosen ? faint(finding.severity, CHOSEN_SHADE) : faint(finding.severity, 0.5);
    ctx.fillRect(from, bbox.top, isChosen ? to - from : devicePixelRatio, bbox.height);
    if (!isChosen) continue;
    ctx.fillStyle = colour[finding.severity];
    ctx.fillRect(from, bbox.top, to - from, 2 * devicePixelRatio);
  }
  ctx.restore();
}

/** Draws a dashed line where the log goes on after a restart. */
function drawRestarts(plot, restarts) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = colour.restart;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const step of restarts) {
    const x = plot.valToPos(step, "x", true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

/** Draws a strip along the top where values are NaN or infinite, with a word where it fits. */
function drawLost(plot, stretches) {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const right = bbox.left + bbox.width;
  let free = -Infinity;
  ctx.save();
  ctx.font = `600 ${10 * ratio}px system-ui, sans-serif`;
  ctx.textBaseline = "top";
  ctx.textAlign = "left";
  for (const [first, last] of stretches) {
    let from = plot.valToPos(first, "x", true);
    let to = plot.valToPos(last, "x", true);
    if (to < bbox.left || from > right) continue;
    from = Math.max(from - ratio, bbox.left);
    to = Math.min(to + ratio, right);
    ctx.fillStyle = faint("critical", LOST_SHADE);
    ctx.fillRect(from, bbox.top, to - from, bbox.height);
    ctx.fillStyle = colour.critical;
    ctx.fillRect(from, bbox.top + bbox.height - LOST_STRIP * ratio, to - from, LOST_STRIP * ratio);
    const width = ctx.measureText(NOT_FINITE).width;
    const at = Math.min(from + 2 * ratio, right - width);
    if (at > free) {
      ctx.fillText(NOT_FINITE, at, bbox.top + bbox.height - (LOST_STRIP + 13) * ratio);
      free = at + width + 6 * ratio;
    }
  }
  ctx.restore();
}

/** Marks points that stand above the end of the axis, and zeros below a log axis. */
function drawBeyond(plot, curve, isLog) {
  const { ctx, bbox } = plot;
  const { min, max } = plot.scales.y;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.fillStyle = colour.curve;
  for (let i = 0; i < curve.steps.length; i += 1) {
    const value = curve.values[i];
    const above = value !== null && value > max;
    const below = isLog && value !== null && value < min;
    if (!above && !below) continue;
    const x = plot.valToPos(curve.steps[i], "x", true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    const y = above ? bbox.top : bbox.top + bbox.height;
    const inward = (above ? 7 : -7) * ratio;
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x - 3 * ratio, y + inward);
    ctx.lineTo(x + 3 * ratio, y + inward);
    ctx.fill();
  }
  ctx.restore();
}
