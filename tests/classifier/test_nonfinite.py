"""NaN, infinities and zeros: which are lost runs, which are daily work."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import synth
from levels import pieces

from spikedoc.classifier.classify import classify
from spikedoc.classifier.context import build
from spikedoc.classifier.nonfinite import label_nonfinite, label_zero_loss
from spikedoc.classifier.wording import headline, summarise
from spikedoc.detectors.nonfinite import detect
from spikedoc.model.anomaly import Anomaly, Detection, Shape
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
         (Metric.VAL_METRIC, Severity.INFO), (Metric.TRAIN_METRIC, Severity.INFO)],
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

    @pytest.mark.parametrize(
        ("framework", "fill", "found"),
        [("hf", 2.0412, 1), ("hf", 0.02, 0), ("megatron", 2.0412, 0)],
    )
    def test_one_zero_of_a_trainer_that_writes_it_for_nan(self, framework, fill, found) -> None:
        made = synth.run(
            synth.series(holed(N - 1, value=0.0, fill=fill)), config={"framework": framework}
        )
        assert len(label_zero_loss(build(made, detect(made)))) == found

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
        ("before", "beside", "severity"),
        [
            (0.9, 1.0, Severity.INFO),  # a hinge: every answer is right by a margin
            (0.9, 0.999, Severity.INFO),
            (0.89, 1.0, Severity.CRITICAL),
            (0.9, 0.998, Severity.CRITICAL),
        ],
    )
    def test_zero_once_every_answer_is_right(
        self, before: float, beside: float, severity: Severity
    ) -> None:
        loss = synth.series(np.array([0.9, 0.4, 0.2, *[0.0] * 6]))
        acc = np.array([0.5, 0.6, before, *[beside] * 6])
        made = synth.run(loss, synth.series(acc, Metric.TRAIN_METRIC, tag="acc"))
        (found,) = label_zero_loss(build(made, detect(made)))
        assert found.severity is severity

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
        (
            [2.0, np.nan, 1.7, np.nan, 1.6, 1.5],
            "was NaN or infinite at 2 logged points from step 2 on",
        ),
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


def test_an_excerpt_without_a_finite_value_is_not_said_to_have_become_so() -> None:
    made = synth.run(synth.series(np.full(3, np.nan), first=2000))
    (found,) = label_nonfinite(build(made, detect(made)))
    assert "becomes" not in summarise(found).en
    assert "no finite value before" in summarise(found).en


def test_a_loss_that_underflows_to_zero_in_full_precision_is_dead() -> None:
    """No rounding here: the last values are those of a network that puts out nothing."""
    values = [*np.geomspace(4000.0, 30.0, 90), *np.geomspace(20.0, 1e-9, 10), *[0.0] * 300]
    made = synth.loss_run(np.array(values))
    (found,) = label_zero_loss(build(made, detect(made)))
    assert found.severity is Severity.CRITICAL


def seen(shape: Shape, signal: str, first: int, **measures: float) -> Detection:
    return Detection("any", shape, signal, first, first, N, measures)


def holes(signal: str, first: int = 50, **changes: float) -> Detection:
    """Return non-finite values, persistent unless changed."""
    told = {"share": 1.0, "first_index": 9.0, "at_end": 9.0, "count": 9.0, "nan": 9.0}
    return seen(Shape.NONFINITE, signal, first, **told | changes)


def of(run: Run, *detections: Detection) -> list[Anomaly]:
    return label_nonfinite(build(run, detections))


class TestAtTheThreshold:
    @pytest.mark.parametrize(
        ("first", "stride", "share", "form"),
        [
            *((100, 1, 0.9, Form.FROM_START), (101, 1, 0.9, Form.PERSISTENT)),
            *((200, 200, 0.9, Form.FROM_START), (201, 200, 0.9, Form.PERSISTENT)),
            (100, 1, 0.89, Form.TRANSIENT),
        ],
    )
    def test_an_excerpt_did_not_begin_broken(self, first, stride, share, form) -> None:
        log = synth.run(synth.series(np.ones(N), first=first, stride=stride))
        (found,) = of(log, holes("loss", first, first_index=0.0, share=share))
        assert found.form is form

    @pytest.mark.parametrize(("at_end", "count", "passed"), [(0, 2, 2), (0, 1, None), (1, 2, None)])
    def test_what_passed(self, at_end: int, count: int, passed: int | None) -> None:
        (found,) = of(RUN, holes("loss", share=0.1, at_end=at_end, count=count))
        assert found.measures.get("passed") == passed
        assert "infinite" not in found.measures
        (found,) = of(RUN, holes("loss", share=0.1, count=count, nan=0.0))
        assert found.measures["infinite"] == count

    @pytest.mark.parametrize(
        ("at_end", "share", "nan", "form"),
        [
            *(
                (2, 0.1, 1, Form.PERSISTENT),
                (1, 0.1, 1, Form.TRANSIENT),
                (0, 0.9, 1, Form.PERSISTENT),
            ),
            *((0, 0.89, 1, Form.TRANSIENT), (1, 0.1, 0, None)),
        ],
    )
    def test_a_gradient_that_ends_non_finite(self, at_end, share, nan, form: Form | None) -> None:
        alone = synth.run(synth.series(np.ones(N), Metric.GRAD_NORM))
        found = of(alone, holes("grad_norm", at_end=at_end, share=share, nan=nan))
        assert [a.form for a in found] == ([] if form is None else [form])
        severity = Severity.CRITICAL if form is Form.PERSISTENT else Severity.INFO
        assert all(a.severity is severity for a in found)

    @pytest.mark.parametrize(
        ("loss", "severity"),
        [
            (pieces((49, 1.0), (51, 2.0)), Severity.WARNING),  # up to twice its level
            (pieces((49, 1.0), (51, 2.1)), Severity.CRITICAL),
            (pieces((49, 1.0), (51, 0.1)), Severity.WARNING),
            (pieces((49, 1.0), (51, 0.0)), Severity.CRITICAL),
            (pieces((49, 1.0), (50, 1.0), (1, NAN)), Severity.CRITICAL),
            (pieces((49, 0.0), (51, 0.0)), Severity.CRITICAL),
            (pieces((49, 1.0), (3, 1.0)), Severity.WARNING),  # three points are enough
            (pieces((49, 1.0), (2, 1.0)), Severity.CRITICAL),
        ],
    )
    def test_a_loss_that_goes_on(self, loss: np.ndarray, severity: Severity) -> None:
        norm = synth.series(np.ones(N), Metric.GRAD_NORM)
        (found,) = of(synth.run(synth.series(loss), norm), holes("grad_norm"))
        assert found.severity is severity

    def test_the_level_of_a_loss_are_the_fifty_points_before(self) -> None:
        loss = pieces((51, 9.0), (50, 1.0), (50, 2.1))
        norm = synth.series(np.ones(151), Metric.GRAD_NORM)
        (found,) = of(synth.run(synth.series(loss), norm), holes("grad_norm", 102))
        assert found.severity is Severity.CRITICAL
        (found,) = of(synth.run(synth.series(loss), norm), holes("grad_norm", 1))
        assert found.severity is Severity.CRITICAL  # nothing before it

    @pytest.mark.parametrize(("first", "told"), [(399, 2), (400, 1), (500, 1)])
    def test_what_breaks_with_the_loss_is_not_told_again(self, first: int, told: int) -> None:
        # Two evaluations before it at most, which are 50 steps apart.
        val = synth.series(np.ones(20), Metric.VAL_LOSS, stride=50, first=50)
        log = synth.run(synth.series(np.ones(1000)), val)
        assert len(of(log, holes("loss", 500), holes("val_loss", first))) == told

    @pytest.mark.parametrize(("at_end", "start"), [(0.0, 60), (1.0, 50)])
    def test_a_masked_loss_begins_with_a_gradient_that_stayed_broken(self, at_end, start) -> None:
        norm = synth.series(np.ones(N), Metric.GRAD_NORM)
        zero = seen(Shape.EXACT_ZERO, "loss", 60, nan_beside=1.0)
        log = synth.run(synth.series(np.ones(N)), norm)
        (found,) = of(log, zero, holes("grad_norm", 50, at_end=at_end))
        assert (found.form, found.start_step, found.peak_step) == (Form.MASKED, start, 60)

    @pytest.mark.parametrize(
        ("metric", "severity"),
        [
            (Metric.VAL_LOSS, Severity.WARNING), (Metric.LOSS_COMPONENT, Severity.WARNING),
            (Metric.VAL_LOSS_COMPONENT, Severity.WARNING), (Metric.LR, Severity.INFO),
        ],
    )  # fmt: skip
    def test_other_losses_are_warnings(self, metric: Metric, severity: Severity) -> None:
        log = synth.run(synth.series(np.ones(N)), synth.series(np.ones(N), metric))
        for first, share, form in (
            (0.0, 0.9, Form.FROM_START), (1.0, 0.9, Form.PERSISTENT), (0.0, 0.8, Form.TRANSIENT),
        ):  # fmt: skip
            (found,) = of(log, holes(metric.value, first_index=first, share=share))
            assert (found.form, found.severity) == (form, severity)


RUN = synth.run(synth.series(np.ones(N)))
CRITICAL, WARNING, REMARK = Severity.CRITICAL, Severity.WARNING, Severity.INFO


def zeros(run: Run = RUN, without: Sequence[str] = (), **changes: float) -> list[Severity]:
    """Return how bad three zeros are that end a log whose loss was 1 and at least .01 before."""
    told = {
        "first_index": 9.0, "before": 1.0, "count": 3.0, "share": 0.9, "nan_beside": 0.0,
        "stretches": 1.0, "gap": 0.0, "points": 100.0,
        "least": 1e-6, "right_before": 1.0, "start": 1.0,
    } | changes  # fmt: skip
    told = {name: value for name, value in told.items() if name not in without}
    found = label_zero_loss(build(run, (seen(Shape.EXACT_ZERO, "loss", 50, **told),)))
    assert all(a.form is Form.CONSTANT_ZERO for a in found)
    return [a.severity for a in found]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        *(({}, [CRITICAL]), ({"count": 2.0}, []), ({"share": 0.89}, []), ({"nan_beside": 1.0}, [])),
        ({"count": 1.0, "grad_zero": 1.0}, [CRITICAL]),
        *(({"before": 1e-3}, []), ({"before": 1.1e-3}, [CRITICAL])),
        ({"before": 0.0, "first_index": 0.0}, [CRITICAL]),
        # Rounded to 0: a tenth of its start in a log of six decimals.
        *(({"right_before": 0.1}, []), ({"right_before": 0.11}, [CRITICAL])),
        ({"right_before": 0.1, "least": 9e-7}, [CRITICAL]),
        # Here and there: three times, half of all at most, and no other loss near zero.
        ({"stretches": 3.0, "share": 0.5, "gap": 0.25, "count": 5.0}, [WARNING]),
        ({"stretches": 3.0, "share": 0.5, "gap": 0.25, "count": 4.9}, [REMARK]),
        ({"stretches": 2.0, "share": 0.5, "gap": 0.25}, []),
        ({"stretches": 3.0, "share": 0.51, "gap": 0.25}, []),
        ({"stretches": 3.0, "share": 0.5, "gap": 0.24}, []),
        ({"stretches": 3.0, "share": 0.5, "gap": 0.25, "nan_beside": 1.0}, []),
    ],
)
def test_which_zeros_are_no_loss(changes: dict[str, float], found: list[Severity]) -> None:
    assert zeros(**changes) == found


@pytest.mark.parametrize(
    ("norm", "first_index", "found"),
    [(1.0, 0.0, REMARK), (0.0, 0.0, CRITICAL), (1.0, 9.0, CRITICAL), (NAN, 0.0, CRITICAL)],
)
def test_a_policy_loss_of_zero_with_a_gradient(norm: float, first_index: float, found) -> None:
    reward = synth.series(np.arange(N, dtype=float), Metric.REWARD)
    log = synth.run(*RUN.series, reward, synth.series(np.full(N, norm), Metric.GRAD_NORM))
    assert zeros(log, first_index=first_index) == [found]


@pytest.mark.parametrize(
    ("without", "changes", "found"),
    [
        ((), {"accuracy": 0.999, "accuracy_before": 0.9}, [REMARK]),
        ((), {"accuracy": 0.998, "accuracy_before": 0.9}, [CRITICAL]),
        ((), {"accuracy": 0.999, "accuracy_before": 0.89}, [CRITICAL]),
        # What was not logged speaks neither for it nor against it.
        ((), {"accuracy": 0.999}, [CRITICAL]),
        ((), {"accuracy_before": 0.9}, [CRITICAL]),
        ((), {"count": 2.0, "accuracy": 0.89}, [CRITICAL]),
        ((), {"count": 2.0, "accuracy": 0.9}, []),
        (("before",), {}, []),
        (("least",), {"right_before": 0.1}, [CRITICAL]),
        # A tenth of the level that it began with.
        ((), {"start": 2.0, "right_before": 0.2}, []),
        ((), {"start": 2.0, "right_before": 0.21}, [CRITICAL]),
    ],
)
def test_what_is_known_beside_zeros(without, changes, found: list[Severity]) -> None:
    assert zeros(without=without, **changes) == found


def test_one_gradient_norm_is_enough_to_tell_a_policy_that_learns() -> None:
    reward = synth.series(np.arange(N, dtype=float), Metric.REWARD)
    norm = synth.series(np.ones(1), Metric.GRAD_NORM)
    assert zeros(synth.run(*RUN.series, reward, norm), first_index=0.0) == [REMARK]


@pytest.mark.parametrize(
    ("loss", "first", "severity"),
    [
        (pieces((N, 1.0)), 2, WARNING),  # one point is a level
        (pieces((N, 1.0)), 1, CRITICAL),
        (pieces((49, 1.0), (50, 1.0), (1, 0.0)), 50, CRITICAL),  # a loss of 0 is a lost one
        (pieces((49, 1.0), (50, 1.0), (1, 2.1)), 50, CRITICAL),
    ],
)
def test_whether_a_loss_goes_on_without_a_gradient(loss, first: int, severity) -> None:
    log = synth.run(synth.series(loss), synth.series(np.ones(N), Metric.GRAD_NORM))
    (found,) = of(log, holes("grad_norm", first))
    assert found.severity is severity


def test_the_first_break_is_what_covers_others() -> None:
    norms = [
        synth.series(np.ones(N), Metric.GRAD_NORM, name=f"grad_norm:{rank}", rank=rank)
        for rank in range(2)
    ]
    log = synth.run(*norms, synth.series(np.ones(N), Metric.LR))  # no loss that could go on
    broken = holes("grad_norm:0", 30), holes("grad_norm:1", 60)
    found = of(log, *broken, holes("lr", 40))
    assert [a.signal for a in found] == ["grad_norm:0", "grad_norm:1"]
    found = of(log, *broken, holes("lr", 27))
    assert [a.signal for a in found] == ["grad_norm:0", "grad_norm:1", "lr"]


@pytest.mark.parametrize(("first", "told"), [(59, 2), (60, 1)])
def test_a_series_without_points_reaches_no_further(first: int, told: int) -> None:
    found = of(RUN, holes("loss", 60), holes("nowhere", first))
    assert len(found) == told


@pytest.mark.parametrize("metric", [Metric.GRAD_NORM, Metric.MAX_LOGIT, Metric.VAL_LOSS])
def test_a_detection_that_counts_nothing_is_labelled_and_nothing_is_claimed(metric: Metric) -> None:
    given = run(metric, holed(slice(40, None)))
    signal = next(s.name for s in given.series if s.metric is metric)
    seen = Detection(
        "own", Shape.NONFINITE, signal, 40, 40, 99, {"share": 1.0, "first_index": 40.0}
    )
    (found,) = label_nonfinite(build(given, (seen,)))
    assert found.form is Form.PERSISTENT
    assert not {"infinite", "passed"} & set(found.measures)
    assert "infinite" not in headline(Status.CRITICAL, (found,)).en
    assert "last finite" not in summarise(found).en


@pytest.mark.parametrize("metric", [Metric.WEIGHT_NORM, Metric.UPDATE_NORM])
@pytest.mark.parametrize(
    ("broken", "config", "severity"),
    [
        (slice(50, None), {}, Severity.WARNING),
        (slice(98, None), {}, Severity.WARNING),
        (slice(99, None), {}, Severity.INFO),  # one record is no end
        (slice(0, None), {}, Severity.INFO),  # never measured
        (slice(50, 60), {}, Severity.INFO),  # came back
        (slice(50, None), {"precision": "fp16"}, Severity.INFO),  # a skipped step in each mean
    ],
)
def test_a_norm_of_the_weights_that_ends_in_nan(metric, broken, config, severity) -> None:
    (found,) = labelled(run(metric, holed(broken), **config))
    assert found.severity is severity


@pytest.mark.parametrize(
    ("metric", "tag", "value", "told"),
    [
        (Metric.TRAIN_METRIC, "accuracy", 0.0, 1),
        (Metric.TRAIN_METRIC, "accuracy", 0.95, 0),
        (Metric.VAL_METRIC, "wer", 1.0, 1),
        (Metric.VAL_METRIC, "cer", 0.05, 0),
        (Metric.VAL_METRIC, "wer", 8.0, 0),  # per cent
    ],
)
def test_a_loss_that_came_down_to_zero_while_all_answers_are_wrong(
    metric: Metric, tag: str, value: float, told: int
) -> None:
    epochs = np.arange(40)
    loss = np.where(epochs < 8, np.round(20.0 * np.exp(-epochs), 4), 0.0)
    beside = synth.series(np.full(40, value), metric, tag=tag)
    made = synth.run(synth.series(loss), beside)
    found = classify(made, detect_all(made))
    assert len([a for a in found if a.form is Form.CONSTANT_ZERO]) == told
