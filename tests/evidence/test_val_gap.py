from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from levels import alike, pieces

from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind, Severity

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND = Kind.OVERFITTING
AT = np.arange(50, 1001, 50)


def test_scissors(ask, falling) -> None:
    name = "val_rises_while_train_falls"
    train = falling * np.exp(-np.arange(1000) / 800)
    rising = (AT, 1.0 + np.abs(AT - 300) / 1000)
    found = ask(name, KIND, 300, 300, 1000, loss=train, val_loss=rising)
    assert (found.verdict, found.values["step"]) == (YES, 300)
    level = (AT, np.maximum(1.0, 2 - AT / 300))
    assert ask(name, KIND, 300, 300, 1000, loss=train, val_loss=level).verdict is NO
    both = np.concatenate([train[:300], train[300] * np.linspace(1, 5, 700)])
    assert ask(name, KIND, 300, 300, 1000, loss=both, val_loss=rising).verdict is NO
    few = (AT[:2], np.ones(2))
    assert ask(name, KIND, 300, loss=train, val_loss=few).verdict is UNKNOWN


def test_what_never_worked_has_no_best_to_rise_from(ask, falling) -> None:
    rising = (AT, 2.4 + AT / 1000)
    gap = (Detection("val_gap", Shape.GAP, "val_loss", 50, 50, 1000),)
    parts = {"loss": falling, "val_loss": rising, "detections": gap}
    name = "val_rises_while_train_falls"
    assert ask(name, KIND, 50, 50, 1000, **parts).verdict is UNKNOWN
    parts["detections"] = ()
    assert ask(name, KIND, 50, 50, 1000, **parts).verdict is YES


def test_guessing_in_a_log_of_a_few_epochs(ask) -> None:
    epochs = np.arange(1, 31)
    loss = 0.1 + 2.2 * np.exp(-(epochs - 1) / 6)
    accuracy = (epochs, np.full(30, 0.1) + 0.003 * np.sin(epochs))
    parts = {"loss": (epochs, loss), "val_metric": accuracy, "tags": {"val_metric": "val_acc"}}
    found = ask("val_metric_at_chance", KIND, 1, 1, 30, **parts)
    assert (found.verdict, found.values["chance"]) == (YES, pytest.approx(0.1, abs=0.001))


def test_never_learned(ask, falling) -> None:
    name = "val_never_learned"
    flat = (AT, np.full(AT.size, 2.3))
    assert ask(name, KIND, 300, loss=falling, val_loss=flat).verdict is YES
    fell = (AT, np.linspace(2.3, 1.0, AT.size))
    assert ask(name, KIND, 300, loss=falling, val_loss=fell).verdict is NO
    stuck = np.full(1000, 2.3)
    assert ask(name, KIND, 300, loss=stuck, val_loss=flat).verdict is NO


def test_whether_training_learned_is_unknown_where_its_noise_is_as_large(ask) -> None:
    flat = (AT, np.full(AT.size, 2.3))
    rng = np.random.default_rng(5)
    for noise, verdict in ((0.9, UNKNOWN), (0.02, YES)):
        train = np.linspace(1.2, 1.0, 60) * np.exp(noise * rng.normal(size=60))
        at = (np.array([1, 20, 40, 60]), flat[1][:4])
        assert ask("val_never_learned", KIND, 30, loss=train, val_loss=at).verdict is verdict


@pytest.mark.parametrize("name", ["val_never_learned", "val_gap_from_start"])
class TestTheFirstLookCameLate:
    VAL = (np.array([300, 500, 700, 900]), np.full(4, 2.3))

    def verdict(self, ask, name: str, loss: np.ndarray, val=VAL, **config: int) -> Verdict:
        return ask(name, KIND, 300, loss=loss, val_loss=val, config=config).verdict

    @pytest.mark.parametrize(("by_then", "known"), [(0.35, True), (0.15, False)])
    def test_most_was_learned_by_then(self, ask, name: str, by_then: float, known: bool) -> None:
        loss = np.concatenate([np.linspace(1.0, by_then, 300), np.linspace(by_then, 0.01, 700)])
        assert (self.verdict(ask, name, loss) is YES) is known
        assert (self.verdict(ask, name, loss) is UNKNOWN) is not known

    def test_where_the_first_points_hold_all_of_it_nothing_was_missed(self, ask, name: str) -> None:
        loss = np.concatenate([[2.0, 1.5, 1.0], np.full(997, 0.5)])
        at = (np.array([12, 300, 500, 700]), np.full(4, 2.3))
        assert self.verdict(ask, name, loss, at) is YES

    @pytest.mark.parametrize(("epoch", "known"), [(61, True), (60, False), (1, True)])
    def test_each_sample_was_seen_five_times(self, ask, name: str, epoch: int, known: bool) -> None:
        loss = np.linspace(1.0, 0.1, 1000)
        assert (self.verdict(ask, name, loss, steps_per_epoch=epoch) is YES) is known


