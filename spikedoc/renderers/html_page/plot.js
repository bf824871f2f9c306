// One curve in one plot.

const MAIN_HEIGHT = 300;
const OTHER_HEIGHT = 92;
const AXIS_WIDTH = 74;
const AXIS_HEIGHT = 28;
const BARE_AXIS_HEIGHT = 6;
const EDGE = 18; // room for half a label at the right end
const NARROW = 520;
const NARROW_AXIS_WIDTH = 66;
const AXIS_FONT = "11px system-ui, -apple-system, 'Segoe UI', 'Noto Sans SC', sans-serif";
// A line this wide and a tap this far from a band still hit it.
const REACH = 6;

function axisWidth(box) {
  return box.clientWidth < NARROW ? NARROW_AXIS_WIDTH : AXIS_WIDTH;
}

/** Returns the range of the value axis for the values in sight. */
function valueRange(curve, isLog) {
  return (plot, low, high) => {
    if (low === null || high === null || low === undefined) return isLog ? [0.1, 1] : [0, 1];
    const top = low < curve.cap ? Math.min(high, curve.cap) : high;
    if (isLog) {
      const bottom = Math.max(low, curve.lowest);
      return [bottom / 1.15, Math.max(top, bottom) * 1.2];
    }
    const span = top - low || Math.abs(top) / 10 || 1;
    const bottom = low - span * 0.06;
    return [low >= 0 ? Math.max(bottom, 0) : bottom, top + span * 0.1];
  };
}

// Labels stand at least this far apart, in pixels. uPlot's own ways of choosing them are not used:
// they go on without end for values whose digits run out.
const STEP_SPACE = 80;
const MAIN_SPACE = 34;
const OTHER_SPACE = 22;
const FINER = [[1], [1, 3], [1, 2, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9]];

/** Returns how many labels stand in so many pixels, two at least. */
function labelsIn(pixels, space) {
  return Math.max(pixels / space, 2);
}

/** Returns round numbers between two positive ones, at most `most`: powers of ten, or finer. */
function logTicks(low, high, most) {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const between = (heads, every) => {
    const found = [];
    for (let power = Math.ceil(first / every) * every; power <= last; power += every) {
      for (const head of heads) {
        const tick = Number(`${head}e${power}`);
        if (tick >= low && tick <= high) found.push(tick);
      }
    }
    return found;
  };
  const every = Math.max(1, Math.ceil((last - first) / most));
  let ticks = between(FINER[0], every);
  for (const heads of every === 1 ? FINER : []) {
    const finer = between(heads, 1);
    if (finer.length <= most) ticks = finer;
  }
  return ticks;
}

/** Returns round numbers between two others, at most about `most`, never closer than `least`. */
function evenTicks(low, high, most, least = 0) {
  const span = high - low;
  const power = 10 ** Math.floor(Math.log10(span / most));
  const way = Math.max([1, 2, 5, 10].map((head) => head * power).find((w) => w >= span / most), least);
  if (!(way > 0) || !Number.isFinite(way)) return [low];
  const first = Math.ceil(low / way);
  const count = Math.min(Math.floor(high / way) - first + 1, most + 2);
  return Array.from({ length: Math.max(count, 0) }, (_, i) => Number(((first + i) * way).toPrecision(12)));
}

/** Returns both axes; steps are spelt under the first curve and under the last lane only. */
function axes(box, { isMain = false, isLog = false, hasSteps = false }) {
  const common = {
    stroke: () => colour.muted,
    font: AXIS_FONT,
    grid: { stroke: () => colour.grid, width: 1 },
    ticks: { stroke: () => colour.grid, width: 1, size: 4 },
  };
  return [
    {
      ...common,
      size: hasSteps ? AXIS_HEIGHT : BARE_AXIS_HEIGHT,
      splits: (plot, axis, low, high) => evenTicks(low, high, labelsIn(plot.width - AXIS_WIDTH, STEP_SPACE), 1),
      values: (plot, at) => at.map((step) => (hasSteps ? shortStep(step) : "")),
    },
    {
      ...common,
      size: () => axisWidth(box),
      splits: (plot, axis, low, high) => {
        const below = hasSteps ? AXIS_HEIGHT : BARE_AXIS_HEIGHT;
        const most = labelsIn(plot.height - below, isMain ? MAIN_SPACE : OTHER_SPACE);
        return isLog ? logTicks(low, high, most) : evenTicks(low, high, most);
      },
      filter: (plot, at) => at,
      values: (plot, at) => at.map((value) => (value === null ? "" : spell(value))),
    },
  ];
}

/** Returns the elements of a plot: caption with what is under the cursor, and the drawing area. */
function plotFrame(curve, isMain, id, keysId) {
  const figure = document.createElement("figure");
  figure.className = isMain ? "curve main" : "curve";
  const caption = document.createElement("figcaption");
  caption.id = id;
  const title = document.createElement("span");
  title.className = "signal";
  title.textContent = curve.signal;
  const tag = document.createElement("span");
  tag.className = "tag-name";
  tag.textContent = curve.tag === curve.signal ? "" : curve.tag;
  const readout = document.createElement("output");
  readout.className = "readout";
  caption.append(title, tag, readout);
  const box = document.createElement("div");
  box.className = "plot";
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-labelledby", id);
  box.setAttribute("aria-describedby", keysId);
  figure.append(caption, box);
  return { figure, box, readout };
}

/** A curve on the page; `group` is told of zoom, cursor and clicks. */
class CurvePlot {
  constructor(curve, group, { isMain, hasSteps, id, keysId }) {
    this.curve = curve;
    this.group = group;
    this.isMain = isMain;
    this.hasSteps = hasSteps;
    this.isLog = curve.log && curve.canLog;
    this.frame = plotFrame(curve, isMain, id, keysId);
    this.findings = group.findings.filter((f) => isMain || f.signal === curve.signal);
  }

