"""Findings in the gradient norm: what is told of it stands in the log at the step named."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.classifier.classify import classify
from spikedoc.classifier.context import Context, build
from spikedoc.classifier.gradient import (
    label_gradient,
    label_gradient_step,
    label_ramp,
    label_vanishing,
)
from spikedoc.classifier.wording import summarise
from spikedoc.detectors import gradient, gradient_step, vanishing
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series
from spikedoc.pipeline import diagnose
from spikedoc.rules.loader import load_catalog

N = 1000
LOSS = synth.series(synth.curve(n=N))
REWARD = synth.series(np.ones(10), Metric.REWARD)


def series(metric: Metric, values: np.ndarray | None = None) -> Series:
    return synth.series(np.ones(N) if values is None else values, metric)


def detection(shape: Shape, signal: str, step: int = 500, **measures: float) -> Detection:
    return Detection("any", shape, signal, step, step, N, measures)


def context(*found: Detection, extra: tuple[Series, ...] = ()) -> Context:
    return build(synth.run(LOSS, *extra), found)


class TestGradient:
    EXPLOSION = detection(Shape.RAMP, "grad_norm", factor=1e3)

    def test_an_explosion_is_a_warning_but_for_rl(self) -> None:
        extra = (series(Metric.GRAD_NORM),)
        (found,) = label_gradient(context(self.EXPLOSION, extra=extra))
        assert (found.kind, found.severity) == (Kind.GRADIENT_EXPLOSION, Severity.WARNING)
        (spared,) = label_gradient(context(self.EXPLOSION, extra=(*extra, REWARD)))
        assert spared.severity is Severity.INFO

    def test_a_drift_of_the_loss_is_no_explosion(self) -> None:
        drift = detection(Shape.RAMP, "loss", rise=0.5)
        assert label_gradient(context(drift, extra=(series(Metric.GRAD_NORM),))) == []
        assert label_gradient(context(drift)) == []

    def test_a_vanished_norm_is_a_warning(self) -> None:
        (found,) = label_vanishing(context(detection(Shape.VANISHING, "grad_norm")))
        assert (found.kind, found.severity) == (Kind.GRADIENT_VANISHING, Severity.WARNING)


class TestRamp:
    def grown(self, factor: float, first: int = 600, last: int = 800) -> tuple[Series, ...]:
        values = np.exp(synth.noise("gauss", N, 0.1, 0))
        at = np.clip((np.arange(N) - first) / (last - first), 0.0, 1.0)
        return (series(Metric.GRAD_NORM, values * factor**at),)

    def lost(self, kind: Kind = Kind.NONFINITE, step: int = 801,
             severity: Severity = Severity.CRITICAL) -> Anomaly:  # fmt: skip
        return Anomaly(kind, severity, 1.0, "loss", step, step, N)

    def test_growth_up_to_a_failure(self) -> None:
        (found,) = label_ramp(context(extra=self.grown(10.0)), [self.lost()])
        assert (found.kind, found.severity) == (Kind.GRADIENT_RAMP, Severity.WARNING)
        m = found.measures
        assert m["factor"] == pytest.approx(10.0, rel=0.35)
        assert m["lead_steps"] == 801 - found.start_step
        assert m["before"] < m["peak"]
        assert found.end_step <= 801

    @pytest.mark.parametrize(
        "failures",
        [
            [],
            [("severity", Severity.WARNING)],
            [("kind", Kind.ISOLATED_SPIKE)],
            [("step", 300)],
        ],
    )
    def test_growth_that_led_to_nothing(self, failures: list[tuple[str, object]]) -> None:
        lost = [self.lost(**{name: value}) for name, value in failures]  # type: ignore[arg-type]
        assert label_ramp(context(extra=self.grown(10.0)), lost) == []

    def test_no_growth_and_no_norm(self) -> None:
        assert label_ramp(context(extra=self.grown(1.0)), [self.lost()]) == []
        assert label_ramp(context(), [self.lost()]) == []

    def test_the_last_failure_that_had_a_ramp_is_taken(self) -> None:
        lost = [self.lost(step=300), self.lost(Kind.DIVERGENCE, step=801)]
        (found,) = label_ramp(context(extra=self.grown(10.0)), lost)
        assert found.measures["lead_steps"] < 400


def test_of_two_growths_the_first_is_told() -> None:
    growth = np.geomspace(1.0, 10.0, 200)
    norm = np.concatenate([np.ones(300), growth, np.ones(300), growth])
    norm *= np.exp(synth.noise("gauss", N, 0.02, 1))
    lost = [TestRamp().lost(step=step) for step in (N, 501)]
    for order in (lost, lost[::-1]):
        (found,) = label_ramp(context(extra=(series(Metric.GRAD_NORM, norm),)), order)
        assert 250 <= found.start_step < found.end_step <= 501
        assert found.measures["lead_steps"] == 501 - found.start_step


@pytest.mark.parametrize(
    ("label", "shape", "severity"),
    [
        (label_gradient, Shape.RAMP, Severity.WARNING),
        (label_vanishing, Shape.VANISHING, Severity.WARNING),
    ],
)
def test_how_bad_and_how_sure_each_finding_is(label, shape: Shape, severity: Severity) -> None:
    (found,) = label(context(detection(shape, "grad_norm"), extra=(series(Metric.GRAD_NORM),)))
    assert (found.severity, found.confidence) == (severity, 0.85)
    assert label(build(Run("bare", "bare", ()), ())) == []


def scattered(size: float = 0.12, n: int = 2000) -> np.ndarray:
    return np.asarray(1 + size * np.random.default_rng(0).standard_normal(n))


def exploding(until: int = 1400, top: float = 100.0) -> tuple[np.ndarray, Anomaly]:
    """A norm that grows by 8 % per step from index 985 on, up to `top`."""
    steps = np.arange(until)
    grown = np.exp(np.maximum(0, steps - 985) * 0.08)
    values = np.minimum(top, 0.8 * grown) * scattered(n=until)
    run = synth.run(synth.series(synth.curve(n=until)), series(Metric.GRAD_NORM, values))
    (found,) = label_gradient(build(run, gradient.detect(run)))
    return values, found


def test_a_climb_begins_where_it_left_its_level_and_ends_where_it_is_up() -> None:
    values, found = exploding()
    # 0.8 * exp(.08 k) is 80 % of 100 after 58 steps; later maxima are noise.
    assert found.start_step == pytest.approx(986, abs=8)
    assert found.peak_step == pytest.approx(1044, abs=8)
    assert found.measures["before"] == pytest.approx(0.8, rel=0.05)
    assert found.measures["peak"] == values[found.peak_step - 1]
    assert found.measures["factor"] == found.measures["peak"] / found.measures["before"]
    assert found.measures["points"] == found.peak_step - found.start_step + 1
    told = summarise(found)
    assert "leaves its level of 0.7" in told.en
    assert f"at step {found.peak_step}" in told.en
    assert f"第 {found.peak_step} 步" in told.zh


def test_one_that_still_climbs_as_the_log_ends_is_told_up_to_its_highest_value() -> None:
    values, found = exploding(until=1060, top=1e9)
    assert found.measures["peak"] == values.max()


def test_a_step_has_no_climb() -> None:
    values = scattered(0.1)
    values[1000:] *= 500
    run = synth.run(synth.series(synth.curve(n=2000)), series(Metric.GRAD_NORM, values))
    (found,) = label_gradient(build(run, gradient.detect(run)))
    assert found.start_step == pytest.approx(1001, abs=2)
    assert found.peak_step == pytest.approx(1001, abs=2)
    assert found.measures["factor"] == pytest.approx(500, rel=0.3)
    assert "points" not in found.measures


def test_one_ramp_has_one_figure_in_every_sentence() -> None:
    steps = np.arange(2000)
    rising = np.minimum(100.0, 0.8 * np.exp(np.maximum(0, steps - 985) * 0.08))
    lost = synth.curve(n=2000) * np.exp(np.clip(0.05 * (steps - 1000), 0, 5))
    run = synth.run(synth.series(lost), series(Metric.GRAD_NORM, rising * scattered()))
    report = diagnose(run, load_catalog(None))
    climbs = [
        f.anomaly
        for f in report.findings
        if f.anomaly.kind in (Kind.GRADIENT_RAMP, Kind.GRADIENT_EXPLOSION)
    ]
    assert {a.kind for a in climbs} == {Kind.GRADIENT_RAMP, Kind.GRADIENT_EXPLOSION}
    assert len({(a.start_step, a.peak_step) for a in climbs}) == 1
    assert len({a.measures["factor"] for a in climbs}) == 1
    shown = {
        float(e.values["factor"])
        for cause in report.causes
        for e in cause.evidence
        if e.probe in ("grad_ramps_before", "grad_jumps_far") and "factor" in e.values
    }
    assert len(shown) == 1


class TestStep:
    def run(self, factor: float, back: int | None = None) -> Run:
        values = scattered(0.1)
        values[1000:back] *= factor
        return synth.run(synth.series(synth.curve(n=2000)), series(Metric.GRAD_NORM, values))

    def test_a_norm_that_is_fifty_times_for_good_is_a_finding(self) -> None:
        run = self.run(50.0)
        (found,) = label_gradient_step(build(run, gradient_step.detect(run)), [])
        assert (found.label, found.severity) == ("level-shift/up", Severity.WARNING)
        assert found.start_step == 1001
        assert found.measures["factor"] == pytest.approx(50.0, rel=0.05)
        assert classify(run, gradient_step.detect(run)) != ()

    def test_what_another_finding_says_is_not_said_again(self) -> None:
        run = self.run(50.0)
        seen = build(run, gradient_step.detect(run))
        exploded = Anomaly(Kind.GRADIENT_EXPLOSION, Severity.WARNING, 0.8, "grad_norm", 1, 1, 9)
        assert label_gradient_step(seen, [exploded]) == []

    def test_where_reward_or_opponent_change_it_is_none(self) -> None:
        run = self.run(50.0)
        played = synth.run(*run.series, REWARD)
        assert label_gradient_step(build(played, gradient_step.detect(run)), []) == []
        bare = build(Run("bare", "bare", ()), ())
        assert label_gradient_step(bare, []) == []


class TestVanishing:
    def found(self, values: np.ndarray) -> Anomaly:
        run = synth.run(synth.series(np.full(values.size, 2.3)), series(Metric.GRAD_NORM, values))
        (found,) = label_vanishing(build(run, vanishing.detect(run)))
        return found

    def test_a_norm_that_goes_on_falling_does_not_stay(self) -> None:
        steps = np.arange(2000)
        values = np.exp(-steps / 100)
        found = self.found(values)
        at = found.start_step - 1
        assert found.measures["before"] == pytest.approx(1.0, abs=0.03)
        assert found.measures["reached"] == pytest.approx(values[at], rel=0.05)
        assert found.measures["after"] == pytest.approx(values[-1], rel=0.05)
        told = summarise(found)
        assert "goes on falling, to" in told.en
        assert "继续下降" in told.zh

    def test_one_that_dropped_stays_there(self) -> None:
        values = scattered(0.05)
        values[1000:] *= 1e-6
        found = self.found(values)
        assert "reached" not in found.measures
        assert found.measures["after"] == pytest.approx(1e-6, rel=0.1)
        assert "stays there" in summarise(found).en


def test_a_gradient_that_was_never_there_did_not_fall() -> None:
    for before, after, kept in ((1.0, 1e-9, True), (1e-9, 1e-9, False)):
        told = {"before": before, "after": after, "points": 9.0}
        seen = detection(Shape.VANISHING, "grad_norm", **told)
        (found,) = label_vanishing(context(seen, extra=(series(Metric.GRAD_NORM),)))
        assert found.measures.get("points") == 9.0
        assert ("before" in found.measures) is kept