@pytest.mark.parametrize(
    ("values", "classes", "verdict"),
    [
        (np.linspace(0.09, 0.12, 20), 10, YES),
        (np.linspace(0.1, 0.8, 20), 10, NO),
        (np.linspace(9, 12, 20), 10, YES),
        (np.full(20, 0.31), None, YES),
        (np.linspace(0.09, 0.12, 20), None, YES),
        (np.linspace(0.1, 0.8, 20), None, NO),
    ],
)
def test_metric_at_chance(ask, values, classes, verdict) -> None:
    parts = {
        "loss": np.full(1000, np.log(10)),
        "val_metric": (AT, values),
        "tags": {"val_metric": "val_acc"},
        "config": {} if classes is None else {"num_classes": classes},
    }
    found = ask("val_metric_at_chance", Kind.NON_CONVERGENCE, 1, 1, 1000, **parts)
    assert found.verdict is verdict


def test_an_evaluation_of_something_else_says_nothing_of_the_training(ask, falling) -> None:
    parts = {"loss": falling, "val_metric": (AT, np.full(20, 0.1)), "tags": {"val_metric": "acc"}}
    name = "val_metric_at_chance"
    assert ask(name, KIND, 50, 1000, 1000, **parts).verdict is YES
    equal = {"equal": 20.0, "best": 2.303}
    assert ask(name, KIND, 50, 1000, 1000, measures=equal, **parts).verdict is UNKNOWN


def test_an_error_rate_is_no_accuracy(ask, falling) -> None:
    parts = {
        "loss": falling,
        "val_metric": (AT, np.full(20, 0.3)),
        "tags": {"val_metric": "val_mae"},
    }
    assert ask("val_metric_at_chance", Kind.NON_CONVERGENCE, 1, **parts).verdict is UNKNOWN


def test_gap_from_the_start(ask, falling) -> None:
    name = "val_gap_from_start"
    far = (AT, 2.0 * falling[AT - 1])
    assert ask(name, KIND, 300, loss=falling, val_loss=far).verdict is YES
    grows = (AT, falling[AT - 1] * np.linspace(1, 4, AT.size))
    assert ask(name, KIND, 300, loss=falling, val_loss=grows).verdict is NO
    assert ask(name, KIND, 300, loss=-falling, val_loss=grows).verdict is UNKNOWN
    # Of a look before the first step both sides know as little.
    before = (np.arange(1, 1000, 100), np.full(10, 2.0))
    assert ask(name, KIND, 1, loss=falling, val_loss=before).verdict is UNKNOWN


def scissors(ask, values: list[float], *, loss=None, others=(), every: int = 100):
    """Ask about evaluations at every hundredth step of a training loss that falls all the time."""
    at = every * np.arange(1, len(values) + 1)
    loss = np.linspace(2.0, 1.0, int(at[-1])) if loss is None else loss
    parts = {"loss": loss, "val_loss": (at, values), "others": others}
    name = "val_rises_while_train_falls"
    return alike(ask, ("loss", "val_loss"), name, KIND, 300, 300, 1000, **parts)


@pytest.mark.parametrize(
    ("values", "step", "last", "verdict"),
    [
        ([200.0, 100.0, 105.0, 105.0], 200, 105.0, NO),  # five per cent
        ([200.0, 100.0, 106.0, 106.0], 200, 106.0, YES),
        ([-50.0, -100.0, -95.0, -95.0], 200, -95.0, NO),
        ([-50.0, -100.0, -94.0, -94.0], 200, -94.0, YES),
        # The end is the median of three, but nothing from before the best.
        ([900.0, 100.0, 700.0, 700.0, 200.0, 300.0, 400.0], 200, 300.0, YES),
        ([400.0, 300.0, 100.0, 200.0], 300, 150.0, YES),
        ([400.0, 300.0, 200.0, 100.0], 400, 100.0, NO),
    ],
)
def test_the_rise_after_the_best_evaluation(ask, values, step: int, last: float, verdict) -> None:
    found = scissors(ask, values)
    assert found.verdict is verdict
    assert found.values == {"best": min(values), "step": step, "last": last}


