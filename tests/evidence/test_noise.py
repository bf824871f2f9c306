from __future__ import annotations

import numpy as np
import pytest
from levels import pieces

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind, Severity

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
RNG = np.random.default_rng(5)


def test_noise_exceeds_learning(ask, falling) -> None:
    loud = falling + RNG.normal(0, 0.6, 1000).clip(-0.25, 2.0)
    assert ask("noise_exceeds_learning", Kind.OSCILLATION, 1, 1, 1000, loss=loud).verdict is YES
    assert ask("noise_exceeds_learning", Kind.OSCILLATION, 1, 1, 1000, loss=falling).verdict is NO
    assert ask("noise_exceeds_learning", Kind.OSCILLATION, 1, loss=falling[:20]).verdict is UNKNOWN


def test_alternating(ask, falling) -> None:
    flips = falling * np.exp(0.3 * (-1.0) ** np.arange(1000))
    assert ask("noise_alternates", Kind.OSCILLATION, 1, 1, 1000, loss=flips).verdict is YES
    assert ask("noise_alternates", Kind.OSCILLATION, 1, 1, 1000, loss=falling).verdict is NO
    assert ask("noise_alternates", Kind.OSCILLATION, 1, loss=np.ones(1000)).verdict is UNKNOWN


def test_smooth(ask, falling) -> None:
    wave = 1.0 + 0.3 * np.sin(np.arange(1000) / 4)
    assert ask("loss_is_smooth", Kind.OSCILLATION, 1, 1, 1000, loss=wave).verdict is YES
    assert ask("loss_is_smooth", Kind.OSCILLATION, 1, 1, 1000, loss=falling).verdict is NO


@pytest.mark.parametrize(("sign", "verdict"), [(1.0, YES), (-1.0, NO)])
def test_upper_tail(ask, sign, verdict) -> None:
    loss = np.exp(sign * RNG.exponential(0.3, 1000))
    found = ask("noise_has_upper_tail", Kind.OSCILLATION, 1, 1, 1000, loss=loss)
    assert found.verdict is verdict


def test_shrinks_with_loss(ask, falling) -> None:
    assert ask("noise_shrinks_with_loss", Kind.OSCILLATION, 1, loss=falling).verdict is YES
    growing = falling * np.exp(RNG.normal(0, 1.0, 1000) * np.linspace(0, 0.8, 1000))
    assert ask("noise_shrinks_with_loss", Kind.OSCILLATION, 1, loss=growing).verdict is NO
    level = np.exp(RNG.normal(0, 0.1, 1000))
    assert ask("noise_shrinks_with_loss", Kind.OSCILLATION, 1, loss=level).verdict is UNKNOWN


def test_a_fall_through_all_doubles_can_be_asked_about(ask) -> None:
    fall = np.geomspace(1e150, 5e-324, 1000) * np.exp(RNG.normal(0, 0.1, 1000))
    assert ask("noise_shrinks_with_loss", Kind.OSCILLATION, 1, loss=fall).verdict is YES


