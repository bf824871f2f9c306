// The lanes of events below the curves, and curves folded at their period.

const LANE_HEIGHT = 24;
const FOLD_HEIGHT = 220;
const EVENT_SIZE = 8;

/** Returns the steps of all events and one row of marks per lane, as uPlot wants them. */
function laneData(lanes) {
  const steps = [...new Set(lanes.flatMap(({ events }) => events.map(([step]) => step)))];
  steps.sort((a, b) => a - b);
  const place = new Map(steps.map((step, i) => [step, i]));
  const rows = lanes.map(({ events }, lane) => {
    const row = new Array(steps.length).fill(null);
    for (const [step] of events) row[place.get(step)] = lanes.length - 1 - lane;
    return row;
  });
  return [steps, ...rows];
}

/** The events of a run over the same steps as its curves. */
class TimelinePlot {
  constructor(lanes, group) {
    this.lanes = lanes;
    this.group = group;
    this.data = laneData(lanes);
    this.curve = { signal: "", values: [], steps: this.data[0] };
    const id = `${group.key}-events`;
    this.frame = plotFrame({ signal: "", tag: "" }, false, id, id);
    this.frame.figure.classList.add("events");
    this.frame.box.tabIndex = -1;
    this.flags = [];
  }

  draw() {
    const { lanes, group } = this;
    const box = this.frame.box;
    const sizes = axes(box, { hasSteps: true });
    const last = lanes.length - 1;
    this.plot = new uPlot({
      width: box.clientWidth || 600,
      height: lanes.length * LANE_HEIGHT + AXIS_HEIGHT,
      legend: { show: false },
      padding: [0, EDGE, 0, 0],
      cursor: {
        sync: { key: group.key, setSeries: false, scales: ["x", null] },
        drag: { x: true, y: false, setScale: true, dist: REACH },
        points: { show: false },
        bind: { dblclick: () => () => group.showWhole() },
        y: false,
      },
      scales: {
        x: { time: false, range: (plot, low, high) => [low ?? group.range.first, high ?? group.range.last] },
        y: { range: [-0.5, last + 0.5] },
      },
      axes: [
        sizes[0],
        {
          ...sizes[1],
          grid: { show: false },
          ticks: { show: false },
          splits: () => lanes.map((lane, i) => i),
          filter: (plot, at) => at,
          values: (plot, at) => at.map((i) => (lanes[last - i] ? say(`lane_${lanes[last - i].kind}`) : "")),
        },
      ],
      series: [{}, ...lanes.map(({ kind }) => ({
        paths: () => null,
        points: { show: true, size: EVENT_SIZE, fill: () => colour[kind], stroke: () => colour[kind] },
      }))],
      hooks: {
        drawClear: [(plot) => drawBands(plot, this.bands(), group.chosen)],
        setScale: [(plot, key) => key === "x" && group.zoomed(plot)],
        setCursor: [(plot) => this.read(plot)],
      },
    }, this.data, box);
    for (const canvas of box.querySelectorAll("canvas")) canvas.setAttribute("aria-hidden", "true");
    this.rest();
  }

  bands() {
    return this.group.findings.filter((finding) => finding.id === this.group.chosen);
  }

  /** Shows the events near the cursor. */
  read(plot) {
    if (plot.cursor.left < 0 || plot.cursor.left === undefined) {
      this.rest();
      return;
    }
    const from = plot.posToVal(plot.cursor.left - EVENT_SIZE, "x");
    const to = plot.posToVal(plot.cursor.left + EVENT_SIZE, "x");
    const told = [];
    for (const { kind, events } of this.lanes) {
      const near = events.find(([step]) => step >= from && step <= to);
      if (!near) continue;
      const note = language() === "zh" ? near[2] ?? near[1] : near[1];
      const step = say("step", { step: spellStep(near[0]) });
      told.push([say(`lane_${kind}`), step, note].filter(Boolean).join(" "));
    }
    this.frame.readout.textContent = told.join(" · ");
  }

  rest() {
    this.frame.readout.textContent = "";
    this.frame.figure.querySelector(".signal").textContent = say("events");
  }

  resize() {
    const width = this.frame.box.clientWidth;
    if (width && width !== this.plot.width) this.plot.setSize({ width, height: this.plot.height });
  }

  repaint() {
    this.plot.redraw(false, true);
    this.rest();
  }
}

/** One cycle laid over another: the usual course and how far the cycles differ. */
class FoldPlot {
  constructor(fold, box) {
    this.fold = fold;
    this.box = box;
    const readout = document.createElement("output");
    readout.className = "readout";
    box.before(readout);
    this.readout = readout;
    this.draw();
    new ResizeObserver(() => this.resize()).observe(box);
  }

  draw() {
    const { fold, box } = this;
    const edge = { width: 0, stroke: "transparent", points: { show: false } };
    this.lowest = Math.min(...fold.low.filter((value) => value > 0));
    this.peak = fold.middle.indexOf(Math.max(...fold.middle));
    this.plot = new uPlot({
      width: box.clientWidth || 600,
      height: FOLD_HEIGHT,
      legend: { show: false },
      padding: [12, EDGE, 0, 0],
      cursor: { drag: { x: false, y: false }, points: { size: 7 }, y: false },
      scales: {
        x: { time: false, range: () => [0, fold.period] },
        y: { distr: fold.log ? 3 : 1, range: valueRange({ cap: Infinity, lowest: this.lowest }, fold.log) },
      },
      axes: axes(box, { isMain: true, isLog: fold.log, hasSteps: true }),
      series: [
        {},
        edge,
        { stroke: () => colour.curve, width: 1.8, points: { show: fold.phases.length < 2 } },
        edge,
      ],
      bands: [{ series: [3, 1], fill: () => colour["curve-soft"] }],
      hooks: {
        setCursor: [(plot) => this.read(plot.cursor.left >= 0 ? plot.cursor.idx : null)],
      },
    }, [fold.phases, fold.low, fold.middle, fold.high], box);
    box.querySelectorAll("canvas").forEach((canvas) => canvas.setAttribute("aria-hidden", "true"));
    this.read(null);
  }

  /** Shows the phase under the cursor, else the highest. */
  read(index) {
    const { fold } = this;
    const at = index ?? this.peak;
    const phase = say("phase", { step: spell(fold.phases[at]) });
    this.readout.textContent =
      `${phase} · ${spell(fold.middle[at])} (${spell(fold.low[at])} – ${spell(fold.high[at])})`;
  }

  resize() {
    const width = this.box.clientWidth;
    if (width && width !== this.plot.width) this.plot.setSize({ width, height: FOLD_HEIGHT });
  }

  repaint() {
    this.plot.redraw(false, true);
    this.read(null);
  }
}
