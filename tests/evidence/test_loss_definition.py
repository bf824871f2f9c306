from __future__ import annotations

import math

import numpy as np
import pytest
from levels import alike, pieces

from spikedoc.evidence.loss_definition import smoothing_floor
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND, AT = Kind.LEVEL_SHIFT, 600
EVALS = np.arange(50, 1001, 50)
TAGS = {"val_metric": "val_acc"}


def shifted(end: float, seed: int = 3) -> np.ndarray:
    """From ln 10 to .05, then at `end` from step 600 on, with noise of 3 %."""
    steps = np.arange(1000)
    loss = 2.25 * np.exp(-np.maximum(steps - 10, 0) / 60) + 0.05
    loss[AT - 1 :] = end
    return loss * np.exp(np.random.default_rng(seed).normal(0, 0.03, steps.size))


def ask_shift(ask, name: str, loss: np.ndarray, form: Form = Form.UP, **parts):
    return ask(name, KIND, AT, AT + 5, 1000, form=form, loss=loss, **parts)


def test_the_metric_tells_a_rise_of_the_measure_from_harm(ask) -> None:
    name = "metric_unharmed_by_rise"
    noise = np.random.default_rng(4).normal(0, 0.002, EVALS.size)
    holds, drops = 0.9 + noise, 0.9 + noise - 0.3 * (EVALS > AT)
    kept = ask_shift(ask, name, shifted(0.55), val_metric=(EVALS, holds), tags=TAGS)
    lost = ask_shift(ask, name, shifted(0.55), val_metric=(EVALS, drops), tags=TAGS)
    assert (kept.verdict, lost.verdict) == (YES, NO)
    flat = ask_shift(ask, name, shifted(0.05), val_metric=(EVALS, holds), tags=TAGS)
    assert flat.verdict is UNKNOWN
    assert ask_shift(ask, name, shifted(0.55)).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("classes", "smoothing", "floor"),
    [(2, 0.1, 0.1985), (10, 0.05, 0.2822), (10, 0.1, 0.5003), (1000, 0.2, 1.8799)],
)
def test_the_floor_is_the_entropy_of_the_target(classes, smoothing, floor) -> None:
    target = np.full(classes, smoothing / classes)
    target[0] += 1 - smoothing
    assert smoothing_floor(classes, smoothing) == pytest.approx(-(target * np.log(target)).sum())
    assert smoothing_floor(classes, smoothing) == pytest.approx(floor, abs=1e-3)


@pytest.mark.parametrize(
    ("end", "verdict"), [(0.55, YES), (0.30, YES), (0.92, YES), (0.42, NO), (0.2, NO), (1.4, NO)]
)
@pytest.mark.parametrize("config", [{"num_classes": 10}, {}])
def test_a_new_level_at_the_floor(ask, end, verdict, config) -> None:
    found = ask_shift(ask, "rise_fits_smoothing", shifted(end), config=config)
    assert found.verdict is verdict
    assert found.values["classes"] == 10


def test_a_fall_or_a_sum_of_terms_is_no_smoothing(ask) -> None:
    name, loss = "rise_fits_smoothing", shifted(0.55)
    assert ask_shift(ask, name, loss, form=Form.DOWN).verdict is UNKNOWN
    terms = {"a": loss / 2, "b": loss / 2}
    assert ask_shift(ask, name, loss, components=terms).verdict is UNKNOWN
    # A loss that starts at 20 is no cross-entropy over any usual number of classes.
    assert ask_shift(ask, name, 20 / math.log(10) * loss).verdict is UNKNOWN


