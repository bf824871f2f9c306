"""NaN, infinities and zeros: which are lost runs, which are daily work."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.classifier.classify import classify
from spikedoc.classifier.context import build
from spikedoc.classifier.nonfinite import label_nonfinite, label_zero_loss
from spikedoc.classifier.wording import headline, summarise
from spikedoc.detectors.nonfinite import detect
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind, Severity, Status
from spikedoc.model.metric import Metric
from spikedoc.model.run import ConfigValue, Run
from spikedoc.pipeline import detect as detect_all

NAN, INF = np.nan, np.inf
N = 100


def labelled(run: Run) -> list[Anomaly]:
    return label_nonfinite(build(run, detect(run)))


def holed(*indices: int | slice, value: float = NAN, fill: float = 1.0) -> np.ndarray:
    values = np.full(N, fill)
    for index in indices:
        values[index] = value
    return values


def run(metric: Metric, values: np.ndarray, *, loss: np.ndarray | None = None,
        **config: ConfigValue) -> Run:  # fmt: skip
    given = np.ones(N) if loss is None else loss
    return synth.run(synth.series(given), synth.series(values, metric), config=config)


class TestLoss:
    @pytest.mark.parametrize(
        ("where", "form", "severity"),
        [
            (slice(0, N), Form.FROM_START, Severity.CRITICAL),
            (slice(40, N), Form.PERSISTENT, Severity.CRITICAL),
            (slice(40, 43), Form.TRANSIENT, Severity.WARNING),
            (0, Form.TRANSIENT, Severity.WARNING),
            (N - 1, Form.PERSISTENT, Severity.CRITICAL),
        ],
    )
    def test_forms(self, where: int | slice, form: Form, severity: Severity) -> None:
        (found,) = labelled(synth.loss_run(holed(where)))
        assert (found.kind, found.form, found.severity) == (Kind.NONFINITE, form, severity)
        assert found.confidence == 1.0
        assert found.measures["first_step"] == found.start_step

    def test_a_few_finite_points_between_do_not_save_it(self) -> None:
        values = holed(slice(40, N))
        values[[60, 80]] = 1.0
        (found,) = labelled(synth.loss_run(values))
        assert found.form is Form.PERSISTENT


class TestMasked:
    def test_zeros_beside_nan_gradients_hide_a_nan(self) -> None:
        loss = holed(slice(60, N), value=0.0)
        (found,) = labelled(run(Metric.GRAD_NORM, holed(slice(58, N)), loss=loss))
        assert (found.form, found.severity) == (Form.MASKED, Severity.CRITICAL)
        # It began with the gradient, and shows in the loss two steps later.
        assert (found.start_step, found.peak_step, found.signal) == (59, 61, "loss")
        assert len(found.detections) == 2

    def test_a_nan_in_the_loss_itself_needs_no_mask(self) -> None:
        loss = holed(slice(60, 80), value=0.0)
        loss[80:] = NAN
        found = labelled(run(Metric.GRAD_NORM, holed(slice(60, N)), loss=loss))
        assert [a.form for a in found] == [Form.PERSISTENT]


class TestGradient:
    def test_infinities_that_pass_are_daily_work(self) -> None:
        assert labelled(run(Metric.GRAD_NORM, holed(20, 60, value=INF))) == []

    def test_nan_that_passes_is_a_remark_without_a_scaler(self) -> None:
        (found,) = labelled(run(Metric.GRAD_NORM, holed(20)))
        assert (found.form, found.severity) == (Form.TRANSIENT, Severity.INFO)
        assert labelled(run(Metric.GRAD_NORM, holed(20), precision="fp16")) == []
        scaler = synth.series(np.ones(N), Metric.LOSS_SCALE)
        both = run(Metric.GRAD_NORM, holed(20))
        assert labelled(synth.run(*both.series, scaler)) == []

    @pytest.mark.parametrize(
        ("first", "form", "severity"),
        [
            (N - 1, None, None),  # one at the end may pass
            (N - 2, Form.PERSISTENT, Severity.CRITICAL),
            (N - 30, Form.PERSISTENT, Severity.INFO),  # the loss goes on, a scaler skipped steps
            (0, Form.FROM_START, Severity.CRITICAL),
        ],
    )
    def test_what_ends_the_log(
        self, first: int, form: Form | None, severity: Severity | None
    ) -> None:
        values = holed(slice(first, N), value=INF)
        found = labelled(run(Metric.GRAD_NORM, values, precision="fp16"))
        if first == N - 1:
            # All that follows it is non-finite – itself: nothing else is known.
            assert [a.severity for a in found] in ([], [Severity.CRITICAL])
        else:
            assert [(a.form, a.severity) for a in found] == [(form, severity)]

    @pytest.mark.parametrize("late", [0.0, 5.0, INF])
    def test_a_loss_that_does_not_go_on_as_before(self, late: float) -> None:
        loss = np.ones(N)
        loss[80:] = late
        found = labelled(run(Metric.GRAD_NORM, holed(slice(70, N), value=INF), loss=loss))
        assert found[0].severity is Severity.CRITICAL

    def test_without_a_loss_nothing_goes_on(self) -> None:
        gradient = synth.series(holed(slice(50, N)), Metric.GRAD_NORM)
        (found,) = labelled(synth.run(gradient))
        assert found.severity is Severity.CRITICAL


class TestOthers:
    @pytest.mark.parametrize(
        ("metric", "severity"),
        [(Metric.VAL_LOSS, Severity.WARNING), (Metric.LOSS_COMPONENT, Severity.WARNING),
         (Metric.VAL_METRIC, Severity.INFO), (Metric.UPDATE_NORM, Severity.INFO)],
    )  # fmt: skip
    @pytest.mark.parametrize(
        ("where", "form"),
        [(slice(0, N), Form.FROM_START), (slice(50, N), Form.PERSISTENT), (50, Form.TRANSIENT)],
    )
    def test_losses_matter_more(
        self, metric: Metric, severity: Severity, where: int | slice, form: Form
    ) -> None:
        (found,) = labelled(run(metric, holed(where)))
        assert (found.form, found.severity, found.signal) == (form, severity, metric.value)

    @pytest.mark.parametrize(("first", "said"), [(30, True), (59, False), (60, False), (70, False)])
    def test_what_follows_the_loss_into_nan_is_not_said_again(self, first: int, said: bool) -> None:
        lost = run(Metric.VAL_LOSS, holed(slice(first, N)), loss=holed(slice(60, N)))
        assert ("val_loss" in {a.signal for a in labelled(lost)}) is said


def classify_run(loss: np.ndarray) -> tuple[Anomaly, ...]:
    made = synth.loss_run(loss)
    return classify(made, detect_all(made))


class TestZeroLoss:
    def zero(self, values: np.ndarray, *extra: Metric) -> list[Anomaly]:
        parts = [synth.series(values), *(synth.series(np.ones(N), m) for m in extra)]
        made = synth.run(*parts)
        return label_zero_loss(build(made, detect(made)))

    def test_a_fall_to_exactly_nothing(self) -> None:
        (found,) = self.zero(holed(slice(40, N), value=0.0))
        assert (found.label, found.severity) == (
            "non-convergence/constant-zero", Severity.CRITICAL,
        )  # fmt: skip
        assert found.start_step == 41

    def test_nothing_from_the_start(self) -> None:
        (found,) = self.zero(np.zeros(N))
        assert found.severity is Severity.CRITICAL

    def test_a_policy_loss_may_be_zero_from_the_start(self) -> None:
        (found,) = self.zero(np.zeros(N), Metric.REWARD, Metric.GRAD_NORM)
        assert found.severity is Severity.INFO

    def test_a_policy_without_a_gradient_does_not_learn(self) -> None:
        (found,) = self.zero(np.zeros(N), Metric.REWARD)
        assert found.severity is Severity.CRITICAL

    @pytest.mark.parametrize(
        "values",
        [
            holed(40, 60, value=0.0),  # two of them
            holed(slice(98, N), value=0.0),  # too few
            holed(slice(40, 60), value=0.0),  # came back
            holed(slice(40, N), value=0.0, fill=1e-4),  # learned down to nothing
        ],
    )
    def test_other_zeros(self, values: np.ndarray) -> None:
        assert self.zero(values) == []

    def test_zeros_among_losses_that_never_come_near_zero(self) -> None:
        (found,) = self.zero(holed(20, 37, slice(50, 53), 80, value=0.0))
        assert (found.label, found.severity) == (
            "non-convergence/constant-zero", Severity.WARNING,
        )  # fmt: skip
        assert (found.start_step, found.end_step, found.measures["zeros"]) == (21, 81, 6.0)

    def test_one_batch_in_twenty_without_a_label_is_a_remark(self) -> None:
        (found,) = self.zero(holed(20, 37, 80, value=0.0))
        assert (found.label, found.severity) == ("non-convergence/constant-zero", Severity.INFO)

    def test_a_fault_beside_such_zeros_is_still_found(self) -> None:
        rng = np.random.default_rng(6)
        loss = synth.curve("language", 2000, "gauss", 0.03, 6)
        loss[rng.random(2000) < 0.02] = 0.0
        assert [a for a in classify_run(loss) if a.severity is not Severity.INFO] == []
        loss[1200:] *= 1.6
        kinds = {a.kind for a in classify_run(loss) if a.severity is not Severity.INFO}
        assert kinds == {Kind.LEVEL_SHIFT}

    def test_a_loss_that_comes_near_zero_may_reach_it(self) -> None:
        hinge = np.abs(np.random.default_rng(1).standard_normal(N))
        hinge[[20, 37, 51, 80]] = 0.0
        assert self.zero(hinge) == []

    def test_a_policy_loss_may_be_zero_now_and_then(self) -> None:
        assert self.zero(holed(20, 37, 51, 80, value=0.0), Metric.REWARD) == []

    def test_zeros_that_hide_a_nan_are_said_elsewhere(self) -> None:
        masked = synth.masked_nan().run
        assert label_zero_loss(build(masked, detect(masked))) == []


class TestZeros:
    def zeros(self, *values: float) -> list[Anomaly]:
        made = synth.loss_run(np.array(values))
        return label_zero_loss(build(made, detect(made)))

    def test_a_loss_learned_away_and_rounded_is_no_fault(self) -> None:
        assert self.zeros(0.7, 0.2, 0.06, 0.02, 0.006, 0.002, 0.0006, *[0.0] * 6) == []
        assert self.zeros(*np.round(2.0 * np.exp(-np.arange(40) / 4.0), 3)) == []

    def test_a_loss_that_drops_to_zero_is(self) -> None:
        (found,) = self.zeros(2.5, 2.4, 2.2, 2.1, *[0.0] * 6)
        assert found.severity is Severity.CRITICAL

    @pytest.mark.parametrize(
        ("count", "accuracy", "found"), [(2, 0.5, 1), (2, 0.89, 1), (2, 0.9, 0), (1, 0.5, 0)]
    )
    def test_two_epochs_of_zero_beside_wrong_answers(
        self, count: int, accuracy: float, found: int
    ) -> None:
        loss = synth.series(np.zeros(count))
        acc = synth.series(np.full(count, accuracy), Metric.TRAIN_METRIC, tag="acc")
        made = synth.run(loss, acc)
        assert len(label_zero_loss(build(made, detect(made)))) == found


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([2.0, 1.8, 1.7, np.inf, np.inf], "became infinite at step 4"),
        ([2.0, 1.8, 1.7, np.nan, np.nan], "became NaN at step 4"),
        ([np.inf] * 4, "was infinite from the start"),
        ([2.0, np.nan, 1.7, np.nan, 1.6, 1.5], "was NaN for a while"),
    ],
)
def test_infinite_is_not_called_nan(values: list[float], said: str) -> None:
    made = synth.loss_run(np.array(values))
    found = label_nonfinite(build(made, detect(made)))
    assert said in headline(Status.CRITICAL, found).en


def test_what_comes_and_goes_to_the_end_is_not_said_to_have_passed() -> None:
    values = [5.0, np.nan, 5.1, np.nan, 4.9, 5.0, np.nan]
    made = synth.loss_run(np.array(values))
    (found,) = label_nonfinite(build(made, detect(made)))
    assert "afterwards" not in summarise(found).en
    made = synth.loss_run(np.array([*values, 5.0]))
    (found,) = label_nonfinite(build(made, detect(made)))
    assert "afterwards" in summarise(found).en


def test_a_loss_that_underflows_to_zero_in_full_precision_is_dead() -> None:
    """No rounding here: the last values are those of a network that puts out nothing."""
    values = [*np.geomspace(4000.0, 30.0, 90), *np.geomspace(20.0, 1e-9, 10), *[0.0] * 300]
    made = synth.loss_run(np.array(values))
    (found,) = label_zero_loss(build(made, detect(made)))
    assert found.severity is Severity.CRITICAL
