from __future__ import annotations

import numpy as np
import pytest
from levels import pieces

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


def test_a_pattern_in_a_part_of_the_log_is_folded_there(ask) -> None:
    loss = np.concatenate([FIXED[:720], np.tile(SHUFFLED[720:], 4)])
    whole, part = {"period": float(EPOCH)}, {"period": float(EPOCH), "stretch": 1.0}
    name = "same_order_each_epoch"
    assert ask(name, KIND, 1, 1, 720, loss=loss, measures=whole).verdict is NO
    found = ask(name, KIND, 1, 1, 720, loss=loss, measures=part)
    assert found.verdict is YES
    assert dict(found.values)["cycles"] <= 10  # of twelve, the first quarter left out


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


def stairs(ask, *epochs: tuple[float, float], points: int = 12, epoch: int = 12):
    """Ask about epochs whose first and second halves lie at these logs."""
    half = points // 2
    logs = pieces(*((half, log) for pair in epochs for log in pair))
    parts = {"form": Form.DOWN, "loss": np.exp(logs), "config": {"steps_per_epoch": epoch}}
    return ask("falls_at_boundary", Kind.LEVEL_SHIFT, 13, 13, logs.size, **parts)


def falling_by(at_boundary: float, within: float, count: int = 4) -> list[tuple[float, float]]:
    starts = [-(at_boundary + within) * i for i in range(count)]
    return [(start, start - within) for start in starts]


@pytest.mark.parametrize(
    ("at_boundary", "within", "percent", "verdict"),
    [
        (np.log(2.0), 0.0, 100.0, YES),
        *((0.62, 0.38, 62.0, YES), (0.58, 0.42, 58.0, NO)),  # three fifths of the fall
        *((1.48, -0.48, 148.0, YES), (1.52, -0.52, 152.0, NO)),  # half of it undone within
        *((np.log(1.11), 0.0, 100.0, YES), (np.log(1.09), 0.0, 100.0, NO)),
        *((-0.5, 1.0, 0.0, NO), (0.5, -0.5, 0.0, NO)),
    ],
)
def test_how_much_of_the_fall_lies_at_boundaries(
    ask, at_boundary: float, within: float, percent: float, verdict: Verdict
) -> None:
    found = stairs(ask, *falling_by(at_boundary, within))
    assert found.verdict is verdict
    fall = 100 * (1 - np.exp(-max(at_boundary, 0.0)))
    assert found.values["percent"] == pytest.approx(percent, abs=0.5)
    assert found.values["fall"] == pytest.approx(fall, rel=5e-3)


@pytest.mark.parametrize(
    ("count", "points", "epoch", "verdict"),
    [(3, 12, 12, YES), (2, 12, 12, UNKNOWN), (4, 10, 10, UNKNOWN), (4, 12, 11.9, UNKNOWN)],
)
def test_three_epochs_of_twelve_points(ask, count, points, epoch, verdict) -> None:
    found = stairs(ask, *falling_by(0.5, 0.0, count), points=points, epoch=epoch)
    assert found.verdict is verdict


def test_a_loss_below_zero_has_no_stairs(ask) -> None:
    loss = pieces((12, 3.0), (12, 2.0), (12, 0.0))
    parts = {"form": Form.DOWN, "loss": loss, "config": {"steps_per_epoch": 12}}
    assert ask("falls_at_boundary", Kind.LEVEL_SHIFT, 13, 13, 36, **parts).verdict is UNKNOWN


def test_a_quarter_of_the_epoch_is_its_beginning_and_its_end(ask) -> None:
    # Of twelve points three: two of them decide. What lies between does not matter.
    logs = np.concatenate(
        [np.array([9, 0, 0, *[5] * 6, 0, 0, 9]) - 0.5 * epoch for epoch in range(4)]
    )
    parts = {"form": Form.DOWN, "loss": np.exp(logs), "config": {"steps_per_epoch": 12}}
    found = ask("falls_at_boundary", Kind.LEVEL_SHIFT, 13, 13, 48, **parts)
    assert (found.verdict, found.values["percent"]) == (YES, 100.0)


@pytest.mark.parametrize(("known", "told"), [(21.0, 23), (25.0, 23)])
def test_a_place_that_is_two_steps_off_is_another(ask, known: float, told: int) -> None:
    measures = {"period": float(EPOCH), "phase_step": known}
    found = ask("single_phase_peak", KIND, 300, 300, 1800, loss=HARD, measures=measures)
    assert found.values["phase"] == told
