"""Points and rises become spikes, recoveries, shifts and divergences by what follows them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synth

from spikedoc.classifier import excursions
from spikedoc.classifier.context import build
from spikedoc.classifier.excursions import (
    DIVERGED_RISE,
    HARM_RISE,
    STILL_RISING,
    label_excursions,
    merge_rises,
)
from spikedoc.classifier.wording import summarise
from spikedoc.detectors.excursions import detect
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Kind, Severity
from spikedoc.model.run import FloatArray, Run
from spikedoc.signal.level import levels
from spikedoc.signal.recovery import Recovery
from spikedoc.signal.transform import Scale, ratio
from spikedoc.signal.view import View


def labelled(run: Run) -> list[Anomaly]:
    return label_excursions(build(run, detect(run)))


def of(values: np.ndarray) -> list[Anomaly]:
    return labelled(synth.loss_run(values))


def rise(index: int, span: int, z: float = 8.0) -> Detection:
    return Detection(
        "any", Shape.RISE, "loss", index + 1, index + 1, index + span,
        {"index": float(index), "span": float(span), "z": z, "rise": 0.5},
    )  # fmt: skip


class TestMergeRises:
    def test_one_event_at_several_spans(self) -> None:
        (one,) = merge_rises([rise(510, 80, 20.0), rise(500, 10, 8.0), rise(495, 40, 12.0)])
        assert (one.index, one.strongest, one.span, one.score) == (500, 510, 80, 20.0)
        assert len(one.members) == 3

    def test_events_apart_stay_apart(self) -> None:
        assert [r.index for r in merge_rises([rise(900, 20), rise(300, 20)])] == [300, 900]

    def test_a_weaker_one_does_not_move_the_strongest(self) -> None:
        (one,) = merge_rises([rise(500, 10, 20.0), rise(505, 20, 8.0)])
        assert (one.strongest, one.score) == (500, 20.0)

    def test_none_is_none(self) -> None:
        assert merge_rises([]) == []


class TestKinds:
    def test_a_spike_with_a_hump_behind_it_is_one_slow_recovery(self) -> None:
        # A bad batch under Adam: one point up, then ten points later a hump of eighty.
        values = synth.curve(n=2400, sigma=0.02)
        values[1200] *= 5.0
        values[1210:1290] *= 1.0 + 0.6 * np.exp(-np.arange(80) / 25.0)
        (found,) = of(values)
        assert found.kind is Kind.SLOW_RECOVERY
        assert found.start_step == 1201
        assert found.end_step > 1240

    def test_a_spike_far_from_a_hump_is_another_event(self) -> None:
        values = synth.curve(n=2400, sigma=0.02)
        values[800] *= 5.0
        values[1500:] *= 1.5
        assert [a.kind for a in of(values)] == [Kind.ISOLATED_SPIKE, Kind.LEVEL_SHIFT]

    def test_a_short_hump_without_a_spike(self) -> None:
        values = synth.curve(n=2400, sigma=0.03)
        values[1200:1260] *= 1.25
        (found,) = of(values)
        assert found.kind is Kind.SLOW_RECOVERY
        assert found.start_step == pytest.approx(1201, abs=3)

    def test_nothing_within_a_recovery_is_said_again(self) -> None:
        (found,) = labelled(synth.slow_recovery(4.0, 80.0).run)
        assert found.kind is Kind.SLOW_RECOVERY

    def test_after_a_divergence_nothing_more_is_said(self) -> None:
        # A step of 15 % from which the loss never came back, and later a climb to eightfold.
        values = 2.0 * np.exp(synth.noise("gauss", 6000, 0.02, 1))
        values[200] *= 4.0
        values[500:] *= 1.15
        values[3500:] *= 8.0 ** (np.arange(2500) / 2500.0)
        values[4500] *= 10.0
        found = of(values)
        assert [(a.kind, a.start_step) for a in found] == [
            (Kind.ISOLATED_SPIKE, 201),
            (Kind.DIVERGENCE, pytest.approx(501, abs=3)),
        ]

    def test_a_high_end_stands_for_a_rise_nobody_saw_begin(self) -> None:
        values = synth.curve("fine-tune", 2400, sigma=0.05)
        values[1200:] *= 1.8 ** (np.arange(1200) / 1200.0)
        (found,) = of(values)
        assert found.kind in {Kind.LEVEL_SHIFT, Kind.DIVERGENCE}
        assert found.detections[0].shape is Shape.END_ABOVE_BEST

    def test_a_rise_seen_to_begin_needs_no_high_end(self) -> None:
        (found,) = labelled(synth.level_shift(1.5).run)
        assert {d.shape for d in found.detections} <= {Shape.RISE, Shape.POINT}


class TestSeverity:
    def spiky(self, count: int, factor: float = 4.0) -> np.ndarray:
        values = synth.curve(n=2400, seed=9)
        values[np.linspace(700, 2300, count).astype(int)] *= factor
        return values

    @pytest.mark.parametrize(
        ("count", "severity"), [(1, Severity.INFO), (2, Severity.INFO), (3, Severity.WARNING)]
    )
    def test_three_spikes_are_no_accident(self, count: int, severity: Severity) -> None:
        found = of(self.spiky(count))
        assert len(found) == count
        assert {a.severity for a in found} == {severity}

    @pytest.mark.parametrize(
        ("factor", "severity"), [(7.0, Severity.INFO), (15.0, Severity.WARNING)]
    )
    def test_tenfold_is_remarkable(self, factor: float, severity: Severity) -> None:
        (found,) = of(self.spiky(1, factor))
        assert found.severity is severity

    def test_noise_that_dips_as_far_as_it_spikes_has_two_tails(self) -> None:
        values = self.spiky(4, 5.0)
        values[[800, 1250, 1800]] /= 5.0
        assert {a.severity for a in of(values)} == {Severity.INFO}

    def test_a_bump_in_the_first_twentieth_is_the_warm_up(self) -> None:
        values = synth.curve("fine-tune", 4000, sigma=0.01)
        values[100:112] *= 3.0
        found = of(values)
        assert found
        assert {a.severity for a in found} == {Severity.INFO}


class TestMeasures:
    def test_of_a_spike(self) -> None:
        values = np.where(np.arange(1000) == 600, 8.0, 2.0) * np.exp(
            synth.noise("gauss", 1000, 0.02, 0)
        )
        (found,) = of(values)
        m = found.measures
        assert m["before"] == pytest.approx(2.0, abs=0.03)
        assert m["peak"] == pytest.approx(8.0, rel=0.06)
        assert m["factor"] == pytest.approx(m["peak"] / m["before"])
        assert m["rise"] == pytest.approx(np.log(4.0), abs=0.1)
        assert m["recovered_after_steps"] == 1.0
        assert "after" not in m

    def test_of_a_shift_the_factor_is_that_of_the_levels(self) -> None:
        (found,) = labelled(synth.level_shift(2.0).run)
        m = found.measures
        assert m["factor"] == pytest.approx(m["after"] / m["before"])
        assert "recovered_after_steps" not in m

    def test_negative_losses_have_no_factor(self) -> None:
        values = -5.0 + synth.noise("gauss", 1500, 0.05, 3)
        values[900] += 4.0
        (found,) = of(values)
        assert "factor" not in found.measures
        assert found.measures["peak"] == pytest.approx(-1.0, abs=0.3)

    def test_a_line_without_noise_has_a_bounded_score(self) -> None:
        values = np.ones(1000)
        values[600] = 50.0
        (found,) = of(values)
        assert found.measures["z"] <= 1e6

    def test_confidence_grows_with_the_score(self) -> None:
        small, large = (of(synth.spike(f).run.series[0].values)[0] for f in (1.25, 9.0))
        assert 0.5 <= small.confidence < large.confidence < 1.0

    def test_what_happened_at_the_very_end_is_open(self) -> None:
        values = synth.curve(n=1500)
        values[1494:] *= 3.0
        found = of(values)
        assert found
        assert found[0].kind is not Kind.DIVERGENCE
        assert found[0].confidence == 0.5


class TestEndOfLog:
    """What comes back is known only from what follows."""

    def test_a_hump_with_enough_behind_it_is_back(self) -> None:
        (found,) = of(hump(400))
        assert found.kind is Kind.SLOW_RECOVERY
        assert "log_end" not in found.measures
        assert 60 <= found.measures["recovered_after_steps"] <= 200

    def test_one_that_ends_on_its_way_down_is_not_said_to_be_back(self) -> None:
        cut = [of(hump(points)) for points in range(40, 200, 4)]
        found = [one for (one,) in cut if one.kind is Kind.SLOW_RECOVERY]
        last = [a for a in found if "log_end" in a.measures]
        assert last  # some of them end there
        for a in last:
            assert "recovered_after_steps" not in a.measures
            assert "too early to tell whether it is back" in summarise(a).en

    def test_neither_is_a_spike_of_the_last_point(self) -> None:
        loss = synth.curve("language", 1000, "gauss", 0.03, 8)
        loss[-1] *= 5.0
        (found,) = of(loss)
        assert "recovered_after_steps" not in found.measures
        assert "too early to tell whether it comes back" in summarise(found).en


LENGTH_BEFORE = 1000


def hump(points: int) -> np.ndarray:
    """Return a loss that ends so many points after the peak of a hump."""
    loss = synth.curve("language", LENGTH_BEFORE + 400, "gauss", 0.03, 8)
    loss[LENGTH_BEFORE:] *= 1.0 + 2.0 * np.exp(-np.arange(400) / 40.0)
    return loss[: LENGTH_BEFORE + points]


def test_a_run_without_a_loss_has_none() -> None:
    assert label_excursions(build(Run("bare", "bare", ()), ())) == []
    assert labelled(synth.loss_run(np.zeros(0))) == []


def point(index: int, *, length: int = 1, z: float = 8.0) -> Detection:
    first, last = index + 1, index + length  # steps count from 1
    measures = {"index": float(index), "z": z, "dips": 0.0}
    return Detection("any", Shape.POINT, "loss", first, first, last, measures)


def seen(values: np.ndarray, *detections: Detection) -> list[Anomaly]:
    return label_excursions(build(synth.loss_run(values), detections))


class TestByHand:
    """Detections on a loss of 1 that was made for them."""

    def one(self, length: int = 1, z: float = 8.0, n: int = 1000) -> Anomaly:
        values = np.ones(n)
        values[600 : 600 + length] = 8.0
        (found,) = seen(values, point(600, length=length, z=z))
        return found

    @pytest.mark.parametrize(
        ("length", "kind"),
        [(1, Kind.ISOLATED_SPIKE), (3, Kind.ISOLATED_SPIKE), (4, Kind.SLOW_RECOVERY)],
    )
    def test_three_points_are_a_spike(self, length: int, kind: Kind) -> None:
        found = self.one(length)
        assert (found.kind, found.start_step, found.peak_step) == (kind, 601, 601)
        told = {"before": 1.0, "peak": 8.0, "factor": 8.0, "recovered_after_steps": float(length)}
        assert {name: found.measures[name] for name in told} == told
        assert found.end_step == 601 + length
        assert found.confidence == 0.75
        assert found.measures["rise"] == pytest.approx(np.log(8.0))

    @pytest.mark.parametrize(
        ("z", "confidence"),
        [(2.0, 0.5), (4.0, 0.5), (5.0, 0.6), (8.0, 0.75), (30.0, 0.93), (40.0, 0.95), (1e9, 0.95)],
    )
    def test_how_sure_a_score_makes(self, z: float, confidence: float) -> None:
        # 1 - 2 / z: a half at 4, .75 at 8, .95 at most.
        found = self.one(z=z)
        assert (found.confidence, found.measures["z"]) == (confidence, min(z, 1e6))

    def test_a_spike_at_the_end_is_as_sure_as_one_before_it(self) -> None:
        values = np.ones(604)
        values[600] = 8.0
        (found,) = seen(values, point(600))
        assert (found.kind, found.confidence) == (Kind.ISOLATED_SPIKE, 0.75)

    @pytest.mark.parametrize(
        ("n", "apart", "events"),
        [
            *((1000, 30, 1), (1000, 31, 2), (2000, 40, 1), (2000, 41, 2)),
            *((1000, -20, 1), (1000, -21, 2)),  # its own span before
        ],
    )
    def test_a_rise_near_a_point_belongs_to_it(self, n: int, apart: int, events: int) -> None:
        # Thirty points after it, or a fiftieth of the log.
        values = np.ones(n)
        values[600] = 8.0
        found = seen(values, point(600), rise(600 + apart, 20))
        assert len(found) == events

    @pytest.mark.parametrize(
        ("rise_by", "kind"),
        [(np.log(2.0), Kind.LEVEL_SHIFT), (np.log(2.01), Kind.DIVERGENCE)],
    )
    def test_an_end_twice_as_high_is_lost(self, rise_by: float, kind: Kind) -> None:
        values = np.r_[np.ones(600), np.full(400, np.exp(rise_by))]
        told = {"index": 600.0, "rise": float(rise_by), "best": 0.0, "z": 8.0}
        high = Detection("any", Shape.END_ABOVE_BEST, "loss", 601, 601, 1000, told)
        (found,) = seen(values, high)
        assert (found.kind, found.start_step, found.end_step) == (kind, 601, 1000)
        assert found.measures["factor"] == pytest.approx(np.exp(rise_by))
        # The end are the last fifth of what follows.
        assert found.measures["after"] == pytest.approx(np.exp(rise_by))

    @pytest.mark.parametrize(
        ("distance", "spans", "merged"),
        [
            *((20, (10, 10), 1), (21, (10, 10), 2)),
            *((40, (10, 20), 1), (41, (10, 20), 2), (40, (20, 10), 1)),
        ],
    )
    def test_rises_within_two_spans_are_one(self, distance: int, spans, merged: int) -> None:
        found = merge_rises([rise(500, spans[0]), rise(500 + distance, spans[1])])
        assert len(found) == merged

    def test_of_two_equal_scores_the_first_is_the_strongest(self) -> None:
        (found,) = merge_rises([rise(500, 10, 8.0), rise(505, 20, 8.0)])
        assert (found.strongest, found.score) == (500, 8.0)


BACK = Recovery(3, 0.0, 1.0, 0.0)
LASTS = Recovery(None, 0.0, 1.0, 0.5)
WINDOW = 9
Clocks = dict[int, Recovery] | Recovery
RIPPLE = 0.1 * (np.arange(1000) % 5)  # the level around each point


@pytest.fixture
def on_zero(monkeypatch: pytest.MonkeyPatch):
    """Label detections on a level of 0 whose noise at each index is that index.

    Given are the judged values, and what the clock of the recovery says, for each onset or all.
    """

    def label(judged: FloatArray, clocks: Clocks, *found: Detection, scale: Scale = Scale.LOG):
        asked = []

        def clock(values: FloatArray, start: int, span: int, window: int, noise: float):
            assert values is judged
            asked.append((start, span, window, noise))
            return clocks if isinstance(clocks, Recovery) else clocks[start]

        monkeypatch.setattr(excursions, "recovery", clock)
        n = judged.size
        context = build(synth.loss_run(np.exp(judged)), found)
        assert context.base is not None
        base = replace(
            context.base, noise=np.arange(n, dtype=float), centred=RIPPLE[:n], window=WINDOW
        )
        values = np.exp(judged) if scale is Scale.LOG else judged
        seen = View(np.arange(1, n + 1), values, judged, scale)
        return label_excursions(replace(context, seen=seen, base=base)), asked

    return label


FLAT = np.zeros(1000)


class TestBeyondStart:
    @pytest.mark.parametrize(
        ("first", "level", "kind"),
        [
            (1, 1e5, Kind.DIVERGENCE),  # never below ten times the first loss again
            (1, 3e2, Kind.LEVEL_SHIFT),  # it has come back to within ten times of it
            (5001, 1e5, Kind.LEVEL_SHIFT),  # an excerpt does not hold the first loss
        ],
    )
    def test_a_loss_that_had_run_away_before_it_stepped_up(
        self, first: int, level: float, kind: Kind
    ) -> None:
        noise = np.random.default_rng(3).normal(0.0, 0.05, 600)
        course = np.concatenate([np.geomspace(50.0, 1e4, 60), np.full(540, level)])
        values = course * np.exp(noise)
        context = build(synth.run(synth.series(values, first=first)), ())
        assert context.seen is not None
        clock = Recovery(None, float(np.log(1e4)), 1.0, 1.0)
        lasting = excursions._lasting(context, context.seen, 60, clock, (rise(60, 3),))
        assert lasting.kind is kind


class TestClock:
    """What the clock of the recovery is asked, and what is made of its answer."""

    @pytest.mark.parametrize(
        ("found", "asked"),
        [
            ((point(600),), (600, 1, WINDOW, 599.0)),
            ((point(600, length=3),), (600, 3, WINDOW, 599.0)),
            ((rise(600, 20),), (600, 20, WINDOW, 599.0)),
            ((point(600), rise(605, 5), rise(620, 4)), (600, 5, WINDOW, 599.0)),
            ((rise(0, 20),), (0, 20, WINDOW, 0.0)),
            ((point(0), rise(5, 20)), (0, 20, WINDOW, 0.0)),
            ((point(1), rise(5, 20)), (1, 20, WINDOW, 0.0)),
            ((rise(1, 20),), (1, 20, WINDOW, 0.0)),
        ],
    )
    def test_what_it_is_asked(self, on_zero, found, asked) -> None:
        assert on_zero(FLAT, BACK, *found)[1] == [asked]

    @pytest.mark.parametrize("found", [(rise(600, 20),), (point(600), rise(605, 20))])
    @pytest.mark.parametrize(
        ("points", "kind"), [(3, Kind.ISOLATED_SPIKE), (4, Kind.SLOW_RECOVERY)]
    )
    def test_more_than_three_points_are_a_slow_recovery(self, on_zero, found, points, kind) -> None:
        (only,), _ = on_zero(FLAT, Recovery(points, 0.0, 1.0, 0.0), *found)
        assert (only.kind, only.start_step, only.end_step) == (kind, 601, 601 + points)
        assert only.measures["recovered_after_steps"] == points

    def test_what_lasts_begins_at_the_last_of_its_rises(self, on_zero) -> None:
        (only,), _ = on_zero(FLAT, LASTS, point(600), rise(605, 5), rise(620, 4))
        assert (only.kind, only.start_step, only.end_step) == (Kind.LEVEL_SHIFT, 621, 1000)
        (only,), _ = on_zero(FLAT, LASTS, rise(600, 5, 8.0), rise(607, 9, 20.0))
        assert (only.start_step, only.confidence) == (608, 0.9)  # where it stands out most

    @pytest.mark.parametrize(
        ("points", "late", "kind"),
        [
            (None, HARM_RISE, Kind.LEVEL_SHIFT),
            (None, HARM_RISE - 1e-9, Kind.SLOW_RECOVERY),
            (5, 9.0, Kind.SLOW_RECOVERY),
        ],
    )
    def test_a_long_stretch_of_points_that_stays_up(self, on_zero, points, late, kind) -> None:
        clock = Recovery(points, 0.0, 9.0, late)
        (only,), _ = on_zero(FLAT, clock, point(600, length=4))
        assert only.kind is kind
        (only,), _ = on_zero(FLAT, clock, point(600, length=3))
        assert only.kind is Kind.ISOLATED_SPIKE

    @pytest.mark.parametrize(
        ("jump", "late", "kind"),
        [
            # Half as much again as the early jump, and a factor of two.
            (1.0, 1.5, Kind.LEVEL_SHIFT), (1.0, 1.5001, Kind.DIVERGENCE),
            (2.0, 2.9, Kind.LEVEL_SHIFT), (2.0, 3.1, Kind.DIVERGENCE),
            (0.1, DIVERGED_RISE, Kind.LEVEL_SHIFT), (0.1, DIVERGED_RISE + 1e-9, Kind.DIVERGENCE),
        ],
    )  # fmt: skip
    def test_a_level_that_is_lost_for_good(self, on_zero, jump, late, kind) -> None:
        (only,), _ = on_zero(FLAT, Recovery(None, 0.0, jump, late), rise(600, 20))
        assert only.kind is kind

    @pytest.mark.parametrize(
        ("before", "late", "kind"),
        [
            (0.0, 1.0, Kind.DIVERGENCE), (0.0, 0.999, Kind.LEVEL_SHIFT),
            (0.4, 0.7, Kind.DIVERGENCE), (0.4, DIVERGED_RISE, Kind.LEVEL_SHIFT),
            (0.9, 0.1, Kind.LEVEL_SHIFT),
            (1.0, 1.0, Kind.LEVEL_SHIFT),  # it never learned
        ],
    )  # fmt: skip
    def test_a_loss_that_is_back_where_it_began(self, on_zero, before, late, kind) -> None:
        judged = np.r_[np.ones(200), np.zeros(800)]
        assert levels(judged).start == 1.0
        (only,), _ = on_zero(judged, Recovery(None, before, 9.0, late), rise(600, 20))
        assert only.kind is kind

    def still(self, *parts: tuple[int, float]) -> FloatArray:
        """Return a level of 0 for 600 points and what follows."""
        return np.concatenate([np.zeros(600), *(np.full(n, value) for n, value in parts)])

    @pytest.mark.parametrize(
        ("parts", "kind"),
        [
            # The last fifth of 400 points against the first, by their medians.
            (((80, 0.0), (240, 9.0), (75, STILL_RISING), (5, 0.0)), Kind.DIVERGENCE),
            (((80, 0.0), (240, 9.0), (75, STILL_RISING - 1e-9), (5, 0.0)), Kind.LEVEL_SHIFT),
            (((39, 9.0), (41, 0.0), (240, 0.0), (80, 1.0)), Kind.DIVERGENCE),
            (((80, 1.0), (240, 9.0), (80, 1.0)), Kind.LEVEL_SHIFT),
            # Five points on either side at least.
            (((5, 0.0), (5, 9.0)), Kind.DIVERGENCE),
            (((4, 0.0), (5, 9.0)), Kind.LEVEL_SHIFT),
            (((5, 0.0), (2, 3.0), (5, 9.0)), Kind.DIVERGENCE),
        ],
    )
    def test_a_level_that_still_rises(self, on_zero, parts, kind) -> None:
        judged = self.still(*parts)
        (only,), _ = on_zero(judged, Recovery(None, 0.0, 9.0, 1.0), rise(600, 20))
        assert only.kind is kind


class TestMeasuresByHand:
    def test_the_peak_is_the_highest_point_until_the_end(self, on_zero) -> None:
        judged = FLAT.copy()
        judged[[600, 602, 603, 604]] = 1.0, 1.5, 2.0, 9.0
        (only,), _ = on_zero(judged, Recovery(3, 0.25, 1.0, 0.75), rise(600, 20))
        assert (only.start_step, only.peak_step, only.end_step) == (601, 604, 604)
        told = {"rise": 1.75, "late": 0.75, "jump": 1.0, "peak": float(np.exp(2.0))}
        assert {name: only.measures[name] for name in told} == pytest.approx(told)

    def test_the_strongest_member_says_how_sure_it_is(self, on_zero) -> None:
        (only,), _ = on_zero(FLAT, BACK, point(600, z=5.0), rise(605, 20, 20.0))
        assert (only.measures["z"], only.confidence) == (20.0, 0.9)

    @pytest.mark.parametrize(
        ("start", "kind", "confidence"),
        [
            (990, Kind.SLOW_RECOVERY, 0.75), (991, Kind.SLOW_RECOVERY, 0.5),
            (991, Kind.ISOLATED_SPIKE, 0.75),
        ],
    )  # fmt: skip
    def test_ten_points_from_the_onset_on(self, on_zero, start, kind, confidence) -> None:
        points = 3 if kind is Kind.ISOLATED_SPIKE else 4
        (only,), _ = on_zero(FLAT, Recovery(points, 0.0, 1.0, 0.0), rise(start, 20))
        assert (only.kind, only.confidence) == (kind, confidence)

    @pytest.mark.parametrize(
        ("start", "points", "back"),
        [
            # Five points from the end of a hump on.
            (985, 10, 10), (986, 10, None),
            # A spike is back at its last point, unless it is that point.
            (996, 3, 3), (998, 3, 1), (999, 3, None), (500, 0, 0),
        ],
    )  # fmt: skip
    def test_whether_the_log_ends_on_the_way_back(self, on_zero, start, points, back) -> None:
        (only,), _ = on_zero(FLAT, Recovery(points, 0.0, 1.0, 0.0), rise(start, 20))
        assert only.measures.get("recovered_after_steps") == back
        assert only.measures.get("log_end") == (1000.0 if back is None else None)

    def test_how_far_points_on_either_side_scatter(self, on_zero) -> None:
        judged = np.arange(1000) % 7 * 0.5
        judged[600:604] = 50.0
        (only,), _ = on_zero(judged, BACK, rise(600, 20))
        apart = judged - RIPPLE
        near = np.r_[apart[600 - WINDOW : 600], apart[604 : 604 + WINDOW]]
        assert only.measures["around"] == pytest.approx(float(np.std(near)))
        (first,), _ = on_zero(judged, BACK, rise(4, 20))
        near = np.r_[apart[:4], apart[8 : 8 + WINDOW]]
        assert first.measures["around"] == pytest.approx(float(np.std(near)))
        (whole,), _ = on_zero(judged, LASTS, rise(0, 20))
        assert whole.measures["around"] == 0.0

    def test_the_levels_of_fifty_points_before_and_of_the_last_fifth(self, on_zero) -> None:
        parts = (550, 5.0), (50, 1.0), (320, 6.0), (75, 3.0), (5, 1.0)
        judged = np.concatenate([np.full(n, value) for n, value in parts])
        (only,), _ = on_zero(judged, LASTS, rise(600, 20))
        before, after = float(np.exp(1.0)), float(np.exp(3.0))
        told = {"before": before, "after": after, "factor": after / before}
        assert {name: only.measures[name] for name in told} == pytest.approx(told)
        (back,), _ = on_zero(judged, BACK, rise(600, 20))
        assert back.measures["factor"] == pytest.approx(np.exp(5.0))
        assert "after" not in back.measures

    @pytest.mark.parametrize(("points", "after"), [(3, 7.0), (4, 7.0), (5, 7.0), (6, 7.0)])
    def test_near_the_end_the_level_is_that_of_the_points_left(self, on_zero, points, after):
        judged = np.r_[np.zeros(1000 - points), np.full(points, after)]
        (only,), _ = on_zero(judged, LASTS, rise(1000 - points, 20))
        assert only.measures["after"] == pytest.approx(np.exp(after))

    @pytest.mark.parametrize("start", [1, 600])
    def test_near_zero_the_factor_is_one_above_the_unit(self, on_zero, start: int) -> None:
        judged = np.ones(1000)
        judged[start - 1], judged[start] = 2.0, 5.0
        (only,), _ = on_zero(judged, BACK, rise(start, 20), scale=Scale.SOFT)
        assert only.measures["factor"] == pytest.approx(ratio(3.0))

    @pytest.mark.parametrize("clock", [BACK, LASTS])
    def test_where_values_may_be_negative_there_is_no_factor(self, on_zero, clock) -> None:
        (only,), _ = on_zero(np.ones(1000), clock, rise(600, 20), scale=Scale.ASINH)
        assert only.measures["before"] == 1.0
        assert "factor" not in only.measures


class TestOneOfSeveral:
    HUMP = Recovery(20, 0.0, 1.0, 0.0)
    LOST = Recovery(None, 0.0, 0.1, 2.0)

    def found(self, on_zero, clocks: Clocks, *detections: Detection) -> list[tuple[Kind, int]]:
        return [(a.kind, a.start_step) for a in on_zero(FLAT, clocks, *detections)[0]]

    @pytest.mark.parametrize(("index", "told"), [(620, 1), (621, 2)])
    def test_a_rise_within_a_hump_is_part_of_it(self, on_zero, index: int, told: int) -> None:
        assert len(self.found(on_zero, self.HUMP, rise(600, 5), rise(index, 4))) == told

    def test_a_rise_within_a_spike_is_its_own(self, on_zero) -> None:
        clocks = {600: BACK, 603: self.HUMP}
        assert len(self.found(on_zero, clocks, rise(600, 1), rise(603, 1))) == 2

    @pytest.mark.parametrize(("index", "told"), [(621, 1), (640, 1), (641, 2), (655, 2), (900, 2)])
    def test_what_seemed_to_come_back_before_it_was_lost(self, on_zero, index, told) -> None:
        # The hump lasts from step 601 to 621: as long again is until 641.
        clocks = {600: self.HUMP, index: LASTS}
        found = self.found(on_zero, clocks, rise(600, 5), rise(index, 4))
        assert len(found) == told
        assert found[-1] == (Kind.LEVEL_SHIFT, index + 1)

    def test_a_spike_before_it_is_one(self, on_zero) -> None:
        clocks = {600: BACK, 604: LASTS}
        found = self.found(on_zero, clocks, rise(600, 1), rise(604, 1))
        assert found == [(Kind.ISOLATED_SPIKE, 601), (Kind.LEVEL_SHIFT, 605)]

    def test_of_several_divergences_the_first(self, on_zero) -> None:
        clocks = {300: BACK, 400: self.LOST, 600: self.LOST, 800: BACK}
        found = self.found(
            on_zero, clocks, *(point(index) for index in clocks), rise(400, 5), rise(600, 5)
        )
        assert found == [(Kind.ISOLATED_SPIKE, 301), (Kind.DIVERGENCE, 401)]

    @pytest.mark.parametrize(
        ("start", "severity"),
        [(30, Severity.INFO), (29, Severity.INFO), (46, Severity.WARNING), (60, Severity.WARNING)],
    )
    def test_a_hump_of_the_first_twentieth_is_a_remark(self, on_zero, start, severity) -> None:
        # It takes five points; the fifty-first step is the first behind.
        (only,), _ = on_zero(FLAT, Recovery(5, 0.0, 1.0, 0.0), rise(start, 20))
        assert only.severity is severity


def test_a_loss_of_nothing_but_nan_has_no_excursion() -> None:
    assert label_excursions(build(synth.nan_from_start(20).run, (rise(5, 5),))) == []