def test_four_evaluations_and_twelve_points_behind_the_best(ask) -> None:
    assert scissors(ask, [200.0, 100.0, 106.0]).verdict is UNKNOWN
    values = [200.0, 100.0, 106.0, 106.0]
    falls = np.linspace(2.0, 1.0, 212)
    assert scissors(ask, values, loss=falls[1:]).verdict is YES
    assert scissors(ask, values, loss=(np.arange(1, 212), falls[1:])).verdict is YES
    assert scissors(ask, values, loss=(np.arange(1, 211), falls[2:])).verdict is UNKNOWN
    # What does not rise needs no training loss to say so.
    assert scissors(ask, [200.0, 100.0] * 2, loss=(np.arange(1, 211), falls[2:])).verdict is NO


@pytest.mark.parametrize(
    ("levels", "verdict"),
    [
        # Of 66 pairs of blocks 16 rise: tau is -.515; with one more it is -.485.
        ([11, 12, 10, 4, 5, 6, 7, 8, 9, 3, 2, 1], YES),
        ([11, 12, 10, 4, 5, 6, 7, 8, 9, 3, 1, 2], NO),
    ],
)
def test_training_that_mostly_falls(ask, levels: list[int], verdict: Verdict) -> None:
    loss = pieces((199, 50.0), *((10, float(level)) for level in levels))
    assert scissors(ask, [200.0, 100.0, 106.0, 106.0], loss=loss).verdict is verdict


def test_the_figures_of_a_finding_are_those_of_the_answer(ask) -> None:
    told = {"best": 99.0, "best_step": 210.0, "last": 107.0}
    val = (100 * np.arange(1, 5), [200.0, 100.0, 106.0, 106.0])
    other = Anomaly(KIND, Severity.WARNING, 0.9, "val_loss", 200, 200, 400, None, told)
    name, parts = "val_rises_while_train_falls", {"loss": np.linspace(2, 1, 400), "val_loss": val}
    found = ask(name, Kind.METRIC_DAMAGE, 300, others=[other], **parts)
    assert found.values == {"best": 99.0, "step": 210, "last": 107.0}
    # Its best counts with the step of it only.
    part = replace(other, measures={"best": 99.0, "last": 107.0})
    found = ask(name, Kind.METRIC_DAMAGE, 300, others=[part], **parts)
    assert found.values == {"best": 100.0, "step": 200, "last": 107.0}


@pytest.mark.parametrize(
    ("best", "fallen", "verdict"),
    [(95.0, 8.9, NO), (96.0, 8.9, YES), (96.0, 9.0, NO), (104.0, 8.9, YES)],
)
def test_validation_that_never_gained_a_twentieth(ask, best, fallen, verdict) -> None:
    # … while training went down from 10 by more than a tenth.
    loss, val = pieces((200, 10.0), (200, fallen)), (AT[:4], [100.0, best, 100.0, 100.0])
    found = ask("val_never_learned", KIND, 300, loss=loss, val_loss=val)
    assert found.verdict is verdict
    assert found.values == {"first": 100.0, "best": min(best, 100.0)}


def test_what_never_learned_is_unknown_of(ask) -> None:
    name, loss = "val_never_learned", pieces((200, 10.0), (200, 5.0))
    assert ask(name, KIND, 300, loss=loss, val_loss=(AT[:3], np.ones(3))).verdict is UNKNOWN
    assert ask(name, KIND, 300, loss=loss - 10, val_loss=(AT, np.ones(20))).verdict is UNKNOWN


def at_chance(ask, values: list[float], start: float = 5.0, **config: float):
    parts = {"loss": np.full(1000, start), "tags": {"val_metric": "val_acc"}, "config": config}
    parts["val_metric"] = (AT[: len(values)], values)
    return ask("val_metric_at_chance", Kind.NON_CONVERGENCE, 1, 1, 1000, **parts)


