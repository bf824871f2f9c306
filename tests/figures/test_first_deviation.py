"""The signal that left its range before the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from spikedoc.figures.first_deviation import FIGURES
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series

N = 1000
ONSET = 600


def norm(seed: int, leaves: int | None = None, factor: float = 5.0) -> np.ndarray:
    values = np.exp(np.random.default_rng(seed).normal(0, 0.1, N))
    if leaves is not None:
        values[leaves - 1 :] *= factor
    return values


def series(metric: Metric, values: np.ndarray, tag: str) -> Series:
    return Series(metric, tag, tag, np.arange(1, N + 1), values)


def lead(*parts: Series, onset: int = ONSET) -> tuple[Any, ...]:
    loss = series(Metric.LOSS, np.where(np.arange(1, N + 1) < ONSET, 0.5, 5.0), "loss")
    anomaly = Anomaly(Kind.DIVERGENCE, Severity.CRITICAL, 0.9, "loss", onset, onset, N)
    run = Run("made", "made", (loss, *parts))
    return tuple(figure.compute(run, anomaly) for figure in FIGURES)


def test_the_first_of_two_is_named_with_its_lead() -> None:
    update = series(Metric.UPDATE_NORM, norm(1, 590), "update")
    gradient = series(Metric.GRAD_NORM, norm(2, 570), "gradient")
    assert lead(update, gradient) == ("gradient", 570, 30)
    assert lead(update) == ("update", 590, 10)


def test_a_signal_is_not_ahead_of_itself() -> None:
    parts = Run("made", "made", (series(Metric.MAX_LOGIT, norm(1, 570), "max_logit"),))
    grows = Anomaly(Kind.UNBOUNDED_GROWTH, Severity.WARNING, 0.9, "max_logit", ONSET, ONSET, N)
    assert {figure.compute(parts, grows) for figure in FIGURES} == {None}


def test_a_layer_may_be_the_first() -> None:
    layers = [series(Metric.LAYER_GRAD_NORM, norm(n), f"layer{n}") for n in range(4)]
    layers[2] = series(Metric.LAYER_GRAD_NORM, norm(2, 540), "layer2")
    whole = series(Metric.GRAD_NORM, norm(9, 560), "gradient")
    assert lead(whole, *layers) == ("layer2", 540, 60)


@pytest.mark.parametrize("leaves", [None, 600, 650])
def test_what_moves_with_the_loss_or_later_has_no_lead(leaves: int | None) -> None:
    assert lead(series(Metric.GRAD_NORM, norm(3, leaves), "gradient")) == (None, None, None)


def test_a_lone_outlier_is_no_departure() -> None:
    values = norm(4)
    values[579] *= 50.0
    assert lead(series(Metric.GRAD_NORM, values, "gradient")) == (None, None, None)


def test_a_steady_trend_is_the_usual_range() -> None:
    growing = 100.0 + 0.01 * np.arange(N) + np.random.default_rng(5).normal(0, 0.02, N)
    assert lead(series(Metric.WEIGHT_NORM, growing, "weights")) == (None, None, None)


def test_early_in_the_log_nothing_is_usual_yet() -> None:
    values = norm(6, 40)
    assert lead(series(Metric.GRAD_NORM, values, "gradient"), onset=60) == (None, None, None)


def test_a_norm_that_falls_with_the_learning_rate_is_no_sign() -> None:
    falling = norm(7) * np.where(np.arange(N) < 450, 1.0, 0.1)
    assert lead(series(Metric.UPDATE_NORM, falling, "update")) == (None, None, None)


def test_an_event_long_over_is_another_matter() -> None:
    values = norm(8)
    values[449:459] *= 20.0
    assert lead(series(Metric.GRAD_NORM, values, "gradient")) == (None, None, None)
