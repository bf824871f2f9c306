"""What is kept of a run to be weighed with others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sweep_factory import course, finding, report_of, run_of, series, spiky

from spikedoc.coincidence.trace import Trace, spike_steps, trace_of
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import ConfigValue, Run

RNG = np.random.default_rng(4)


def run(n: int = 2000, **config: ConfigValue) -> Run:
    return run_of("r", course(1.0, RNG, n=n), **config)


def traced(one: Run, *steps: int) -> Trace:
    trace = trace_of(*spiky(one, *steps))
    assert trace is not None
    return trace


def test_only_spikes_of_the_loss_and_the_gradient_count() -> None:
    one = run()
    found = [
        finding(Kind.ISOLATED_SPIKE, 700, Severity.INFO, points=[700, 900]),
        finding(Kind.ISOLATED_SPIKE, 800, signal="val_loss"),
        finding(Kind.LEVEL_SHIFT, 1000, form=Form.UP),
        finding(Kind.NONFINITE, 1100, form=Form.PERSISTENT),
        finding(Kind.NONFINITE, 1200, form=Form.TRANSIENT),
        finding(Kind.ISOLATED_SPIKE, 3),  # the restless beginning
    ]
    assert spike_steps(one, report_of(one, *found)) == (700, 900, 1200)


def test_what_a_run_leaves() -> None:
    found = traced(run(steps_per_epoch=500, batch_size=8, seed=3, shuffle=False), 700, 900)
    assert (found.first, found.last, found.width, found.epoch) == (0, 1999, 1.0, 500.0)
    assert (found.steps, found.count) == ((700, 900), 2)
    assert (found.batch, found.unshuffled, found.seeds) == (8, True, {"seed": 3})
    assert len(set(found.heads)) == 2


def test_a_run_without_losses_leaves_nothing() -> None:
    assert trace_of(*spiky(Run("r", "p", ()), 3)) is None


@pytest.mark.parametrize(
    ("config", "batch"),
    [
        ({"batch_size": 8}, 8),
        ({"batch_size": 8, "accumulation": 4}, 32),
        ({"batch_size": 8, "accumulation": "4"}, None),
        ({"batch_size": "8"}, None),
        ({"batch_size": True}, None),
        ({}, None),
    ],
)
def test_the_batch_of_a_step(config: dict[str, ConfigValue], batch: int | None) -> None:
    assert traced(run(**config)).batch == batch


@pytest.mark.parametrize(
    ("seed", "kept"),
    [
        (0, {"seed": 0}),
        ("7", {"seed": 7}),
        (True, {}),
        ("a", {}),
        (np.nan, {}),
        (1.5, {}),
        (2**65, {}),
        (2.0, {"seed": 2}),
    ],
)
def test_seeds_are_numbers(seed: ConfigValue, kept: dict[str, int]) -> None:
    assert traced(run(seed=seed)).seeds == kept


def test_losses_up_to_a_spike_tell_copies() -> None:
    one = run()
    values = one.series[0].values.copy()
    values[1000:] += 0.1
    other = Run("o", "o", (series(Metric.LOSS, values),))
    first, second = traced(one, 700, 1200), traced(other, 700, 1200)
    assert first.heads[0] == second.heads[0]
    assert first.heads[1] != second.heads[1]
    assert first.digest != second.digest
    assert first.digest == traced(Run("c", "c", one.series), 700).digest


def test_before_the_first_loss_nothing_tells_copies() -> None:
    late = series(Metric.LOSS, np.ones(20), 100)
    late = replace(late, steps=late.steps + 1000)
    norms = series(Metric.GRAD_NORM, np.ones(3000))
    one = Run("r", "r", (late, norms))
    found = [finding(Kind.ISOLATED_SPIKE, step, signal="grad_norm") for step in (500, 2000)]
    trace = trace_of(one, report_of(one, *found))
    assert trace is not None
    assert trace.steps == (500, 2000)
    assert trace.heads[0] == ""
    assert trace.heads[1] != ""


def test_no_more_than_so_many_spikes() -> None:
    one = traced(run(), *range(100, 200))
    few = one.at_most(10)
    assert len(few.steps) == len(few.heads) == 10
    assert (few.steps[0], few.steps[-1], few.count) == (100, 199, 100)
    assert one.heads[one.steps.index(few.steps[4])] == few.heads[4]
    assert one.at_most(100) is one
