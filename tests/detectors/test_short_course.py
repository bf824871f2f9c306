"""A few points: the lone one, the step up, the standstill – and all that is none of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synth
from hypothesis import given
from hypothesis import strategies as st
from plain.short_course import short_course
from told import assert_told

from spikedoc.detectors.short_course import MAX_POINTS, detect
from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.constants import COMMON_CLASSES
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Source

LN10 = float(np.log(10.0))


def only(run: Run) -> Detection:
    (found,) = detect(run)
    return found


def loss(*values: float) -> Run:
    return synth.loss_run(np.array(values))


def epochs(*values: float, **config: int) -> Run:
    return synth.loss_run(np.array(values), steps_per_epoch=1, **config)


class TestLone:
    def test_a_point_ten_thousand_times_the_others(self) -> None:
        found = only(loss(5.6, 5.3, 153318.95, 5.7, 5.6, 5.1, 5.9))
        assert (found.shape, found.peak_step) == (Shape.LONE, 3)
        assert found.measures["factor"] == pytest.approx(153318.95 / 5.45)

    def test_a_negative_loss_has_no_factor(self) -> None:
        found = only(loss(-4.07, -4.49, -4.45, -4.32, 4191.7, -2.41, -2.91))
        assert (found.shape, found.peak_step) == (Shape.LONE, 5)
        assert "factor" not in found.measures

    @pytest.mark.parametrize(
        "values",
        [
            (3.0, 8.0, 3.0),  # three rounded numbers
            (900.0, 5.0, 4.0, 3.0, 3.0, 3.0, 3.0),  # the first: where training begins
            (5.0, 5.1, 5.0, 4.9, 5.0, 900.0),  # the last: nobody knows how it goes on
            (5.0, 1.0, 3.0, 40.0, 2.0, 4.0, 3.0),  # within reach of the others
        ],
    )
    def test_what_is_no_lone_point(self, values: tuple[float, ...]) -> None:
        assert detect(loss(*values)) == ()


class TestBlast:
    def test_hundreds_of_times_within_five_records(self) -> None:
        found = only(loss(1.5, 3.0, 210.0, 40.0, 4400.0))
        assert (found.shape, found.first_step, found.last_step) == (Shape.STEP_UP, 3, 5)
        assert found.measures == {"best": 1.5, "after": 210.0, "factor": 140.0}

    @pytest.mark.parametrize(
        "values",
        [
            (1.5, 3.0, 2.0, 1.8, 4400.0),  # the last one alone
            (1.5, 3.0, 210.0, 40.0, 250.0),  # on its way back
            (1.5, 3.0, 21.0, 30.0, 4400.0),  # the first below ten times all before
            (1.5, 210.0, 4400.0, 9000.0),  # four records
            (0.0, 3.0, 210.0, 40.0, 4400.0),  # no logarithm
        ],
    )
    def test_what_is_none(self, values: tuple[float, ...]) -> None:
        assert detect(loss(*values)) == ()


class TestStepUp:
    def test_validation_that_leaves_for_good(self) -> None:
        values = (2.086, 1.593, 1.406, 3.316, 6.437, 5.478, 4.857, 4.874, 4.604)
        found = only(loss(*values))
        assert (found.shape, found.first_step) == (Shape.STEP_UP, 4)
        assert found.measures["best"] == 1.406
        assert found.measures["after"] == pytest.approx(np.median(values[3:]))

    @pytest.mark.parametrize(
        "values",
        [
            (2.0, 1.9, 1.8, 2.3, 2.3, 2.3),  # a sixth above: batches do that
            (2.0, 0.5, 3.0, 4.0, 9.0, 4.0),  # as wild before as after
            (2.0, 1.9, 4.0, 4.0, 4.0),  # two points before
            (2.0, 1.9, 1.8, 4.0, 4.0),  # two points after
            (-2.0, -1.9, -1.8, 4.0, 4.0, 4.0),
        ],
    )
    def test_what_is_no_step(self, values: tuple[float, ...]) -> None:
        assert detect(loss(*values)) == ()

    @pytest.mark.parametrize("n", [20, 30, 45, 59, 60, 79])
    def test_a_step_back_on_a_falling_curve(self, n: int) -> None:
        """It stays below where the curve began, and far above where it had come to."""
        values = 4.0 * np.exp(-np.arange(n) / n)
        values *= np.exp(synth.noise("gauss", n, 0.03, n))
        at = 2 * n // 3
        values[at:] *= 3.0
        found = only(loss(*values))
        assert (found.shape, found.first_step) == (Shape.STEP_UP, at + 1)

    @pytest.mark.parametrize("late", [2, 4])
    def test_too_few_points_after_it_are_none(self, late: int) -> None:
        values = 4.0 * np.exp(-np.arange(40) / 10.0)
        values[-late:] *= 3.0
        assert detect(loss(*values)) == ()

    def test_longer_logs_are_left_to_windows(self) -> None:
        values = 4.0 * np.exp(-np.arange(80) / 80.0)
        values[50:] *= 3.0
        assert detect(loss(*values)) == ()

    @pytest.mark.parametrize("sigma", [0.05, 0.3, 1.0])
    def test_noise_makes_none(self, sigma: float) -> None:
        found = 0
        for seed in range(400):
            n = 6 + seed % 50
            found += len(detect(loss(*np.exp(synth.noise("gauss", n, sigma, seed)))))
        assert found <= 1


class TestTurn:
    def test_a_loss_that_goes_back_the_way_it_came(self) -> None:
        found = only(loss(12.0, 9.5, 4.0, 2.5, 1.5, 3.5, 6.0, 9.0))
        assert (found.shape, found.first_step) == (Shape.STEP_UP, 6)
        assert found.measures == {"best": 1.5, "after": 6.0, "factor": 4.0}

    @pytest.mark.parametrize(
        "values",
        [
            (12.0, 9.5, 4.0, 2.5, 1.5, 2.0, 3.0, 4.0),  # by less than three times
            (4.0, 2.5, 1.5, 3.5, 6.0, 9.0),  # hardly down before
            (12.0, 9.5, 4.0, 2.5, 1.5, 3.5, 6.0),  # twice up
            (12.0, 9.5, 4.0, 2.5, 1.5, 6.0, 3.5, 9.0),  # up and down
            (12.0, 4.0, 9.5, 2.5, 1.5, 3.5, 6.0, 9.0),
            (2.0, 1.0, 0.5, 0.0, 1.0, 2.0, 3.0, 4.0),  # zero has no logarithm
        ],
    )
    def test_what_is_no_turn(self, values: tuple[float, ...]) -> None:
        assert detect(loss(*values)) == ()


class TestStandstill:
    def test_epochs_that_repeat_their_digits(self) -> None:
        found = only(epochs(1.9112, *[1.9105] * 9))
        assert found.shape is Shape.STANDSTILL
        assert found.measures == {"first": 1.9112, "best": 1.9105, "last": 1.9105}

    def test_epochs_at_the_level_of_a_guess(self) -> None:
        found = only(epochs(2.3086, 2.2973, 2.3083, 2.3027, 2.3045, 2.3057))
        assert found.measures["classes"] == 10.0
        assert found.measures["chance"] == pytest.approx(LN10)

    def test_the_known_number_of_classes_is_the_one_that_counts(self) -> None:
        values = [float(np.log(37))] * 3 + [float(np.log(37)) + 0.01] * 3
        assert only(epochs(*values, num_classes=37)).measures["classes"] == 37.0
        assert detect(epochs(*values)) == ()

    def test_every_training_begins_at_the_level_of_a_guess(self) -> None:
        assert detect(loss(2.3086, 2.2973, 2.3083, 2.3027, 2.3045, 2.3057)) == ()

    @pytest.mark.parametrize("counts_epochs", [True, False])
    def test_a_reader_tells_whether_steps_are_epochs(self, *, counts_epochs: bool) -> None:
        """Twenty steps at the level of a guess begin any training, twenty epochs do not."""
        source = Source("log.csv", "csv", 100, counts_epochs=counts_epochs)
        run = replace(loss(2.3086, 2.2973, 2.3083, 2.3027, 2.3045, 2.3057), sources=(source,))
        assert bool(detect(run)) is counts_epochs

    def test_points_that_were_all_evaluated_are_epochs(self) -> None:
        train = synth.series(np.array([1.7, *[1.7046] * 5]), Metric.LOSS)
        val = synth.series(np.full(6, 1.6784), Metric.VAL_LOSS)
        assert only(synth.run(train, val)).shape is Shape.STANDSTILL
        assert detect(synth.run(train)) == ()

    @pytest.mark.parametrize(
        "values",
        [
            (2.0, *[0.1] * 9),  # it has learned
            (1.9105, 1.9104, 1.9103, 1.9102, 1.9101, 1.9100),  # slow, but it moves
            (0.0,) * 8,  # another finding
            (2.3026,) * 4,
            (0.0001,) * 9,  # too few digits to see it move
            (0.0012,) * 9,
        ],
    )
    def test_what_is_no_standstill(self, values: tuple[float, ...]) -> None:
        assert detect(epochs(*values)) == ()


def test_long_logs_are_left_to_the_others() -> None:
    values = [1.0] * 30 + [1e6] + [1.0] * (MAX_POINTS - 31)
    assert detect(loss(*values)) == ()
    assert len(detect(loss(*values[:-1]))) == 1


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=MAX_POINTS + 2))
def test_any_numbers_are_survived(values: list[float]) -> None:
    with np.errstate(all="ignore"):
        for found in detect(epochs(*values)):
            assert 1 <= found.first_step <= found.last_step <= len(values)


class TestClimb:
    def test_twelve_points_that_rise_by_a_tenth(self) -> None:
        found = only(loss(1.43, 1.41, 1.42, 1.44, 1.46, 1.45, 1.48, 1.51, 1.52, 1.56, 1.57, 1.61))
        assert found.shape is Shape.CLIMB
        assert found.measures["factor"] == pytest.approx(1.57 / 1.42)

    @pytest.mark.parametrize(
        "values",
        [
            (1.43, 1.41, 1.42, 1.44, 1.46, 1.45, 1.48),  # too few
            (1.40, 1.41, 1.41, 1.42, 1.42, 1.43, 1.43, 1.44),  # too little
            (1.0, 1.3, 0.9, 1.4, 1.0, 1.2, 1.5, 1.1),  # noise
            (1.0, 1.1, 1.2, 1.3, 1.2, 1.1, 1.0, 0.9),  # a warm-up, taken back
        ],
    )
    def test_what_is_no_climb(self, values: tuple[float, ...]) -> None:
        assert detect(loss(*values)) == ()


def random_course(rng: np.random.Generator) -> np.ndarray:
    """A few points of one of the four kinds, near the threshold of it."""
    n = int(rng.choice([2, 3, 5, 6, 7, 8, 9, 12, 20, 30, 59, 60, 79, 80]))
    t = np.arange(n)
    kind = rng.integers(0, 6)
    if kind == 5:  # down and up again
        turn = int(rng.integers(2, max(3, n - 2)))
        values = np.exp(
            -np.minimum(t, turn) * 0.6 + np.maximum(0, t - turn) * rng.choice([0.3, 0.6])
        )
        # Never without noise: of steps that are all alike rounding would choose the largest.
        return values * np.exp(rng.choice([1e-6, 0.05, 0.3]) * rng.normal(size=n))
    if kind == 0:  # a lone point, of which 20 is just enough
        values = rng.choice([1.0, 1.5, 2.0], n) * float(rng.choice([1.0, 1.0, -1.0]))
        out = 20.0 * max(float(np.ptp(values)), abs(float(np.median(values))))
        values[int(rng.integers(0, n))] = values.max() + out * float(rng.choice([0.99, 1.0, 1.01]))
        return values
    if kind == 1:  # a step, on a flat or a falling course
        values = np.exp(-t / n * float(rng.choice([0.0, 1.5])) + 0.02 * rng.normal(size=n))
        values[n - int(rng.integers(1, n + 1)) :] *= float(rng.choice([1.25, 1.3, 1.4, 2.0, 3.0]))
        return values
    if kind == 2:  # a climb
        rise = float(rng.choice([0.08, 0.1, 0.12, 0.3, 1.0]))
        return np.exp(
            rise * t / max(1, n - 3) + rise * rng.choice([0.02, 0.12]) * rng.normal(size=n)
        )
    if kind == 3:  # digits that repeat
        values = np.full(n, 1.9)
        moving = rng.choice(n, min(n, int(rng.integers(0, n // 2 + 2))), replace=False)
        values[moving] += float(rng.choice([9.4e-4, 9.6e-4])) * (rng.random(moving.size) < 0.5)
        values[0] = float(rng.choice([1.9, 3.79, 3.81, -1.0]))
        return values
    chance = np.log(float(rng.choice([2.0, 10.0, 37.0, 100.0])))
    return chance * (1 + rng.uniform(-1, 1, n) * float(rng.choice([0.0099, 0.012])))


@pytest.mark.parametrize("block", range(15))
def test_short_logs_are_told_of_as_the_definition_says(block: int) -> None:
    usual = tuple(c for c in COMMON_CLASSES if c >= 10)
    for seed in range(60 * block, 60 * block + 60):
        rng = np.random.default_rng(seed)
        values = random_course(rng)
        of_epochs, classes = bool(rng.random() < 0.7), [None, 1, 37, 2][int(rng.integers(0, 4))]
        config = {"steps_per_epoch": 1 if of_epochs else 20}
        config |= {"num_classes": classes} if classes else {}
        known = None if classes == 1 else classes  # one class is no classifier
        expected = short_course(values.tolist(), epochs=of_epochs, classes=known, usual=usual)
        assert_told(detect(synth.loss_run(values, **config)), expected)


@pytest.mark.parametrize(("evaluated", "are_epochs"), [(4, False), (5, True), (6, True)])
def test_five_points_that_were_all_evaluated_are_epochs(
    evaluated: int, *, are_epochs: bool
) -> None:
    train = synth.series(np.full(evaluated, 1.7), Metric.LOSS)
    metric = synth.series(np.full(evaluated, 0.3), Metric.VAL_METRIC)
    fewer = synth.series(np.full(evaluated, 0.3), Metric.VAL_METRIC, first=2)
    assert bool(detect(synth.run(train, metric))) is are_epochs
    assert not detect(synth.run(train, fewer))


@pytest.mark.parametrize(("height", "told"), [(1.3 + 1e-9, 1), (1.3 - 1e-9, 0)])
def test_a_step_by_exactly_a_third(height: float, told: int) -> None:
    assert len(detect(loss(1.0, 1.0, 1.0, height, height, height))) == told


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ((10.0 + 1e-8, 10.0 + 1e-8, 100.0 + 1e-7), 1),
        ((10.0 - 1e-8, 10.0, 100.0), 0),
        ((10.0, 10.0, 100.0 - 1e-7), 0),
        ((100.0,), 0),
    ],
)
def test_a_blast_by_ten_and_a_hundred(rest: tuple[float, ...], told: int) -> None:
    assert len(detect(loss(*[1.0] * (5 - len(rest)), *rest))) == told


@pytest.mark.parametrize(("height", "told"), [(1.1 + 1e-9, 1), (1.1 - 1e-9, 0)])
def test_a_climb_by_exactly_a_tenth(height: float, told: int) -> None:
    """From the middle of the first three to that of the last three; 1.0 to the last digit."""
    values = (0.99, 1.0, 1.01, 1.04, 1.05, 1.09, height, 1.12)
    assert len(detect(loss(*values))) == told


def table(loss: list[float], **others: list[float]) -> Run:
    """Return a run of whole epochs; `others` are roles with their values."""
    parts = [synth.series(np.array(v), Metric(role)) for role, v in others.items()]
    named = [replace(s, tag="accuracy") if s.metric.value.endswith("metric") else s for s in parts]
    return synth.run(synth.series(np.array(loss)), *named, config={"steps_per_epoch": 1})


class TestWithValidation:
    RAGGED = (0.84, 0.69, 0.74, 0.75, 0.99, 0.97, 0.81, 1.2, 1.04, 1.12, 1.06, 1.28)
    VAL = (0.51, 0.87, 0.64, 0.96, 0.97, 0.84, 1.12, 1.14, 0.96, 1.27, 1.29, 1.5)

    def test_a_ragged_climb_that_validation_shares(self) -> None:
        found = only(table(list(self.RAGGED), val_loss=list(self.VAL)))
        assert (found.shape, found.first_step, found.last_step) == (Shape.CLIMB, 1, 12)

    @pytest.mark.parametrize("val", [[], [1.0] * 12, list(VAL[::-1]), list(VAL[:7])])
    def test_alone_it_is_noise(self, val: list[float]) -> None:
        parts = {"val_loss": val} if val else {}
        assert detect(table(list(self.RAGGED), **parts)) == ()

    def test_a_climb_of_less_than_a_quarter_is_noise_too(self) -> None:
        mild = [v**0.3 for v in self.RAGGED]
        assert detect(table(mild, val_loss=list(self.VAL))) == ()


class TestPoorAnswers:
    LOSS = (3.75, 3.69, 3.67, 3.62, 3.58, 3.55, 3.52, 3.5)
    POOR = (0.05, 0.06, 0.055, 0.06, 0.06, 0.06, 0.065, 0.065)

    def run(self, **changed: list[float]) -> Run:
        parts = {"train_metric": list(self.POOR), "val_metric": list(self.POOR)} | changed
        return table(parts.pop("loss", list(self.LOSS)), **parts)

    def test_eight_epochs_and_hardly_an_answer_is_right(self) -> None:
        found = only(self.run())
        assert (found.shape, found.first_step, found.last_step) == (Shape.STANDSTILL, 1, 8)
        assert found.measures == {"first": 3.75, "best": 3.5, "last": 3.5}

    @pytest.mark.parametrize(
        "changed",
        [
            {"val_metric": [*POOR[:7], 0.101]},  # it begins to learn
            {"train_metric": [*POOR[:7], 0.26]},
            {"val_metric": [-0.1, *POOR[1:]]},  # no share
            {"loss": [*LOSS[:7], 3.3]},
            {"loss": [0.05 * v for v in (*LOSS[:7], 3.3)]},  # a small loss, an eighth lower
            {"val_metric": [0.0] * 8},  # no answer of the kind that is counted
            {"train_metric": list(POOR[:7])},
            {"loss": list(LOSS[:7])},
        ],
    )
    def test_what_learns_or_cannot_be_judged(self, changed: dict[str, list[float]]) -> None:
        assert detect(self.run(**changed)) == ()

    def test_training_answers_must_be_known_too(self) -> None:
        assert detect(table(list(self.LOSS), val_metric=list(self.POOR))) == ()


def test_the_first_epoch_holds_the_way_down_to_guessing() -> None:
    found = only(epochs(31.3, 2.299, 2.297, 2.299, 2.3, 2.295))
    assert (found.shape, found.measures["classes"]) == (Shape.STANDSTILL, 10.0)
    assert detect(epochs(31.3, 2.299, 2.297, 2.299, 2.3)) == ()
    assert detect(epochs(2.1, 2.299, 2.297, 2.299, 2.3, 2.295)) == ()


@pytest.mark.parametrize(("spread", "stands"), [(1e-4, True), (5e-3, False)])
def test_the_guess_to_four_digits_is_one_whatever_an_accuracy_counts(
    spread: float, stands: bool
) -> None:
    losses = LN10 * (1.0 + spread * np.cos(np.arange(10)))
    right = synth.series(np.full(10, 0.89), Metric.TRAIN_METRIC, tag="acc")
    run = synth.run(synth.series(losses), right, config={"steps_per_epoch": 1})
    assert bool(detect(run)) is stands
