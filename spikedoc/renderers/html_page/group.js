// The curves of one run together: one zoom, one cursor, one chosen finding.

const FLAG_SPACE = 4;
const FLAG_WIDTH = 28;
// A flag stands at most this far beside its finding, in pixels.
const FLAG_REACH = 48;
// A finding is shown with half its length on both sides, at least this share of the run.
const MARGIN_SHARE = 0.5;
const LEAST_MARGIN = 0.015;
const KEY_ZOOM = 2;
const KEY_SHIFT = 10;
// Curves drawn at once; further ones when asked for.
const OPEN_CURVES = 7;

/** Returns one button per finding, over the plot. */
function makeFlags(plot, findings, group) {
  return findings.map((finding) => {
    const flag = document.createElement("button");
    flag.type = "button";
    flag.className = `flag ${finding.severity}`;
    flag.textContent = finding.id;
    flag.dataset.flag = finding.id;
    flag.setAttribute("aria-label", say("finding", { id: finding.id, title: finding.title[language()] }));
    flag.addEventListener("mousedown", (event) => event.stopPropagation());
    flag.addEventListener("click", (event) => {
      event.stopPropagation();
      group.choose(finding.id, { toCard: true });
    });
    plot.over.append(flag);
    return { flag, finding };
  });
}

/** Puts the flags over their findings, side by side where they would meet; the rest is hidden. */
function placeFlags(plot, flags, chosen) {
  const width = plot.over.clientWidth;
  const { min, max } = plot.scales.x;
  const taken = [];
  const ordered = [...flags].sort((a, b) => (b.finding.id === chosen) - (a.finding.id === chosen));
  for (const { flag, finding } of ordered) {
    flag.classList.toggle("chosen", finding.id === chosen);
    flag.hidden = finding.end < min || finding.start > max;
    if (flag.hidden) continue;
    const half = (flag.offsetWidth || FLAG_WIDTH) / 2;
    const step = Math.min(Math.max(finding.peak, min), max);
    const wanted = Math.min(Math.max(plot.valToPos(step, "x"), half), width - half);
    const at = freePlace(wanted, half, width, taken);
    flag.hidden = at === null;
    if (flag.hidden) continue;
    taken.push([at - half, at + half]);
    flag.style.left = `${at}px`;
  }
}

/** Returns the free place nearest to the wanted one, null when it would be too far away. */
function freePlace(wanted, half, width, taken) {
  const isFree = (at) => at >= half && at <= width - half &&
    taken.every(([from, to]) => at - half >= to || at + half <= from);
  const besides = taken.flatMap(([from, to]) => [from - FLAG_SPACE - half, to + FLAG_SPACE + half]);
  const places = [wanted, ...besides].filter((at) => isFree(at) && Math.abs(at - wanted) <= FLAG_REACH);
  places.sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted));
  return places[0] ?? null;
}

/** All plots of a run. */
class Group {
  constructor(section, data) {
    this.section = section;
    this.key = `run-${section.dataset.run}`;
    this.findings = data.findings;
    this.restarts = data.restarts;
    this.lanes = data.lanes;
    this.curves = data.curves.map(readCurve).filter((curve) => curve.steps.length);
    this.range = this.wholeRange();
    this.chosen = null;
    this.plots = [];
    this.isReady = false;
  }

  wholeRange() {
    let [first, last] = [Infinity, -Infinity];
    for (const { steps } of this.curves) {
      first = Math.min(first, steps[0]);
      last = Math.max(last, steps[steps.length - 1]);
    }
    return first < last ? { first, last } : { first: first - 1, last: first + 1 };
  }

  start() {
    const place = this.section.querySelector("[data-plots]");
    if (!place || !this.curves.length) return;
    const keysId = this.section.querySelector(".hint[id]").id;
    const shown = Math.min(OPEN_CURVES, this.curves.length);
    const make = (curve, i) => new CurvePlot(curve, this, {
      isMain: i === 0,
      hasSteps: i === 0 || (i === shown - 1 && !this.lanes.length) || (i >= shown && i === this.curves.length - 1),
      id: `${this.key}-curve-${i}`,
      keysId,
    });
    const all = this.curves.map(make);
    this.add(all.slice(0, OPEN_CURVES), place);
    if (this.lanes.length) this.addTimeline(place);
    this.addMore(all.slice(OPEN_CURVES));
    this.section.querySelector("[data-whole]").addEventListener("click", () => this.showWhole());
    this.startSwitch();
    this.startCards();
    this.watchWidth(place);
    this.isReady = true;
    this.show(this.range.first, this.range.last);
  }

  add(plots, place) {
    for (const one of plots) {
      place.append(one.frame.figure);
      one.draw();
      one.box.addEventListener("keydown", (event) => this.pressed(one, event));
      this.plots.push(one);
    }
  }

  addTimeline(place) {
    const lane = new TimelinePlot(this.lanes, this);
    place.append(lane.frame.figure);
    lane.draw();
    this.plots.push(lane);
  }