def to_bf16(values: np.ndarray) -> np.ndarray:
    """Round float32 to its upper 16 bits, half up in magnitude."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x8000) & 0xFFFF0000).astype(np.uint32).view(np.float32).astype(np.float64)


def test_bf16_grid(ask, falling) -> None:
    kind = Kind.OSCILLATION
    grid = to_bf16(falling)
    assert ask("loss_on_bf16_grid", kind, 1, loss=grid).verdict is YES
    assert ask("loss_on_bf16_grid", kind, 1, loss=np.round(grid, 4)).verdict is YES
    single = falling.astype(np.float32).astype(np.float64)
    assert ask("loss_on_bf16_grid", kind, 1, loss=single).verdict is NO
    assert ask("loss_on_bf16_grid", kind, 1, loss=np.round(falling, 4)).verdict is NO
    # Two decimals near 1 hide the grid of .0078.
    assert ask("loss_on_bf16_grid", kind, 1, loss=np.round(falling, 2)).verdict is UNKNOWN
    assert ask("loss_on_bf16_grid", kind, 1, loss=np.ones(50)).verdict is UNKNOWN


def test_cadence(ask, falling) -> None:
    found = ask("cadence_is_coarse", Kind.ISOLATED_SPIKE, 100, loss=falling, stride=5)
    assert (found.verdict, found.values["stride"]) == (YES, 5.0)
    assert ask("cadence_is_coarse", Kind.ISOLATED_SPIKE, 100, loss=falling).verdict is NO
    assert ask("cadence_is_coarse", Kind.ISOLATED_SPIKE, 1, loss=np.ones(3)).verdict is UNKNOWN


KIND = Kind.OSCILLATION


@pytest.mark.parametrize(
    ("noise", "loud", "verdict"),
    [
        *((0.15, False, YES), (0.149, False, NO)),
        *((0.07, True, YES), (0.069, True, NO), (0.07, False, NO)),  # half of the level and more
    ],
)
def test_noise_against_what_was_learned(ask, noise: float, loud: bool, verdict: Verdict) -> None:
    # With a finding about it that told both.
    loss = 10 * np.exp(np.random.default_rng(1).normal(0, 1.0 if loud else 0.1, 400))
    loss[:5] = 100.0
    measures = {"noise": noise, "learned": 1.0}
    found = ask("noise_exceeds_learning", KIND, 1, 1, 400, loss=loss, measures=measures)
    assert found.verdict is verdict
    assert found.values == {"noise": noise, "fall": 1.0, "ratio": noise}


def test_only_a_finding_about_this_noise_is_believed(ask) -> None:
    loss = pieces((200, 10.0), (200, 5.0))
    measures = {"noise": 4.0, "learned": 5.0}

    def found(kind: Kind, signal: str, told: dict[str, float]):
        other = Anomaly(kind, Severity.WARNING, 0.9, signal, 1, 1, 400, None, told)
        parts = {"loss": loss, "others": [other]}
        return ask("noise_exceeds_learning", Kind.NON_CONVERGENCE, 1, 1, 400, **parts)

    assert found(KIND, "loss", measures).values == {"noise": 4.0, "fall": 5.0, "ratio": 0.8}
    more = found(KIND, "loss", measures | {"other": 1.0})
    assert (more.verdict, more.values["noise"]) == (YES, 4.0)
    for kind, signal, part in (
        (Kind.DIVERGENCE, "loss", measures),
        (KIND, "val_loss", measures),
        (KIND, "loss", {"noise": 4.0}),
    ):
        assert found(kind, signal, part).verdict is NO
    assert ask("noise_exceeds_learning", KIND, 1, 1, 400, loss=np.ones(400)).verdict is UNKNOWN


def test_the_fall_is_the_one_the_finding_tells(ask) -> None:
    loss = pieces((200, 10.0), (200, 9.9))
    told = {"first": 10.0, "best": 9.6}
    stuck = Anomaly(Kind.NON_CONVERGENCE, Severity.CRITICAL, 0.9, "loss", 1, 1, 400, None, told)
    parts = {"loss": loss, "others": [stuck]}
    found = ask("noise_exceeds_learning", Kind.NON_CONVERGENCE, 1, 1, 400, **parts)
    assert found.values["fall"] == pytest.approx(0.4)


@pytest.mark.parametrize(("points", "coarse"), [(9, UNKNOWN), (10, NO)])
def test_ten_points_show_a_cadence(ask, points: int, coarse: Verdict) -> None:
    assert ask("cadence_is_coarse", KIND, 1, loss=np.ones(points)).verdict is coarse


def grid(ask, values: np.ndarray) -> tuple[Verdict, dict[str, float]]:
    found = ask("loss_on_bf16_grid", KIND, 1, loss=values)
    return found.verdict, dict(found.values)


@pytest.mark.parametrize(
    ("on", "percent", "verdict"), [(19, 95.0, YES), (18, 90.0, NO), (20, 100.0, YES)]
)
def test_nineteen_losses_in_twenty_on_the_grid(
    ask, on: int, percent: float, verdict: Verdict
) -> None:
    # Between 1 and 2 bf16 numbers are 2^-7 apart; a quarter of that is none of them.
    values = 1 + np.arange(20) * 2.0**-7
    values[on:] += 2.0**-9
    assert grid(ask, values) == (verdict, {"percent": percent})


@pytest.mark.parametrize(("different", "verdict"), [(10, YES), (9, UNKNOWN)])
def test_ten_different_losses_make_a_grid(ask, different: int, verdict: Verdict) -> None:
    assert grid(ask, 1 + (np.arange(40) % different) * 2.0**-7)[0] is verdict


def test_what_half_precision_does_not_hold_is_left_out(ask) -> None:
    odd = [0.0, 3.5e38, -3.5e38, np.inf, np.nan]
    values = np.concatenate([1 + np.arange(10) * 2.0**-7, odd])
    assert grid(ask, values) == (YES, {"percent": 100.0})


@pytest.mark.parametrize(
    ("low", "decimals", "verdict"),
    [(4.0, 2, YES), (2.0, 2, UNKNOWN), (32.0, 1, YES), (16.0, 1, UNKNOWN), (16.0, 2, YES)],
)
def test_decimals_that_hide_the_grid(ask, low: float, decimals: int, verdict: Verdict) -> None:
    # From 4 to 8 the numbers are 1/32 apart, which hundredths tell apart twice over, from 2 to 4
    # only 1/64: every other hundredth is one of them by chance. From 32 to 64 it is 1/4.
    values = low + low * 2.0**-7 * np.arange(3, 123, 3)
    assert grid(ask, np.round(values, decimals))[0] is verdict


def test_no_value_is_on_the_grid_by_more_than_chance(ask) -> None:
    # Tenths: of 25 losses ten near 1, where every tenth is one, the others between 128 and 256,
    # where one in ten is: .46 in all.
    values = np.concatenate([1 + np.arange(10) / 10, 128.0 + np.arange(15)])
    assert grid(ask, values)[0] is YES


@pytest.mark.parametrize(("size", "kept"), [(4000, 0), (3999, 1)])
def test_two_thousand_losses_are_enough(ask, size: int, kept: int) -> None:
    # Of 4000 every other one is looked at, of 3999 all.
    values = 1 + (np.arange(size) % 64) * 2.0**-7
    values[1::2] += 2.0**-9
    assert grid(ask, values)[1]["percent"] == (100.0 if kept == 0 else 50.0)


def test_a_few_means_of_epochs_are_judged_by_what_the_finding_measured(ask) -> None:
    name, kind, loss = "noise_exceeds_learning", Kind.OSCILLATION, np.array([15.0, 2.0, 9.0])
    told = {"noise": 3.0, "learned": 10.0, "relative_noise": 0.8}
    assert ask(name, kind, 1, 1, 3, loss=loss, measures=told).verdict is YES
    assert ask(name, kind, 1, 1, 3, loss=loss, measures=told | {"noise": 0.3}).verdict is NO
    calm = told | {"relative_noise": 0.1}
    assert ask(name, kind, 1, 1, 3, loss=loss, measures=calm).verdict is UNKNOWN
