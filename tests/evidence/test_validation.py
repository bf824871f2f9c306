from __future__ import annotations

import numpy as np
import pytest
from levels import alike

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND = Kind.SLOW_RECOVERY
AT = np.arange(50, 1001, 50)


def val(before: float, after: float, scatter: float = 0.01, at: int = 500) -> tuple:
    noise = np.random.default_rng(9).normal(0, scatter, AT.size)
    return AT, np.where(at > AT, before, after) + noise


def test_loss_rises(ask, falling) -> None:
    parts = {"loss": falling}
    name = "val_rises_with_loss"
    assert ask(name, KIND, 480, 480, 500, val_loss=val(1.0, 1.4), **parts).verdict is YES
    assert ask(name, KIND, 480, 480, 500, val_loss=val(1.0, 1.0), **parts).verdict is NO
    assert ask(name, KIND, 990, 990, 995, val_loss=val(1.0, 1.0), **parts).verdict is UNKNOWN
    kind = Kind.OSCILLATION
    assert ask(name, kind, 480, 480, 500, val_loss=val(1.0, 1.4), **parts).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("before", "after", "unharmed", "improves"),
    [(1.0, 1.4, NO, NO), (1.0, 1.0, YES, NO), (1.0, 0.6, YES, YES)],
)
def test_harm(ask, falling, before, after, unharmed, improves) -> None:
    parts = {"loss": falling, "val_loss": val(before, after)}
    assert ask("val_unharmed", KIND, 480, 480, 500, **parts).verdict is unharmed
    assert ask("val_improves", KIND, 480, 480, 500, **parts).verdict is improves


def test_what_went_wrong_itself_is_no_second_opinion(ask, falling) -> None:
    parts = {"loss": falling, "val_loss": val(1.0, 0.6)}
    for name in ("val_unharmed", "val_improves", "val_rises_with_loss"):
        said = ask(name, Kind.OVERFITTING, 480, 480, 1000, signal="val_loss", **parts)
        assert said.verdict is UNKNOWN


@pytest.mark.parametrize(
    ("tag", "after", "dropped"),
    [
        ("val/accuracy", 0.6, YES),
        ("val/accuracy", 0.8, NO),
        ("val_mae", 0.6, NO),
        ("val_mae", 1.2, YES),
        ("val/thing", 0.1, UNKNOWN),
    ],
)
def test_direction_of_metrics(ask, falling, tag, after, dropped) -> None:
    parts = {"loss": falling, "val_metric": val(0.8, after), "tags": {"val_metric": tag}}
    kind = Kind.METRIC_DAMAGE
    assert ask("val_metric_dropped", kind, 480, 480, 500, **parts).verdict is dropped


def test_nonfinite_validation(ask, falling) -> None:
    steps, values = val(1.0, 1.0)
    broken = np.where(steps > 500, np.nan, values)
    parts = {"loss": falling, "form": Form.PERSISTENT}
    name, kind = "val_also_nonfinite", Kind.NONFINITE
    assert ask(name, kind, 500, 500, 1000, val_loss=(steps, broken), **parts).verdict is YES
    assert ask(name, kind, 500, 500, 1000, val_loss=(steps, values), **parts).verdict is NO
    assert ask(name, kind, 1001, val_loss=(steps, values), **parts).verdict is UNKNOWN
    harmed = ask("val_unharmed", kind, 500, 500, 1000, val_loss=(steps, broken), **parts)
    assert (harmed.verdict, harmed.values["after"]) == (NO, "NaN")


def test_one_cause_does_not_call_the_weights_sound_and_broken(ask, falling) -> None:
    steps, values = val(1.0, 1.0)
    broken = np.where(steps > 500, np.nan, values)
    parts = {"loss": falling, "val_loss": (steps, broken), "form": Form.PERSISTENT}
    own = ask("val_also_nonfinite", Kind.NONFINITE, 501, 501, 1000, signal="val_loss", **parts)
    assert own.verdict is YES
    assert own.statement.en.endswith("are non-finite")
    assert "weights" not in own.statement.en
    assert "权重" not in own.statement.zh


def test_harm_after_a_steep_descent_needs_no_scatter(ask, falling) -> None:
    """The evaluations before still fall fast: their differences say nothing about noise."""
    values = np.r_[2.1, 0.7, 0.5, 1.0, 0.6, 1.0, 10.7, np.full(13, 2.33)]
    parts = {"loss": falling, "val_loss": (AT, values)}
    ends_high = ask("val_unharmed", Kind.DIVERGENCE, 301, 350, 1000, **parts)
    assert (ends_high.verdict, ends_high.values["after"]) == (NO, 2.33)
    # A spike has no lasting level: worse by far, yet within what was seen before.
    values = np.r_[2.1, 0.7, 0.5, 1.0, 0.6, 1.0, 1.2, 0.9, 1.3, 0.5, 1.4, np.full(9, 0.6)]
    parts["val_loss"] = (AT, values)
    assert ask("val_unharmed", KIND, 301, 301, 310, **parts).verdict is UNKNOWN


def judged(ask, name: str, before: list[float], after: list[float], kind: Kind = KIND, **parts):
    """Ask about evaluations before an event between two of them, and from it on."""
    at = 100 * np.arange(1, len(before) + len(after) + 1)
    start = 100 * len(before) + 50
    values = (at, [*before, *after])
    parts = {"loss": np.ones(int(at[-1])), "val_loss": values} | parts
    return alike(ask, ("val_loss",), name, kind, start, start, start, **parts)


