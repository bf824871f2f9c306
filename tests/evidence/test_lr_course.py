from __future__ import annotations

import numpy as np
import pytest
from levels import alike, pieces

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
STEPS = np.arange(1200)
COSINE = 1e-3 * 0.5 * (1 + np.cos(np.pi * STEPS / 1200))
RESTARTS = 1e-3 * 0.5 * (1 + np.cos(np.pi * (STEPS % 200) / 200))
TRIANGLE = 1e-4 + 1e-3 * np.abs((STEPS / 100) % 2 - 1)
DOUBLING = np.concatenate([0.5 * (1 + np.cos(np.pi * np.arange(n) / n)) for n in (100, 200, 400)])
ONCE = np.where(STEPS < 600, COSINE, COSINE[STEPS - 600])


@pytest.mark.parametrize(
    ("rate", "verdict"),
    [(COSINE, NO), (RESTARTS, YES), (TRIANGLE, YES), (DOUBLING, YES), (ONCE, NO)],
)
def test_cyclic(ask, rate, verdict) -> None:
    assert ask("lr_is_cyclic", Kind.OSCILLATION, 1, 1, 700, lr=rate).verdict is verdict


def test_cyclic_by_name(ask, falling) -> None:
    kind = Kind.OSCILLATION
    named = ask("lr_is_cyclic", kind, 1, loss=falling, config={"schedule": "CosineWarmRestarts"})
    assert named.verdict is YES
    assert ask("lr_is_cyclic", kind, 1, loss=falling, config={"schedule": "const"}).verdict is NO
    assert ask("lr_is_cyclic", kind, 1, loss=falling).verdict is UNKNOWN


@pytest.mark.parametrize(("period", "verdict"), [(200.0, YES), (190.0, YES), (130.0, NO)])
def test_period(ask, period, verdict) -> None:
    found = ask(
        "lr_period_matches",
        Kind.PERIODIC_SPIKES,
        200,
        200,
        1200,
        form=Form.FIXED_PERIOD,
        measures={"period": period},
        lr=RESTARTS,
    )
    assert found.verdict is verdict


def test_a_constant_rate_has_no_period(ask) -> None:
    parts = {"measures": {"period": 50.0}, "lr": np.full(1200, 1e-3)}
    kind = Kind.PERIODIC_SPIKES
    assert ask("lr_period_matches", kind, 9, 9, 1200, **parts).verdict is NO
    parts["measures"] = {}
    assert ask("lr_period_matches", kind, 9, 9, 1200, **parts).verdict is UNKNOWN


def test_decayed_before_the_plateau(ask) -> None:
    noise = np.exp(np.random.default_rng(1).normal(0, 0.02, 1200))
    early = 1e-3 * np.exp(-STEPS / 60)  # 5 % at step 180
    loss = (1.2 + 1.1 * np.exp(-STEPS / 100)) * noise  # within 3 % of the fall at step 350
    kind, name = Kind.NON_CONVERGENCE, "lr_decayed_before_plateau"
    assert ask(name, kind, 1, 1, 1200, loss=loss, lr=early).verdict is YES
    assert ask(name, kind, 1, 1, 1200, loss=loss, lr=COSINE).verdict is NO
    assert ask(name, kind, 1, 1, 1200, loss=loss, lr=np.full(1200, 1e-3)).verdict is NO
    assert ask(name, Kind.OSCILLATION, 1, loss=loss, lr=early).verdict is UNKNOWN
    # Where the finding begins with a rate switched off, that is where the loss stopped.
    off = np.where(STEPS < 200, 1e-3, 0.0)
    halted = (1.2 + 1.1 * np.exp(-np.minimum(STEPS, 200) / 100)) * noise
    parts = {"measures": {"lr_step": 200.0}, "loss": halted, "lr": off}
    found = ask(name, kind, 200, 200, 1200, **parts)
    assert found.verdict is YES
    assert found.values["stopped"] == 200