  get box() {
    return this.frame.box;
  }

  draw() {
    this.plot?.destroy();
    this.flags = [];
    const values = this.curve.values;
    this.plot = new uPlot(this.options(), [this.curve.steps, values], this.box);
    for (const canvas of this.box.querySelectorAll("canvas")) {
      canvas.setAttribute("aria-hidden", "true");
    }
    if (this.isMain) this.flags = makeFlags(this.plot, this.findings, this.group);
    this.listen();
    this.rest();
  }

  options() {
    const curve = this.curve;
    const { first, last } = this.group.range;
    return {
      width: this.box.clientWidth || 600,
      height: this.isMain ? MAIN_HEIGHT : OTHER_HEIGHT + (this.hasSteps ? AXIS_HEIGHT : 0),
      legend: { show: false },
      padding: [this.isMain ? 24 : 6, EDGE, 0, 0],
      cursor: {
        sync: { key: this.group.key, setSeries: false, scales: ["x", null] },
        drag: { x: true, y: false, setScale: true, dist: REACH },
        points: { size: 7, fill: () => colour.card, stroke: () => colour.curve, width: 2 },
        bind: { dblclick: () => () => this.group.showWhole() },
        y: false,
      },
      scales: {
        x: { time: false, range: (plot, low, high) => [low ?? first, high ?? last] },
        y: { distr: this.isLog ? 3 : 1, range: valueRange(curve, this.isLog) },
      },
      axes: axes(this.box, { isMain: this.isMain, isLog: this.isLog, hasSteps: this.hasSteps }),
      series: [
        {},
        {
          stroke: () => colour.curve,
          width: 1.4,
          points: {
            size: 5,
            fill: () => colour.card,
            filter: (plot, i, isShown) => (isShown ? null : curve.alone),
          },
        },
      ],
      hooks: this.hooks(),
    };
  }

  hooks() {
    const { curve, group } = this;
    return {
      drawClear: [(plot) => drawBands(plot, this.bands(), group.chosen)],
      draw: [
        (plot) => drawRestarts(plot, group.restarts),
        (plot) => drawLost(plot, curve.nonfinite),
        (plot) => drawBeyond(plot, curve, this.isLog),
        (plot) => placeFlags(plot, this.flags, group.chosen),
      ],
      setScale: [(plot, key) => key === "x" && group.zoomed(plot)],
      setCursor: [(plot) => this.read(plot)],
    };
  }

  /** Returns the findings of this curve, and the chosen one whichever its curve is. */
  bands() {
    const chosen = this.group.findings.find((finding) => finding.id === this.group.chosen);
    return chosen && !this.findings.includes(chosen) ? [...this.findings, chosen] : this.findings;
  }

  /** Shows what is under the cursor. */
  read(plot) {
    const index = plot.cursor.idx;
    if (index === null || index === undefined || plot.cursor.left < 0) {
      this.rest();
      return;
    }
    const value = this.curve.values[index];
    const step = say("step", { step: spellStep(this.curve.steps[index]) });
    this.frame.readout.textContent = `${step} · ${value === null ? NOT_FINITE : spell(value)}`;
  }

  /** Shows how much of the log is drawn. */
  rest() {
    const { curve } = this;
    const lost = curve.nonfinite.reduce((sum, [, , count]) => sum + count, 0);
    const points = spellStep(curve.points);
    const told = [
      curve.shown + lost < curve.points
        ? say("drawn", { shown: spellStep(curve.shown), points })
        : say("points", { points }),
    ];
    if (lost) told.push(say("lost", { n: spellStep(lost), points }));
    this.frame.readout.textContent = told.join(" · ");
  }

  listen() {
    this.plot.over.addEventListener("click", (event) => {
      if (this.plot.select.width > 0) return;
      const at = event.clientX - this.plot.over.getBoundingClientRect().left;
      const hit = this.hit(at);
      if (hit) this.group.choose(hit.id, { toCard: true });
    });
  }

  /** Returns the narrowest finding at `at` pixels from the left edge. */
  hit(at) {
    const from = this.plot.posToVal(at - REACH, "x");
    const to = this.plot.posToVal(at + REACH, "x");
    return this.findings
      .filter((finding) => finding.start <= to && finding.end >= from)
      .sort((a, b) => a.end - a.start - (b.end - b.start))[0];
  }

  /** Moves the cursor by points that are drawn, as the arrow keys do. */
  move(by) {
    const { plot, curve } = this;
    const { min, max } = plot.scales.x;
    const start = by > 0 ? min : max;
    const at = plot.cursor.left >= 0 && plot.cursor.idx !== null
      ? plot.cursor.idx + by
      : curve.steps.findIndex((step) => step >= start);
    const index = Math.min(Math.max(at, 0), curve.steps.length - 1);
    const left = plot.valToPos(curve.steps[index], "x");
    if (left < 0 || left > plot.over.clientWidth) return;
    plot.setCursor({ left, top: 1 });
    announce(`${curve.signal}: ${this.frame.readout.textContent}`);
  }

  resize() {
    const width = this.box.clientWidth;
    if (width && this.plot && width !== this.plot.width) {
      this.plot.setSize({ width, height: this.plot.height });
    }
  }

  repaint() {
    this.plot.redraw(false, true);
    this.rest();
  }

  switchAxis(isLog) {
    const wanted = isLog && this.curve.canLog;
    if (wanted === this.isLog) return;
    this.isLog = wanted;
    this.draw();
  }
}
