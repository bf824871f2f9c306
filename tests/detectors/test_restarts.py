"""What a restart did to the update norm and to the loss."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
import synth
from told import Told, assert_told

from spikedoc.detectors.restarts import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Piece, Restart, Run

AT = 600
RESTART = (Restart(AT + 1, AT, "new-file"),)


def update_run(update: np.ndarray) -> Run:
    return synth.run(synth.series(update, Metric.UPDATE_NORM), restarts=RESTART)


def calm(n: int = 1000) -> np.ndarray:
    return np.exp(synth.noise("gauss", n, 0.03, 0))


class TestColdOptimizer:
    @pytest.mark.parametrize("factor", [3.0, 4.36, 10.0])
    def test_a_jump_that_dies_away(self, factor: float) -> None:
        (found,) = detect(synth.cold_optimizer(AT, factor=factor).run)
        assert found.shape is Shape.DECAY_TAIL
        assert (found.first_step, found.last_step) == (AT + 1, AT + 11)
        assert found.measures["factor"] == pytest.approx(factor, rel=0.1)
        assert found.measures["late"] < 0.6 * factor

    def test_a_jump_that_stays_is_another_thing(self) -> None:
        update = calm()
        update[AT:] *= 4.36
        assert detect(update_run(update)) == ()

    def test_a_small_jump_is_none(self) -> None:
        update = calm()
        update[AT:] *= 1.0 + 0.8 * 0.75 ** np.arange(400)
        assert detect(update_run(update)) == ()

    def test_a_jump_within_ordinary_scatter_is_none(self) -> None:
        update = np.exp(synth.noise("gauss", 1000, 1.0, 1))
        update[AT] = 3.0
        update[AT + 1 : AT + 12] = 1.0
        assert detect(update_run(update)) == ()

    def test_a_jump_without_a_restart_is_none(self) -> None:
        run = synth.cold_optimizer(AT).run
        assert detect(synth.run(*run.series)) == ()

    @pytest.mark.parametrize("n", [AT + 4, AT + 8])
    def test_too_little_after_it_to_see_it_die(self, n: int) -> None:
        update = calm(n)
        update[AT:] *= 4.0
        assert detect(update_run(update)) == ()

    def test_a_norm_of_zero_before_has_no_factor(self) -> None:
        update = calm()
        update[:AT] = 0.0
        assert detect(update_run(update)) == ()


class TestLossJump:
    @pytest.mark.parametrize("factor", [1.6, 2.5])
    def test_a_higher_loss_than_before(self, factor: float) -> None:
        (found,) = detect(synth.resume_jump(factor=factor).run)
        assert (found.shape, found.signal, found.first_step) == (Shape.JUMP, "loss", 26)
        assert found.measures["factor"] == pytest.approx(factor, rel=0.2)

    @pytest.mark.parametrize("factor", [0.5, 1.0, 1.1])
    def test_a_lower_or_hardly_higher_one_is_none(self, factor: float) -> None:
        assert detect(synth.resume_jump(factor=factor).run) == ()

    def test_nan_around_it_is_left_out(self) -> None:
        values = np.array(synth.resume_jump().run.series[0].values)
        values[[20, 27]] = np.nan
        run = synth.run(synth.series(values), restarts=(Restart(26, 25, "new-file"),))
        assert len(detect(run)) == 1

    @pytest.mark.parametrize("spoilt", [slice(0, 25), slice(25, 50)])
    def test_zeros_have_no_ratio(self, spoilt: slice) -> None:
        values = np.array(synth.resume_jump().run.series[0].values)
        values[spoilt] = 0.0
        run = synth.run(synth.series(values), restarts=(Restart(26, 25, "new-file"),))
        assert detect(run) == ()

    def test_each_restart_has_its_own(self) -> None:
        values = synth.curve("fine-tune", 90, sigma=0.02)
        values[30:] *= 1.5
        values[60:] *= 1.5
        restarts = (Restart(31, 30, "new-file"), Restart(61, 60, "new-file"))
        found = detect(synth.run(synth.series(values), restarts=restarts))
        assert [d.first_step for d in found] == [31, 61]


def test_restarts_without_series_are_silent() -> None:
    assert detect(synth.run(restarts=RESTART)) == ()


def test_steps_written_again_on_another_scale() -> None:
    loss = synth.series(np.array([2.0, 1.5, 1.25, 1.0]))
    piece = Piece("a.log", "a.log", rewritten=3, changed=3, ratio=4.0)
    again = synth.run(loss, restarts=(Restart(1, 3, "rewound", piece),))
    (found,) = detect(again)
    assert (found.shape, found.first_step, found.last_step) == (Shape.RESCALED, 1, 3)
    assert found.measures == {"ratio": 4.0, "inverse": 0.25, "points": 3.0, "written_to": 3.0}
    plain = Piece("a.log", "a.log", rewritten=3, changed=3)
    assert detect(synth.run(loss, restarts=(Restart(1, 3, "rewound", plain),))) == ()


def plain_around(values: list[float], step: int) -> tuple[list[float], list[float]] | None:
    """The finite ones of twenty values before the step, and all from it on: five of each."""
    before = [v for v in values[max(0, step - 21) : step - 1] if math.isfinite(v)]
    after = [v for v in values[step - 1 :] if math.isfinite(v)]
    return (before, after) if min(len(before), len(after)) >= 5 else None


def plain_cold(values: list[float], step: int) -> list[Told]:
    parts = plain_around(values, step)
    if parts is None or len(parts[1]) < 10 or naive.median(parts[0]) <= 0:
        return []
    before, after = parts
    usual = naive.median(before)
    factor, late = after[0] / usual, naive.median(after[5:10]) / usual
    spread = naive.scatter([math.log(v) for v in before if v > 0])
    if factor < 2.5 or math.log(factor) < 6.0 * spread or late > max(1.0, 0.6 * factor):
        return []
    measures = {"before": usual, "peak": after[0], "factor": factor, "late": late}
    last = min(len(values), step + 10)
    return [Told(Shape.DECAY_TAIL, (step, step, last), measures)]


def plain_jump(values: list[float], step: int) -> list[Told]:
    parts = plain_around(values, step)
    if parts is None or len(parts[1]) < 10 or min(*parts[0], *parts[1]) <= 0:
        return []
    before, after = parts[0], parts[1][:10]
    logs = [math.log(v) for v in before]
    rise = naive.median([math.log(v) for v in after]) - naive.median(logs)
    error = naive.scatter(logs) * (1 / len(before) + 1 / 10) ** 0.5 * 1.2533
    if rise < max(math.log(1.2), 4.0 * error):
        return []
    measures = {
        "before": naive.median(before),
        "after": naive.median(after),
        "factor": math.exp(rise),
    }
    return [Told(Shape.JUMP, (step, step, min(len(values), step + 10)), measures)]


@pytest.mark.parametrize("block", range(10))
def test_restarts_are_told_of_as_the_definition_says(block: int) -> None:
    for seed in range(60 * block, 60 * block + 60):
        rng = np.random.default_rng(seed)
        n, at = int(rng.choice([12, 16, 20, 60])), int(rng.choice([4, 5, 6, 21, 30]))
        noise = float(rng.choice([0.0, 0.05, 0.2]))
        update, loss = np.exp(noise * rng.normal(size=(2, n)))
        update[at:] *= float(rng.choice([0.5, 1.0, 1.5, 2.0]))
        if at < n:
            update[at] = float(rng.choice([2.4, 2.5, 2.6, 5.0]))
        loss[at:] *= float(rng.choice([1.19, 1.21, 1.4, 2.0]))
        if seed % 4 == 0:
            update[int(rng.integers(0, n))] = float(rng.choice([np.nan, 0.0]))
            loss[int(rng.integers(0, n))] = float(rng.choice([np.nan, 0.0, -1.0]))
        run = synth.run(
            synth.series(update, Metric.UPDATE_NORM),
            synth.series(loss),
            restarts=(Restart(at + 1, at, "new-file"),),
        )
        expected = plain_cold(update.tolist(), at + 1) + plain_jump(loss.tolist(), at + 1)
        assert_told(detect(run), expected)


@pytest.mark.parametrize(
    ("level", "told"), [(1.2, 1), (float(np.nextafter(1.2, 1.0)), 0), (1.19, 0)]
)
def test_a_loss_up_by_exactly_a_fifth(level: float, told: int) -> None:
    values = np.where(np.arange(60) < 30, 1.0, level)
    run = synth.run(synth.series(values), restarts=(Restart(31, 30, "new-file"),))
    assert len(detect(run)) == told


@pytest.mark.parametrize(
    ("first", "late", "told"), [(2.5, 1.5, 1), (2.499, 1.0, 0), (2.5, 1.501, 0), (4.0, 2.4, 1)]
)
def test_an_update_up_to_two_and_a_half_that_dies_away(
    first: float, late: float, told: int
) -> None:
    """After five points it is at three fifths of the jump and less."""
    values = np.ones(60)
    values[30:35], values[35:40] = first, late
    run = synth.run(
        synth.series(values, Metric.UPDATE_NORM), restarts=(Restart(31, 30, "new-file"),)
    )
    assert len(detect(run)) == told