  addMore(plots) {
    const more = this.section.querySelector("[data-more]");
    more.hidden = !plots.length;
    this.moreCount = plots.length;
    more.addEventListener("toggle", () => {
      if (!more.open || !plots.length) return;
      const { min, max } = this.plots[0].plot.scales.x;
      this.add(plots.splice(0), this.section.querySelector("[data-more-plots]"));
      this.show(min, max);
    });
  }

  startSwitch() {
    const label = this.section.querySelector("[data-log-switch]");
    const main = this.plots[0];
    label.hidden = !main.curve.canLog;
    const box = label.querySelector("input");
    box.checked = main.isLog;
    box.addEventListener("change", () => {
      const { min, max } = main.plot.scales.x;
      main.switchAxis(box.checked);
      this.show(min, max);
    });
  }

  startCards() {
    for (const card of this.section.querySelectorAll("[data-finding]")) {
      const id = card.dataset.finding;
      card.querySelector("[data-show]")?.addEventListener("click", () => this.look(id));
    }
  }

  watchWidth(place) {
    new ResizeObserver(() => this.plots.forEach((one) => one.resize())).observe(place);
  }

  /** Makes every plot show the same steps. */
  show(min, max) {
    this.shown = [min, max];
    for (const { plot } of this.plots) plot.setScale("x", { min, max });
    const isWhole = min <= this.range.first && max >= this.range.last;
    this.section.querySelector("[data-whole]").disabled = isWhole;
  }

  showWhole() {
    this.show(this.range.first, this.range.last);
    announce(say("whole"));
  }

  /** Follows a plot that was zoomed by hand; each says in its element what it shows. */
  zoomed(plot) {
    const { min, max } = plot.scales.x;
    plot.root.parentElement.dataset.steps = `${min} ${max}`;
    if (!this.isReady) return;
    if (min !== this.shown[0] || max !== this.shown[1]) this.show(min, max);
  }

  /** Marks a finding in the curves and among the cards. */
  choose(id, { toCard = false } = {}) {
    this.chosen = id;
    for (const card of this.section.querySelectorAll("[data-finding]")) {
      const isChosen = card.dataset.finding === id;
      card.classList.toggle("chosen", isChosen);
      if (isChosen) {
        card.setAttribute("aria-current", "true");
        if (toCard) card.focus();
      } else {
        card.removeAttribute("aria-current");
      }
    }
    for (const { plot } of this.plots) plot.redraw(false, false);
  }

  /** Zooms to a finding and marks it. */
  look(id) {
    const finding = this.findings.find((one) => one.id === id);
    const { first, last } = this.range;
    const margin = Math.max(MARGIN_SHARE * (finding.end - finding.start), LEAST_MARGIN * (last - first));
    const [min, max] = [Math.max(finding.start - margin, first), Math.min(finding.end + margin, last)];
    this.choose(id);
    this.show(min, max);
    announce(say("range", { first: spellStep(min), last: spellStep(max) }));
    const main = this.plots[0].frame.figure;
    const { top, bottom } = main.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) main.scrollIntoView({ block: "nearest" });
  }

  /** Chooses the next or previous finding. */
  turn(by) {
    const count = this.findings.length;
    if (!count) return;
    const at = this.findings.findIndex((finding) => finding.id === this.chosen);
    const next = at < 0 ? (by > 0 ? 0 : count - 1) : (at + by + count) % count;
    const { id, title } = this.findings[next];
    this.look(id);
    announce(say("finding", { id, title: title[language()] }));
  }

  zoomBy(factor, one) {
    const [min, max] = this.shown;
    const at = one.plot.cursor.left >= 0 ? one.plot.posToVal(one.plot.cursor.left, "x") : (min + max) / 2;
    const low = Math.max(at - (at - min) * factor, this.range.first);
    const high = Math.min(at + (max - at) * factor, this.range.last);
    if (high - low < 2) return;
    this.show(low, high);
    announce(say("range", { first: spellStep(low), last: spellStep(high) }));
  }

  pressed(one, event) {
    if (event.target !== one.box || event.ctrlKey || event.metaKey || event.altKey) return;
    const far = event.shiftKey ? KEY_SHIFT : 1;
    const keys = {
      ArrowLeft: () => one.move(-far),
      ArrowRight: () => one.move(far),
      "+": () => this.zoomBy(1 / KEY_ZOOM, one),
      "=": () => this.zoomBy(1 / KEY_ZOOM, one),
      "-": () => this.zoomBy(KEY_ZOOM, one),
      0: () => this.showWhole(),
      Escape: () => this.showWhole(),
      n: () => this.turn(1),
      p: () => this.turn(-1),
    };
    const act = keys[event.key] ?? keys[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }

  repaint() {
    for (const one of this.plots) one.repaint();
    for (const { flag, finding } of this.plots[0]?.flags ?? []) {
      const title = finding.title[language()];
      flag.setAttribute("aria-label", say("finding", { id: finding.id, title }));
    }
  }
}