def test_terms_that_stay_while_their_sum_moves(ask, steady) -> None:
    name, noise = "components_unchanged", np.exp(np.random.default_rng(5).normal(0, 0.02, 1000))
    weight = np.where(np.arange(1000) < AT - 1, 0.5, 5.0)
    terms = {"main": 0.3 * steady, "aux": 0.8 * noise}
    total = terms["main"] + weight * terms["aux"]
    assert ask_shift(ask, name, total, components=terms).verdict is YES
    moved = {"main": terms["main"], "aux": weight * terms["aux"]}
    assert ask_shift(ask, name, total, components=moved).verdict is NO
    assert ask_shift(ask, name, total).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("held_out", "quality", "verdict"),
    [
        (2.0, 0.9, YES),  # the same answers cost twice as much
        (1.4, 0.9, UNKNOWN),  # less than half of the way: 1.41
        (1.0, 0.9, UNKNOWN),  # only what is trained on got harder
        (2.0, 0.6, UNKNOWN),  # the model got worse
    ],
)
def test_without_terms_validation_tells_a_loss_defined_anew(
    ask, held_out: float, quality: float, verdict: Verdict
) -> None:
    later = EVALS > AT
    parts = {"val_loss": (EVALS, np.where(later, held_out, 1.0)), "tags": TAGS}
    parts["val_metric"] = (EVALS, np.where(later, quality, 0.9))
    found = ask_shift(ask, "components_unchanged", stepped(1.0, 2.0), **parts)
    assert found.verdict is verdict
    if verdict is YES:
        assert "val_loss rose with it (1 to 2) while val_metric" in found.statement.en
    assert ask_shift(ask, "components_unchanged", stepped(-1.0, 2.0), **parts).verdict is UNKNOWN


HELD = (EVALS, np.full(20, 0.9))


def stepped(before: float, after: float, end: float | None = None) -> np.ndarray:
    """Before step 600 at one level, from it on at another, at a third for the last hundred."""
    return pieces((AT - 1, before), (301, after), (100, after if end is None else end))


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [(1.0, 1.2, YES), (1.0, 1.19, UNKNOWN), (0.0, 1.0, UNKNOWN), (-1.0, 1.0, UNKNOWN)],
)
def test_a_rise_by_a_fifth_is_worth_a_question(ask, before, after, verdict) -> None:
    parts = {"val_metric": HELD, "tags": TAGS}
    found = ask_shift(ask, "metric_unharmed_by_rise", stepped(before, after), **parts)
    assert found.verdict is verdict
    if verdict is YES:
        told = {"before": 0.9, "after": 0.9, "low": before, "high": after}
        assert found.values == told | {"name": "val_metric"}


@pytest.mark.parametrize(
    ("form", "took", "verdict"),
    [(None, 100.0, YES), (None, 99.0, UNKNOWN), (None, None, YES), (Form.DOWN, None, YES)],
)
def test_a_recovery_that_took_a_hundred_points_is_a_rise(ask, form, took, verdict) -> None:
    measures = {} if took is None else {"recovered_after_steps": took}
    parts = {"loss": stepped(1.0, 2.0), "val_metric": HELD, "tags": TAGS, "measures": measures}
    found = ask("metric_unharmed_by_rise", Kind.SLOW_RECOVERY, AT, AT + 5, 1000, form=form, **parts)
    assert found.verdict is verdict


@pytest.mark.parametrize(("points", "verdict"), [(10, YES), (9, UNKNOWN)])
def test_ten_points_make_a_level(ask, points: int, verdict: Verdict) -> None:
    config = {"num_classes": 10}
    before = pieces((points, 0.05), (300, 0.55))
    name = "rise_fits_smoothing"
    found = ask(name, KIND, points + 1, points + 1, 300, loss=before, config=config)
    assert found.verdict is verdict
    after = pieces((300, 0.05), (points, 0.55))
    found = ask(name, KIND, 301, 301, 300 + points, loss=after, config=config)
    assert (found.verdict is UNKNOWN) is (verdict is UNKNOWN)  # the end is that of 100 points