@pytest.mark.parametrize(
    ("values", "level", "chance", "verdict"),
    [
        ([0.1, 0.15, 0.15, 0.15], 0.15, 0.1, YES),  # one and a half times a guess among ten
        ([0.1, 0.151, 0.151, 0.151], 0.151, 0.1, NO),
        ([10.0, 15.0, 15.0, 15.0], 15.0, 10.0, YES),  # in per cent
        ([0.5, 1.0, 0.1, 0.1, 0.1, 0.1], 0.1, 0.1, YES),  # 1 is a share still
        # Late is the last third, four evaluations at least.
        ([0.1] * 2 + [0.9, 0.9, 0.1, 0.1], 0.5, 0.1, NO),
        ([0.1] * 10 + [0.9, 0.9, 0.9, 0.1, 0.1], 0.9, 0.1, NO),
    ],
)
def test_up_to_half_as_much_again_as_by_guessing(ask, values, level, chance, verdict) -> None:
    found = at_chance(ask, values, num_classes=10)
    assert found.verdict is verdict
    told = {"level": pytest.approx(level), "chance": chance}
    assert found.values == {"name": found.values["name"]} | told


@pytest.mark.parametrize(
    ("start", "classes", "chance"),
    [(0.6, None, 0.549), (13.0, None, 2.26e-6), (0.7, 1, 0.497), (0.7, 2, 0.5)],
)
def test_the_guess_is_read_off_the_first_loss(ask, start, classes, chance) -> None:
    # exp(-.6) = .549, exp(-13) = 2.26e-6, exp(-.7) = .497; one class is no number of classes.
    config = {} if classes is None else {"num_classes": classes}
    assert at_chance(ask, [0.1, 0.2, 0.3, 0.4], start, **config).values["chance"] == chance


@pytest.mark.parametrize("start", [0.59, 13.1])
def test_a_first_loss_that_is_no_guess(ask, start: float) -> None:
    assert at_chance(ask, [0.1, 0.2, 0.3, 0.4], start).verdict is UNKNOWN


@pytest.mark.parametrize(("moves", "verdict"), [(1e-7, YES), (1e-5, UNKNOWN)])
def test_a_metric_that_never_moves(ask, moves: float, verdict: Verdict) -> None:
    assert at_chance(ask, [1.0, 1.0, 1.0, 1.0 + moves], 99.0).verdict is verdict


def test_four_values_of_a_metric(ask) -> None:
    assert at_chance(ask, [0.1, 0.1, 0.1]).verdict is UNKNOWN
    assert at_chance(ask, [0.0] * 4).verdict is YES


def gap(ask, values: list[float], loss=None):
    loss = np.ones(1000) if loss is None else loss
    parts = {"loss": loss, "val_loss": (AT[: len(values)], values)}
    return alike(ask, ("loss", "val_loss"), "val_gap_from_start", KIND, 300, **parts)


@pytest.mark.parametrize(
    ("values", "ratio", "verdict"),
    [([1.5, 2.0, 2.0], 1.5, YES), ([1.5, 2.0, 1.5, 0.1], 1.5, YES), ([2.0, 2.0, 1.49], 1.49, NO)],
)
def test_the_first_three_evaluations_lie_half_as_high_again(ask, values, ratio, verdict) -> None:
    found = gap(ask, values)
    assert (found.verdict, found.values) == (verdict, {"ratio": ratio})


def test_training_beside_an_evaluation_are_the_thirteen_points_up_to_it(ask) -> None:
    assert gap(ask, [2.0, 2.0]).verdict is UNKNOWN
    loss = np.full(1000, 9.0)
    for step in AT[:3]:
        loss[step - 13 : step - 6] = 1.0  # seven of the thirteen
    assert gap(ask, [1.5] * 3, loss).values == {"ratio": 1.5}


@pytest.mark.parametrize("rise", [0.0, 0.8])
def test_a_validation_that_leaps_with_training_is_no_scissors(ask, rise) -> None:
    at = np.arange(2000)
    late = at >= 1000
    noise = np.exp(0.02 * np.random.default_rng(3).standard_normal(2000))
    loss = (0.2 + 2.0 * np.exp(-at / 400.0)) * noise + rise * late
    evals = np.arange(100, 2001, 100)
    val = (evals, 0.3 + 2.0 * np.exp(-evals / 400.0) + 0.8 * (evals > 1000))
    kind = Kind.LEVEL_SHIFT
    found = ask("val_rises_while_train_falls", kind, 1001, 1001, 2000, loss=loss, val_loss=val)
    assert found.verdict is (Verdict.REFUTES if rise else Verdict.SUPPORTS)