def test_noise_falls_with_the_rate(ask) -> None:
    rng = np.random.default_rng(6)
    rate = np.where(STEPS < 700, 1e-2, 1e-4)
    loud = np.exp(rng.normal(0, np.where(STEPS < 700, 0.4, 0.05)))
    kind, name = Kind.OSCILLATION, "noise_falls_with_lr"
    assert ask(name, kind, 1, 1, 1200, loss=loud, lr=rate).verdict is YES
    even = np.exp(rng.normal(0, 0.2, 1200))
    assert ask(name, kind, 1, 1, 1200, loss=even, lr=rate).verdict is NO
    assert ask(name, kind, 1, 1, 1200, loss=loud, lr=np.full(1200, 1e-3)).verdict is UNKNOWN


def waves(ask, *parts: tuple[int, float], name: str = "lr_is_cyclic", period: float | None = None):
    """Ask about a rate of constant pieces and a loss that repeats every `period` steps."""
    lr = pieces(*parts)
    measures = {} if period is None else {"period": period}
    kind = Kind.PERIODIC_SPIKES
    parts = {"lr": lr, "loss": np.ones(lr.size), "measures": measures}
    return alike(ask, ("lr",), name, kind, 9, 9, lr.size, **parts)


HILL = ((20, 1.0), (20, 2.0))


@pytest.mark.parametrize(
    ("parts", "count", "period"),
    [
        ((*HILL, *HILL, *HILL, (20, 1.0)), 3, 40.0),
        ((*HILL, *HILL, *HILL), 3, 40.0),  # the last hill need not come down
        ((*HILL, *HILL, (20, 1.0)), None, None),
        ((*HILL, *HILL), None, None),
        # Tops at 20, 140 and 180: three times as far and shorter again; four times is no cycle.
        (((20, 1.0), (20, 2.0), (100, 1.0), (20, 2.0), (20, 1.0), (20, 2.0), (9, 1.0)), 3, 80.0),
        (((20, 1.0), (20, 2.0), (101, 1.0), (20, 2.0), (20, 1.0), (20, 2.0), (9, 1.0)), None, None),
        # ... unless the cycles only become longer.
        ((*HILL, *HILL, (200, 1.0), (20, 2.0), (9, 1.0)), 3, 130.0),
        # A dip counts that is deeper than half of the range.
        (((20, 1.0), (20, 2.0), (20, 1.4), (20, 2.0), (20, 1.4), (20, 2.0), (9, 1.0)), 3, 40.0),
        (((20, 1.0), (20, 2.0), (20, 1.5), (20, 2.0), (20, 1.5), (20, 2.0), (9, 1.0)), None, None),
    ],
)
def test_three_hills_are_a_cycle(ask, parts, count: int | None, period: float | None) -> None:
    found = waves(ask, *parts)
    assert found.verdict is (NO if count is None else YES)
    if count is not None:
        told = {"count": count, "period": period, "low": 1.0, "high": 2.0}
        assert found.values == told | {"name": "lr"}


def test_a_rate_that_stands_still_or_that_few_points_show_has_no_cycle(ask) -> None:
    assert waves(ask, (60, 1.0)).verdict is NO
    lacks = waves(ask, (59, 1.0))
    assert (lacks.verdict, lacks.missing) == (UNKNOWN, ())  # it is logged, if too short
    # Six points can hold three hills, five cannot; a period is asked of the loss alone.
    name, hill = "lr_period_matches", ((1, 1.0), (1, 2.0))
    assert waves(ask, *hill, *hill, *hill, name=name, period=2.0).verdict is YES
    assert waves(ask, (1, 2.0), *hill, *hill, name=name, period=2.0).verdict is NO


@pytest.mark.parametrize(
    ("period", "verdict"), [(36.3, NO), (36.4, YES), (40.0, YES), (44.4, YES), (44.5, NO)]
)
def test_periods_within_a_tenth(ask, period: float, verdict: Verdict) -> None:
    found = waves(ask, *HILL, *HILL, *HILL, name="lr_period_matches", period=period)
    assert (found.verdict, found.values) == (verdict, {"period": period, "cycle": 40.0})