@pytest.mark.parametrize(
    ("before", "end", "verdict"),
    [
        # The floor over ten classes is .5003 with a smoothing of .1: 3 % below it, 15 % above it
        # and what the loss was before.
        *((0.05, 0.484, NO), (0.05, 0.486, YES), (0.05, 0.625, YES), (0.05, 0.627, NO)),
        # From a third of the floor on, nearly any level would fit one of the usual smoothings.
        *((0.16, 0.55, YES), (0.17, 0.55, UNKNOWN), (0.49, 0.55, UNKNOWN)),
        *((0.17, 0.48, NO), (0.51, 0.55, NO)),
    ],
)
def test_the_room_around_the_floor(ask, before: float, end: float, verdict: Verdict) -> None:
    parts = {"config": {"num_classes": 10}}
    found = ask_shift(ask, "rise_fits_smoothing", stepped(before, 9.0, end), **parts)
    assert found.verdict is verdict
    told = {"level": end, "before": before, "floor": 0.5003, "classes": 10, "smoothing": 0.1}
    assert found.values == ({} if verdict is UNKNOWN else told)


@pytest.mark.parametrize(
    ("start", "config", "verdict"),
    [
        *((1.029 * math.log(10), {}, YES), (1.031 * math.log(10), {}, UNKNOWN)),
        *((0.971 * math.log(10), {}, YES), (0.969 * math.log(10), {}, UNKNOWN)),
        *((9.0, {"num_classes": 10}, YES), (9.0, {"num_classes": 1}, UNKNOWN)),
    ],
)
def test_the_classes_of_a_smoothed_loss(ask, start: float, config, verdict: Verdict) -> None:
    loss = stepped(0.05, 0.55)
    loss[:10] = start
    assert ask_shift(ask, "rise_fits_smoothing", loss, config=config).verdict is verdict


def test_two_classes_are_classes(ask) -> None:
    floor = smoothing_floor(2, 0.1)
    found = ask_shift(ask, "rise_fits_smoothing", stepped(0.01, floor), config={"num_classes": 2})
    assert (found.verdict, found.values["classes"]) == (YES, 2)


@pytest.mark.parametrize(("count", "verdict"), [(1, YES), (2, UNKNOWN)])
def test_a_loss_of_one_term_may_be_smoothed(ask, count: int, verdict: Verdict) -> None:
    loss = stepped(0.05, 0.55)
    terms = dict.fromkeys("ab"[:count], loss)
    parts = {"config": {"num_classes": 10}, "components": terms}
    assert ask_shift(ask, "rise_fits_smoothing", loss, **parts).verdict is verdict


@pytest.mark.parametrize(
    ("total", "term", "verdict"),
    [
        *((1.25, 1.0, YES), (1.24, 1.0, NO), (0.8, 1.0, YES), (0.81, 1.0, NO)),
        # A quarter of the way to sixteenfold, in logs, is twofold; either way.
        *((16.0, 2.0, YES), (16.0, 2.1, NO), (16.0, 0.5, YES), (16.0, 0.47, NO)),
    ],
)
def test_terms_that_stay_where_they_are(ask, total, term, verdict) -> None:
    terms = {"a": np.ones(1000), "b": stepped(1.0, term)}
    parts = {"loss": stepped(1.0, total), "components": terms, "form": Form.UP}
    name, scaled = "components_unchanged", ("loss", "components")
    found = alike(ask, scaled, name, KIND, AT, AT + 5, 1000, **parts)
    assert found.verdict is verdict
    most = pytest.approx(max(term, 1 / term), rel=5e-3)
    assert found.values == {"factor": pytest.approx(total), "count": 2, "most": most}


@pytest.mark.parametrize(("positive", "verdict"), [(1, UNKNOWN), (2, YES)])
def test_two_terms_with_a_level_can_be_compared(ask, positive: int, verdict: Verdict) -> None:
    terms = {name: np.ones(1000) for name in "ab"[:positive]} | {"z": np.full(1000, -1.0)}
    found = ask_shift(ask, "components_unchanged", stepped(1.0, 2.0), components=terms)
    assert found.verdict is verdict
