"""How large a spike or a shift must be to be found, and at what price in false alarms.

    python benchmarks/power.py [--runs N] [--healthy N] [--jobs N] [--write]

Made-up loss curves of 3,000 steps, with noise of three sizes and two kinds, and into each one spike
of one step or one lasting shift; beside spikedoc stand four rules that training code uses. --write
keeps table and plots in docs/explanation. Takes some minutes.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import date
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np
from _loss_rules import RULES, FloatArray
from _measure import fill, table
from _svg import Curve, Panel, drawing

from spikedoc.classifier.classify import classify
from spikedoc.ingest import load_frame
from spikedoc.model.label import Kind, Severity
from spikedoc.pipeline import detect

EXPLANATION: Final = Path(__file__).resolve().parent.parent / "docs" / "explanation"
PAGE: Final = EXPLANATION / "power.md"
STEPS: Final = 3000
EVENT: Final = 2100  # late enough for every window to be full
SPIKE, SHIFT, NOTHING = "spike", "shift", "nothing"
SIZES: Final = {
    SPIKE: (1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0),
    SHIFT: (1.02, 1.05, 1.1, 1.2, 1.5, 2.0, 3.0),
}
# Standard deviation of the noise of log loss: a large batch of a language model, a usual one, a
# small batch near convergence.
SPREADS: Final = (0.02, 0.1, 0.3)
GAUSS, HEAVY = "gaussian", "heavy-tailed"
# Student's t with 3 degrees of freedom, scaled to the quartiles of a Gaussian.
HEAVY_DEGREES: Final = 3
HEAVY_SCALE: Final = 0.6745 / 0.7649
# How far behind the event an alarm still belongs to it; a spike is over at once.
REACH: Final = {SPIKE: 3, SHIFT: 300}
# A finding of a shift may begin a little early, where the curve is bent.
EARLY: Final = {SPIKE: 1, SHIFT: 60}
KINDS: Final = frozenset(
    {Kind.ISOLATED_SPIKE, Kind.SLOW_RECOVERY, Kind.LEVEL_SHIFT, Kind.DIVERGENCE,
     Kind.SUSTAINED_DRIFT, Kind.PERIODIC_SPIKES}
)  # fmt: skip
OURS: Final = "spikedoc"
LOUD: Final = "spikedoc, any warning"
FOUND: Final = 0.9  # share of runs from which on a size counts as found


@dataclass(frozen=True, slots=True)
class Trial:
    """One made-up run."""

    noise: str
    spread: float
    event: str
    size: float
    seed: int


def losses(trial: Trial) -> FloatArray:
    """Return the loss of a run: a course like that of a language model, noise, and the event."""
    generator = np.random.default_rng((trial.seed, SPREADS.index(trial.spread)))
    steps = np.arange(STEPS)
    course = np.log(2.0 + 8.0 * (1.0 + steps / 30.0) ** -0.8)
    if trial.noise == GAUSS:
        noise = generator.standard_normal(STEPS)
    else:
        noise = HEAVY_SCALE * generator.standard_t(HEAVY_DEGREES, STEPS)
    loss = np.exp(course + trial.spread * noise)
    if trial.event == SPIKE:
        loss[EVENT] *= trial.size
    elif trial.event == SHIFT:
        loss[EVENT:] *= trial.size
    return loss


def outcome(trial: Trial) -> dict[str, bool]:
    """Return who spoke: at the event, or anywhere where there is none."""
    loss = losses(trial)
    run = load_frame({"step": np.arange(STEPS), "loss": loss})
    findings = classify(run, detect(run))
    first, last, since = 0, STEPS, 0
    if trial.event != NOTHING:
        since, last = EVENT, EVENT + REACH[trial.event]
        first = EVENT - EARLY[trial.event]
    there = [f for f in findings if f.kind in KINDS and first <= f.start_step <= last]
    # Without an event every warning is one too many, whatever it is about.
    judged = there if trial.event != NOTHING else findings
    loud = [f for f in judged if f.severity is not Severity.INFO]
    spoke = {OURS: bool(there), LOUD: bool(loud)}
    return spoke | {name: bool(rule(loss)[since : last + 1].any()) for name, rule in RULES.items()}


def trials(runs: int, healthy: int) -> Iterator[Trial]:
    """Yield every run to make."""
    for noise, spread in product((GAUSS, HEAVY), SPREADS):
        yield from (Trial(noise, spread, NOTHING, 1.0, seed) for seed in range(healthy))
        for event, sizes in SIZES.items():
            for size in sizes:
                # Other seeds than those of the healthy runs.
                seeds = range(healthy, healthy + runs)
                yield from (Trial(noise, spread, event, size, seed) for seed in seeds)


Cell = tuple[str, float, str, float]
Shares = Mapping[Cell, Mapping[str, float]]


def measured(runs: int, healthy: int, jobs: int) -> Shares:
    """Return, for each noise, event and size, the share of runs in which each one spoke."""
    asked = list(trials(runs, healthy))
    sums: dict[Cell, dict[str, list[bool]]] = {}
    with ProcessPoolExecutor(jobs) as pool:
        for trial, spoke in zip(asked, pool.map(outcome, asked, chunksize=20), strict=True):
            cell = sums.setdefault((trial.noise, trial.spread, trial.event, trial.size), {})
            for name, value in spoke.items():
                cell.setdefault(name, []).append(value)
    return {
        cell: {name: float(np.mean(values)) for name, values in spoke.items()}
        for cell, spoke in sums.items()
    }


def _names(shares: Shares) -> list[str]:
    return list(next(iter(shares.values())))


def smallest(shares: Shares, noise: str, spread: float, event: str, name: str) -> str:
    """Return from which size on nearly all events are found, as a cell of the table."""
    found = [shares[noise, spread, event, size][name] >= FOUND for size in SIZES[event]]
    if not found[-1]:
        return "not found"
    misses = [number for number, is_found in enumerate(found) if not is_found]
    first = misses[-1] + 1 if misses else 0
    return f"× {SIZES[event][first]:g}"


def rows_of(shares: Shares) -> list[list[str]]:
    """Return one row for each noise and rule."""
    rows = []
    for noise, spread in product((GAUSS, HEAVY), SPREADS):
        for place, name in enumerate(_names(shares)):
            alarms = shares[noise, spread, NOTHING, 1.0][name]
            sizes = (smallest(shares, noise, spread, event, name) for event in SIZES)
            title = f"{noise}, {spread:g}" if place == 0 else ""
            rows.append([title, name, f"{100 * alarms:.0f} %", *sizes])
    return rows


def plot(shares: Shares, event: str) -> str:
    """Return the curves of one event as SVG, a panel for each noise."""
    shown = [name for name in _names(shares) if name != LOUD]
    panels = []
    for noise, spread in product((GAUSS, HEAVY), SPREADS):
        curves = [
            Curve(
                name,
                SIZES[event],
                [shares[noise, spread, event, size][name] for size in SIZES[event]],
                is_dashed=name != OURS,
            )
            for name in shown
        ]
        title = f"{noise} noise, {spread:g}"
        ticks = (0.0, 0.25, 0.5, 0.75, 1.0)
        axis = f"factor of the {event}"
        panels.append(Panel(title, curves, SIZES[event], ticks, axis, "found", is_log=True))
    return drawing(panels, columns=3)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and keep page and plots when asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=40, help="for each noise, event and size")
    parser.add_argument("--healthy", type=int, default=200, help="without an event, for each noise")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--write", action="store_true", help="keep table and plots in the docs")
    wanted = parser.parse_args(arguments)
    shares = measured(wanted.runs, wanted.healthy, wanted.jobs)
    head = ["Noise", "Rule", "False alarms", "Spike found from", "Shift found from"]
    text = (
        f"{date.today().isoformat()}: {wanted.runs} runs for each noise, event and size, "
        f"{wanted.healthy} runs without an event for each noise.\n\n" + table(head, rows_of(shares))
    )
    print(text)
    if wanted.write:
        fill(PAGE, "power", text)
        for event in SIZES:
            (EXPLANATION / f"power-{event}.svg").write_text(plot(shares, event), encoding="utf-8")


if __name__ == "__main__":
    main()