@pytest.mark.parametrize(
    ("after", "rises", "improves"),
    [(100.5, NO, NO), (100.6, YES, NO), (99.5, NO, NO), (99.4, NO, YES), (100.0, NO, NO)],
)
def test_half_a_percent_without_any_scatter(ask, after: float, rises, improves) -> None:
    args = ([100.0] * 5, [after] * 5)
    found = judged(ask, "val_rises_with_loss", *args)
    assert (found.verdict, found.values) == (rises, {"before": 100.0, "after": after})
    assert judged(ask, "val_unharmed", *args).verdict is (NO if rises is YES else YES)
    assert judged(ask, "val_improves", *args).verdict is improves


@pytest.mark.parametrize(("after", "verdict"), [(106.2, NO), (106.4, YES)])
def test_three_times_the_scatter_of_neighbours(ask, after: float, verdict: Verdict) -> None:
    # The evaluations move by 2 up and down in turn, and once by less.
    before = [100.0, 102.0, 100.0, 102.0, 100.0, 102.0, 100.0, 98.0, 100.0]
    moves = np.diff(before)
    middle = np.median(moves)
    usual = 1.4826 * np.median(np.abs(moves - middle)) / 2**0.5
    assert 3 * usual == pytest.approx(6.29, abs=0.01)
    assert judged(ask, "val_rises_with_loss", before, [after] * 5).verdict is verdict


@pytest.mark.parametrize(
    ("before", "after", "verdict"), [(2, 2, YES), (1, 2, UNKNOWN), (2, 1, UNKNOWN)]
)
def test_two_evaluations_on_either_side(ask, before: int, after: int, verdict: Verdict) -> None:
    found = judged(ask, "val_rises_with_loss", [1.0] * before, [2.0] * after)
    assert found.verdict is verdict


def test_five_evaluations_on_either_side_are_compared(ask) -> None:
    found = judged(ask, "val_rises_with_loss", [9.0, 1, 1, 1, 7, 7], [2.0, 2, 2, 8, 8, 8])
    assert found.values == {"before": 1.0, "after": 2.0}


@pytest.mark.parametrize(("after", "verdict"), [(110.0, YES), (111.0, UNKNOWN)])
def test_a_tenth_worse_within_the_scatter_is_left_open(ask, after: float, verdict) -> None:
    before = [100.0, 150.0, 60.0, 130.0, 100.0]
    assert judged(ask, "val_unharmed", before, [after] * 5).verdict is verdict


@pytest.mark.parametrize(("count", "verdict"), [(4, NO), (3, UNKNOWN)])
@pytest.mark.parametrize("side", ["before", "after"])
def test_four_evaluations_that_all_are_worse(ask, side: str, count: int, verdict) -> None:
    before, after = [100.0, 150.0, 60.0, 130.0, 100.0], [160.0] * 5
    before, after = (before[-count:], after) if side == "before" else (before, after[:count])
    found = judged(ask, "val_unharmed", before, after, Kind.LEVEL_SHIFT)
    assert found.verdict is verdict


def test_one_of_them_as_good_as_before_is_no_harm_for_certain(ask) -> None:
    before = [100.0, 150.0, 60.0, 130.0, 100.0]
    found = judged(ask, "val_unharmed", before, [160.0, 160, 160, 150, 160], Kind.LEVEL_SHIFT)
    assert found.verdict is UNKNOWN


@pytest.mark.parametrize(("last", "verdict"), [(98.0, NO), (97.9, YES)])
def test_without_an_onset_the_first_third_is_compared_with_the_last(ask, last, verdict) -> None:
    val = (100 * np.arange(1, 8), [100.0, 100.0, 500.0, 500.0, 500.0, last, last])
    parts = {"loss": np.ones(700), "val_loss": val}
    found = ask("val_improves", Kind.OSCILLATION, 1, 1, 700, **parts)
    assert (found.verdict, found.values["before"], found.values["after"]) == (verdict, 100.0, last)


@pytest.mark.parametrize(("count", "verdict"), [(3, UNKNOWN), (4, YES)])
def test_four_evaluations_show_a_course(ask, count: int, verdict: Verdict) -> None:
    val = (100 * np.arange(1, count + 1), np.linspace(10.0, 1.0, count))
    parts = {"loss": np.ones(700), "val_loss": val}
    assert ask("val_improves", Kind.OSCILLATION, 1, 1, 700, **parts).verdict is verdict


def test_what_comes_late_counts_after_an_event(ask) -> None:
    # The four last evaluations, and those before the event.
    found = judged(ask, "val_improves", [5.0] * 5, [9.0, 9.0, 9.0, 1.0, 1.0, 1.0, 1.0])
    assert (found.verdict, found.values["after"]) == (YES, 1.0)


def test_better_by_less_than_the_scatter_shows_neither(ask) -> None:
    # Medians 10 and 9, a tenth lower, amid evaluations that scatter by as much.
    args = ("val_improves", [10.0, 8.0, 12.0, 9.0, 11.0], [9.0, 7.0, 11.0, 8.0, 10.0])
    assert judged(ask, *args).verdict is UNKNOWN


@pytest.mark.parametrize(("last", "verdict"), [(0.8, YES), (0.4, UNKNOWN)])
def test_what_was_won_and_half_lost_again_is_neither(ask, last: float, verdict: Verdict) -> None:
    accuracy = np.repeat([0.1, 0.8, last], 10)
    parts = {"loss": np.ones(700), "val_metric": (20 * np.arange(1, 31), accuracy)}
    found = ask("val_improves", Kind.OSCILLATION, 1, 1, 700, tags={"val_metric": "acc"}, **parts)
    assert found.verdict is verdict
