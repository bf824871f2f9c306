"""Which series and steps belong together; steps that count anew or count something else."""

from __future__ import annotations

import numpy as np
import pytest
from pairs import curve, run, series

from spikedoc.comparison.pairing import (
    common_steps,
    counts_otherwise,
    found_offset,
    matched,
    paired,
    shifted,
)
from spikedoc.comparison.result import Alignment
from spikedoc.model.metric import Metric


def test_the_loss_comes_first_and_what_one_lacks_is_left_out() -> None:
    a = run(curve(1), others={Metric.LR: np.ones(600), Metric.GRAD_NORM: curve(2)})
    b = run(curve(3), others={Metric.GRAD_NORM: curve(4), Metric.VAL_LOSS: curve(5)})
    assert [one.metric for one, _ in matched(a, b)] == [Metric.LOSS, Metric.GRAD_NORM]


def test_common_steps_keep_what_was_logged() -> None:
    one = series(np.array([1.0, np.nan, 3.0, 4.0]), first=1)
    two = series(np.array([20.0, 30.0, 40.0, 50.0]), first=2)
    steps, a, b = common_steps(one, two)
    assert steps.tolist() == [2, 3, 4]
    assert np.isnan(a[0])
    assert a[1:].tolist() == [3.0, 4.0]
    assert b.tolist() == [20.0, 30.0, 40.0]


def test_the_denser_one_is_taken_between_its_points() -> None:
    dense = series(np.arange(1.0, 101.0), first=1)
    sparse = series(np.arange(10.0, 101.0, 10.0), first=10, every=10)
    assert paired(dense, sparse).alignment is Alignment.STEPS
    between = series(np.arange(5.5, 96.0, 10.0), first=5, every=10)
    found = paired(series(np.arange(1.0, 51.0), first=0, every=2), between)
    assert found.alignment is Alignment.INTERPOLATED
    assert found.steps.tolist() == list(range(5, 96, 10))
    assert found.raw_a.tolist() == [step / 2 + 1 for step in range(5, 96, 10)]


@pytest.mark.parametrize("offset", [480, -20])
def test_a_replay_that_counts_anew_is_found_by_its_values(offset: int) -> None:
    whole = curve(1)
    start = max(offset, 0)
    part = whole[start : start + 50]
    b = run(part, first=1 + start - offset)
    assert found_offset(run(whole), b) == offset
    assert shifted(b, offset).series[0].steps[0] == start + 1


def test_no_offset_where_steps_agree_or_values_do_not() -> None:
    whole = curve(1)
    assert found_offset(run(whole), run(whole[100:150], first=101)) == 0
    assert found_offset(run(whole), run(curve(2)[:50])) == 0
    assert found_offset(run(np.ones(100)), run(np.ones(50), first=30)) == 0
    assert found_offset(run(whole), run(whole[:3])) == 0


def test_steps_that_count_something_else() -> None:
    updates = run(curve(1), every=1)
    samples = run(curve(1), first=32, every=32)
    assert counts_otherwise(updates, samples)
    assert counts_otherwise(samples, updates)
    assert not counts_otherwise(updates, run(curve(2)[:60]))  # a run that was stopped early
    assert not counts_otherwise(updates, run(curve(2)[:60], first=10, every=10))
