from __future__ import annotations

import math

import numpy as np
import pytest

from spikedoc.evidence.loss_definition import smoothing_floor
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND, AT = Kind.LEVEL_SHIFT, 600
EVALS = np.arange(50, 1001, 50)
TAGS = {"val_metric": "val_acc"}


def shifted(end: float, seed: int = 3) -> np.ndarray:
    """From ln 10 to .05, then at `end` from step 600 on, with noise of 3 %."""
    steps = np.arange(1000)
    loss = 2.25 * np.exp(-np.maximum(steps - 10, 0) / 60) + 0.05
    loss[AT - 1 :] = end
    return loss * np.exp(np.random.default_rng(seed).normal(0, 0.03, steps.size))


def ask_shift(ask, name: str, loss: np.ndarray, form: Form = Form.UP, **parts):
    return ask(name, KIND, AT, AT + 5, 1000, form=form, loss=loss, **parts)


def test_the_metric_tells_a_rise_of_the_measure_from_harm(ask) -> None:
    name = "metric_unharmed_by_rise"
    noise = np.random.default_rng(4).normal(0, 0.002, EVALS.size)
    holds, drops = 0.9 + noise, 0.9 + noise - 0.3 * (EVALS > AT)
    kept = ask_shift(ask, name, shifted(0.55), val_metric=(EVALS, holds), tags=TAGS)
    lost = ask_shift(ask, name, shifted(0.55), val_metric=(EVALS, drops), tags=TAGS)
    assert (kept.verdict, lost.verdict) == (YES, NO)
    flat = ask_shift(ask, name, shifted(0.05), val_metric=(EVALS, holds), tags=TAGS)
    assert flat.verdict is UNKNOWN
    assert ask_shift(ask, name, shifted(0.55)).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("classes", "smoothing", "floor"),
    [(2, 0.1, 0.1985), (10, 0.05, 0.2822), (10, 0.1, 0.5003), (1000, 0.2, 1.8799)],
)
def test_the_floor_is_the_entropy_of_the_target(classes, smoothing, floor) -> None:
    target = np.full(classes, smoothing / classes)
    target[0] += 1 - smoothing
    assert smoothing_floor(classes, smoothing) == pytest.approx(-(target * np.log(target)).sum())
    assert smoothing_floor(classes, smoothing) == pytest.approx(floor, abs=1e-3)


@pytest.mark.parametrize(
    ("end", "verdict"), [(0.55, YES), (0.30, YES), (0.92, YES), (0.42, NO), (0.2, NO), (1.4, NO)]
)
@pytest.mark.parametrize("config", [{"num_classes": 10}, {}])
def test_a_new_level_at_the_floor(ask, end, verdict, config) -> None:
    found = ask_shift(ask, "rise_fits_smoothing", shifted(end), config=config)
    assert found.verdict is verdict
    assert found.values["classes"] == 10


def test_a_fall_or_a_sum_of_terms_is_no_smoothing(ask) -> None:
    name, loss = "rise_fits_smoothing", shifted(0.55)
    assert ask_shift(ask, name, loss, form=Form.DOWN).verdict is UNKNOWN
    terms = {"a": loss / 2, "b": loss / 2}
    assert ask_shift(ask, name, loss, components=terms).verdict is UNKNOWN
    # A loss that starts at 20 is no cross-entropy over any usual number of classes.
    assert ask_shift(ask, name, 20 / math.log(10) * loss).verdict is UNKNOWN


def test_terms_that_stay_while_their_sum_moves(ask, steady) -> None:
    name, noise = "components_unchanged", np.exp(np.random.default_rng(5).normal(0, 0.02, 1000))
    weight = np.where(np.arange(1000) < AT - 1, 0.5, 5.0)
    terms = {"main": 0.3 * steady, "aux": 0.8 * noise}
    total = terms["main"] + weight * terms["aux"]
    assert ask_shift(ask, name, total, components=terms).verdict is YES
    moved = {"main": terms["main"], "aux": weight * terms["aux"]}
    assert ask_shift(ask, name, total, components=moved).verdict is NO
    assert ask_shift(ask, name, total).verdict is UNKNOWN
