from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND = Kind.SLOW_RECOVERY
AT = np.arange(50, 1001, 50)


def val(before: float, after: float, scatter: float = 0.01, at: int = 500) -> tuple:
    noise = np.random.default_rng(9).normal(0, scatter, AT.size)
    return AT, np.where(at > AT, before, after) + noise


def test_loss_rises(ask, falling) -> None:
    parts = {"loss": falling}
    name = "val_rises_with_loss"
    assert ask(name, KIND, 480, 480, 500, val_loss=val(1.0, 1.4), **parts).verdict is YES
    assert ask(name, KIND, 480, 480, 500, val_loss=val(1.0, 1.0), **parts).verdict is NO
    assert ask(name, KIND, 990, 990, 995, val_loss=val(1.0, 1.0), **parts).verdict is UNKNOWN
    kind = Kind.OSCILLATION
    assert ask(name, kind, 480, 480, 500, val_loss=val(1.0, 1.4), **parts).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("before", "after", "unharmed", "improves"),
    [(1.0, 1.4, NO, NO), (1.0, 1.0, YES, NO), (1.0, 0.6, YES, YES)],
)
def test_harm(ask, falling, before, after, unharmed, improves) -> None:
    parts = {"loss": falling, "val_loss": val(before, after)}
    assert ask("val_unharmed", KIND, 480, 480, 500, **parts).verdict is unharmed
    assert ask("val_improves", KIND, 480, 480, 500, **parts).verdict is improves


def test_what_went_wrong_itself_is_no_second_opinion(ask, falling) -> None:
    parts = {"loss": falling, "val_loss": val(1.0, 0.6)}
    for name in ("val_unharmed", "val_improves", "val_rises_with_loss"):
        said = ask(name, Kind.OVERFITTING, 480, 480, 1000, signal="val_loss", **parts)
        assert said.verdict is UNKNOWN


@pytest.mark.parametrize(
    ("tag", "after", "dropped"),
    [
        ("val/accuracy", 0.6, YES),
        ("val/accuracy", 0.8, NO),
        ("val_mae", 0.6, NO),
        ("val_mae", 1.2, YES),
        ("val/thing", 0.1, UNKNOWN),
    ],
)
def test_direction_of_metrics(ask, falling, tag, after, dropped) -> None:
    parts = {"loss": falling, "val_metric": val(0.8, after), "tags": {"val_metric": tag}}
    kind = Kind.METRIC_DAMAGE
    assert ask("val_metric_dropped", kind, 480, 480, 500, **parts).verdict is dropped


def test_nonfinite_validation(ask, falling) -> None:
    steps, values = val(1.0, 1.0)
    broken = np.where(steps > 500, np.nan, values)
    parts = {"loss": falling, "form": Form.PERSISTENT}
    name, kind = "val_also_nonfinite", Kind.NONFINITE
    assert ask(name, kind, 500, 500, 1000, val_loss=(steps, broken), **parts).verdict is YES
    assert ask(name, kind, 500, 500, 1000, val_loss=(steps, values), **parts).verdict is NO
    assert ask(name, kind, 1001, val_loss=(steps, values), **parts).verdict is UNKNOWN
    harmed = ask("val_unharmed", kind, 500, 500, 1000, val_loss=(steps, broken), **parts)
    assert (harmed.verdict, harmed.values["after"]) == (NO, "NaN")


def test_harm_after_a_steep_descent_needs_no_scatter(ask, falling) -> None:
    """The evaluations before still fall fast: their differences say nothing about noise."""
    values = np.r_[2.1, 0.7, 0.5, 1.0, 0.6, 1.0, 10.7, np.full(13, 2.33)]
    parts = {"loss": falling, "val_loss": (AT, values)}
    ends_high = ask("val_unharmed", Kind.DIVERGENCE, 301, 350, 1000, **parts)
    assert (ends_high.verdict, ends_high.values["after"]) == (NO, 2.33)
    # A spike has no lasting level: worse by far, yet within what was seen before.
    values = np.r_[2.1, 0.7, 0.5, 1.0, 0.6, 1.0, 1.2, 0.9, 1.3, 0.5, 1.4, np.full(9, 0.6)]
    parts["val_loss"] = (AT, values)
    assert ask("val_unharmed", KIND, 301, 301, 310, **parts).verdict is UNKNOWN
