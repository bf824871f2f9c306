"""What a restart did to the update norm and to the loss."""

from __future__ import annotations

import numpy as np
import pytest
import synth

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
