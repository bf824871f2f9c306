"""How often a healthy training is called sick.

    python benchmarks/healthy.py [--runs N] [--seed S] [--jobs J] [--show] [--write]

Simulates healthy runs of every shape and noise, from a thousand to a million steps, diagnoses them
in this process, and prints the share with a finding of `warning` or worse. --show names each false
alarm, --write keeps the tables in docs/explanation/false-alarms.md.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from _healthy_runs import healthy_run
from _measure import table

from spikedoc.classifier.classify import classify
from spikedoc.model.label import Severity
from spikedoc.pipeline import detect

PAGE: Final = Path(__file__).resolve().parent.parent / "docs/explanation/false-alarms.md"
RUNS: Final = 1_000
SEED: Final = 20_240
GOAL_PERCENT: Final = 1.0
INTRODUCTION: Final = """\
# How often a healthy run is called sick

`python benchmarks/healthy.py --write` makes this page: {runs:,} simulated healthy trainings of
every shape and noise below, from a thousand to a million steps, logged at every step up to every
hundredth, with and without learning rate, gradient norm and validation. Seed {seed}; the same seed
gives the same runs.

**{alarmed} of {runs:,} ({percent:.1f} %) got a finding of `warning` or worse** (goal: at most
{goal:.0f} %){labels}.
"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was said of one healthy run."""

    number: int
    shape: str
    noise: str
    points: int
    alarms: tuple[str, ...]


def judge(number: int, seed: int) -> Verdict:
    """Return the labels of warnings and worse that run `number` gets."""
    made = healthy_run(number, seed)
    found = classify(made.run, detect(made.run))
    alarms = tuple(a.label for a in found if a.severity is not Severity.INFO)
    return Verdict(number, made.shape, made.noise, len(made.run.series[0]), alarms)


def judge_all(runs: int, seed: int, jobs: int) -> list[Verdict]:
    """Return the verdicts on runs 0 to `runs`, in order."""
    if jobs == 1:
        return [judge(number, seed) for number in range(runs)]
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(partial(judge, seed=seed), range(runs), chunksize=8))


def page(verdicts: list[Verdict], seed: int) -> str:
    """Return the page with the share of false alarms by shape and by noise."""
    alarmed = [v for v in verdicts if v.alarms]
    counts: dict[str, int] = defaultdict(int)
    for verdict in alarmed:
        for label in sorted(set(verdict.alarms)):
            counts[label] += 1
    named = ", ".join(f"`{label}` {count}" for label, count in sorted(counts.items()))
    text = INTRODUCTION.format(
        runs=len(verdicts),
        seed=seed,
        alarmed=len(alarmed),
        percent=100.0 * len(alarmed) / len(verdicts),
        goal=GOAL_PERCENT,
        labels=f": {named}" if named else "",
    )
    by_shape = _shares("Shape", ((v.shape, v) for v in verdicts))
    by_noise = _shares("Noise", ((v.noise, v) for v in verdicts))
    return f"{text}\n{by_shape}\n\n{by_noise}\n"


def _shares(head: str, members: Iterable[tuple[str, Verdict]]) -> str:
    groups: dict[str, list[Verdict]] = defaultdict(list)
    for name, verdict in members:
        groups[name].append(verdict)
    rows = []
    for name, group in groups.items():
        alarmed = sum(bool(v.alarms) for v in group)
        rows.append([name, str(len(group)), str(alarmed), f"{100.0 * alarmed / len(group):.1f}"])
    return table([head, "Runs", "With a false alarm", "%"], rows)


def main() -> None:
    """Simulate, judge, print, and keep the page when asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="name each false alarm")
    parser.add_argument("--write", action="store_true", help="keep the page in the docs")
    wanted = parser.parse_args()
    verdicts = judge_all(wanted.runs, wanted.seed, wanted.jobs)
    text = page(verdicts, wanted.seed)
    print(text)
    if wanted.show:
        for v in verdicts:
            if v.alarms:
                print(v.number, v.shape, v.noise, v.points, *v.alarms, sep=", ")
    if wanted.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
