"""A rise of the training loss beside a validation that does not get worse."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.classifier.classify import classify
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series
from spikedoc.pipeline import detect

N = 1200
RISE_AT = 600


def run_with(validation: list[float], accuracy: list[float] | None = None) -> Run:
    """A loss that steps up fivefold halfway, and 24 evaluations."""
    steps = np.arange(1, N + 1)
    rng = np.random.default_rng(3)
    loss = (0.1 + 2.0 * np.exp(-steps / 80.0)) * np.exp(0.15 * rng.standard_normal(N))
    loss[steps > RISE_AT] *= 5.0
    at = np.arange(50, N + 1, 50)
    series = [
        Series(Metric.LOSS, "loss", "loss", steps, loss),
        Series(Metric.VAL_LOSS, "val_loss", "val_loss", at, np.asarray(validation)),
    ]
    if accuracy is not None:
        series.append(
            Series(Metric.VAL_METRIC, "val_metric:val_acc", "val_acc", at, np.asarray(accuracy))
        )
    return Run("made", "made", tuple(series))


def rises(run: Run) -> list[Anomaly]:
    kinds = (Kind.LEVEL_SHIFT, Kind.DIVERGENCE)
    return [a for a in classify(run, detect(run)) if a.kind in kinds and a.signal == "loss"]


BETTER = [0.7 + 0.01 * (-1) ** i for i in range(12)] + [0.72] * 2 + [0.4] * 10
SAME = [0.7 + 0.01 * (-1) ** i for i in range(24)]
WORSE = [0.7 + 0.01 * (-1) ** i for i in range(12)] + [1.5] * 12


def test_a_loss_on_harder_data_is_a_remark_where_validation_gets_better() -> None:
    found = rises(run_with(BETTER))
    assert [(a.kind, a.form, a.severity) for a in found] == [
        (Kind.LEVEL_SHIFT, Form.UP, Severity.INFO)
    ]
    assert abs(found[0].start_step - RISE_AT) <= 3


@pytest.mark.parametrize("validation", [SAME, WORSE])
def test_validation_that_merely_holds_or_gets_worse_excuses_nothing(
    validation: list[float],
) -> None:
    assert all(a.severity is not Severity.INFO for a in rises(run_with(validation)))
    assert rises(run_with(validation))


def test_a_metric_that_got_worse_outweighs_a_loss_that_got_better() -> None:
    falls = [0.9] * 12 + [0.6] * 12
    assert all(a.severity is not Severity.INFO for a in rises(run_with(BETTER, falls)))
