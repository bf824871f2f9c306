from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
EPOCH = 60
STEPS = np.arange(1, 1801)
PARTS = {"config": {"steps_per_epoch": EPOCH}, "form": Form.EPOCH}
KIND = Kind.PERIODIC_SPIKES
RNG = np.random.default_rng(12)
NOISE = np.exp(RNG.normal(0, 0.05, STEPS.size))
BASE = 2.0 * np.exp(-STEPS / 400) + 0.5
SHUFFLED = BASE * NOISE
FIXED = SHUFFLED * np.exp(RNG.normal(0, 0.3, EPOCH))[(STEPS - 1) % EPOCH]
HARD = SHUFFLED * np.where(STEPS % EPOCH == 23, 4.0, 1.0)
WAVE = SHUFFLED * np.exp(0.3 * np.sin(2 * np.pi * STEPS / EPOCH))


def verdicts(ask, loss: np.ndarray) -> list[Verdict]:
    names = ("same_order_each_epoch", "single_phase_peak", "smooth_epoch_wave")
    return [ask(n, KIND, 300, 300, 1800, loss=loss, **PARTS).verdict for n in names]


def test_orders(ask) -> None:
    assert verdicts(ask, SHUFFLED) == [NO, NO, NO]
    assert verdicts(ask, HARD) == [NO, YES, NO]
    assert verdicts(ask, WAVE)[1:] == [NO, YES]
    assert verdicts(ask, FIXED)[0] is YES


@pytest.mark.parametrize(("known", "told"), [(22.0, 22), (24.0, 24), (70.0, 23)])
def test_the_place_is_the_one_the_finding_names_where_both_agree(ask, known, told) -> None:
    measures = {"period": float(EPOCH), "phase_step": known}
    found = ask("single_phase_peak", KIND, 300, 300, 1800, loss=HARD, measures=measures)
    assert dict(found.values)["phase"] == told


def test_the_anomaly_s_period_stands_in_for_the_epoch(ask) -> None:
    found = ask(
        "single_phase_peak", KIND, 300, 300, 1800, loss=HARD, measures={"period": float(EPOCH)}
    )
    assert found.verdict is YES
    assert (
        ask("single_phase_peak", KIND, 300, 300, 1800, loss=HARD[:100], **PARTS).verdict is UNKNOWN
    )
    other = Kind.ISOLATED_SPIKE
    assert ask("single_phase_peak", other, 300, 300, 1800, loss=HARD, **PARTS).verdict is UNKNOWN


def running_mean(values: np.ndarray) -> np.ndarray:
    rows = values.reshape(-1, EPOCH)
    return (np.cumsum(rows, axis=1) / np.arange(1, EPOCH + 1)).ravel()


def test_running_mean(ask) -> None:
    name = "sawtooth_is_smooth"
    noisy = BASE * np.exp(RNG.normal(0, 0.3, STEPS.size))
    assert ask(name, KIND, 300, 300, 1800, loss=running_mean(noisy), **PARTS).verdict is YES
    for loss in (noisy, FIXED, HARD):
        assert ask(name, KIND, 300, 300, 1800, loss=loss, **PARTS).verdict is NO
    assert ask(name, KIND, 300, 300, 1800, loss=noisy).verdict is UNKNOWN


def test_staircase(ask) -> None:
    stairs = 2.0 * 0.8 ** ((STEPS - 1) // 300) * NOISE
    name, kind = "falls_at_boundary", Kind.LEVEL_SHIFT
    config = {"steps_per_epoch": 300}
    found = ask(name, kind, 301, 301, 1800, form=Form.DOWN, loss=stairs, config=config)
    assert found.verdict is YES
    smooth = ask(name, kind, 301, 301, 1800, form=Form.DOWN, loss=SHUFFLED, config=config)
    assert smooth.verdict is NO
    sorted_data = 1.0 + ((STEPS - 1) % 300) / 300
    found = ask(name, kind, 301, 301, 1800, form=Form.DOWN, loss=sorted_data, config=config)
    assert found.verdict is NO
