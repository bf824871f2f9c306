"""Norms that are infinite now and then: a scaler's search, or steps that are thrown away."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.classifier.context import build
from spikedoc.classifier.infinite_norms import is_often_broken, skipped_among
from spikedoc.classifier.nonfinite import label_nonfinite
from spikedoc.detectors.nonfinite import detect
from spikedoc.model.label import Form, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

N = 1000


def infinite(where: np.ndarray | list[int], value: float = np.inf) -> np.ndarray:
    values = np.ones(N)
    values[where] = value
    return values


def run(gradient: np.ndarray, *, skips: bool = False, scale: bool = False) -> Run:
    parts = [synth.series(np.ones(N)), synth.series(gradient, Metric.GRAD_NORM)]
    if skips:
        update = np.where(np.isfinite(gradient), 0.02, 0.0)
        parts.append(synth.series(update, Metric.UPDATE_NORM))
    if scale:
        parts.append(synth.series(np.full(N, 1024.0), Metric.LOSS_SCALE))
    return synth.run(*parts)


def gradient(given: Run):
    found = given.get(Metric.GRAD_NORM)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("where", "often"),
    [
        (np.arange(400, N, 3), True),
        (np.arange(400, N, 10), True),
        (np.arange(400, N, 20), False),  # one in 33 over the whole log
        (np.arange(16), False),  # a scaler that looks for its first scale
        ([300, 600, 900], False),  # … and tries a larger one later
        (np.arange(400, 480), False),  # one breakdown, not now and then
    ],
)
def test_how_often(where: np.ndarray | list[int], often: bool) -> None:
    given = run(infinite(where))
    assert is_often_broken(given, gradient(given)) is often
    assert [a.severity for a in label_nonfinite(build(given, detect(given)))] == (
        [Severity.WARNING] if often else []
    )


def test_nan_counts_unless_the_column_is_mostly_blank() -> None:
    some, most = run(infinite(np.arange(400, N, 3), np.nan)), np.full(N, np.nan)
    most[::10] = 1.0
    assert is_often_broken(some, gradient(some))
    assert not is_often_broken(run(most), gradient(run(most)))


def test_a_logged_scale_speaks_for_itself() -> None:
    given = run(infinite(np.arange(400, N, 3)), scale=True)
    assert not is_often_broken(given, gradient(given))


def test_steps_that_changed_nothing_are_counted() -> None:
    given = run(infinite(np.arange(400, N, 3)), skips=True)
    assert skipped_among(given, gradient(given)) == 200
    (found,) = label_nonfinite(build(given, detect(given)))
    assert (found.form, found.severity) == (Form.TRANSIENT, Severity.WARNING)
    assert (found.measures["skipped"], found.measures["infinite"]) == (200.0, 200.0)


def test_a_few_of_them_are_told_without_alarm() -> None:
    given = run(infinite([300, 600, 900]), skips=True)
    (found,) = label_nonfinite(build(given, detect(given)))
    assert (found.severity, found.measures["skipped"]) == (Severity.INFO, 3.0)
