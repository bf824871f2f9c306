"""How often a healthy run is said to leave the bands of healthy runs, and what is noticed.

    python benchmarks/reference.py [--seeds N] [--write]

Repeats small trainings that really run (numpy, ten projects) and simulated ones (every shape of
`_healthy_runs`) with seeds of their own, makes a reference of some and compares the others with it,
as `spikedoc check --reference` does. --write keeps the page in docs/explanation/references.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
from _healthy_noise import NOISES
from _healthy_runs import repetitions
from _healthy_shapes import SHAPES
from _measure import table
from _small_trainings import PROJECTS, repetition

from spikedoc.model.run import Run
from spikedoc.reference.band import Reference, Scale, cell_levels, on_scale, positions
from spikedoc.reference.build import build
from spikedoc.reference.departure import compare

PAGE: Final = Path(__file__).resolve().parent.parent / "docs/explanation/references.md"
SEEDS: Final = 10
SIMULATED: Final = 64  # projects: every shape with four noises
COUNTS: Final = (1, 2, 3, 5, 8)
DRAWS: Final = 8  # references per project and count …
DRAWS_SIMULATED: Final = 2  # … of which there are many more
CHECKED: Final = 2  # runs compared with each
# What is done to the second half of a healthy run, to see whether it is noticed.
CHANGES: Final = (
    ("loss", 1.3), ("loss", 1.5), ("loss", 2.0), ("val_loss", 1.2), ("val_loss", 1.5),
    ("grad_norm", 2.0), ("grad_norm", 5.0), ("throughput", 0.85), ("throughput", 0.7), ("lr", 1.1),
)  # fmt: skip
Sets = Mapping[str, Sequence[Run]]
Drawn = tuple[Reference, Sequence[Run]]


def trained(seeds: int) -> Sets:
    """Return the repetitions of every small training."""
    return {p.name: [repetition(p, seed) for seed in range(seeds)] for p in PROJECTS}


def simulated(seeds: int, projects: int = SIMULATED) -> Sets:
    """Return the repetitions of simulated projects, a shape and a noise after the other."""
    return {str(number): repetitions(number, seeds) for number in range(projects)}


def draws(sets: Sets, count: int, each: int) -> list[Drawn]:
    """Return references of `count` runs, and others of the same project to compare with each."""
    rng = np.random.default_rng(count)
    found: list[Drawn] = []
    for runs in sets.values():
        for _ in range(each):
            order = [runs[i] for i in rng.permutation(len(runs))]
            if count < len(order):
                found.append((build(order[:count]), order[count : count + CHECKED]))
    return found


def alarms(drawn: Sequence[Drawn]) -> tuple[int, int]:
    """Return how many healthy runs leave the bands of healthy ones, and of how many."""
    told = [compare(run, ref).first is not None for ref, others in drawn for run in others]
    return sum(told), len(told)


def noticed(drawn: Sequence[Drawn], signal: str, factor: float) -> float:
    """Return the share of runs whose changed signal is said to leave its band, in percent."""
    told = [
        any(
            one.is_trouble and one.signal == signal
            for one in compare(changed(run, signal, factor), ref).departures
        )
        for ref, others in drawn
        for run in others
        if run.named(signal) is not None
    ]
    return 100.0 * sum(told) / len(told)


def changed(run: Run, signal: str, factor: float) -> Run:
    """Return the run with one signal multiplied from the middle on."""
    parts = []
    for series in run.series:
        late = series.steps >= run.last_step / 2
        values = np.where(late, series.values * factor, series.values)
        parts.append(replace(series, values=values) if series.name == signal else series)
    return replace(run, series=tuple(parts))


def spreads(sets: Sets) -> dict[str, list[float]]:
    """Return by signal how far the levels of each project's repetitions lie apart."""
    found: dict[str, list[float]] = {}
    for runs in sets.values():
        reference = build(runs)
        for band in reference.bands:
            laid = [(run, run.named(band.signal)) for run in runs]
            levels = [
                cell_levels(positions(s, reference.axis, run.last_step), s.values, band.edges)
                for run, s in laid
                if s is not None
            ]
            if band.scale is Scale.LOG:
                apart = np.nanstd(on_scale(np.array(levels), band.scale), axis=0, ddof=1)
                found.setdefault(band.signal, []).append(float(np.nanmedian(apart)))
    return found


INTRODUCTION: Final = """\
# How often a healthy run leaves the bands of healthy runs

`python benchmarks/reference.py --write` makes this page. `spikedoc check --reference` compares a
run with bands made of healthy runs of the same training. The band of a signal is a prediction
interval for the level – the median of the points – in each of at most twenty stretches of the
training. A run has left a band when two levels in a row lie outside, or one lies more than half a
band width beyond the edge.

The width joins what is seen between the runs, the noise of the levels within them, and the spread
that is usual between repetitions with another seed. The fewer runs there are, the more the last one
counts, and the wider the band: one run says nothing about how repetitions differ.
"""


def page(real: Sets, drawn: Sets) -> str:
    """Return the page: false alarms, what is noticed, and the spread between repetitions."""
    rows = []
    of_real = {count: draws(real, count, DRAWS) for count in COUNTS}
    for count in COUNTS:
        cells = [str(count)]
        for found in (of_real[count], draws(drawn, count, DRAWS_SIMULATED)):
            told, all_ = alarms(found)
            cells += [str(all_), f"{100.0 * told / all_:.1f}"]
        rows.append(cells)
    rates = table(["Runs in the reference", "Trainings", "%", "Simulated", "%"], rows)
    power = table(
        ["Second half of the run", *map(counted, COUNTS)],
        [
            [f"`{signal}` × {factor:g}"]
            + [f"{noticed(of_real[count], signal, factor):.0f}" for count in COUNTS]
            for signal, factor in CHANGES
        ],
    )
    apart = table(
        ["Signal", "Lowest", "Median", "Highest"],
        [
            [f"`{name}`", *(f"{value:.3f}" for value in (min(v), float(np.median(v)), max(v)))]
            for name, v in sorted(spreads(real).items())
        ],
    )
    shapes = f"{len(drawn)} simulated projects of {len(SHAPES)} shapes and {len(NOISES)} noises"
    blocks = [
        INTRODUCTION,
        "## False alarms",
        f"""Healthy runs, in percent, of which any signal was said to leave its band on the side
that fails: {len(real)} trainings that really ran, and {shapes}, with
seeds of their own. They are small, on one machine, and differ in the seed alone; expect more
between machines or versions, and put such runs into the reference.""",
        rates,
        "## What is noticed",
        """Runs, in percent, of which the changed signal was said to leave its band, on the
trainings that really ran. A small change of a noisy signal is not noticed: for single values write
an expectation.""",
        power,
        "## How far repetitions lie apart",
        """Standard deviation of the logarithm of the level, noise included; the constants of
`spikedoc/reference/signals.py` come from here.""",
        apart,
    ]
    return "\n\n".join(block.strip() for block in blocks) + "\n"


def counted(count: int) -> str:
    """Return a number of runs in words."""
    return "1 run" if count == 1 else f"{count} runs"


def main() -> None:
    """Repeat, compare, print, and keep the page when asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--write", action="store_true", help="keep the page in the docs")
    wanted = parser.parse_args()
    text = page(trained(wanted.seeds), simulated(wanted.seeds))
    print(text)
    if wanted.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
