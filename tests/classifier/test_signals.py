"""Findings in the other signals, from what was seen in them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synth

from spikedoc.classifier.context import Context, build
from spikedoc.classifier.signals import (
    label_clipping,
    label_components,
    label_first_loss,
    label_loss_scale,
    label_lr,
    label_ranks,
    label_restarts,
)
from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series

N = 1000
LOSS = synth.series(synth.curve(n=N))
REWARD = synth.series(np.ones(10), Metric.REWARD)


def series(metric: Metric, values: np.ndarray | None = None, rank: int | None = None,
           name: str = "") -> Series:  # fmt: skip
    given = np.ones(N) if values is None else values
    return synth.series(given, metric, rank=rank, name=name)


def detection(shape: Shape, signal: str, step: int = 500, **measures: float) -> Detection:
    return Detection("any", shape, signal, step, step, N, measures)


def context(*found: Detection, extra: tuple[Series, ...] = ()) -> Context:
    return build(synth.run(LOSS, *extra), found)


class TestLr:
    LR = (series(Metric.LR),)

    def jump(self, step: int = 500, **changes: float) -> Detection:
        measures = {
            "before": 1e-4, "after": 1e-3, "factor": 10.0, "reverted": 0.0, "at_start_value": 0.0,
            "at_peak_value": 0.0, "at_restart": 0.0, "cyclic": 0.0, "above_all_before": 0.0,
        } | changes  # fmt: skip
        return detection(Shape.JUMP, "lr", step, **measures)

    @pytest.mark.parametrize(
        ("changes", "form"),
        [
            ({}, Form.JUMP),
            ({"above_all_before": 1.0}, Form.JUMP),
            ({"at_restart": 1.0}, Form.RESET),
            ({"at_start_value": 1.0}, Form.RESET),
            ({"at_peak_value": 1.0}, Form.RESET),
        ],
    )
    def test_forms(self, changes: dict[str, float], form: Form) -> None:
        (found,) = label_lr(context(self.jump(**changes), extra=self.LR))
        assert (found.form, found.severity) == (form, Severity.WARNING)

    @pytest.mark.parametrize(("fall", "form"), [(0.76, Form.JUMP), (0.78, Form.RESET)])
    def test_a_rate_that_decays_again_was_not_set_back(self, fall: float, form: Form) -> None:
        rate = np.ones(N)
        rate[699:] = fall
        jump = replace(self.jump(at_peak_value=1.0, reverted=1.0), last_step=700)
        (found,) = label_lr(context(jump, extra=(series(Metric.LR, rate),)))
        assert found.form is form

    def test_a_comeback_is_a_mismatch(self) -> None:
        seen = detection(Shape.JUMP, "lr", before=1e-5, after=1e-3, comeback=1.0)
        (found,) = label_lr(context(seen, extra=self.LR))
        assert found.form is Form.MISMATCH

    def test_a_cycle_is_said_once(self) -> None:
        jumps = [self.jump(step, cyclic=1.0) for step in (250, 500, 750)]
        (found,) = label_lr(context(*jumps, extra=self.LR))
        assert (found.form, found.severity, found.start_step) == (
            Form.RESTART, Severity.INFO, 250,
        )  # fmt: skip

    def test_jumps_of_other_signals_are_not_its(self) -> None:
        loss_jump = detection(Shape.JUMP, "loss")
        assert label_lr(context(loss_jump, extra=self.LR)) == []
        assert label_lr(context(loss_jump)) == []


@pytest.mark.parametrize(
    ("measures", "form", "severity"),
    [
        ({"floor": 1.0, "chain": 1.0}, Form.FLOOR, Severity.CRITICAL),
        ({"floor": 1.0, "chain": 0.0}, Form.FLOOR, Severity.CRITICAL),
        ({"floor": 0.0, "chain": 1.0}, Form.CHAIN, Severity.WARNING),
        ({"floor": 0.0, "chain": 0.0}, Form.STAIRCASE, Severity.WARNING),
    ],
)
def test_loss_scales(measures: dict[str, float], form: Form, severity: Severity) -> None:
    (found,) = label_loss_scale(context(detection(Shape.HALVINGS, "loss_scale", **measures)))
    assert (found.form, found.severity) == (form, severity)


def test_restarts_show_in_update_norm_and_loss() -> None:
    found = label_restarts(
        context(
            detection(Shape.DECAY_TAIL, "update_norm", factor=4.4),
            detection(Shape.JUMP, "loss", factor=1.5),
            detection(Shape.RESCALED, "loss", ratio=5.0),
            detection(Shape.JUMP, "lr"),
        )
    )
    kinds = [Kind.UPDATE_SPIKE, Kind.RESUME_DISCONTINUITY, Kind.RESUME_DISCONTINUITY]
    assert [a.kind for a in found] == kinds


class TestRanks:
    def seen(self, count: int, factor: float = 20.0) -> tuple[list[Detection], tuple[Series, ...]]:
        names = [f"grad_norm-rank{r}" for r in range(count)]
        found = [
            detection(Shape.OUTLIER, name, 100 + r, factor=factor + r, rank=float(r))
            for r, name in enumerate(names)
        ]
        return found, tuple(
            series(Metric.GRAD_NORM, rank=r, name=name) for r, name in enumerate(names)
        )

    def test_the_strongest_come_first_and_are_few(self) -> None:
        found, ranks = self.seen(15)
        labelled = label_ranks(context(*found, extra=ranks))
        assert len(labelled) == 10
        assert [a.measures["rank"] for a in labelled] == list(range(14, 4, -1))

    def test_less_than_fivefold_is_not_named(self) -> None:
        found, ranks = self.seen(1, factor=4.0)
        assert label_ranks(context(*found, extra=ranks)) == []

    def test_a_loss_term_is_no_rank(self) -> None:
        term = detection(Shape.OUTLIER, "loss_component:aux", share=0.95)
        extra = (series(Metric.LOSS_COMPONENT, name="loss_component:aux"),)
        assert label_ranks(context(term, extra=extra)) == []
        (found,) = label_components(context(term, extra=extra))
        assert (found.kind, found.severity) == (Kind.COMPONENT_DOMINATES, Severity.INFO)

    @pytest.mark.parametrize(
        ("ratio", "late_tau", "relative", "severity"),
        [
            (1.5, 0.0, 3.0, Severity.WARNING),
            (0.8, 0.0, 3.0, Severity.INFO),  # less than what was learned
            (1.5, -0.6, 3.0, Severity.INFO),  # still falling
            (1.5, 0.0, 0.6, Severity.INFO),  # the term has a level of its own
        ],
    )
    def test_a_term_whose_noise_drowns_the_learning_is_an_alarm(
        self, ratio: float, late_tau: float, relative: float, severity: Severity
    ) -> None:
        term = detection(Shape.OUTLIER, "loss_component:aux", share=0.95, relative_noise=relative)
        noise = detection(Shape.NOISE, LOSS.name, ratio=ratio, late_tau=late_tau)
        extra = (series(Metric.LOSS_COMPONENT, name="loss_component:aux"),)
        (found,) = label_components(context(term, noise, extra=extra))
        assert found.severity is severity

    def test_a_rank_is_no_loss_term(self) -> None:
        found, ranks = self.seen(1)
        assert label_components(context(*found, extra=ranks)) == []


@pytest.mark.parametrize(
    ("saturated", "kind"), [(1.0, Kind.CLIP_SATURATED), (0.0, Kind.CLIP_INACTIVE)]
)
def test_clipping_is_worth_knowing(saturated: float, kind: Kind) -> None:
    (found,) = label_clipping(context(detection(Shape.CEILING, "grad_norm", saturated=saturated)))
    assert (found.kind, found.severity) == (kind, Severity.INFO)


@pytest.mark.parametrize(
    ("ratio", "form", "severity"),
    [
        (2.5, Form.ABOVE, Severity.INFO),
        (3.0, Form.ABOVE, Severity.WARNING),  # no usual initialisation starts there
        (0.2, Form.BELOW, Severity.INFO),
    ],
)
def test_first_losses(ratio: float, form: Form, severity: Severity) -> None:
    seen = detection(Shape.START_OFF, "loss", 1, ratio=ratio)
    (found,) = label_first_loss(context(seen))
    assert (found.form, found.severity) == (form, severity)
    assert label_first_loss(context(seen, extra=(REWARD,))) == []


def test_a_run_in_which_nothing_was_seen() -> None:
    bare = build(Run("bare", "bare", ()), ())
    for label in (label_lr, label_loss_scale, label_restarts, label_ranks, label_clipping,
                  label_components, label_first_loss):  # fmt: skip
        assert label(bare) == []


RANKS = tuple(series(Metric.GRAD_NORM, rank=rank, name=f"grad_norm_rank{rank}") for rank in (0, 1))


@pytest.mark.parametrize(
    ("measures", "severity"),
    [
        *(({"factor": 5.0}, Severity.WARNING), ({"factor": 4.9}, None)),
        *(({"factor": 1.5, "lasting_factor": 1.5}, Severity.WARNING),),
        ({"factor": 1.49, "lasting_factor": 1.49}, Severity.INFO),
        ({"factor": 1.49, "lasting_factor": 1.49, "equal_points": 9.0}, Severity.WARNING),
        ({"factor": 1.1, "nonfinite_points": 3.0}, Severity.WARNING),
    ],
)
def test_a_rank_that_stands_out_fivefold_or_for_long(measures, severity: Severity | None) -> None:
    found = label_ranks(
        context(detection(Shape.OUTLIER, "grad_norm_rank1", **measures), extra=RANKS)
    )
    assert [a.severity for a in found] == ([] if severity is None else [severity])


def test_ten_ranks_are_enough_the_strongest_first() -> None:
    many = tuple(series(Metric.GRAD_NORM, rank=rank, name=f"rank{rank}") for rank in range(12))
    seen = [detection(Shape.OUTLIER, f"rank{rank}", factor=10.0 + rank) for rank in range(12)]
    found = label_ranks(context(*seen, extra=many))
    assert [a.measures["factor"] for a in found] == [21.0 - i for i in range(10)]


@pytest.mark.parametrize(
    ("ratio", "form", "severity", "confidence"),
    [
        (3.0, Form.ABOVE, Severity.WARNING, 0.9), (2.99, Form.ABOVE, Severity.INFO, 0.7),
        (1.01, Form.ABOVE, Severity.INFO, 0.7), (1.0, Form.BELOW, Severity.INFO, 0.7),
    ],
)  # fmt: skip
def test_three_times_a_guess_is_far(ratio: float, form: Form, severity, confidence) -> None:
    (found,) = label_first_loss(context(detection(Shape.START_OFF, "loss", ratio=ratio)))
    assert (found.form, found.severity, found.confidence) == (form, severity, confidence)


@pytest.mark.parametrize(
    ("ratio", "late_tau", "noise", "severity"),
    [
        (1.0, -0.39, 1.0, Severity.WARNING), (0.99, -0.39, 1.0, Severity.INFO),
        (1.0, -0.4, 1.0, Severity.INFO), (1.0, -0.39, 0.99, Severity.INFO),
    ],
)  # fmt: skip
def test_a_term_that_drowns_the_total(ratio, late_tau, noise, severity: Severity) -> None:
    term = series(Metric.LOSS_COMPONENT, name="loss_component:kl")
    seen = (
        detection(Shape.OUTLIER, "loss_component:kl", relative_noise=noise),
        detection(Shape.NOISE, "loss", ratio=ratio, late_tau=late_tau),
    )
    (found,) = label_components(context(*seen, extra=(term,)))
    assert (found.kind, found.severity) == (Kind.COMPONENT_DOMINATES, severity)


@pytest.mark.parametrize(
    ("label", "seen", "severity", "confidence"),
    [
        (
            label_loss_scale,
            detection(Shape.HALVINGS, "loss_scale", floor=1.0, chain=0.0), Severity.CRITICAL, 0.95,
        ),
        (
            label_loss_scale,
            detection(Shape.HALVINGS, "loss_scale", floor=0.0, chain=1.0), Severity.WARNING, 0.95,
        ),
        (label_restarts, detection(Shape.DECAY_TAIL, "update_norm"), Severity.WARNING, 0.9),
        (label_restarts, detection(Shape.JUMP, "loss"), Severity.WARNING, 0.8),
        (
            label_ranks,
            detection(Shape.OUTLIER, "grad_norm_rank1", factor=9.0), Severity.WARNING, 0.9,
        ),
        (label_clipping, detection(Shape.CEILING, "grad_norm", saturated=1.0), Severity.INFO, 0.9),
    ],
)  # fmt: skip
def test_how_bad_and_how_sure_each_finding_is(label, seen: Detection, severity, confidence) -> None:
    extra = (series(Metric.GRAD_NORM), *RANKS)
    (found,) = label(context(seen, extra=extra))
    assert (found.severity, found.confidence) == (severity, confidence)


@pytest.mark.parametrize(
    ("changes", "form", "severity", "confidence"),
    [
        ({}, Form.JUMP, Severity.WARNING, 0.95),
        ({"warm_up": 1.0}, Form.RESTART, Severity.INFO, 0.8),
        ({"cyclic": 1.0}, Form.RESTART, Severity.INFO, 0.8),
        ({"cyclic": 1.0, "at_restart": 1.0}, Form.RESET, Severity.WARNING, 0.95),
        ({"comeback": 1.0}, Form.MISMATCH, Severity.WARNING, 0.95),
    ],
)
def test_how_sure_a_jump_of_the_rate_is(changes, form: Form, severity, confidence) -> None:
    (found,) = label_lr(context(TestLr().jump(**changes), extra=TestLr.LR))
    assert (found.form, found.severity, found.confidence) == (form, severity, confidence)


def test_a_cycle_that_falls_on_a_restart_once_is_none() -> None:
    lr = TestLr()
    jumps = [lr.jump(250, cyclic=1.0), lr.jump(500, cyclic=1.0, at_restart=1.0)]
    found = label_lr(context(*jumps, extra=lr.LR))
    assert [(a.form, a.severity) for a in found] == [
        (Form.JUMP, Severity.WARNING), (Form.RESET, Severity.WARNING),
    ]  # fmt: skip


def test_one_of_many_restarts_of_a_schedule_may_fall_on_one_of_the_run() -> None:
    lr = TestLr()
    steps = (200, 400, 600)
    one = [lr.jump(step, cyclic=1.0, at_restart=float(step == 400)) for step in steps]
    assert [(a.form, a.severity) for a in label_lr(context(*one, extra=lr.LR))] == [
        (Form.RESTART, Severity.INFO)
    ]
    two = [lr.jump(step, cyclic=1.0, at_restart=float(step < 600)) for step in steps]
    assert {a.severity for a in label_lr(context(*two, extra=lr.LR))} == {Severity.WARNING}
