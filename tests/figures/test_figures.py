"""Figures against values computed by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import spikedoc.figures
from spikedoc.figures.base import Figure
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Checkpoint, Restart, Run, Series
from spikedoc.plugins import discover

FIGURES: dict[str, Figure] = {
    figure.name: figure
    for figures in discover(spikedoc.figures, "FIGURES").values()
    for figure in figures
}
N = 1000


def series(metric: Metric, values: Any, times: bool = False, name: str = "") -> Series:
    data = np.array(values, dtype=np.float64)
    steps = np.arange(1, data.size + 1)
    clock = 1e9 + 36.0 * steps if times else None
    return Series(metric, name or metric.value, name or metric.value, steps, data, clock)


def run(*parts: Series, checkpoints: tuple[Checkpoint, ...] = (), **config: Any) -> Run:
    return Run("made", "made", parts, (), config, checkpoints)


def figure(name: str, of: Run, start: int = 600, peak: int | None = None, **more: Any) -> Any:
    kind = more.pop("kind", Kind.SLOW_RECOVERY)
    top = start if peak is None else peak
    end = more.pop("end", top)
    anomaly = Anomaly(kind, Severity.WARNING, 0.9, "loss", start, top, end, None, more)
    return FIGURES[name].compute(of, anomaly)


def loss_with_peak(height: float = 8.0) -> np.ndarray:
    loss = np.full(N, 0.5)
    loss[599] = height
    return loss


def test_timing() -> None:
    made = run(series(Metric.LOSS, loss_with_peak(), times=True))
    names = ("onset_step", "peak_step", "end_step")
    assert [figure(name, made, 600, 601, end=640) for name in names] == [600, 601, 640]
    assert figure("replay_first", made) == 598
    assert figure("replay_last", made, 600, 601) == 603
    assert figure("last_good_step", made) == 599
    # 5 % of 999 steps is 50.
    assert figure("rollback_step", made) == 549
    assert figure("wasted_steps", made) == 451
    assert figure("wasted_hours", made) == pytest.approx(451 * 36 / 3600)
    assert figure("rollback_checkpoint", made) is None
    assert figure("ramp_lead_steps", made) is None


def test_a_gradient_ramp_moves_the_way_back() -> None:
    grad = np.ones(N)
    grad[589:600] = 2.0 ** np.arange(11)
    made = run(series(Metric.LOSS, loss_with_peak()), series(Metric.GRAD_NORM, grad))
    assert figure("ramp_lead_steps", made) == 10
    assert figure("last_good_step", made) == 589


def test_checkpoint_before_the_first_sign() -> None:
    saved = (Checkpoint(500, "500.pt"), Checkpoint(600, "600.pt"), Checkpoint(None, "last.pt"))
    made = run(series(Metric.LOSS, loss_with_peak()), checkpoints=saved)
    assert figure("rollback_step", made) == 500
    assert figure("rollback_checkpoint", made) == "500.pt"


def test_loss() -> None:
    made = run(series(Metric.LOSS, loss_with_peak()), batch_size=32)
    assert figure("loss_before", made) == 0.5
    assert figure("loss_peak", made) == 8.0
    assert figure("jump_factor", made) == 16.0
    # (8 - .5) x 32 + .5
    assert figure("implied_sample_loss", made) == pytest.approx(240, rel=0.01)
    assert figure("first_loss", made) == 0.5
    assert figure("level_now", made) == 0.5
    noisy = np.exp(np.random.default_rng(1).normal(0, 0.2, N))
    assert figure("noise_percent", run(series(Metric.LOSS, noisy))) == pytest.approx(22, abs=3)
    assert figure("implied_sample_loss", run(series(Metric.LOSS, loss_with_peak()))) is None


def test_gradient() -> None:
    grad = np.linspace(0.5, 1.5, N)
    grad[599] = 40.0
    made = run(
        series(Metric.LOSS, loss_with_peak()),
        series(Metric.GRAD_NORM, grad),
        series(Metric.UPDATE_NORM, np.where(np.arange(N) == 599, 0.6, 0.1)),
        clip=1.0,
        num_parameters=10_000,
    )
    assert figure("clip_now", made) == 1
    # P99 of the 500 values before step 600: grad at steps 99 to 598, .599 to 1.099.
    assert figure("clip_p99", made) == pytest.approx(1.1, abs=0.01)
    assert figure("grad_median", made) == pytest.approx(0.849, abs=0.002)
    assert figure("grad_peak", made) == 40.0
    assert figure("grad_factor", made) == pytest.approx(37, abs=1.5)
    assert figure("update_factor", made) == 6.0
    assert figure("share_clipped", made) == pytest.approx(50, abs=1)
    assert figure("grad_rms", made) == pytest.approx(0.0085, abs=1e-4)
    assert figure("clip_now", run(clip=0.0)) is None


@pytest.mark.parametrize("sigma", [0.1, 0.3])
@pytest.mark.parametrize("shape", ["flat", "falling", "high at first"])
def test_the_clip_value_is_the_p99_at_the_end_of_the_healthy_part(sigma: float, shape: str) -> None:
    """Against the true percentile of log-normal noise around a known level; P99 = e^(2.326 s)."""
    t = np.arange(N)
    level = {
        "flat": np.ones(N),
        "falling": 3 * np.exp(-t / 400.0),
        "high at first": 1 + 20 * np.exp(-t / 30.0),
    }[shape]
    found = []
    for seed in range(15):
        grad = level * np.exp(sigma * np.random.default_rng(seed).standard_normal(N))
        grad[800:] = 100.0  # the anomaly itself must not count
        grad[[300, 500, 700]] = 50.0  # nor must outliers before it
        made = run(series(Metric.LOSS, np.ones(N)), series(Metric.GRAD_NORM, grad))
        found.append(figure("clip_p99", made, 801) / (level[799] * math.exp(2.326 * sigma)))
    assert np.median(found) == pytest.approx(1.0, abs=0.1)
    assert 0.7 < min(found) <= max(found) < 1.4


def test_the_clip_value_says_where_it_comes_from() -> None:
    grad = np.exp(0.1 * np.random.default_rng(0).standard_normal(N))
    grad[450] = np.nan
    made = run(series(Metric.LOSS, loss_with_peak()), series(Metric.GRAD_NORM, grad))
    assert figure("clip_last_step", made, 600) == 599
    assert figure("clip_points", made, 600) == 500
    assert figure("clip_first_step", made, 600) == 99  # 501 steps back: one value is missing
    # A sign that another signal gave earlier ends the healthy part.
    assert figure("clip_last_step", made, 600, first_sign=401.0) == 400


@pytest.mark.parametrize("points", [20, 99])
def test_no_clip_value_from_a_handful_of_points(points: int) -> None:
    grad = np.exp(0.1 * np.random.default_rng(0).standard_normal(N))
    made = run(series(Metric.LOSS, loss_with_peak()), series(Metric.GRAD_NORM, grad))
    for name in ("clip_p99", "clip_points", "clip_first_step", "clip_last_step"):
        assert figure(name, made, points + 1) is None
        assert figure(name, made, 101) is not None
    assert figure("grad_median", made, 21) == pytest.approx(1.0, abs=0.1)


def test_no_clip_value_from_norms_logged_after_clipping() -> None:
    grad = np.minimum(np.exp(0.3 * np.random.default_rng(0).standard_normal(N)), 1.5)
    made = run(series(Metric.LOSS, loss_with_peak()), series(Metric.GRAD_NORM, grad))
    assert figure("clip_p99", made) is None
    # A constant norm is no ceiling: everything would be at it.
    even = run(series(Metric.LOSS, loss_with_peak()), series(Metric.GRAD_NORM, np.ones(N)))
    assert figure("clip_p99", even) == 1.0


@pytest.mark.parametrize("kind", [Kind.GRADIENT_VANISHING, Kind.NON_CONVERGENCE])
def test_no_clip_value_from_a_gradient_that_died_away(kind: Kind) -> None:
    """A threshold of that size would keep the next run where this one was lost."""
    dying = np.exp(-np.arange(N) / 50.0) + 1e-7
    made = run(series(Metric.LOSS, np.full(N, 1.5)), series(Metric.GRAD_NORM, dying))
    for name in ("clip_p99", "clip_first_step", "clip_last_step", "clip_points"):
        assert figure(name, made, 900, kind=kind) is None
    falling = run(series(Metric.LOSS, np.full(N, 1.5)), series(Metric.GRAD_NORM, dying**0.2))
    assert figure("clip_p99", falling, 900, kind=kind) is not None


def test_a_pattern_has_no_part_before_it() -> None:
    grad = np.exp(0.1 * np.random.default_rng(0).standard_normal(N))
    made = run(series(Metric.LOSS, loss_with_peak()), series(Metric.GRAD_NORM, grad))
    assert figure("clip_last_step", made, 5, kind=Kind.PERIODIC_SPIKES) == N
    assert figure("clip_last_step", made, 5, kind=Kind.SLOW_RECOVERY) is None


@pytest.mark.parametrize(("norm", "near"), [(3e-5, True), (3e-4, False)])
def test_eps_matters_only_near_the_gradient_rms(norm: float, near: bool) -> None:
    grad = np.full(N, norm)  # RMS 3e-7 or 3e-6 over 10,000 parameters; 30 eps is 3e-7
    made = run(
        series(Metric.LOSS, loss_with_peak()),
        series(Metric.GRAD_NORM, 0.9 * grad),
        eps=1e-8,
        num_parameters=10_000,
    )
    assert (figure("rms_near_eps", made) is not None) is near
    assert figure("rms_near_eps", run(*made.series, eps=1e-8)) is None
    assert figure("rms_near_eps", run(*made.series, num_parameters=10_000)) is None


def test_time_counts_training_only() -> None:
    steps = np.arange(1, N + 1)
    clock = 1e9 + 2.0 * steps
    clock[700:] += 86_400  # a day between the stop after step 700 and the restart
    loss = Series(Metric.LOSS, "loss", "loss", steps, loss_with_peak(), clock)
    restart = Restart(701, 700, "new-file")
    made = Run("made", "made", (loss,), (restart,))
    assert figure("hours_after", made, 600) == pytest.approx(2.0 * 399 / 3600)
    assert figure("steps_after", made, 600) == 400
    # Without a clock, the logged seconds per step; without their unit, nothing.
    bare = series(Metric.LOSS, loss_with_peak())
    for tag, hours in (("step_time (s)", 3.0 * 400 / 3600), ("dt", None), ("iter time ms", None)):
        pace = Series(Metric.STEP_TIME, "step_time", tag, steps, np.full(N, 3.0))
        found = figure("hours_after", run(bare, pace), 600)
        assert found == (None if hours is None else pytest.approx(hours))
    assert figure("hours_after", run(bare)) is None


def test_schedule() -> None:
    rate = np.where(np.arange(N) < 589, 1e-3, 4e-3)
    made = run(series(Metric.LOSS, loss_with_peak()), series(Metric.LR, rate))
    assert figure("lr_at_onset", made) == 4e-3
    assert figure("lr_peak", made) == 4e-3
    assert (figure("lr_before_jump", made), figure("lr_after_jump", made)) == (1e-3, 4e-3)
    assert figure("lr_factor", made) == 4.0
    # Where the schedule jumped, advice names the rate it had before.
    assert figure("lr_reduced", made) == 1e-3
    assert figure("rewarm_start", made) == 1e-4
    assert figure("rewarm_steps", made) == 50
    assert figure("rewarm_steps", run(total_steps=100_000)) == 500
    assert figure("lr_peak", run(lr=0.1)) == 0.1
    assert figure("lr_factor", run(series(Metric.LR, np.full(N, 1e-3)))) is None


@pytest.mark.parametrize(
    ("before", "after", "factor"), [(1e150, 5e-324, 0.0), (5e-324, 1e150, None)]
)
def test_a_rate_that_jumps_beyond_all_quotients(
    before: float, after: float, factor: float | None
) -> None:
    rate = np.where(np.arange(N) < 589, before, after)
    made = run(series(Metric.LOSS, loss_with_peak()), series(Metric.LR, rate))
    assert (figure("lr_before_jump", made), figure("lr_after_jump", made)) == (before, after)
    assert figure("lr_factor", made) == factor


def test_the_clearest_event_of_a_pattern_is_replayed() -> None:
    made = run(series(Metric.LOSS, loss_with_peak()))
    assert figure("replay_first", made, 400, 660, kind=Kind.PERIODIC_SPIKES) == 658
    assert figure("replay_last", made, 400, 660, kind=Kind.PERIODIC_SPIKES) == 662
    assert figure("replay_first", made, 400, 660) == 398


def test_a_slow_rise_is_replayed_from_its_beginning_for_200_steps() -> None:
    made = run(series(Metric.LOSS, loss_with_peak()))
    assert figure("replay_last", made, 400, 597) == 599
    assert figure("replay_last", made, 400, 599) == 600
    assert figure("replay_last", made, 400, 900) == 600


def test_advice_does_not_start_from_the_end_of_a_schedule() -> None:
    """A cosine that ended near 0 leaps back to its peak, and the loss follows 30 steps later.

    The rate of the step to go back to is the most to start with, and a hundredth of the peak the
    least.
    """
    rate = np.where(np.arange(N) < 569, 6e-8, 0.025)
    rate[:100] = 0.02
    made = run(series(Metric.LOSS, loss_with_peak()), series(Metric.LR, rate))
    for start, peak in ((570, 570), (600, 640)):
        assert figure("lr_at_onset", made, start, peak) == 0.025
        assert figure("lr_reduced", made, start, peak) == pytest.approx(0.00025)
        assert figure("rewarm_start", made, start, peak) == pytest.approx(0.000025)
    rate[100:560] = 0.001
    still = run(series(Metric.LOSS, loss_with_peak()), series(Metric.LR, rate))
    assert figure("lr_reduced", still, 590, 640) == pytest.approx(1e-3)
    # The facts stay what they are.
    assert figure("lr_before_jump", made, 570) == 6e-8


def test_the_rate_in_force_is_the_highest_until_the_loss_reacted() -> None:
    rate = np.full(N, 1e-3)
    rate[589:609] = np.linspace(1e-3, 1.2e-3, 20)  # no step of 1.3 times: no jump
    made = run(series(Metric.LOSS, loss_with_peak()), series(Metric.LR, rate))
    assert figure("lr_at_onset", made, 590, 609) == 1.2e-3
    assert figure("lr_at_onset", made, 590, 590) == 1e-3
    # A divergence that peaks far later is not the doing of what the schedule does there.
    rate[700:] = 1.0
    late = run(series(Metric.LOSS, loss_with_peak()), series(Metric.LR, rate))
    assert figure("lr_at_onset", late, 590, 900) == 1.2e-3


def test_a_warm_up_from_nothing_and_a_decay_to_nothing() -> None:
    up = np.minimum(np.arange(N) / 500 * 1e-3, 1e-3)
    made = run(series(Metric.LOSS, loss_with_peak()), series(Metric.LR, up))
    # At steps 2 to 3 the rate is 2e-6 to 4e-6, below one hundredth of the peak.
    assert figure("lr_reduced", made, 2, 3) == 3e-6
    assert figure("lr_reduced", made, 2, 3, kind=Kind.DIVERGENCE) == 1e-6
    down = run(series(Metric.LOSS, loss_with_peak()), series(Metric.LR, up[::-1] + 1e-9))
    assert figure("lr_reduced", down, 999, 1000) == pytest.approx(6e-7, rel=0.01)


def test_adam() -> None:
    made = run(beta1=0.9, beta2=0.999, eps=1e-8)
    assert figure("beta1_memory", made) == 10
    assert figure("beta2_memory", made) == 1000
    # (1 - .9) / sqrt(1 - .999) = 3.16; usual step sqrt(.1 / 1.9) = .229; ratio 13.8.
    assert figure("adam_bound", made) == pytest.approx(3.16)
    assert figure("adam_amplification", made) == pytest.approx(13.8)
    assert figure("eps", made) == 1e-8
    low = run(beta1=0.9, beta2=0.95)
    assert figure("adam_bound", low) == pytest.approx(0.447)
    assert figure("adam_amplification", low) == pytest.approx(1.95, abs=0.01)
    assert figure("adam_bound", run(beta1=0.9)) is None


def test_epochs_of_next_to_no_step_are_not_counted() -> None:
    made = run(series(Metric.LOSS, loss_with_peak()), steps_per_epoch=5e-324)
    assert figure("epoch_of_onset", made) is None
    assert figure("epoch_of_onset", run(steps_per_epoch=0.5)) == 1200


def test_epochs() -> None:
    val = Series(Metric.VAL_LOSS, "val_loss", "v", np.arange(50, 1001, 50), np.ones(20))
    made = run(series(Metric.LOSS, loss_with_peak()), val, steps_per_epoch=80)
    assert figure("steps_per_epoch", made) == 80
    assert figure("epoch_of_onset", made) == 7
    assert figure("phase_step", made) == 40
    assert figure("phase_step", made, phase_step=12.0) == 12
    assert figure("period_steps", made, period=79.8) == 80
    assert figure("eval_interval", made) == 50
    assert figure("period_steps", made) is None


def test_setup() -> None:
    made = run(batch_size=32, accumulation=2, num_classes=10, label_smoothing=0.1)
    assert figure("batch_larger", made) == 128
    assert figure("accumulation_larger", made) == 8
    assert figure("chance_loss", made) == pytest.approx(2.303)
    assert figure("double_softmax_floor", made) == pytest.approx(1.461)
    assert figure("smoothing_floor", made) == pytest.approx(0.500, abs=1e-3)
    assert figure("smoothing_floor", run(num_classes=10)) is None
    assert figure("chance_loss", run()) is None
    terms = [series(Metric.LOSS_COMPONENT, [1.0] * 9, name=name) for name in ("cls", "box")]
    assert figure("chance_loss", run(*terms, num_classes=80)) is None


def test_numerics() -> None:
    loss, grad = np.ones(N), np.ones(N)
    loss[604:], grad[599:] = np.nan, np.inf
    scale = np.full(N, 4096.0)
    scale[594:604] = 4096.0 * 0.5 ** np.arange(1, 11)
    scale[604:] = 4.0
    made = run(
        series(Metric.LOSS, loss), series(Metric.GRAD_NORM, grad), series(Metric.LOSS_SCALE, scale)
    )
    kind = Kind.NONFINITE
    assert figure("first_nonfinite_step", made, 605, kind=kind) == 600
    assert figure("last_finite_step", made, 605, kind=kind) == 599
    assert figure("nonfinite_order", made, 605, kind=kind) == "grad_norm → loss"
    assert figure("halvings", made, 605, kind=kind) == 10
    assert figure("loss_scale_before", made, 605, kind=kind) == 4096
    assert figure("loss_scale_cap", made, 605, kind=kind) == 1024.0
    assert figure("loss_scale_last", made, 605, kind=kind) == 4
    grad[:] = 1.0
    grad[604:] = np.nan
    same = run(series(Metric.LOSS, loss), series(Metric.GRAD_NORM, grad))
    assert figure("nonfinite_order", same, 605, kind=kind) == "loss + grad_norm"
    assert figure("first_nonfinite_step", run(series(Metric.LOSS, np.ones(N)))) is None


def test_validation() -> None:
    values = np.array([2.0, 1.0, 0.7, 0.9, 1.4])
    val = Series(Metric.VAL_LOSS, "val_loss", "v", np.array([100, 200, 300, 400, 500]), values)
    saved = (Checkpoint(100, "a"), Checkpoint(320, "b"), Checkpoint(500, "c"))
    made = run(val, checkpoints=saved)
    assert figure("best_val_step", made) == 300
    assert figure("best_val_loss", made) == 0.7
    assert figure("best_checkpoint", made) == "b"
    assert figure("best_checkpoint", run(val)) is None


def test_rank_and_component() -> None:
    quiet = np.ones(N)
    loud = quiet.copy()
    loud[599] = 30.0
    parts = [
        Series(
            Metric.GRAD_NORM, f"r{rank}", f"r{rank}", np.arange(1, N + 1), data.copy(), None, rank
        )
        for rank, data in ((0, quiet), (3, loud))
    ]
    assert figure("rank_id", run(*parts)) == 3
    assert figure("rank_id", run(parts[0])) is None
    swing = np.random.default_rng(2).normal(0, 1, N)
    made = run(
        series(Metric.LOSS, 1 + swing),
        series(Metric.LOSS_COMPONENT, np.ones(N), name="main"),
        series(Metric.LOSS_COMPONENT, swing, name="aux"),
    )
    assert figure("component_name", made) == "aux"
    assert figure("component_name", run(series(Metric.LOSS, swing))) is None


def test_steps_of_the_anomaly_do_not_need_a_log() -> None:
    assert figure("onset_step", run()) == 600
    assert math.isclose(figure("replay_first", run()), 598, abs_tol=2)


def test_what_collapsed_is_named_with_its_levels() -> None:
    flat = run(series(Metric.LOSS, np.ones(N)))
    kind = Kind.DIVERSITY_COLLAPSE
    assert figure("variety_name", flat, kind=kind) == "loss"
    assert figure("variety_before", flat, kind=kind, before=523.4) == 523.0
    assert figure("variety_after", flat, kind=kind, number_after=1.2345) == 1.23
    assert figure("variety_after", flat, kind=kind) is None
    assert figure("variety_before", flat, before=5.0) is None
    assert figure("variety_name", flat) is None
