"""What must not matter to any detector: the unit of the loss, where steps begin, how often it runs.

Checked on every labelled run by parametrisation over the detectors that are found.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import synth

import spikedoc.detectors
from spikedoc.detectors.base import Detector
from spikedoc.model.metric import Metric
from spikedoc.model.run import Restart, Run, Series
from spikedoc.plugins import discover

DETECTORS: dict[str, Detector] = discover(spikedoc.detectors, "DETECTOR")
RUNS: dict[str, Run] = {name: make().run for name, make in synth.CASES.items()}
# These compare with a setting in absolute units, or with the very first step.
ABSOLUTE = {"clipping", "first_loss"}
RELATIVE = [name for name in DETECTORS if name not in ABSOLUTE]
LOSSES = (Metric.LOSS, Metric.VAL_LOSS, Metric.GRAD_NORM, Metric.UPDATE_NORM)

# (shape, signal, first, peak, last)
Seen = list[tuple[str, str, int, int, int]]


def seen(name: str, run: Run) -> Seen:
    found = DETECTORS[name](run)
    return [(d.shape.value, d.signal, d.first_step, d.peak_step, d.last_step) for d in found]


@cache
def plainly(name: str, case: str) -> Seen:
    return seen(name, RUNS[case])


def scaled(run: Run, factor: float) -> Run:
    """Return the run with its losses and norms in another unit."""
    return replace(
        run,
        series=tuple(
            replace(s, values=s.values * factor) if s.metric in LOSSES else s for s in run.series
        ),
    )


def shifted(run: Run, offset: int) -> Run:
    return replace(
        run,
        series=tuple(replace(s, steps=s.steps + offset) for s in run.series),
        restarts=tuple(Restart(r.step + offset, r.last_step + offset, r.reason)
                       for r in run.restarts),
    )  # fmt: skip


@pytest.mark.parametrize("factor", [0.001, 1000.0])
@pytest.mark.parametrize("name", RELATIVE)
def test_the_unit_of_the_loss_does_not_matter(name: str, factor: float) -> None:
    for case, run in RUNS.items():
        assert seen(name, scaled(run, factor)) == plainly(name, case), case


@pytest.mark.parametrize("offset", [2**40])
@pytest.mark.parametrize("name", RELATIVE)
def test_where_the_steps_begin_does_not_matter(name: str, offset: int) -> None:
    # A whole number of epochs and evaluation intervals: their phase counts from step 0.
    offset -= offset % (47 * 50 * 60)
    for case, run in RUNS.items():
        expected = [(a, b, *(i + offset for i in where)) for a, b, *where in plainly(name, case)]
        assert seen(name, shifted(run, offset)) == expected, case


@pytest.mark.parametrize("name", DETECTORS)
def test_looking_twice_shows_the_same(name: str) -> None:
    for case, run in RUNS.items():
        assert seen(name, run) == plainly(name, case), case


@pytest.mark.parametrize("name", DETECTORS)
def test_detections_come_in_step_order(name: str) -> None:
    for case in RUNS:
        found = plainly(name, case)
        for signal in {d[1] for d in found}:
            firsts = [first for _, own, first, *_ in found if own == signal]
            assert firsts == sorted(firsts), case


@pytest.mark.parametrize("case", ["spike", "slow recovery", "level shift up"])
def test_more_healthy_training_before_does_not_move_what_is_found(case: str) -> None:
    """A thousand healthy points in front: the same events, a thousand steps later."""
    (series,) = RUNS[case].series
    extra = 1000
    course = synth.course("language", len(series))[0] * 1.2
    prefix = course * np.exp(synth.noise("gauss", extra, 0.02, 99))
    longer = synth.loss_run(np.concatenate([prefix, series.values]))
    before = {d for d in plainly("excursions", case) if d[0] in {"point", "rise"}}
    after = {d for d in seen("excursions", longer) if d[0] in {"point", "rise"}}
    assert {(shape, first) for shape, _, first, *_ in before} <= {
        (shape, first - extra) for shape, _, first, *_ in after
    }


@pytest.mark.parametrize("n", [60, 200, 1000])
@pytest.mark.parametrize("value", [1e-3, 1.0, 2.302585, 5000.0])
def test_a_constant_is_flat_and_nothing_else(n: int, value: float) -> None:
    run = constant_run(n, value)
    for name in DETECTORS:
        expected = ["flat"] if name == "progress" else []
        if name == "loss_scale" and value <= 0.01:  # at its floor, wherever it came from
            expected = ["halvings"]
        if name == "clipping" and value == 1.0 and n >= 100:  # one norm, that of a usual threshold
            expected = ["ceiling"]
        assert [shape for shape, *_ in seen(name, run)] == expected, name


def constant_run(n: int, value: float) -> Run:
    """Return a run with a restart in which no series ever moves."""
    parts: list[Series] = [
        synth.series(np.full(n, value), metric) for metric in Metric if metric is not Metric.EPOCH
    ]
    parts += [
        synth.series(np.full(n, value), Metric.GRAD_NORM, name=f"grad_norm-rank{r}", rank=r)
        for r in range(3)
    ]
    return synth.run(
        *parts, config={"steps_per_epoch": 20}, restarts=(Restart(n // 2, n // 2, "pause"),)
    )


@pytest.mark.parametrize("kind", synth.NOISES)
def test_noise_without_a_course_is_flat_and_hardly_anything_else(kind: str) -> None:
    stray = 0
    for seed in range(12):
        values = 2.0 * np.exp(synth.noise(kind, 1000, 0.05, seed))
        run = synth.loss_run(values, steps_per_epoch=50)
        for name in DETECTORS:
            if name != "progress":
                stray += bool(seen(name, run))
    # The rate of points asked for is 1 % of the logs; heavier tails than the fit allows add some.
    assert stray <= 1