def decayed(ask, ends: int, low: float = 0.05, middle: float = 1.0, **loss: float):
    """Ask about a loss of 2, that is at `middle` from step 201 and at 1 from 301 on."""
    parts = {"loss": pieces((200, 2.0), (100, middle), (100, 1.0))}
    parts["lr"] = pieces((10, 0.5), (ends - 11, 1.0), (401 - ends, low))
    name, kind = "lr_decayed_before_plateau", Kind.NON_CONVERGENCE
    return alike(ask, ("lr", "loss"), name, kind, 1, 1, 400, **parts)


@pytest.mark.parametrize(
    ("ends", "middle", "stopped", "verdict"),
    [
        # Blocks of ten points, 9.975 steps long: the loss stopped at 1 + 20 x 9.975.
        *((200, 1.0, 200, YES), (209, 1.0, 200, YES), (210, 1.0, 200, NO)),
        # Three per cent of the fall above the best is there.
        *((200, 1.03, 200, YES), (200, 1.04, 300, YES)),
    ],
)
def test_where_the_loss_stopped_and_the_schedule_ended(ask, ends, middle, stopped, verdict) -> None:
    found = decayed(ask, ends, middle=middle)
    assert found.verdict is verdict
    assert found.values == {"ended": ends, "stopped": stopped, "percent": 5.0}


def test_a_twentieth_of_the_peak_is_the_end_of_a_schedule(ask) -> None:
    found = decayed(ask, 150, low=0.051)
    assert (found.verdict, found.values) == (NO, {"percent": 5.1})
    late = decayed(ask, 300, low=0.01)
    assert (late.verdict, late.values["percent"]) == (NO, 1.0)
    assert decayed(ask, 150, low=0.01).values["percent"] == 5.0


def test_what_never_rose_or_fell_has_no_end(ask) -> None:
    name, kind = "lr_decayed_before_plateau", Kind.NON_CONVERGENCE
    flat = {"loss": np.ones(400), "lr": pieces((200, 1.0), (200, 0.01))}
    assert ask(name, kind, 1, 1, 400, **flat).verdict is UNKNOWN
    zero = {"loss": pieces((200, 2.0), (200, 1.0)), "lr": np.zeros(400)}
    assert ask(name, kind, 1, 1, 400, **zero).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("points", "low", "verdict"),
    [(166, 0.5, YES), (165, 0.5, UNKNOWN), (400, 0.5, YES), (400, 0.51, UNKNOWN)],
)
def test_noise_is_compared_where_the_rate_halves(ask, points: int, low: float, verdict) -> None:
    # Without the first tenth: 150 of 166 points.
    loud = int(0.65 * points)
    rng = np.random.default_rng(3)
    loss = np.exp(rng.normal(0, 1, points) * pieces((loud, 0.4), (points - loud, 0.02)))
    parts = {"loss": loss, "lr": pieces((loud, 1.0), (points - loud, low))}
    found = ask("noise_falls_with_lr", Kind.OSCILLATION, 1, 1, points, **parts)
    assert found.verdict is verdict


def test_a_single_restart_by_plan_is_told_as_a_cycle(ask, falling) -> None:
    cosine = 1e-3 * 0.5 * (1 + np.cos(np.pi * (np.arange(1000) % 500) / 500))
    parts = {"loss": falling, "lr": cosine, "measures": {"cyclic": 1.0}, "signal": "lr"}
    found = ask("lr_is_cyclic", Kind.LR_DISCONTINUITY, 501, form=Form.RESTART, **parts)
    assert found.verdict is YES
    assert "From step 501 on lr goes down from its top as it did before" in found.statement.en
    reset = ask("lr_is_cyclic", Kind.LR_DISCONTINUITY, 501, form=Form.RESET, **parts)
    assert reset.verdict is NO
